"""The front page: its terminal is a real run, and its numbers are those of the registry, the messages and the cases."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.cli import main
from waypost.pages.draft import Source
from waypost.pages.home import _PAGE, compared_cases
from waypost.pages.rules import check_examples
from waypost.registry import assets, load
from waypost.registry.world import load as load_world
from waypost.validate.rulebook import rules_by_name

REGISTRY = load()
SOURCE = Source(REGISTRY, load_world(), datetime(2026, 11, 20, 12, tzinfo=UTC), assets.cases())


@pytest.fixture(scope="module")
def home(built_site: Path) -> str:
    return (built_site / "index.html").read_text("utf-8")


def plain(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


def test_the_terminal_is_a_run_of_the_command_line(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "public").mkdir()
    (tmp_path / "public/kettle.html").write_text(_PAGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "66")
    drawn = plain(re.findall(r"<code data-shell>(.*?)</code>", home, re.DOTALL)[0])

    printed = []
    for option in ([], ["--fix"]):
        main(["validate", "public/kettle.html", *option, "--color", "always"])
        output = capsys.readouterr()
        printed.append(re.sub(r"\x1b\[[\d;]*m", "", output.out + output.err).rstrip())

    for text in printed:
        for line in text.splitlines():
            assert " ".join(line.split()) in " ".join(drawn.split())


def test_the_numbers_are_counted(home: str) -> None:
    proofs = plain(re.findall(r'<section class="proofs".*?</section>', home, re.DOTALL)[0])

    assert f"{len(rules_by_name())} rules" in proofs
    assert f"{check_examples(SOURCE):,} examples" in proofs
    assert f"{len(REGISTRY.profiles)} rich results" in proofs
    assert f"{len(compared_cases(SOURCE.cases)):,} test pages" in proofs


def test_each_message_of_the_number_has_a_page(home: str, built_site: Path) -> None:
    pages = list((built_site / "messages").rglob("index.html"))

    assert f"on {len(pages) - 1} pages" in plain(home)
    assert f"{len([each for each in (built_site / 'messages').iterdir() if each.is_dir()])} messages" in plain(home)
