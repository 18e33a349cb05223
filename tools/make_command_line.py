"""Write site/docs/command-line.md, the reference of the command line, from the parser.

    python tools/make_command_line.py [--check]

With --check nothing is written: the status is 1 where the page says otherwise.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import SUPPRESS, Action, ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from waypost.cli import man
from waypost.cli._program import GROUPS, commands, parser

TARGET = Path(__file__).resolve().parent.parent / "site" / "docs" / "command-line.md"
SHARED_BY = 5
"""Commands that have an option with the same words, so that it stands in a section of its own."""
HEAD = (
    "# Command line\n\n"
    "All commands of waypost with all their options, as `waypost COMMAND --help` shows them.\n\n"
    "The exit status is 0 for success, 1 for findings or a stop, 2 for wrong usage, and 3 where something could not "
    "be read; the section of a command names other ones. `waypost man COMMAND | man -l -` shows the same as a manual "
    "page, and `waypost completion SHELL` prints the completion of a shell. Permanent options of `validate` stand in "
    "`waypost.toml`: [Configuration](/docs/configuration/).\n"
)


class Entry(NamedTuple):
    """Row of a table: option or argument as written, meaning."""

    written: str
    meaning: str


def reference() -> Iterator[str]:
    top = parser()
    found = man._subcommands(top)  # noqa: SLF001
    leaves = [leaf for name in commands() for leaf in leaves_of(name, found[name])]
    common = shared([entries(leaf) for _, leaf in leaves])
    yield HEAD
    yield "\n## Options of several commands\n\n"
    yield "The sections of the commands name these without their meaning.\n\n"
    yield from rows(common)
    yield "\n## waypost\n\n"
    yield from rows(entries(top))
    grouped = {name for names in GROUPS.values() for name in names}
    other = tuple(name for name in commands() if name not in grouped)
    for heading, names in (*GROUPS.items(), ("Help and installation", other)):
        yield f"\n## {heading[0].upper()}{heading[1:]}\n"
        for name in names:
            for title, leaf in leaves_of(name, found[name]):
                yield from section(title, leaf, common)


def leaves_of(name: str, command: ArgumentParser) -> Iterator[tuple[str, ArgumentParser]]:
    """(name, parser) of a command and of those below it."""
    yield name, command
    for inner, each in man._subcommands(command).items():  # noqa: SLF001
        yield from leaves_of(f"{name} {inner}", each)


def section(title: str, command: ArgumentParser, common: list[Entry]) -> Iterator[str]:
    about, _, examples = (command.description or "").replace("%%", "%").partition("\nexamples:\n")
    summary, _, rest = about.strip().partition("\n")
    summary = summary.removeprefix(f"{title.rpartition(' ')[2]}: ")
    yield f"\n### waypost {title}\n\n{escaped(summary)[:1].upper()}{escaped(summary)[1:]}.\n\n"
    if statuses := re.search(r"(?m)^exit status: (.*(?:\n  +.*)*)", f"{rest}\n{examples}"):
        yield f"Exit status: {escaped(' '.join(statuses[1].split()))}.\n\n"
    own = [each for each in entries(command) if each not in common]
    yield from rows(own)
    if also := [each.written for each in entries(command) if each in common and each.written != "`-h, --help`"]:
        blank = "\n" if own else ""
        yield f"{blank}Also {', '.join(also)}.\n"


def actions(command: ArgumentParser) -> Iterator[Action]:
    for action in command._actions:  # noqa: SLF001
        if action.help != SUPPRESS and not isinstance(action.choices, dict):
            yield action


def entries(command: ArgumentParser) -> list[Entry]:
    return [
        Entry(f"`{man._invocation(action)}`", man._help(action, command))  # noqa: SLF001
        for action in actions(command)
    ]


def shared(commands_entries: list[list[Entry]]) -> list[Entry]:
    seen = Counter(entry for each in commands_entries for entry in each if entry.written.startswith("`-"))
    frequent = [entry for entry, number in seen.items() if number >= SHARED_BY]
    names = Counter(entry.written for entry in frequent)
    return [entry for entry in frequent if names[entry.written] == 1]


def rows(found: list[Entry]) -> Iterator[str]:
    if found:
        yield "| option | meaning |\n|---|---|\n"
        for entry in found:
            written = entry.written.replace("|", "\\|")
            yield f"| {written} | {escaped(entry.meaning)} |\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\|*_<\[\]])", r"\\\1", " ".join(text.split()))


def main() -> int:
    os.environ["COLUMNS"] = "80"
    made = "".join(reference())
    if "--check" in sys.argv:
        return int(made != TARGET.read_text("utf-8"))
    TARGET.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
