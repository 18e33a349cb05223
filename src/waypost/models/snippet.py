"""Snippet: the card of a search result, and the unified document behind the card.

All keys are always present: null, or an empty list, without a value.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Status = Literal["supported", "restricted", "retired", "none"]


class Picture(msgspec.Struct, frozen=True, omit_defaults=True):
    """Image of a card. Sizes are pixels, None where the page gives none."""

    url: str
    width: int | None = None
    height: int | None = None
    caption: str | None = None


class Stars(msgspec.Struct, frozen=True):
    """Rating. `stars` is the value on a scale of 1 to 5, `count` the number of ratings."""

    value: int | float
    best: int | float
    stars: int | float
    count: int | None
    text: str


class Price(msgspec.Struct, frozen=True):
    """Price range of the offers that can be bought now; of offers to order, or of all, where there are no others.

    `low` and `high` are as the page writes the amounts. `text` says in words why none can be bought now (sold out, to
    order, expired, not yet on sale), and that a currency is missing.
    """

    text: str
    low: str
    high: str
    currency: str | None


class Fact(msgspec.Struct, frozen=True):
    """Labelled line of a card."""

    key: str
    label: str
    value: str


class CardItem(msgspec.Struct, frozen=True):
    """Entry of the list below a card: an answer, a reply, a course, a key moment of a video."""

    title: str
    url: str | None = None
    description: str | None = None


class Remark(msgspec.Struct, frozen=True):
    """Doubt about a value of the card: a placeholder that was never filled in, or a label inside the value.

    slot  "title", "site_name", "display_url", "description", "byline", "price", "facts/KEY" or "items/NUMBER", from 0
    text  the doubt in words
    """

    slot: str
    text: str


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    """Card of a search result.

    status       the search engine's support for such results at the requested time; "none" without a profile.
    title        at most 70 characters, the ellipsis counted; `description` at most 160, without tags.
    url          None when neither the markup nor the source gives the page's address.
    display_url  host and breadcrumb trail, as a search result writes them.
    date         publication date; start of an event.
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
    remarks: tuple[Remark, ...] = ()


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """Unified document of a page's main item, and the card."""

    service_type: str
    standard_type: str
    unified: dict[str, Any]
    snippet: Snippet
