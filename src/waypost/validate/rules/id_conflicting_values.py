"""Two nodes with the same @id disagree.

All nodes with one `@id` are a single item, in any block or syntax: with a single name, price or date. Given two,
consumers pick either. Often two plugins describe the page independently. Texts in different languages do not
conflict, nor does the name that a step of a breadcrumb trail gives to the page it leads to: it is the text of the step.
Two names of a WebPage, or of the entries of a menu, are information: no rich result shows them. One finding covers all
values of a property.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-20, and
https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, RuleContext

AUTHORITY = "waypost"
SEVERITY = "warning"
SIGN = "merged"
# Properties of which a thing has one value.
_SINGLE = frozenset(
    {"name", "headline", "datePublished", "dateModified", "dateCreated", "startDate", "endDate", "birthDate",
     "deathDate", "foundingDate", "uploadDate", "duration", "price", "priceCurrency", "ratingValue", "ratingCount",
     "reviewCount", "bestRating", "worstRating", "sku", "isbn", "mpn", "gtin", "gtin13", "legalName", "taxID", "vatID"}
)  # fmt: skip
_LABELLED = frozenset({"WebPage", "SiteNavigationElement"})


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for node in context.page.by_id.values():
        # Only a node with values of another of the same @id can disagree with it.
        if not node.borrowed or node.foreign:
            continue
        noted: dict[str, FindingDraft] = {}
        further: dict[str, int] = {}
        for prop, index, other in node.joined():
            own = node.props[prop][0]
            value = node.props[prop][index]
            if prop not in _SINGLE or index == 0 or _agree(node, prop, index):
                continue
            if prop == "name" and _is_step(node.writer(prop, 0)) != _is_step(other):
                continue
            if prop in noted:
                further[prop] = further.get(prop, 0) + 1
                continue
            # Plugins name one page in two ways, and give one id to all entries of a menu: no result depends on it.
            is_label = prop == "name" and context.registry.vocabulary.are_a(node.types, _LABELLED)
            noted[prop] = FindingDraft(
                severity="info" if is_label else "warning",
                message=f"{prop} is {_text_of(value)} here and {_text_of(own)} in another node with the same @id",
                hint="keep one of the two, or give different items different ids",
                node=node,
                prop=prop,
                index=index,
                related=(("the other one", (node, prop, 0, "value")), ("this node", (other, None, None, "node"))),
            )
        for prop, draft in noted.items():
            more = f" (and {further[prop]:,} more)" if prop in further else ""
            yield replace(draft, message=f"{draft.message}{more}")


def _is_step(node: Node) -> bool:
    """Is a node the page that a step of a breadcrumb trail leads to?"""
    return node.via == "item" and node.parent is not None and "ListItem" in node.parent.types


def _agree(node: Node, prop: str, index: int) -> bool:
    """Does a value not contradict the first one?"""
    one, two = node.props[prop][0], node.props[prop][index]
    if isinstance(one, Node) or isinstance(two, Node):
        # Objects and texts in other languages do not contradict each other.
        return True
    language, other = node.language_of(prop, 0), node.language_of(prop, index)
    if language is not None and other is not None and language != other:
        return True
    return _plain(one) == _plain(two)


def _plain(value: Value) -> str:
    """Value for a comparison: without white space, letter case and HTML entities."""
    from html import unescape

    plain: str = unescape(str(value))
    return " ".join(plain.split()).casefold()


def _text_of(value: Value) -> str:
    return clip(f'"{value}"' if isinstance(value, str) else str(value), 40)
