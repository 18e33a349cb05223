"""CONTRIBUTING.md and its pages: each task has a page, and the files and tools that a page names are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "contributing").glob("*.md"))
_NAMED = re.compile(r"(?:src|schemas|site|tests|tools|benchmarks|docs)/[\w./-]*\w")


def test_every_task_has_a_page_and_a_link() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    linked = re.findall(r"\(docs/contributing/([\w-]+)\.md\)", text)

    assert sorted(linked) == sorted(page.stem for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    code = re.findall(r"`([^`\n]+)`", text) + re.findall(r"^    (?:python )?(tools/\S+)", text, re.MULTILINE)

    # A path with a part to fill in is checked as far as the part.
    named = {found for each in code for found in _NAMED.findall(re.split(r"[<*]", each)[0])}

    assert {name for name in named if not (ROOT / name).exists() and not list(ROOT.glob(f"{name}*"))} == set()
    assert {link for link in re.findall(r"\]\(([\w-]+\.md)\)", text) if not (page.parent / link).exists()} == set()
