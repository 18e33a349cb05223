"""Value is not a whole number.

The property holds a count: "1,204", "12+", "about 30" or 4.5 is not a count. A text is fine as long as it holds digits
only. Days for returns may also be a date. A count above 9007199254740991 is information: it is the error of a program,
and readers that keep numbers as doubles lose its last digits.
Source: schema.org release 30.1 (rangeIncludes Integer only), https://schema.org/Integer and section 6 of
RFC 8259, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import InvalidDate, read
from waypost.formats.numbers import LARGEST_EXACT, is_exact, is_whole, number
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.number_advice import number_advice
from waypost.validate.value_conditions import is_unusual_number
from waypost.validate.value_kinds import KINDS, holders

AUTHORITY = "vocabulary"
SEVERITY = "warning"
INTEGER_OR_ELSE = frozenset(
    {
        "merchantReturnDays",
        "position",
        "numAdults",
        "numChildren",
        "numberOfCredits",
        "partySize",
        "typicalCreditsPerTerm",
    }
)
PROPERTIES = (KINDS.integer | INTEGER_OR_ELSE) - {"numberOfBathroomsTotal", "ratingCount", "reviewCount"}
VALUES = frozenset({"text", "number", "boolean"})
WHEN = is_unusual_number
LOST_DIGITS = "write the right count: programs that read numbers as doubles change its last digits"


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        return
    found = number(value)
    if found is not None and is_whole(found):
        if not is_exact(found) and (prop != "position" or item.is_a("ListItem")):
            yield item.info(prop, f"{clip(str(value))!r} is above {LARGEST_EXACT}", LOST_DIGITS, index=index)
        return
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if prop == "merchantReturnDays" and not isinstance(read(text), InvalidDate):
        return
    # Any text numbers an episode; the steps of a trail have breadcrumb-position.
    if prop == "position" and (
        not item.is_a("ListItem") or any("BreadcrumbList" in holder.types for holder, _ in holders(item.node))
    ):
        return
    hint, correction, apart = number_advice(text, f"{prop} takes digits only", whole=True)
    yield item.warning(
        prop, f"{clip(text)!r} is not a whole number", hint, index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
        safe=not apart,  # "over 100" and 100 may not be the same
    )  # fmt: skip
