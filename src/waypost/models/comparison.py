"""Comparison of two states of a site: results, values of cards, entities and findings that came and went."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

ChangeKind = Literal[
    "lost-eligibility", "won-eligibility", "new-error", "new-warning", "fixed", "changed-value", "gone-entity",
    "new-entity", "gone-page", "new-page", "unreadable",
]  # fmt: skip
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""Kinds of changes, in the order of reports."""


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Page of a change, with the value before and after, and the line after, where known."""

    path: str
    before: str | None = None
    after: str | None = None
    line: int | None = None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """Alike changes of a folder of the site.

    what    profile; rule and place; slot of the card; types of the entity; empty for pages
    folder  of the pages, "" for the top
    pages   number of pages; `places` are the first ones
    text    message of a finding
    """

    kind: ChangeKind
    what: str
    folder: str
    pages: int
    places: tuple[Place, ...]
    text: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """Changes from one state to another. `same`: pages equal to the byte; `notes`: what could not be compared."""

    before: str
    after: str
    pages_before: int
    pages_after: int
    same: int
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
