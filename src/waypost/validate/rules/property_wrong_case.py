"""The property's name is written in the wrong letter case.

Property names are case-sensitive: `thumbnailURL` or `PriceCurrency` is an unknown property, and its value is lost.
waypost checks the value as a value of the property in the right case. `xPath`, a spelling of Google's own pages,
is ignored.
Source: https://schema.org/docs/datamodel.html and schema.org release 30.0, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import rename_edits

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
SIGN = "miscased"

AS_GOOGLE_WRITES = frozenset({"xPath"})


def check(item: Item) -> Iterable[FindingDraft]:
    miscased = item.node.miscased
    return _name(item, miscased) if miscased else ()


def _name(item: Item, miscased: dict[str, str]) -> Iterator[FindingDraft]:
    for canonical, written in miscased.items():
        if canonical.startswith("@") or written in AS_GOOGLE_WRITES or canonical not in item.node.props:
            continue
        yield item.warning(
            canonical,
            f"the property is written {clip(written)!r}: letter case counts",
            f"write {canonical}",
            part="key",
            edits=rename_edits(item, canonical, written, canonical),
        )
