"""Program from arguments to exit status: the parser of every command, and errors as messages."""

from __future__ import annotations

import codecs
import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import groupby
from types import ModuleType
from typing import Any, NoReturn

from waypost import __version__, cli
from waypost.cli._console import UNREADABLE, USAGE, UsageError, discard_output, print_message, write
from waypost.errors import WaypostError
from waypost.registry.assets import modules

GROUPS = {
    "check pages": (
        "validate", "diff", "expect", "graph", "crawl", "report", "watch", "preview", "convert", "explain", "rules",
        "schema", "config", "init", "lsp",
    ),
    "check a destination, for agents": ("check", "policy", "review", "disputes", "feeds", "registry"),
    "run the service": ("up", "serve", "build", "org", "keys", "store"),
}  # fmt: skip
"""Commands by heading in the help of waypost; all others stand below the last one."""
_ABOUT = """\
Check the structured data of pages (JSON-LD, Microdata, RDFa), and decide whether an agent may act at a destination.

examples:
  waypost validate public/                   errors in pages, with line and fix
  waypost preview page.html                  the rich result the page could get
  waypost explain price-invalid              what a finding means
  waypost check https://shop.example/ --action payment
"""
_ENDING = (
    "exit status: 0 success, 1 findings or a stop, 2 wrong usage, 3 something could not be read",
    "waypost COMMAND --help shows the options of a command, with examples.",
)


_MOST_IN_USAGE = 8
"""Options that the line of usage lists; a command with more says OPTION, since a list of forty helps no one."""


_REQUIRED = "the following arguments are required: "
"""Beginning of argparse's message about missing arguments."""
_IN_ASCII = "waypost-in-ascii"
_SIMPLER = {
    **dict.fromkeys("╭╮╯╰", "+"),
    **dict.fromkeys("‐‑–—─", "-"),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("“”„", '"'),
    "│": "|",
    "…": ".",  # one character, so that what stands below it stays there
    "›": ">",
    "·": "-",
    "•": "*",
    "★": "*",
    "☆": ".",
}
"""Replacements of the characters that waypost draws and writes itself, for outputs without them."""


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Characters that the output's encoding lacks: in ASCII, or as an escape (an error handler of `codecs`)."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    escaped = (_SIMPLER.get(each) or each.encode("ascii", "backslashreplace").decode() for each in text)
    return "".join(escaped), error.end


