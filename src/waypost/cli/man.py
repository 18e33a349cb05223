"""print a manual page, or write the pages of all commands

examples:
  waypost man | man -l -
  waypost man validate | man -l -
  waypost man --output ~/.local/share/man/man1
"""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from waypost import __version__
from waypost.cli._console import UsageError, write

PLACE = 96


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="COMMAND", help="the command; without it waypost itself")
    parser.add_argument("--output", metavar="DIR", help="write the pages of all commands into a folder")


def run(args: Namespace) -> int:
    from waypost.cli._program import commands

    if args.output is not None:
        folder = Path(args.output)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in pages().items():
                (folder / name).write_text(text, "utf-8")
        except OSError as error:
            raise UsageError(f"--output {args.output}: {error.strerror}") from error
        return 0
    if args.topic not in {None, *commands()}:
        raise UsageError(f"there is no command {args.topic!r}; waypost help lists them")
    write([pages()[f"waypost-{args.topic}.1" if args.topic else "waypost.1"]])
    return 0


def pages() -> dict[str, str]:
    """File name -> text of the manual pages of waypost and its commands, in roff."""
    from waypost.cli._program import commands, parser

    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"  # however wide the terminal is
    try:
        return _pages(parser(), commands())
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def _pages(top: ArgumentParser, names: list[str]) -> dict[str, str]:
    found = {"waypost.1": "".join(_page("waypost", top, [f"waypost-{name}" for name in names]))}
    for name, sub in _subcommands(top).items():
        found[f"waypost-{name}.1"] = "".join(_page(f"waypost {name}", sub, ["waypost"]))
    return found


def _subcommands(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    groups = (action.choices for action in parser._actions if isinstance(action.choices, dict))  # noqa: SLF001
    return {name: sub for choices in groups for name, sub in choices.items()}


def _page(title: str, parser: ArgumentParser, related: list[str]) -> Iterator[str]:
    description, _, examples = (parser.description or "").replace("%%", "%").partition("\nexamples:\n")
    summary, _, rest = description.strip().partition("\n")
    yield f'.TH "{title.replace(" ", "-").upper()}" 1 "" "waypost {__version__}"\n'
    summary = summary.removeprefix(f"{title.rpartition(' ')[2]}: ")
    yield f".SH NAME\n{_roff(title.replace(' ', '-'))} \\- {_roff(summary)}\n"
    yield f".SH SYNOPSIS\n.nf\n{_roff(_usage(parser))}\n.fi\n"
    if rest.strip():
        yield f".SH DESCRIPTION\n{_paragraphs(rest)}"
    yield from _arguments(parser, ".SH")
    for name, part in _subcommands(parser).items() if " " in title else ():
        yield f'.SH "{_roff(f"{title} {name}")}"\n{_paragraphs((part.description or "").replace("%%", "%"))}'
        yield from _arguments(part, ".SS")
    if title == "waypost":
        yield f".SH COMMANDS\n{_literal(parser.epilog or '')}"
    if examples:
        yield f".SH EXAMPLES\n{_literal(examples)}"
    yield f'.SH "SEE ALSO"\n{", ".join(f"{_roff(name)}(1)" for name in related)}\n'


def _usage(parser: ArgumentParser) -> str:
    return parser.format_usage().removeprefix("usage: ").rstrip()


def _arguments(parser: ArgumentParser, heading: str) -> Iterator[str]:
    displayed = [each for each in parser._actions if each.help != SUPPRESS and not isinstance(each.choices, dict)]  # noqa: SLF001
    if displayed:
        yield f"{heading} OPTIONS\n"
    for action in displayed:
        yield f".TP\n{_roff(_invocation(action))}\n{_roff(_help(action, parser))}\n"


def _invocation(action: Action) -> str:
    value = action.metavar or (action.dest.upper() if action.nargs != 0 else "")
    if not isinstance(value, str):
        value = " ".join(value)
    if action.choices and not action.metavar:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if not action.option_strings:
        return value
    return ", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 and value else "")


def _help(action: Action, parser: ArgumentParser) -> str:
    # As argparse fills in the help when it prints it.
    known = {**vars(action), "prog": parser.prog}
    return ((action.help or "") % known) if "%(" in (action.help or "") else (action.help or "").replace("%%", "%")


def _paragraphs(text: str) -> str:
    """Text of paragraphs in roff; indented lines keep their breaks."""
    parts = (part.strip("\n") for part in re.split(r"\n\s*\n", text) if part.strip())
    return "".join(_literal(part) if "\n  " in f"\n{part}" else f".PP\n{_roff(part)}\n" for part in parts)


def _literal(text: str) -> str:
    return f".PP\n.nf\n{_roff(text.rstrip())}\n.fi\n"


def _roff(text: str) -> str:
    """Text with escapes for roff: backslashes, hyphens, and dots and quotes at a line's start."""
    # A plain hyphen is printed as U+2010, which no shell takes for the beginning of an option.
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^(\s*)([.'])", r"\1\\&\2", escaped)
