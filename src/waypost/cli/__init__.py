"""The command line: one module, one sub-command, found by scanning this folder.

A command's module has a docstring (its first line is its line in `waypost --help`, the rest stands in
its own help), the number `PLACE` that orders it among the others, and

    configure(parser)   adds its arguments
    run(args)           does the work; returns the exit status

Whatever is heavy is imported inside `run`: a command costs only what it needs. A module whose name
starts with "_" is no command.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

from waypost import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 well, 1 findings, 2 wrong usage, 3 something could not be read."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        print(__version__)
        return 0
    if argv is not None:
        return _ran(arguments)
    # The process is ours: nothing is garbage while we load, and nothing need be searched for it at the end.
    gc.disable()
    try:
        return _ran(arguments)
    finally:
        gc.freeze()


def _ran(arguments: list[str]) -> int:
    try:
        from waypost.cli._run import run

        return run(arguments)
    except KeyboardInterrupt:
        print("waypost: interrupted", file=sys.stderr)
        return 130  # 128 and the number of SIGINT, as shells count
