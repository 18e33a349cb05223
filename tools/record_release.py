"""Write down what the registry holds on the day of a release, for the changelog: tools/record_release.py VERSION"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from waypost.pages.changes import contents
from waypost.pages.draft import Source
from waypost.registry import load
from waypost.registry.world import load as load_world

version = sys.argv[1]
target = Path(__file__).parent.parent / "site" / "releases" / f"{version}.json"
if target.exists():
    sys.exit(f"{target} is there already; a release is never changed")
now = datetime.now(UTC)
source = Source(load(), load_world(), now)
target.parent.mkdir(exist_ok=True)
record = {"version": version, "date": now.strftime("%Y-%m-%d"), "contents": contents(source)}
target.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
print(target)
