"""Surfaces of a page: results in a search engine, social cards, and the text for a program.

Layouts are data (`schemas/surfaces.json`, `schemas/layouts/`), laid out by `waypost.preview.layouts`. A page with a
title alone has surfaces too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from waypost.errors import NothingToShow
from waypost.models.page import Page
from waypost.models.snippet import Preview
from waypost.models.surface import Layout, Limit, Source, View
from waypost.preview import MAIN, Choice, preview_of
from waypost.preview.catalogue import Catalogue, catalogue_of
from waypost.preview.pick import main_node
from waypost.preview.results import (
    MOST_RESULTS,
    Drawing,
    ItemCard,
    Retired,
    Specification,
    Surface,
    meta_of,
    slots_of,
    surfaces_data,
    surfaces_of_cards,
)
from waypost.preview.unified import Origin
from waypost.registry import Registry, assets, shared_registry


@lru_cache(maxsize=2)
def specification(registry: Registry) -> Specification:
    """Surfaces of a registry. Raises RegistryError."""
    file = registry.document("surfaces.json")
    layouts = []
    for path in registry.below("layouts/"):
        layout = msgspec.convert(registry.document(path), Layout)
        profile = registry.profiles[layout.profiles[0]]
        layouts.append(
            msgspec.structs.replace(
                layout,
                types=layout.types or profile.types,
                exclude=(*layout.exclude, *profile.exclude_types),
                entries=profile.item_types,
                source=Source(
                    f"Google: {profile.title}", profile.doc, profile.checked.newest_copy or profile.checked.date
                ),
            )
        )
    widths, em = letter_widths()
    return Specification(
        views=msgspec.convert(file["views"], list[View]),
        layouts=layouts,
        limits={each.name: each for each in msgspec.convert(file["limits"], list[Limit])},
        # Those with a condition are retired for some pages only.
        retired=[
            Retired(profile.types, profile.heading or profile.title, profile.retired_on or "", profile.doc)
            for profile in registry.profiles.values()
            if profile.status == "retired" and not profile.applies_when
        ],
        widths=widths,
        em=em,
        words=catalogue_of(registry).words,
        vocabulary=registry.vocabulary,
    )


def surfaces_of(
    page: Page | None,
    registry: Registry | None = None,
    *,
    url: str | None = None,
    now: datetime | None = None,
    preview: Preview | None = None,
    choice: Choice = MAIN,
) -> list[Surface]:
    """Surfaces of a page, in the order of `schemas/surfaces.json`; views without anything to show are left out.

    page     the page; None for a document of the unified model, whose card is `preview`
    url      address that the page was read from, where it names none
    now      aware UTC time for comparisons with dates; the current time by default
    choice   item of the page that comes first, where it is not to be the main one
    """
    registry = registry or shared_registry()
    books = catalogue_of(registry)
    cards: list[ItemCard] = []
    if page is not None:
        cards = list(_cards(page, books, url, now or datetime.now(UTC), choice))
    elif preview is not None:
        cards = [ItemCard(None, slots_of(preview, books.mappings[preview.service_type].card, {}, None))]
    meta = meta_of(page, url) if page is not None else {}
    return surfaces_of_cards(specification(registry), cards, page, meta)


def _cards(page: Page, books: Catalogue, url: str | None, now: datetime, first: Choice) -> Iterator[ItemCard]:
    """Card of the first item, then those of the other roots."""
    seen: set[int] = set()
    for choice in (first, *(Choice(number=number) for number in range(min(len(page.roots), MOST_RESULTS)))):
        origins: dict[str, list[Origin]] = {}
        try:
            preview, node = preview_of(page, books, url, now, origins, choice)
        except NothingToShow:
            main = main_node(page, books) if choice is first and first == MAIN else None
            if main is not None:
                # What is displayed is about the main item, also where it has no card.
                seen.add(id(main))
                yield ItemCard(main, {})
            continue
        if id(node) not in seen:
            seen.add(id(node))
            yield ItemCard(node, slots_of(preview, books.mappings[preview.service_type].card, origins, page))


@lru_cache(maxsize=1)
def letter_widths() -> tuple[dict[str, int], int]:
    """(character -> width, units of an em) of a font with Arial's widths, made by `tools/make_widths.py`."""
    file = json.loads((assets.folder("site") / "widths.json").read_text("utf-8"))
    widths = {each: int(width) for width, characters in file["characters"].items() for each in characters}
    return widths, file["units_per_em"]


def to_data(surfaces: Iterable[Surface], page: Page | None) -> list[dict[str, Any]]:
    """Surfaces as JSON: views with their sources, results with parts, words with property, line and column."""
    data: list[dict[str, Any]] = msgspec.to_builtins(surfaces_data(surfaces, page))
    return data


__all__ = ["Drawing", "Surface", "letter_widths", "surfaces_of", "to_data"]
