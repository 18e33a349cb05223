"""Put the compiled modules of a wheel beside their sources, so that the tests of a checkout run them.

    python tools/take_compiled.py dist      the wheel in a folder; a plain wheel has none
    python tools/take_compiled.py --remove  away with them

Prints the number of modules. git ignores them.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "src"
ENDINGS = (".so", ".pyd")


def remove() -> int:
    """Number of the extension modules that were beside the sources."""
    found = [path for path in SOURCES.rglob("*") if path.suffix in ENDINGS]
    for path in found:
        path.unlink()
    return len(found)


def take(wheel: Path) -> int:
    """Number of the extension modules of a wheel, which are now beside the sources."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(ENDINGS)]
        archive.extractall(SOURCES, names)
    return len(names)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("dist"))
    parser.add_argument("--remove", action="store_true")
    options = parser.parse_args()
    removed = remove()
    if options.remove:
        print(f"{removed} compiled modules removed")
        return 0
    wheels = sorted(options.folder.glob("waypost-*.whl"))
    if len(wheels) != 1:
        print(f"{options.folder}: {len(wheels)} wheels of waypost; one is needed", file=sys.stderr)
        return 2
    print(f"{take(wheels[0])} compiled modules from {wheels[0].name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