class _HelpFormatter(RawDescriptionHelpFormatter):
    """Help as wide as the terminal. argparse's own formatter loads `shutil` to measure the terminal."""

    def __init__(self, prog: str, **settings: Any) -> None:
        super().__init__(prog, **{"width": _columns() - 2, **settings})

    def add_usage(
        self, usage: str | None, actions: Iterable[Action], groups: Iterable[Any], prefix: str | None = None
    ) -> None:
        remaining = list(actions)
        optional = [action for action in remaining if action.option_strings and not action.required]
        if usage is None and len(optional) > _MOST_IN_USAGE:
            self._prog += " [OPTION ...]"
            remaining, groups = [action for action in remaining if action not in optional], ()
        super().add_usage(usage, remaining, groups, prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Paragraphs as wide as the terminal; indented lines, which are examples and lists, keep their breaks."""
        from textwrap import fill

        lines: list[str] = []
        for is_literal, part in groupby(text.splitlines(), lambda line: not line or line.startswith(" ")):
            if is_literal:
                lines += [indent + line if line else "" for line in part]
            else:
                lines.append(
                    fill(" ".join(part), width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
                )
        return "\n".join(lines)


def _columns() -> int:
    setting = os.environ.get("COLUMNS", "")
    if setting.isdecimal() and int(setting):
        return int(setting)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return 80


class Parser(ArgumentParser):
    """argparse with messages that suggest similar names and point to the help."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", _HelpFormatter)
        # An abbreviation valid today may be ambiguous after the next option is added.
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        if (missing := message.removeprefix(_REQUIRED)) != message:
            message = f"missing {missing}{self._steps(missing)}"
        print_message(f"{message}\n  see `{self.prog} --help`")
        raise SystemExit(USAGE)

    def _steps(self, missing: str) -> str:
        """Names of the sub-commands, as the end of a message, where one of them is what is missing."""
        steps = next((action for action in self._actions if action.metavar == missing and action.choices), None)
        return f": {', '.join(map(str, steps.choices or ()))}" if steps else ""

    def _print_message(self, message: str, _file: Any = None) -> None:
        """Print help or a version; argparse itself ignores an output that cannot be written, as on a full disk."""
        if message:
            write([message])

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            # A command or another positional argument is named by its own name: command 'validat'.
            option = action.option_strings[0] if action.option_strings else ""
            argument = f"{option}: unknown value" if option else f"unknown {action.dest}"
            if action.dest == "command" and _is_page(str(value)):
                page = _without_secret(str(value))
                self.error(f"{argument} {page!r}; to check a page, write `waypost validate {page}`")
            self.error(f"{argument} {value!r}{_suggestion(str(value), map(str, action.choices))}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, rest = super().parse_known_args(args, namespace)
        # An unknown option explains the stray values after it, so it is named first.
        unknown = [argument for argument in rest if argument.startswith("-")] or rest
        if unknown:
            # The subcommand's own options, as this runs in its parser.
            options = (name for action in self._actions for name in action.option_strings)
            argument = _without_secret(unknown[0])
            self.error(f"unknown argument {argument!r}{_suggestion(argument, options, '')}")
        return known, rest


def _without_secret(argument: str) -> str:
    """Argument for a message: without the value of an option, and without the password of a URL."""
    from waypost.reader.sources import without_credentials

    return argument.partition("=")[0] if argument.startswith("-") else without_credentials(argument)


def _is_page(name: str) -> bool:
    """Whether an argument in the place of a command is a page: an existing file or folder, or a URL."""
    from waypost.lint.inputs import is_address

    return is_address(name) or os.path.lexists(name)


def _suggestion(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """Names like `name`, as the end of a message; without a similar name `otherwise`, or every known name for None."""
    from waypost.formats.text import near

    names = list(known)
    if similar := near(name, names):
        return f"; did you mean {' or '.join(similar)}?"
    return f"; choose from {', '.join(names)}" if otherwise is None else otherwise


def commands() -> list[str]:
    """Names of the commands; imports no command."""
    return modules(cli.__path__)


def parser(only: str | None = None) -> Parser:
    """Parser of every command, or of the command `only` alone, without importing further commands."""
    # One command imports its own module alone, which decides how fast it starts.
    names = [only] if only in (known := commands()) else known
    command_modules = {name: import_module(f"{cli.__name__}.{name}") for name in names if name}
    top = Parser(
        prog="waypost",
        description=_ABOUT,
        usage="waypost [-h] [-V] [--warm] COMMAND ...",
        epilog="\n\n".join([*_overview(command_modules if names == known else {}), *_ENDING]),
    )
    top.add_argument("-V", "--version", action="version", version=__version__, help="print the version alone")
    top.add_argument("--warm", action="store_true",
                     help="run in a helper that stays loaded for ten minutes (Linux); must come first")  # fmt: skip
    # The epilog lists the commands by group, which argparse cannot.
    add = top.add_subparsers(metavar="COMMAND", dest="command", parser_class=Parser, help=SUPPRESS, prog="waypost")
    for name, module in sorted(command_modules.items(), key=lambda item: (item[1].PLACE, item[0])):
        title, _, rest = (module.__doc__ or "").partition("\n")
        # argparse reads % in its texts as a format.
        sub = add.add_parser(
            name, help=title.replace("%", "%%"), description=f"{title}\n{rest}".strip().replace("%", "%%")
        )
        module.configure(sub)
        sub.set_defaults(module=module)
    return top


def _overview(command_modules: Mapping[str, ModuleType]) -> Iterator[str]:
    """The commands with their summaries, group by group."""
    if not command_modules:
        return
    from waypost.report._terminal import folded

    grouped = {name for names in GROUPS.values() for name in names}
    rest = sorted(command_modules.keys() - grouped, key=lambda name: command_modules[name].PLACE)
    for heading, names in {**GROUPS, "others": rest}.items():
        lines = [f"{heading}:"]
        for name in filter(command_modules.__contains__, names):
            summary = (command_modules[name].__doc__ or "").partition("\n")[0].removeprefix(f"{name}: ")
            lines.append(f"  {name:<12} {folded(summary, _columns() - 2, 15, ' ' * 15)}")
        yield "\n".join(lines)


def run(arguments: Sequence[str]) -> int:
    """Run the command named by the arguments. Errors end as a message on standard error and an exit status."""
    try:
        return _run_command(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except UsageError as error:
        print_message(str(error))
        return USAGE
    except WaypostError as error:
        print_message(str(error))
        return UNREADABLE
    except BrokenPipeError:
        discard_output()
        return 141  # 128 + SIGPIPE, as shells count


def _run_command(arguments: Sequence[str]) -> int:
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the process lives
    # Instead of UnicodeEncodeError under LANG=C or an old Windows code page.
    codecs.register_error(_IN_ASCII, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_IN_ASCII)
    # Before parsing, since a parser of all commands would import every command.
    first = next((argument for argument in arguments if not argument.startswith("-")), None)
    top = parser(first)
    args: Namespace = top.parse_args(arguments)
    if args.command is None:
        top.print_help()
        return USAGE
    module: ModuleType = args.module
    status: int = module.run(args)
    sys.stdout.flush()
    return status
