"""Write the end of the reviews into the brand files, spread over half a year, so that they do not lapse at once.

    python tools/stagger_reviews.py [--dry-run]

The end of a brand is its earliest review and 183 to 364 days, by the SHA-256 of the slug: the same for everyone, and
never later than the longest lifetime of a review. Run it after reviews were renewed. What was reviewed, and when, is
not touched; a brand without a review has no end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

BRANDS = Path(__file__).resolve().parent.parent / "src" / "waypost" / "data" / "brands"
EARLIEST, LATEST = 183, 364
_MEMBER = re.compile(r'  "review_ends": "[0-9-]*",\n')
_BEFORE = re.compile(r'^(  "countries": .*,\n)', re.MULTILINE)


def end_of(brand: dict[str, Any]) -> str:
    """ISO date of the end of a brand's reviews; empty without one."""
    days = [date.fromisoformat(entry["reviewed"]) for entry in brand["official_domains"]]
    if not days:
        return ""
    digest = hashlib.sha256(brand["slug"].encode()).digest()
    after = EARLIEST + int.from_bytes(digest[:8]) % (LATEST - EARLIEST + 1)
    return (min(days) + timedelta(days=after)).isoformat()


def with_end(path: Path) -> tuple[str, str]:
    """(text with the end, the end) of a brand file."""
    text = path.read_text("utf-8")
    end = end_of(json.loads(text))
    bare = _MEMBER.sub("", text)
    return (_BEFORE.sub(rf'\1  "review_ends": "{end}",' + "\n", bare, count=1) if end else bare), end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="count, and write nothing")
    options = parser.parse_args()
    months: Counter[str] = Counter()
    for path in sorted(BRANDS.glob("*/*.json")):
        text, end = with_end(path)
        if json.loads(text).get("review_ends", "") != end:
            raise SystemExit(f"{path.name}: no line of its own begins with countries")
        if end:
            months[end[:7]] += 1
        if not options.dry_run:
            path.write_text(text, "utf-8")
    for month, count in sorted(months.items()):
        print(f"{month}: {count} brands")


if __name__ == "__main__":
    main()
