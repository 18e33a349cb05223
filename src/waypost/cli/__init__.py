"""Command line: every module of this folder is a sub-command, unless the name of the module starts with "_".

A command's module has a docstring (the first line for `waypost --help`, the rest for the command's own help), the
number `PLACE` for the order of commands, and

    configure(parser)   adds arguments
    run(args)           does the work; returns the exit status

Heavy modules are imported inside `run`: a command loads no module for another command.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from contextlib import suppress

from waypost import __version__
from waypost.cli._lean_imports import import_lean


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Exit status: 0 success, 1 findings, 2 wrong usage, 3 unreadable input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        # Without the parser, which takes longer to load; an output that cannot be written is reported below.
        with suppress(OSError):
            print(__version__, flush=True)
            return 0
    if argv is not None:
        return _run_interruptible(arguments)
    # The process ends with the command: garbage collection would only cost time, while loading and at the end.
    gc.disable()
    import_lean()
    try:
        return _run_interruptible(arguments)
    finally:
        gc.freeze()


def _run_interruptible(arguments: list[str]) -> int:
    try:
        from waypost.cli._program import run

        return run(arguments)
    except KeyboardInterrupt:
        print("waypost: interrupted", file=sys.stderr)
        return 130  # 128 + SIGINT, as shells count
