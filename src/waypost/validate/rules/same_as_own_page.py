"""The page says of itself that it is the same as something.

`sameAs` takes the address of another page that says without doubt what is meant: an encyclopedia's article, an
official site, a profile. The page's own address adds nothing; it belongs to `url`.
Source: https://schema.org/sameAs, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "info"
APPLIES_TO = frozenset({"*"})
PROPERTIES = frozenset({"sameAs"})


def check(item: Item) -> Iterator[FindingDraft]:
    page = item.context.page.url
    for index, value in enumerate(item.node.props["sameAs"] if page else ()):
        text = value.id if isinstance(value, Node) else value
        if isinstance(text, str) and text.strip() == page:
            yield item.info(
                "sameAs", "sameAs is the page's own address", "give it as url, and another page as sameAs", index=index
            )
