"""What starts fast stays so: patterns wait for their first use, and of the tree's package only the parser is loaded."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from waypost.formats.patterns import pattern
from waypost.formats.text import near
from waypost.validate.rulebook import rule_names

PAGE = Path(__file__).parent.parent / "examples" / "site" / "recipes" / "rye-bread.html"
NOT_NEEDED = {"shutil", "pkgutil", "difflib", "ada_url", "waypost.reader.dirtyjson"}


def output_of(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_pattern_equals_a_compiled_one() -> None:
    ours, theirs = pattern(r"(?P<word>b+)", re.IGNORECASE), re.compile(r"(?P<word>b+)", re.IGNORECASE)
    text = "aBbc b"
    for _ in range(2):  # as it is compiled, and afterwards
        assert [found.span("word") for found in ours.finditer(text)] == [(1, 3), (5, 6)]
        assert (ours.sub("-", text), ours.split(text)) == (theirs.sub("-", text), theirs.split(text))
        assert (ours.pattern, ours.flags, ours.groupindex) == (theirs.pattern, theirs.flags, theirs.groupindex)
    assert pattern(rb"\d+").fullmatch(b"12")


def test_a_pattern_is_not_compiled_before_it_is_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("")


def test_command_line_checks_without_what_it_does_not_need() -> None:
    code = (
        "import sys\nfrom waypost.cli import main\n"
        f"main(['validate', '--no-config', {str(PAGE)!r}])\n"
        f"print('loaded:', *{NOT_NEEDED} & {{*sys.modules}})"
    )
    assert output_of(code).splitlines()[-1] == "loaded:"


def test_the_command_loads_the_parser_alone() -> None:
    loaded = {"inspect", "typing_extensions", "dataclasses", "turbohtml._internal._render"}
    code = (
        f"import sys\nfrom waypost.cli import main\nsys.argv = ['waypost', 'validate', '--no-config', {str(PAGE)!r}]\n"
        f"main()\nprint('loaded:', *{loaded} & {{*sys.modules}})"
    )
    assert output_of(code).splitlines()[-1] == "loaded:"


def test_a_decision_offline_loads_no_network_and_no_store() -> None:
    unused = {"asyncio", "ssl", "sqlite3", "logging", "tempfile", "inspect", "xml.etree", "waypost.models.finding"}
    code = (
        "import sys\nfrom waypost.cli import main\n"
        "sys.argv = ['waypost', 'check', 'https://shop.example.com/cart', '--action', 'payment', '--offline']\n"
        f"main()\nprint('loaded:', *{unused} & {{*sys.modules}})"
    )
    assert output_of(code).splitlines()[-1] == "loaded:"


def test_another_name_of_the_parser_loads_its_complete_package() -> None:
    code = (
        "from waypost.cli._lean_imports import import_lean\nimport_lean()\nimport turbohtml as before\n"
        "parse = before.parse\nfrom turbohtml import Markdown\nimport turbohtml\n"
        "print(turbohtml.parse is parse, before.Markdown is Markdown, hasattr(before, 'no_such_name'), "
        "bool(parse('<p>a', source_locations=True).select('p')[0].source_location))"
    )
    assert output_of(code) == "True True False True"


def test_names_left_out_before_difflib_are_none_that_it_finds() -> None:
    names = rule_names()[:120]

    for name in names:
        typed = name[1:] + name[0] + name[-1]
        assert near(typed, names) == difflib.get_close_matches(typed, names, n=2, cutoff=0.75)
