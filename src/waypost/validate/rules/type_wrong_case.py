"""Type name in the wrong case.

Type names are case-sensitive: to a consumer `recipe` or `Newsarticle` is not a type at all, and the item is skipped. It
is an error where a rich result needs the item, and a warning elsewhere.
waypost checks the rest of the item as the type that was meant.
Source: https://schema.org/docs/datamodel.html and schema.org release 30.1, read 2026-11-28.
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


def check(item: Item) -> Iterable[FindingDraft]:
    miscased = item.node.miscased
    return _name(item, miscased) if miscased else ()


def _name(item: Item, miscased: dict[str, str]) -> Iterator[FindingDraft]:
    for canonical, written in miscased.items():
        if canonical.startswith("@type:"):
            correction = canonical.removeprefix("@type:")
            stated = item.of_type(correction)
            report = stated.error if item.node in item.context.costly_types else stated.warning
            yield report(
                None,
                f"the type is written {clip(written)!r}: letter case counts",
                f"write {correction}",
                part="type",
                edits=rename_edits(stated, None, written, correction),
            )
