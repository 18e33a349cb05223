"""HTML entities in a JSON string.

JSON knows no entities: by the standard `Fish &amp; Chips` is read literally, ampersand, letters and semicolon.
Google takes one layer of entities away, other consumers show the entities. Plain characters are right everywhere;
where `<` or `&` must not stand in the page's source, use JSON's own escape (`\\u0026`). Texts with HTML tags are
ignored. There is one finding for every block.
Source: W3C JSON-LD 1.1, section 7.2 (restrictions for script elements), and W3C json-ld-syntax
issue 498, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import unescaped
from waypost.models.page import Node, Span
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "json"
SEVERITY = "info"
SIGN = "&"
_ONCE = pattern(
    r"&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[nm]dash|hellip|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE
)
_TWICE = pattern(r"&amp;(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)
_MOST_EDITS = 1000
_TAG = pattern(r"</?[a-z][^<>]{0,300}>", re.IGNORECASE)


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    # By block: one finding for all texts of a script, which one template wrote.
    found: dict[int, list[tuple[Node, str, int, str]]] = {}
    for node in context.nodes_by_sign.get(SIGN, ()):
        if node.block.syntax != "json-ld":
            continue
        for prop, values in node.props.items():
            for index, value in enumerate(values):
                if isinstance(value, str) and "&" in value and ";" in value and _has_entities(value):
                    found.setdefault(node.block.index, []).append((node, prop, index, value))
    for places in found.values():
        (node, prop, index, value), *others = places
        more = f" (and {len(others)} more in this block)" if others else ""
        item = Item(node, context)
        yield item.info(
            prop,
            f"{prop} holds {_first(value)}, an HTML entity, which JSON does not know{more}",
            f"write {unescaped(_first(value))!r} in its place",
            index=index,
            edits=tuple(_edits(context, places)),
            about=(),
        )


def _edits(context: RuleContext, places: Iterable[tuple[Node, str, int, str]]) -> Iterator[tuple[Span, str]]:
    """Edits for the texts of a block. A text that would show a tag afterwards is left to a person."""
    written: dict[int, tuple[Span, str]] = {}
    for node, prop, index, value in places:
        plain = unescaped(value)
        if not _TAG.search(plain) and len(written) < _MOST_EDITS:
            span, text = Item(node, context).rewrite(prop, plain, index)
            written.setdefault(span.start, (span, text))
    return iter(written.values())


def _first(value: str) -> str:
    found = _ONCE.search(value)
    return found[0] if found else ""


def _has_entities(value: str) -> bool:
    return bool(_ONCE.search(value)) and not _TWICE.search(value) and not _TAG.search(value)
