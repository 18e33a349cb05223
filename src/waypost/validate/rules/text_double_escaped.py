"""Text is HTML-escaped twice.

`Fish &amp;amp; Chips` in JSON is shown as `Fish &amp; Chips`: the writing program escaped an escaped text. Until
26 August 2026 Google took several layers away; since then Google takes one, and the rest is shown. Microdata
and RDFa are read the same way: there the browser takes the one layer. Texts with HTML tags, and Microdata bodies of
articles and answers (which may well be about HTML), are ignored.
Source: W3C json-ld-syntax issues 498 and 499 (what Google takes away), read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip, unescaped
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "google"
SEVERITY = "warning"
SIGN = "&"
_TWICE = pattern(r"&amp;(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)
_ONCE = pattern(r"&(?:amp|quot|apos|nbsp|#0?39|#x27);", re.IGNORECASE)
_TAG = pattern(r"</?[a-z][^<>]{0,300}>", re.IGNORECASE)
_ABOUT_CODE = frozenset({"text", "articleBody", "reviewBody"})
_MOST_LAYERS = 5


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for node in context.nodes_by_sign.get(SIGN, ()):
        in_json = node.block.syntax == "json-ld"
        for prop, values in node.props.items():
            for index, value in enumerate(values):
                if isinstance(value, str) and "&" in value and ";" in value and _is_escaped(prop, value, in_json):
                    yield _draft(Item(node, context), node, prop, index, value)


def _is_escaped(prop: str, value: str, in_json: bool) -> bool:
    # JSON needs no escaping, so that a single one is the business of text-with-entities; HTML has undone one layer
    # already.
    if in_json:
        return bool(_TWICE.search(value)) and not _TAG.search(value)
    # A text about HTML may show entities on purpose.
    return prop not in _ABOUT_CODE and bool(_ONCE.search(value)) and not _TAG.search(value)


def _draft(item: Item, node: Node, prop: str, index: int, value: str) -> FindingDraft:
    plain = value
    # Some systems escape once more with every edit.
    for _ in range(_MOST_LAYERS):
        plain = unescaped(plain)
    return item.warning(
        prop,
        f"{prop} is escaped for HTML twice: {clip(_around(value), 50)}",
        f"write {clip(plain, 50)}" if len(plain) <= 50 else "escape it once less: JSON needs no HTML escapes at all",
        index=index,
        edits=(item.rewrite(prop, plain, index),) if node.block.syntax == "json-ld" else (),
    )


def _around(value: str) -> str:
    """Excerpt around the first entity."""
    at = value.find("&")
    return value[max(0, at - 20) : at + 30]
