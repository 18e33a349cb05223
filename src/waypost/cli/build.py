"""render the site from the registry

Writes a page for every rule, profile, type and field, and the registry's own files, into a folder that works
from any host or opened as it is. Only files whose contents change are written; a link that leads nowhere
stops the build.

examples:
  waypost build
  waypost build --output /tmp/site
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from waypost.cli._console import write

PLACE = 60


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--output", metavar="DIR", type=Path, default=Path("public"), help="where to (default: public)")
    parser.add_argument("--json", action="store_true", help="what was done, as JSON")


def run(args: Namespace) -> int:
    import json
    import time

    from waypost.assets import checkout
    from waypost.cli._run import UsageFault

    try:
        from waypost.pages import build
    except ImportError as missing:
        raise UsageFault(f"building the site needs {missing.name}: pip install 'waypost[site]'") from None
    from waypost.registry import load

    began = time.perf_counter()
    root = checkout()
    built = build(load(), args.output, cases=root / "tests" / "cases" if root else None)
    seconds = time.perf_counter() - began
    if args.json:
        write([json.dumps({**built._asdict(), "seconds": round(seconds, 3), "output": str(args.output)}), "\n"])
    else:
        write(
            [f"{built.pages} pages, {built.files} files, {built.written} written to {args.output} in {seconds:.2f} s\n"]
        )
    return 0
