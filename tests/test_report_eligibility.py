"""The badge of a card is about the page at hand, and says the same in Python and in the browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.models.snippet import Status
from waypost.pages.bundle import scripts
from waypost.pages.card_gaps import cards
from waypost.pages.modules import joined
from waypost.registry import load
from waypost.report._eligibility import KINDS, badge_of
from waypost.validate import validate_data

CASES = Path(__file__).parent / "cases"
STATUSES: tuple[Status, ...] = ("supported", "restricted", "retired", "none")


def checked(**item: Any) -> Any:
    return validate_data(json.dumps({"@context": "https://schema.org", **item}).encode(), load())


@pytest.mark.parametrize(
    ("item", "status", "expected"),
    [
        ({"@type": "Recipe", "name": "Soup"}, "supported", "not eligible: 1 required property missing"),
        ({"@type": "Event", "name": "Fair"}, "supported", "not eligible: 2 required properties missing"),
        (
            {"@type": "Recipe", "name": "Soup", "image": "https://www.example.com/soup.jpg"},
            "supported",
            "eligible for recipe results",
        ),
        ({"@type": "Thing", "name": "Lamp"}, "none", "Google has no rich result of this kind"),
    ],
)
def test_a_badge_names_this_pages_gaps(item: dict[str, Any], status: Status, expected: str) -> None:
    assert badge_of(status, checked(**item), 0).text == expected


def test_without_a_page_nothing_is_promised() -> None:
    for status in STATUSES:
        badge = badge_of(status)

        assert badge.state == "unknown"
        assert badge.text.endswith("whether a page qualifies was not checked")


def test_a_badge_never_praises_an_incomplete_item() -> None:
    bad = checked(**{"@type": "JobPosting", "title": "Baker"})

    assert badge_of("supported", bad, 0).state == "not_eligible"


PROGRAM = """
const [parts, sources, files, kinds] = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const part of parts) (0, eval)(part);
(0, eval)(sources + ";globalThis.made=badgeOf");
console.log(JSON.stringify(files.map((file) => Object.keys(kinds).map((status) =>
  [...file.items.map((_, number) => made(status, kinds, file, number)),
   ...(file.verdicts || []).map(({ syntax, block, pointer }) =>
     made(status, kinds, file, -1, [[syntax, block, pointer]]))]))));
"""


def test_the_browser_agrees_about_every_item() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    registry = load()
    paths = [*CASES.glob("snippets/*/input.json"), *CASES.glob("profiles/*/*.json"), *CASES.glob("rules/*/bad-*.json")]
    files = [validate_data(path.read_bytes(), registry) for path in sorted(paths) if path.name != "expected.json"]
    parts = [data.decode() for data in scripts(registry).values()]
    sources = "const document = { querySelector: () => null };" + joined("workbench/eligibility.js")

    ran = subprocess.run(
        [node, "-e", PROGRAM], input=json.dumps([parts, sources, msgspec.to_builtins(files), KINDS]),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-2000:]
    for file, by_status in zip(files, json.loads(ran.stdout), strict=True):
        for status, badges in zip(KINDS, by_status, strict=True):
            of_items = [badge_of(status, file, number) for number in range(len(file.items))]
            of_nodes = [
                badge_of(status, file, None, [(each.syntax, each.block or 0, each.pointer)]) for each in file.verdicts
            ]
            assert [each._asdict() for each in (*of_items, *of_nodes)] == badges


def test_browser_cards_have_the_same_words_for_kinds() -> None:
    assert cards()["status"] == KINDS
