"""Rating is not a number.

Stars are drawn from a number (`4.5`), a percentage (`90%`) or a fraction (`6/10`); "4,5" or "five stars" is
dropped, and with it the entire rating. `contentRating` is something else and may be a text.
Source: https://developers.google.com/search/docs/appearance/structured-data/review-snippet, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.numbers import number, rating
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Rating", "AggregateRating"})
PROPERTIES = frozenset({"ratingValue", "bestRating", "worstRating"})


def is_no_rating(value: Value) -> bool:
    return not isinstance(value, Node) and rating(value) is None


WHEN = is_no_rating


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = str(value).strip()
    point = text.replace(",", ".", 1)
    correction = point if point != text and number(point) is not None else None
    held_by = {via for _, via in holders(item.node)}
    # An age rating such as "PG-13" is not a number and need not be one.
    if held_by and held_by.isdisjoint(STARS) and not correction:
        return
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a number",
        f"write {correction}" if correction else "write a number with a decimal point, as in 4.5",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )


STARS = frozenset({"aggregateRating", "reviewRating", "starRating"})
