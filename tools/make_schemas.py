"""Write schemas/api/*.schema.json from the structs of waypost.models.wire.

    python tools/make_schemas.py [--check]

With --check nothing is written: the status is 1 where a file is not what its struct says.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from waypost.contract.struct_schemas import published_schemas

FOLDER = Path(__file__).resolve().parent.parent / "schemas" / "api"


def files() -> Iterator[tuple[Path, str]]:
    """Path and text of each file."""
    for name, schema in published_schemas():
        yield FOLDER / f"{name}.schema.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    check = "--check" in sys.argv
    stale = [(path, text) for path, text in files() if not path.is_file() or path.read_text("utf-8") != text]
    for path, text in stale:
        print(f"{path.name}: {'not what its struct says' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    raise SystemExit(main())
