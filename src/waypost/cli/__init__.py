"""Command line: every module of this folder is a sub-command, unless the name of the module starts with "_".

A command's module has a docstring (the first line for `waypost --help`, the rest for the command's own help), the
number `PLACE` for the order of commands, and

    configure(parser)   adds arguments
    run(args)           does the work; returns the exit status

Heavy modules are imported inside `run`: a command loads no module for another command.
"""

from __future__ import annotations

import gc
import os
import sys

from waypost import __version__
from waypost.cli import _warm

TYPE_CHECKING = False  # `typing` takes longer to load than a warm command
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Exit status: 0 success, 1 findings, 2 wrong usage, 3 unreadable input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        # Without the parser, which takes longer to load; an output that cannot be written is reported below.
        try:
            print(__version__, flush=True)
            return 0
        except OSError:
            pass
    if argv is not None:
        return run_interruptible(arguments)
    if _warm.is_requested(arguments):
        arguments = arguments[1:] if arguments[:1] == ["--warm"] else arguments
        if (status := _warm.run_warm(arguments)) is not None:
            os._exit(status)  # nothing of this process has to be ended
    # The process ends with the command: garbage collection would only cost time, while loading and at the end.
    gc.disable()
    import_lean()
    try:
        return run_interruptible(arguments)
    finally:
        gc.freeze()


def import_lean() -> None:
    """Import the large packages without the parts that no command uses."""
    # Here, since a warm command imports neither.
    from waypost.cli import _lean_imports

    _lean_imports.import_lean()


def run_interruptible(arguments: list[str]) -> int:
    """Run a command; Ctrl-C ends it with a message."""
    try:
        from waypost.cli._program import run

        return run(arguments)
    except KeyboardInterrupt:
        print("waypost: interrupted", file=sys.stderr)
        return 130  # 128 + SIGINT, as shells count
