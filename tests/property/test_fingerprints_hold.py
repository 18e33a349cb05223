"""A finding keeps its fingerprint when lines move, JSON is laid out otherwise, and keys change places."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.registry import load
from waypost.validate import validate_page

CASES = Path(__file__).parent.parent / "cases" / "rules"
REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SCRIPT = re.compile(r"(<script[^>]*ld\+json[^>]*>)(.*?)(</script)", re.IGNORECASE | re.DOTALL)


def _unlike(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object each of whose keys is there once: the order of equal keys has a meaning."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def _as_written(number: str) -> float:
    """A number that is written again as it stood: 64.90 and 1e999 are not."""
    value = float(number)
    if repr(value) != number:
        raise ValueError("it would be another text")
    return value


def _read(text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_unlike, parse_constant=lambda _: {}[0], parse_float=_as_written)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, KeyError, RecursionError):
        return None
    return value


def script(text: str) -> str:
    return f'<script type="application/ld+json">\n{text}</script>'


def _pages() -> dict[str, str]:
    """Every faulty case as a page, with its JSON where that can be written in another way."""
    found = {}
    for path in sorted(CASES.glob("*/bad-*")):
        if path.suffix not in {".json", ".html"} or path.stat().st_size > 50_000:
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if path.suffix == ".json":
            if _read(text) is None:
                continue
            text = script(text.replace("</", "<\\/"))
        found[f"{path.parent.name}/{path.name}"] = text
    return found


PAGES = _pages()


def prints(page: str) -> Counter[tuple[str, str]]:
    said = validate_page(page.encode(), REGISTRY, url="https://www.example.com/page", now=NOW)
    return Counter((finding.rule, finding.fingerprint) for finding in said.findings)


def shuffled(value: Any, draw: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key], draw) for key in draw.draw(st.permutations(list(value)))}
    return [shuffled(each, draw) for each in value] if isinstance(value, list) else value


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_fingerprint_survives_lines_layout_and_the_order_of_keys(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PAGES)))
    page = PAGES[name]
    indent = data.draw(st.sampled_from([None, 1, 4, "\t"]))
    ascii_only = data.draw(st.booleans())
    above = data.draw(st.sampled_from(["", "\n\n", "<!-- a line -->\n<title>x</title>\n"]))

    def written(script: re.Match[str]) -> str:
        value = _read(script[2])
        if value is None:
            return script[0]
        text = json.dumps(shuffled(value, data), indent=indent, ensure_ascii=ascii_only)
        return script[1] + text.replace("</", "<\\/") + script[3]

    moved = SCRIPT.sub(written, page)
    if not re.match(r"\s*<(?:[!?]|html|head|meta)", page, re.IGNORECASE):
        moved = above + moved

    assert prints(moved) == prints(page), name


def test_another_fault_has_another_fingerprint() -> None:
    def found(rest: str) -> Counter[tuple[str, str]]:
        return prints(script(f'{{"@context": "https://schema.org", "@type": "Recipe", "name": "a", {rest}}}'))

    one = found('"datePublished": "03/04/2026"')
    another_property = found('"dateModified": "03/04/2026"')
    another_value = found('"datePublished": "04/03/2026"')

    assert one.total() == another_property.total() == another_value.total()
    assert one != another_property
    assert one != another_value


def test_what_is_missing_is_told_apart() -> None:
    def missing(rest: str) -> set[str]:
        page = script(f'{{"@context": "https://schema.org", "@type": "Recipe", "@id": "https://example.com/#r"{rest}}}')
        return {print_ for rule, print_ in prints(page) if rule == "required-property-missing"}

    assert len(missing("")) == 2
    assert missing(', "image": "https://example.com/a.jpg"') < missing("")
