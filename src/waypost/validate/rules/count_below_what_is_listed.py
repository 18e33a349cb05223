"""Count is lower than the number of listed items.

An `answerCount` of 0 next to an answer contradicts the page, and readers cannot know which to believe. A count may
be higher than the number of listed items: a page need not list the rest.
Source: https://schema.org/answerCount, https://schema.org/numberOfItems and
https://schema.org/offerCount, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})
COUNTED = {
    "answerCount": ("acceptedAnswer", "suggestedAnswer"),
    "numberOfItems": ("itemListElement",),
    "offerCount": ("offers",),
    "numTracks": ("track",),
}
PROPERTIES = frozenset(COUNTED)


def check(item: Item) -> Iterator[FindingDraft]:
    for prop, counted_in in COUNTED.items():
        count = number(item.get(prop))
        if count is None:
            continue
        # By identity, as a node may be listed twice by reference.
        things = sum(len({id(node) for node in item.node.nodes(kind)}) for kind in counted_in)
        # More than is listed is fine: a page often shows the first few.
        if count < things:
            yield item.warning(
                prop, f"{prop} is {count}, but the list has {things}", f"write {things}, or more if the list is cut"
            )
