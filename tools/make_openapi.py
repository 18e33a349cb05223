"""Write the schema files from their structs, and schemas/api/openapi.json from the endpoint table.

    python tools/make_openapi.py [--check | --release]

With --check nothing is written: the status is 1 where a file is not what structs and table say. With --release what
callers may rely on from now on is written to schemas/api/promise.json too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from api_description import document, written
from api_promise import promised
from make_schemas import main as make_schemas

from waypost.api.table import table
from waypost.contract.openapi import FILE
from waypost.registry import load

TARGET = Path(__file__).resolve().parent.parent / "schemas" / FILE


def main() -> int:
    stale = make_schemas()
    made = written(document(table(), load()))
    held = TARGET.read_bytes() if TARGET.is_file() else b""
    if "--check" in sys.argv:
        return int(stale or made != held)
    TARGET.write_bytes(made)
    if "--release" in sys.argv:
        stored = promised(document(table(), load()))
        TARGET.with_name("promise.json").write_bytes(written(stored))
    print(f"{TARGET.name}: {len(made)} bytes{'' if made != held else ', unchanged'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
