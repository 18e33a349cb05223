"""Reference is a string instead of an @id object.

`"publisher": "#org"` is the text "#org"; `"publisher": {"@id": "#org"}` is the organization with that id on this
page. Only properties that may hold an address read a text as an address.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers); schema.org/docs/jsonldcontext.jsonld (which
properties hold addresses), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "json"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
SIGN = "#"
_TEXTS = frozenset({"URL", "Text", "PropertyValue", "PronounceableText", "CssSelectorType", "XPathType"})


def check(item: Item) -> Iterator[FindingDraft]:
    node, page = item.node, item.context.page
    if not page.by_id or node.block.syntax != "json-ld":
        return
    properties = item.context.registry.vocabulary.properties
    for prop, values in node.props.items():
        for index, value in enumerate(values):
            # Only ids with a fragment: a plain address may well be meant as an address.
            if not isinstance(value, str) or "#" not in value or len(value) > 2000:
                continue
            # "#author" is resolved against the page, as @id is.
            target = page.by_id.get(value) or page.by_id.get(f"{(page.base or '').partition('#')[0]}{value}")
            term = properties.get(prop)
            if target is None or term is None or not _TEXTS.isdisjoint(term.r):
                continue
            span, written = item.rewrite(prop, value, index)
            yield item.warning(
                prop,
                f"{clip(value)} is the @id of a node of this page, but stands here as a plain text",
                f'write {{"@id": {clip(written)}}}',
                index=index,
                edits=((span, f'{{"@id": {written}}}'),),
                related=(("the node", (target, None, None, "node")),),
            )
