"""Guides by generator and framework: each block has the effect that the guide shows, and no text is there twice.

The pages that generators make are on record (`benchmarks/stacks.py` builds them). Blocks that need a framework run
where it is installed: `pip install --group frameworks`.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tools.stacks import GUIDES, RECORDED, follow, missing

from waypost.errors import RegistryError
from waypost.pages import guides, stacks

NAMES = stacks.names()


@pytest.mark.parametrize("name", NAMES)
def test_each_command_prints_what_the_guide_shows(name: str, tmp_path: Path) -> None:
    printed = follow(name, tmp_path, packages=False)

    assert {before: after for before, after in printed.items() if before != after} == {}, (
        f"python tools/stacks.py --update {name}"
    )
    assert any("init" in before for before in printed)
    assert any("error[" in before or "warning[" in before for before in printed)


@pytest.mark.parametrize("name", [name for name in NAMES if stacks.head(name).get("needs")])
def test_commands_with_a_framework_run(name: str, tmp_path: Path) -> None:
    if absent := missing(name):
        pytest.skip(f"{', '.join(absent)} not installed: pip install --group frameworks")

    follow(name, tmp_path, consoles=False)


@pytest.mark.parametrize("name", NAMES)
def test_a_guide_has_the_usual_sections(name: str) -> None:
    headings = re.findall(r"^## (.*)", stacks.text(name), re.MULTILINE)

    assert re.match(r"Where it is (written|read|configured)", headings[0])
    assert {"Typical mistakes", "Configuration"} <= set(headings)
    assert {"In CI", "Many pages", "Check what changed"} & set(headings)
    assert any(heading.startswith(("Check the", "Check all", "Try it")) for heading in headings)


def test_no_two_guides_have_a_text_in_common() -> None:
    seen: Counter[str] = Counter()
    for name in NAMES:
        prose = re.sub(r"(?ms)^```.*?^```$|\A\+\+\+.*?^\+\+\+$", "", (GUIDES / f"{name}.md").read_text("utf-8"))
        seen.update({part for part in re.split(r"\n\s*\n|\n- ", prose) if not re.match(r"\s*(?:#|<!--)|\s*\Z", part)})

    assert [text for text, number in seen.items() if number > 1] == []


def test_every_recorded_page_belongs_to_a_guide() -> None:
    assert {path.name for path in RECORDED.iterdir()} <= set(NAMES)


def test_the_guides_are_in_the_navigation() -> None:
    group = next(group for group in guides.side(None) if group.heading == "By generator and framework")  # type: ignore[arg-type]

    assert [address for _, address, _ in group.entries] == [f"docs/{name}/" for name in NAMES]
    assert len(NAMES) == 15


def test_a_shared_text_names_the_missing_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "_source", lambda _: "# A\n\nB.\n\n<!-- shared: ci -->\n")
    stacks.text.cache_clear()
    stacks.head.cache_clear()

    with pytest.raises(RegistryError, match="needs the value 'setup' at its start"):
        stacks.text("made")

    stacks.text.cache_clear()
    stacks.head.cache_clear()
