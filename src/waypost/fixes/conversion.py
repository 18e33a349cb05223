"""Conversion of Microdata and RDFa into one JSON-LD script, with the same items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from waypost.fixes.edits import Edit, apply_edits
from waypost.models.page import LangString, Page, Span, Value
from waypost.reader import read_data
from waypost.reader.encoding import decode
from waypost.reader.plain import literal, plain_objects
from waypost.reader.sources import PageSource, parse_source
from waypost.reader.text import Text
from waypost.reader.tree import Element, Tree
from waypost.registry.vocabulary import Vocabulary

_MICRODATA = ("itemscope", "itemtype", "itemid", "itemref", "itemprop")
_RDFA = ("vocab", "typeof", "property", "resource", "about", "datatype")
_ABOUT_THE_PAGE = ("name", "property", "http-equiv", "charset", "rel", "id")
"""Attributes by which `meta` and `link` say something beyond Microdata."""
_SCHEMA = ("schema:", "http://schema.org/", "https://schema.org/")
_SPACE = " \t\r\n\f"


class Converted(NamedTuple):
    """Page with JSON-LD in place of Microdata and RDFa.

    markup   JSON-LD, None without an item to convert
    items    number of items
    changes  edits of the page: the new script and the removed attributes; none with `left`
    data     page after the changes
    left     reasons in words why the page must stay unchanged
    """

    markup: dict[str, Any] | None
    items: int
    changes: list[Edit]
    data: bytes
    left: list[str]


def to_json_ld(source: PageSource, vocabulary: Vocabulary) -> Converted:
    """Convert the items of schema.org in the Microdata and RDFa of an HTML page."""
    page = parse_source(source, "-", vocabulary, ("microdata", "rdfa"))
    objects = [made for _, made in plain_objects(page.roots, _writer(page.language))]
    left = [f"{number} of other vocabularies" for number in _foreign(page)]
    text = decode(source.data, source.media_type)
    if not objects:
        page.release()
        return Converted(None, 0, [], source.data, left)
    markup: dict[str, Any] = {"@context": "https://schema.org"}
    markup |= objects[0] if len(objects) == 1 else {"@graph": objects}
    if not _is_equal(page, markup, vocabulary):
        left.append("an item that JSON-LD would read otherwise")
    # With a part of the attributes, the page would describe its items twice.
    edits = [] if left else _edits(page, text, markup)
    page.release()
    return Converted(markup, len(objects), edits, apply_edits(source.data, edits), left)


def script_of(markup: dict[str, Any], *, ascii_only: bool = False) -> str:
    """Script element with JSON-LD. Texts of the page cannot end the script."""
    text = json.dumps(markup, indent=2, ensure_ascii=ascii_only).replace("<", "\\u003c")
    return f'<script type="application/ld+json">\n{text}\n</script>\n'


def _writer(language: str | None) -> Any:
    def write(value: Value) -> Any:
        if isinstance(value, LangString) and value.language != language:
            return {"@value": str(value), "@language": value.language}
        return literal(value)

    return write


def _foreign(page: Page) -> Iterator[str]:
    for syntax, word in (("microdata", "Microdata"), ("rdfa", "RDFa")):
        number = sum(node.foreign and node.block.syntax == syntax for node in page.nodes)
        if number:
            yield f"{number} item{'s' * (number > 1)} in {word}"


def _is_equal(page: Page, markup: dict[str, Any], vocabulary: Vocabulary) -> bool:
    """Whether the reader of JSON-LD finds the same items."""
    data = json.dumps(markup).encode()
    again = read_data(data, vocabulary, url=page.base or page.url)
    mine, theirs = (
        sorted(json.dumps(made, sort_keys=True) for _, made in plain_objects(each.roots)) for each in (page, again)
    )
    again.release()
    return mine == theirs


def _edits(page: Page, text: Text, markup: dict[str, Any]) -> list[Edit]:
    tree = Tree(text.string)
    gone: set[Span] = set()
    syntaxes = {node.block.syntax for node in page.roots}
    if "microdata" in syntaxes:
        for element in tree.select(",".join(f"[{name}]" for name in _MICRODATA)):
            gone.update(_without(tree, element, _MICRODATA))
    if "rdfa" in syntaxes:
        for element in tree.select("[vocab],[typeof],[property]"):
            if _is_of_schema(element.attr("property")):
                gone.update(_without(tree, element, _RDFA))
    script = script_of(markup, ascii_only=not text.codec.startswith("utf-"))
    at = _place(tree)
    made = [Edit(*page.locate.byte_range(Span(at, at)), script.encode(text.codec))]
    for start, end in _merged(gone):
        made.append(Edit(*page.locate.byte_range(Span(start, end)), b""))
    return sorted(made)


def _is_of_schema(names: str | None) -> bool:
    """Whether properties belong to schema.org: without a prefix, or with a prefix of schema.org."""
    return all(":" not in name or name.startswith(_SCHEMA) for name in (names or "").split())


def _without(tree: Tree, element: Element, names: Sequence[str]) -> Iterator[Span]:
    """Spans to remove: attributes, or a complete tag without another purpose."""
    location = tree.location(element)
    others = [name for name in _ABOUT_THE_PAGE if name in location.attributes and name not in names]
    if element.tag in {"meta", "link"} and not others:
        yield location.start_tag
        return
    more = ("content",) if element.tag != "meta" else ()
    for name in (*names, *more):
        if name in location.attributes:
            start, end = location.attributes[name]
            while tree.text[start - 1] in _SPACE:
                start -= 1
            yield Span(start, end)


def _merged(spans: set[Span]) -> Iterator[Span]:
    """Disjoint spans in order."""
    until = 0
    for start, end in sorted(spans):
        if start >= until:
            yield Span(start, end)
            until = end


def _place(tree: Tree) -> int:
    """Place for the script: the end of the head, else of the body, else of the page."""
    for tag in ("head", "body"):
        for element in tree.select(tag):
            if end := tree.end_tag(element):
                return end.start
    return len(tree.text)
