"""Render the site: python build.py [--output public]. The same as `waypost build`."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    if __spec__ is not None:
        # `python -m build` in this folder finds this file in place of the packaging tool of that name: run the tool.
        here = Path(__file__).resolve().parent
        sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
        runpy.run_module("build", run_name="__main__", alter_sys=True)
    else:
        from waypost.cli import main

        sys.exit(main(["build", *sys.argv[1:]]))
