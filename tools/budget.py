"""Show or raise the size budgets of the site (`site/budgets.json`).

    python tools/budget.py                              weight and budget of every part
    python tools/budget.py --raise PART --because TEXT  budget of a part: its weight now and 5 %, with the reason

PART is a name in the file. A budget is the weight of the last release and 5 %: a new rule fits, and what a release adds
is seen. Raise one only for what users get for it; the reasons stand in the file.
Exit status 1 if a part is above its budget, or if there is nothing to raise; 2 for a part that does not exist.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from waypost.pages import Settings, budgets, render  # noqa: E402
from waypost.pages.draft import Source  # noqa: E402
from waypost.registry import assets, load  # noqa: E402
from waypost.registry.world import load as load_world  # noqa: E402

FILE = ROOT / "site" / "budgets.json"
ROOM = 1.05


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--raise", dest="part", metavar="PART")
    parser.add_argument("--because", metavar="TEXT")
    options = parser.parse_args()
    if bool(options.part) != bool(options.because):
        parser.error("--raise and --because go together")
    written = budgets.load()
    weights = budgets.weights(site())
    if options.part:
        return raise_budget(written, weights, options.part, options.because)
    over = False
    for group, parts in weights.items():
        for name, weight in parts.items():
            most = written[group][name]
            over = over or weight > most
            print(f"{group:18} {name:12} {weight:9,.6g} of {most:9,.6g}{'  ABOVE' if weight > most else ''}")
    return int(over)


def site() -> dict[str, bytes]:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    source = Source(load(), load_world(), now, assets.cases())
    return render(source, Settings())[0]


def raise_budget(written: dict[str, Any], weights: dict[str, dict[str, float]], part: str, because: str) -> int:
    for group, parts in weights.items():
        if part in parts:
            before, steps = written[group][part], {"requests_at_start": 1, "bytes_per_page": 0.1}
            weight = parts[part] * (1 if group == "requests_at_start" else ROOM)
            step = steps.get(group, 100)
            now = round(math.ceil(weight / step) * step, 1)
            if now <= before:
                print(f"{part}: {parts[part]:,.6g} of {before:,} leaves its room: nothing to raise")
                return 1
            written[group][part] = now
            row = {
                "date": datetime.now(UTC).date().isoformat(),
                "part": part,
                "from": before,
                "to": now,
                "because": because,
            }
            written["raised"].append(row)
            FILE.write_text(as_text(written), "utf-8")
            print(f"{part}: {before:,} to {now:,}")
            return 0
    print(f"there is no part {part!r}; parts: {', '.join(n for p in weights.values() for n in p)}", file=sys.stderr)
    return 2


def as_text(written: dict[str, Any]) -> str:
    """The file: a member a line, a reason a line."""
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in written["raised"])
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in written.items() if name != "raised"]
    raised = f"[\n{rows}\n  ]" if rows else "[]"
    return "{\n" + ",\n".join([*lines, f'  "raised": {raised}']) + "\n}\n"


if __name__ == "__main__":
    raise SystemExit(main())
