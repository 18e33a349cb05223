"""Type name in the wrong case.

Type names are case-sensitive: to a consumer `recipe` or `Newsarticle` is not a type at all, and the item is skipped.
waypost checks the rest of the item as the type that was meant.
Source: https://schema.org/docs/datamodel.html and schema.org release 30.0, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import rename_edits

AUTHORITY = "vocabulary"
SEVERITY = "error"
APPLIES_TO = frozenset({"*"})
SIGN = "miscased"


def check(item: Item) -> Iterable[FindingDraft]:
    miscased = item.node.miscased
    return _name(item, miscased) if miscased else ()


def _name(item: Item, miscased: dict[str, str]) -> Iterator[FindingDraft]:
    for canonical, written in miscased.items():
        if canonical.startswith("@type:"):
            correction = canonical.removeprefix("@type:")
            yield item.error(
                None,
                f"the type is written {clip(written)!r}: letter case counts",
                f"write {correction}",
                part="type",
                edits=rename_edits(item, None, written, correction),
            )
