"""Run extruct over a folder of pages: python extract_pages.py FOLDER, in an environment that has extruct.

Prints one JSON object in the form of validators.mjs. extruct validates nothing: only crashes and time are compared.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import extruct

pages: dict[str, dict[str, object]] = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        extruct.extract(path.read_text("utf-8", "replace"), syntaxes=["json-ld", "microdata", "rdfa"])
        pages[path.name] = {"errors": 0, "warnings": 0, "placed": 0}
    except Exception as error:  # noqa: BLE001 - a crash is what is counted
        pages[path.name] = {"crash": f"{type(error).__name__}: {error}"[:120]}
print(json.dumps(pages))
