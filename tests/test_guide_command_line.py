"""The page of the command line: made from the parser, with each option of each command's help."""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import ArgumentParser

import pytest
from tests.test_guide_ci import DOCS, ROOT

from waypost.cli._program import commands, parser

PAGE = (DOCS / "command-line.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"(?ms)^### (waypost .+?)\n(.*?)(?=^##|\Z)", PAGE))


def test_the_page_is_made_from_the_parser() -> None:
    made = subprocess.run([sys.executable, ROOT / "tools" / "make_command_line.py", "--check"], check=False)

    assert made.returncode == 0, "python tools/make_command_line.py"


def with_subcommands(title: str, command: ArgumentParser) -> dict[str, ArgumentParser]:
    found = {title: command}
    for action in command._actions:
        for name, inner in action.choices.items() if isinstance(action.choices, dict) else ():
            found |= with_subcommands(f"{title} {name}", inner)
    return found


HELP = {
    title: each.format_help() for title, each in with_subcommands("waypost", parser()).items() if title != "waypost"
}


@pytest.mark.parametrize("title", HELP)
def test_each_option_of_the_help_stands_on_the_page(title: str) -> None:
    # In the help an option stands at the start of a line, before two spaces or the end.
    options = set(re.findall(r"(?m)^  (?:-\w(?: \S+)?, )?(--[a-z][\w-]*)", HELP[title])) - {"--help"}
    missing = {option for option in options if not re.search(rf"`[^`]*{option}\b", SECTIONS[title])}

    assert missing == set()


def test_the_page_has_every_command() -> None:
    assert set(SECTIONS) == set(HELP)
    assert len(commands()) > 30
    assert sum(text.count("--") for text in SECTIONS.values()) > 300
