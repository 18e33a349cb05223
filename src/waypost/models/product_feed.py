"""Form of a feed of products, by `schemas/meta/feed.schema.json`."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import msgspec

Requirement = Literal["required", "recommended"]


class FeedColumn(msgspec.Struct, frozen=True):
    """Column of a feed. `also`: its other names; `field`: what it is compared as; `longest`: most characters."""

    name: str
    also: tuple[str, ...] = ()
    field: str = ""
    requirement: Requirement | None = None
    longest: int = 0


class FeedSource(msgspec.Struct, frozen=True):
    url: str
    read: str
    note: str


class FeedFormat(msgspec.Struct, frozen=True, dict=True):
    """Form of a feed: marks in its header, columns, and values of availability and condition.

    catalogue  "acp" or "ucp" for JSON of products with variants, else empty.
    """

    name: str
    title: str
    precedence: int
    marks: tuple[str, ...]
    columns: tuple[FeedColumn, ...]
    availability: dict[str, str]
    condition: dict[str, str]
    sources: tuple[FeedSource, ...]
    catalogue: str = ""

    @cached_property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Field -> names of its columns, the usual one first."""
        return {each.field: (each.name, *each.also) for each in self.columns if each.field}
