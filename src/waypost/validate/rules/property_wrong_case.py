"""Property name in the wrong case.

Property names are case-sensitive: `thumbnailURL` or `PriceCurrency` is an unknown property, and its value is lost.
Where the
property is required the item earns no result. waypost checks the value as a value of the property in the right case.
`xPath`, a spelling of Google's own pages, is ignored.
Source: https://schema.org/docs/datamodel.html and schema.org release 30.1, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item
from waypost.validate.spelling import misspelt_values
from waypost.validate.value_kinds import rename_edits

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
SIGN = "miscased"


def check(item: Item) -> Iterator[FindingDraft]:
    for name, indexes in misspelt_values(item.node, item.context.page):
        written = (item.node.miscased or {})[name]
        # Renaming would give the property a second value.
        has_both = len(indexes) < len(item.node.props[name])
        yield item.warning(
            name,
            f"the property is written {clip(written)!r}: letter case counts",
            f"leave it out: {name} is there too" if has_both else f"write {name}",
            index=indexes[0],
            part="key",
            edits=() if has_both else rename_edits(item, name, written, name),
        )
