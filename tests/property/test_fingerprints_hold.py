"""A finding keeps its fingerprint when lines move, the layout changes, and keys or elements change places."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost import baseline
from waypost.baseline import values
from waypost.registry import load
from waypost.validate import validate_page

CASES = Path(__file__).parent.parent / "cases" / "rules"
REGISTRY = load()
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = "https://www.example.com/page"
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
    attributes = validate_page(page.encode(), REGISTRY, url=URL, now=NOW)
    return Counter((finding.rule, finding.fingerprint) for finding in attributes.findings)


def shuffled(value: Any, draw: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key], draw) for key in draw.draw(st.permutations(list(value)))}
    return [shuffled(each, draw) for each in value] if isinstance(value, list) else value


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_fingerprint_survives_lines_layout_and_the_order_of_keys(data: st.DataObject) -> None:
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


class Markup:
    """Writes a document of JSON-LD as elements: in Microdata or RDFa, in any layout and order of properties."""

    def __init__(self, syntax: str, indent: str, filler: str, draw: Any) -> None:
        self._rdfa = syntax == "rdfa"
        self._indent, self._filler, self._draw = indent, filler, draw

    def item(self, value: dict[str, Any], prop: str = "", depth: int = 1) -> str:
        types = value.get("@type", "Thing")
        type_ = escape(types[0] if isinstance(types, list) else types if isinstance(types, str) else "Thing")
        named = value.get("@id") if isinstance(value.get("@id"), str) else None
        if self._rdfa:
            attributes = ' vocab="https://schema.org/"' if depth == 1 else ""
            attributes += f' property="{prop}"' * bool(prop) + f' typeof="{type_}"'
            attributes += f' resource="{escape(named)}"' if named else ""
        else:
            attributes = f' itemprop="{prop}"' * bool(prop) + f' itemscope itemtype="https://schema.org/{type_}"'
            attributes += f' itemid="{escape(named)}"' if named else ""
        inside = [self._property(key, value[key], depth + 1) for key in self._draw(list(value)) if key[:1] != "@"]
        return f"<div{attributes}>{''.join(inside)}{self._line(depth)}</div>"

    def _property(self, name: str, value: Any, depth: int) -> str:
        name, parts = escape(name), []
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                parts.append(self.item(each, name, depth))
            elif isinstance(each, str | int | float) and not isinstance(each, bool):
                word = "property" if self._rdfa else "itemprop"
                parts.append(f'<span {word}="{name}">{escape(str(each), quote=False)}</span>')
        return "".join(f"{self._line(depth)}{each}" for each in parts)

    def _line(self, depth: int) -> str:
        return f"{self._filler}\n{self._indent * depth}"


def _documents() -> dict[str, dict[str, Any]]:
    """The cases that can be said in elements: one object, no context but schema.org's, names that are words."""
    found = {}
    for path in sorted(CASES.glob("*/bad-*.json")):
        text = path.read_bytes().decode("utf-8", "replace")
        value = _read(text) if len(text) < 20_000 else None
        if isinstance(value, dict) and "@graph" not in value and "\\u" not in text:
            found[f"{path.parent.name}/{path.name}"] = value
    return found


DOCUMENTS = _documents()


@pytest.mark.parametrize("syntax", ["microdata", "rdfa"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_fingerprint_survives_all_this_in_elements_too(syntax: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(DOCUMENTS)))
    above = data.draw(st.sampled_from(["", "\n\n", "<!-- a line -->\n<p>more\n</p>\n"]))
    indent = data.draw(st.sampled_from(["", "  ", "\t"]))
    filler = data.draw(st.sampled_from(["", "\n", "<br>", "<!-- x -->\n<i>y</i>"]))

    plain = Markup(syntax, "", "", list).item(DOCUMENTS[name])
    moved = Markup(syntax, indent, filler, lambda keys: data.draw(st.permutations(keys))).item(DOCUMENTS[name])

    assert prints(f"<!doctype html>\n{above}{moved}") == prints(f"<!doctype html>\n{plain}"), name


def test_the_documents_have_enough_elements_to_be_checked() -> None:
    """Without this the property above could hold because there is nothing that could change."""
    for syntax in ("microdata", "rdfa"):
        pages = [Markup(syntax, "", "", list).item(document) for document in DOCUMENTS.values()]
        rules = {rule for page in pages for rule, _ in prints(page)}
        assert len(DOCUMENTS) > 100
        assert len(rules) > 60, (syntax, len(rules))


def test_a_baseline_survives_another_layout_of_its_page() -> None:
    """What the fingerprints are for: made from one layout, a baseline knows everything in another."""
    for name, document in sorted(DOCUMENTS.items())[::7]:
        for syntax in ("json-ld", "microdata", "rdfa"):
            if syntax == "json-ld":
                one, two = script(json.dumps(document)), script(json.dumps(dict(reversed(document.items())), indent=3))
            else:
                one = Markup(syntax, "", "", list).item(document)
                two = Markup(syntax, "\t", "\n", lambda keys: keys[::-1]).item(document)
            before, after = (validate_page(each.encode(), REGISTRY, url=URL, now=NOW) for each in (one, f"\n\n{two}"))
            known = baseline.read(baseline.encode(values.create([before], str)))

            assert baseline.mark([after], known, str) == [], name
            assert after.findings == [], name


def test_another_error_has_another_fingerprint() -> None:
    def found(rest: str) -> Counter[tuple[str, str]]:
        return prints(script(f'{{"@context": "https://schema.org", "@type": "Recipe", "name": "a", {rest}}}'))

    one = found('"datePublished": "03/04/2026"')
    another_property = found('"dateModified": "03/04/2026"')
    another_value = found('"datePublished": "04/03/2026"')

    assert one.total() == another_property.total() == another_value.total()
    assert one != another_property
    assert one != another_value


def test_what_is_missing_is_distinguished() -> None:
    def missing(rest: str) -> set[str]:
        page = script(f'{{"@context": "https://schema.org", "@type": "Recipe", "@id": "https://example.com/#r"{rest}}}')
        return {print_ for rule, print_ in prints(page) if rule == "required-property-missing"}

    assert len(missing("")) == 2
    assert missing(', "image": "https://example.com/a.jpg"') < missing("")
