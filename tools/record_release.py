"""Write down what the registry holds on the day of a release, for the changelog: tools/record_release.py VERSION"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from waypost.pages.changes import contents
from waypost.pages.draft import Source
from waypost.registry import load
from waypost.world import load as load_world

version = sys.argv[1]
target = Path(__file__).parent.parent / "site" / "releases" / f"{version}.json"
if target.exists():
    sys.exit(f"{target} is there already; a release is never changed")
source = Source(load(), load_world(), datetime.now(UTC))
target.parent.mkdir(exist_ok=True)
target.write_text(json.dumps({"version": version, "contents": contents(source)}, indent=1) + "\n", encoding="utf-8")
print(target)
