"""A card as a search result would show it, and what it was made from.

All keys are always present: null, or an empty list, when there is nothing.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Status = Literal["supported", "restricted", "retired", "none"]


class Picture(msgspec.Struct, frozen=True, omit_defaults=True):
    """A picture, its size in pixels where the page says it."""

    url: str
    width: int | None = None
    height: int | None = None
    caption: str | None = None


class Stars(msgspec.Struct, frozen=True):
    """A rating. `stars` is the value on a scale of 1 to 5; `count` how many gave it."""

    value: int | float
    best: int | float
    stars: int | float
    count: int | None
    text: str


class Price(msgspec.Struct, frozen=True):
    """What one pays now: the span of the offers that can be bought. `low` and `high` as the page writes them."""

    text: str
    low: str
    high: str
    currency: str | None


class Fact(msgspec.Struct, frozen=True):
    """One line of a card."""

    key: str
    label: str
    value: str


class CardItem(msgspec.Struct, frozen=True):
    """One of the things listed below a card: an answer, a reply, a course, a moment."""

    title: str
    url: str | None = None
    description: str | None = None


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    """A card.

    status       what the search engine says about such results at the time asked about; "none" if nothing.
    title        at most 70 characters, the ellipsis counted; `description` at most 160, without tags.
    url          None when neither the markup nor its source says where the page is.
    display_url  host and trail, as a search result writes them.
    date         of publication; of an event, its start.
    """

    service_type: str
    standard_type: str
    status: Status
    title: str
    url: str | None
    display_url: str | None
    site_name: str | None
    description: str | None
    image: Picture | None
    byline: str | None
    date: str | None
    rating: Stars | None
    price: Price | None
    facts: tuple[Fact, ...]
    badges: tuple[str, ...]
    items: tuple[CardItem, ...]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What a page says about its main thing, and its card."""

    service_type: str
    standard_type: str
    unified: dict[str, Any]
    snippet: Snippet
