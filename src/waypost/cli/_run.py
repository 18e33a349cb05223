"""From arguments to an exit status: the parser, and what happens when something ends a command early."""

from __future__ import annotations

import os
import sys
from argparse import Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from waypost import __version__, cli
from waypost.errors import WaypostError
from waypost.registry.assets import modules

USAGE, UNREADABLE = 2, 3


class UsageError(WaypostError):
    """What was asked makes no sense; the text says what would."""

    code, status = "usage", 400


class _Help(RawDescriptionHelpFormatter):
    """As wide as the terminal, like argparse's own, which loads all that `shutil` needs to find that out."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, **{"width": _columns() - 2, **settings})


def processors() -> int:
    """How many of them this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80


class Parser(ArgumentParser):
    """argparse with our own errors: what is wrong, what was probably meant, where the help is."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _Help)
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        say(f"{message}\n  {self.prog} --help shows what there is")
        raise SystemExit(USAGE)

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = (action.option_strings or [action.dest])[0]
            self.error(f"{what}: there is no {value!r}{_meant(str(value), map(str, action.choices))}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, rest = super().parse_known_args(args, namespace)
        stray = [each for each in rest if each.startswith("-")] or rest
        if stray:
            options = (name for action in self._actions for name in action.option_strings)
            self.error(f"unknown argument {stray[0]!r}{_meant(stray[0].partition('=')[0], options, '')}")
        return known, rest


def _meant(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    from waypost.formats.text import near

    names = list(known)
    if found := near(name, names):
        return f"; did you mean {' or '.join(found)}?"
    return f" among {', '.join(names)}" if otherwise is None else otherwise


def say(message: str) -> None:
    """One message on standard error."""
    try:
        print(f"waypost: {message}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass  # nobody listens there; the exit status still says it


def commands() -> list[str]:
    """The names of all commands, without importing any."""
    return modules(cli.__path__)


def parser(only: str | None = None) -> Parser:
    """The parser of everything; of one command alone when `only` names it, so that the others cost nothing."""
    names = [only] if only in (known := commands()) else known
    found = {name: import_module(f"{cli.__name__}.{name}") for name in names if name}
    top = Parser(
        prog="waypost",
        description="waypost says whether a page's structured data is right, and exactly where it is not.",
        epilog="exit status: 0 nothing wrong, 1 findings, 2 wrong usage, 3 something could not be read\n\n"
        "waypost COMMAND --help explains a command, with examples",
    )
    top.add_argument("-V", "--version", action="version", version=__version__, help="print the version alone")
    add = top.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=Parser)
    for name, module in sorted(found.items(), key=lambda item: (item[1].PLACE, item[0])):
        title, _, rest = (module.__doc__ or "").partition("\n")
        # argparse reads % in its texts as a format.
        sub = add.add_parser(
            name, help=title.replace("%", "%%"), description=f"{title}\n{rest}".strip().replace("%", "%%")
        )
        module.configure(sub)
        sub.set_defaults(module=module)
    return top


def run(arguments: Sequence[str]) -> int:
    try:
        return _run(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except UsageError as fault:
        say(str(fault))
        return USAGE
    except WaypostError as fault:
        say(str(fault))
        return UNREADABLE
    except BrokenPipeError:
        hush()
        return 141  # 128 and the number of SIGPIPE, as shells count


def _run(arguments: Sequence[str]) -> int:
    if sys.stdout is None:  # closed by the caller: what is said then is said to nobody
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the process lives
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    first = next((each for each in arguments if not each.startswith("-")), None)
    top = parser(first)
    args: Namespace = top.parse_args(arguments)
    if args.command is None:
        top.print_help()
        return USAGE
    module: ModuleType = args.module
    status: int = module.run(args)
    sys.stdout.flush()
    return status


def hush() -> None:
    """The reader of our output has gone: let the interpreter's last flush go nowhere, without a traceback."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
