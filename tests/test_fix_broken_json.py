"""Broken blocks of JSON-LD: --fix makes strict JSON of them, or leaves every byte alone."""

from __future__ import annotations

import importlib.util
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from waypost.fixes import FixedPage, broken_blocks, fix_page
from waypost.models.finding import FileReport
from waypost.reader.dirtyjson import decode
from waypost.registry import load
from waypost.validate import validate_data, validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
BREAKER = Path(__file__).parents[1] / "benchmarks" / "broken_json.py"


def breaker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("broken_json", BREAKER)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BROKEN = breaker()


def fixed(page: bytes, *, is_json: bool, unsafe: bool = False) -> FixedPage:
    def check(data: bytes) -> FileReport:
        return (validate_data if is_json else validate_page)(data, REGISTRY, now=NOW)

    return fix_page(
        page, check, unsafe=unsafe, encoding="utf-8" if is_json else None,
        broken=partial(broken_blocks, kind="json" if is_json else "html"),
    )  # fmt: skip


def outside(page: bytes, made: FixedPage) -> bool:
    """Whether every byte outside the changes is the original's."""
    at, pieces = 0, []
    for change in made.changes:
        pieces += (page[at : change.start], change.data)
        at = change.end
    return b"".join([*pieces, page[at:]]) == made.data


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_changed_block_is_strict_json_and_others_stay(unsafe: bool) -> None:
    changed = 0
    for block in BROKEN.broken_blocks(120):
        page = block.text.encode()

        made = fixed(page, is_json=True, unsafe=unsafe)

        assert outside(page, made)
        if made.data != page:
            changed += 1
            assert BROKEN.parsed(made.data.decode()) is not None, block
    assert changed > 20


def test_what_safe_repairs_make_is_what_was_read() -> None:
    """The edits and the values of the decoder cannot part: both say the same of every sound block."""
    sound = 0
    for block in BROKEN.broken_blocks(400, seed=4):
        found = decode(block.text)
        if not found.sound:
            continue
        sound += 1
        text = block.text
        for start, end, put in sorted((edit for repair in found.repairs for edit in repair.edits), reverse=True):
            text = text[:start] + put + text[end:]
        assert _plain(found.value) == BROKEN.parsed(text)[0], block
    assert sound > 50


def _plain(value: Any) -> Any:
    """Value with floats in place of decimals, as the standard library reads them."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return float(value) if not isinstance(value, str | int | None) else value


@pytest.mark.parametrize(
    ("text", "after"),
    [
        # A quote too many, and the members after it would become text.
        ("{'@context': 'https://schema.org', '@type' 'Book', 'name': 'x'}", None),
        # The comma at the text's end may be the one that is missing.
        ('{"@context": "https://schema.org", "@type": "Book,"\n"name": "x"}', None),
        # One repair is sure and the other a guess: half a repair helps nobody.
        ('{"@context": "https://schema.org", "@type": "Book", "name": "the "best" x",}', None),
        # What is not broken keeps its spelling.
        (
            "{'@context': 'https:\\/\\/schema.org', '@type': 'Book', 'name': 'caf\\u00e9 \\'a\\' \"b\"'}",
            '{"@context": "https:\\/\\/schema.org", "@type": "Book", "name": "caf\\u00e9 \'a\' \\"b\\""}',
        ),
    ],
)
def test_only_broken_text_is_repaired_and_nothing_is_guessed(text: str, after: str | None) -> None:
    assert fixed(text.encode(), is_json=True).data.decode() == (after or text)


def test_values_of_a_broken_block_are_not_touched() -> None:
    page = (
        b'<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Book", "name": "x",'
        b' "datepublished": "2026-01-02", "offers": {{ offers }}}</script>'
        b'<script type="application/ld+json">{"@context": "https://schema.org", "@type": "book", "name": "y"}</script>'
    )

    made = fixed(page, is_json=False)

    assert b'"datepublished"' in made.data
    assert b'"@type": "Book", "name": "y"' in made.data
    assert not any(finding.fix and finding.fix.safe for finding in made.report.findings if finding.block == 0)
