"""Rating is not a number.

Stars are drawn from a number (`4.5`), a percentage (`90%`) or a fraction (`6/10`); "4,5" or "five stars" is
dropped, and with it the entire rating. The bounds of the scale are plain numbers. `contentRating` is something else
and may be a text.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.numbers import number, rating
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.number_advice import number_advice
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Rating", "AggregateRating"})
PROPERTIES = frozenset({"ratingValue", "bestRating", "worstRating"})


def is_no_number(value: Value) -> bool:
    return not isinstance(value, Node) and number(value) is None


WHEN = is_no_number


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if prop == "ratingValue" and rating(value) is not None:
        return
    text = str(value).lower() if isinstance(value, bool) else str(value).strip()
    if prop == "ratingValue" and (found := OUT_OF.fullmatch(text)):
        # "4 out of 5": a fraction is read.
        correction: str | None = f"{found[1]}/{found[2]}".replace(",", ".")
        hint = f"write {correction}"
    else:
        hint, correction, apart = number_advice(text, "write the number alone, with a point before its decimals")
        correction = None if apart else correction
    held_by = {via for _, via in holders(item.node)}
    # An age rating such as "PG-13" is not a number and need not be one.
    if held_by and held_by.isdisjoint(STARS) and not correction:
        return
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a number",
        hint,
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )


OUT_OF = pattern(
    r"([0-9]{1,4}(?:[.,][0-9]{1,9})?) ?(?:/|out of|of|von|sur|de|av|af|van|su) ?([0-9]{1,4})(?: ?stars?)?", re.ASCII
)


STARS = frozenset({"aggregateRating", "reviewRating", "starRating"})
