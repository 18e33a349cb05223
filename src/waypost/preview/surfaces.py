"""Surfaces of a page: results in a search engine, social cards, and the text for a program.

Layouts are data (`schemas/surfaces.json`, `schemas/layouts/`), laid out by `waypost.preview.layouts`. A page with a
title alone has surfaces too. Counterpart in the browser: `site/js/engine/surfaces.js`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, cast

import msgspec

from waypost.errors import NothingToShow
from waypost.formats.dates import day_in_words
from waypost.models.page import Location, Node, Page, Span
from waypost.models.profile import Profile
from waypost.models.snippet import Preview
from waypost.models.surface import Found, Layout, Limit, Part, Slot, Source, View, Word
from waypost.preview import MAIN, Choice, preview_of
from waypost.preview.card import display_url, first_text, host_of
from waypost.preview.catalogue import Catalogue, catalogue_of
from waypost.preview.head import head_of
from waypost.preview.layouts import Scope, holds, parts_of, spans_at
from waypost.preview.pick import main_node
from waypost.preview.transforms import squeezed
from waypost.preview.unified import Origin
from waypost.registry import Registry, assets, shared_registry

MOST_RESULTS = 12
"""Results of a page in one view."""
_INNER = {
    "price": ("price", "lowPrice", "highPrice", "priceSpecification.price"), "rating": ("ratingValue",),
    "byline": ("name",), "image": ("url", "contentUrl"), "site_name": ("name",),
}  # fmt: skip
_PLAIN = ("name", "url", "text")


class Specification(NamedTuple):
    """Files of the registry: views, layouts by name, lengths by name."""

    views: list[View]
    layouts: dict[str, Layout]
    limits: dict[str, Limit]


@lru_cache(maxsize=2)
def specification(registry: Registry) -> Specification:
    """Surfaces of a registry. Raises RegistryError."""
    file = registry.document("surfaces.json")
    layouts = {}
    for path in registry.below("layouts/"):
        layout = msgspec.convert(registry.document(path), Layout)
        profile = registry.profiles[layout.profiles[0]]
        layouts[layout.name] = msgspec.structs.replace(
            layout,
            types=layout.types or profile.types,
            exclude=(*layout.exclude, *profile.exclude_types),
            entries=profile.item_types,
            source=Source(f"Google: {profile.title}", profile.doc, profile.checked.newest_copy or profile.checked.date),
        )
    limits = {each.name: each for each in msgspec.convert(file["limits"], list[Limit])}
    return Specification(msgspec.convert(file["views"], list[View]), layouts, limits)


class Drawing(NamedTuple):
    """Result of a page in a view: a rich result, or the text result, which has no `layout`."""

    layout: Layout | None
    parts: list[Part]


class Surface(NamedTuple):
    """View with the results of a page; `retired` are the titles and days of results that are no longer shown."""

    view: View
    results: list[Drawing]
    retired: list[tuple[str, str, str]]


class _Card(NamedTuple):
    """Card of an item, as slots; `node` is the item, None of a document that is not a page."""

    node: Node | None
    slots: dict[str, Slot]


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
    if page is None:
        cards = [] if preview is None else [_Card(None, _slots(preview, {}, books, None))]
        meta: dict[str, Slot] = {}
    else:
        cards = list(_cards(page, books, url, now or datetime.now(UTC), choice))
        meta = _meta(page, url)
    main = cards[0] if cards else _Card(None, {})
    surfaces = []
    for view in specification(registry).views:
        scope = _scope(registry, books, page, view, meta, main)
        results = list(_results(registry, books, scope, cards, view)) if page and view.group == "search" else []
        if not any(each.layout and each.layout.frame == "result" for each in results):
            parts = parts_of(view.parts, scope, 0)
            results = [*([Drawing(None, parts)] if parts else []), *results]
        if results:
            retired = list(_retired(registry, page)) if page and view.group == "search" else []
            surfaces.append(Surface(view, results, retired))
    return surfaces


def _results(registry: Registry, books: Catalogue, scope: Scope, cards: list[_Card], view: View) -> Iterator[Drawing]:
    """Rich results of a page in a view, without parts of other results."""
    drawn = []
    for layout, card in _matches(registry, books, scope.page, cards, view):
        inner = scope._replace(node=card.node, slots=card.slots)
        if holds(layout.when, inner) and (parts := parts_of(layout.parts, inner, 0)):
            drawn.append((layout, Drawing(layout, parts)))
    names = {layout.name for layout, _ in drawn}
    left = (drawing for layout, drawing in drawn if names.isdisjoint(layout.unless))
    yield from islice(left, MOST_RESULTS)


def _matches(
    registry: Registry, books: Catalogue, page: Page, cards: list[_Card], view: View
) -> Iterator[tuple[Layout, _Card]]:
    """Layouts with the first matching item, layouts of the main item first."""
    main = cards[0].node if cards else None
    alive = [node for node in page.nodes if node.same_as is None and not node.foreign and not node.reference]
    tops = [node for node in alive if node.parent is None]
    ordered = [*([main] if main is not None else []), *tops]
    found: list[tuple[bool, Layout, Node]] = []
    for layout in specification(registry).layouts.values():
        if layout.device and layout.device != view.device:
            continue
        kinds, exclude, entries = (frozenset(each) for each in (layout.types, layout.exclude, layout.entries))
        nodes = [main] if layout.main and main is not None else [*ordered, *(alive if layout.nested else ())]
        node = next(
            (
                each
                for each in nodes
                if books.vocabulary.are_a(each.types, kinds)
                and not books.vocabulary.are_a(each.types, exclude)
                and _has_entry(each, entries, books)
            ),
            None,
        )
        if node is not None:
            found.append((node is not main, layout, node))
    slots = {id(card.node): card.slots for card in cards}
    for _, layout, node in sorted(found, key=lambda each: (each[1].frame != "result", each[0])):
        yield layout, _Card(node, slots.get(id(node), {}))


def _has_entry(node: Node, types: frozenset[str], books: Catalogue) -> bool:
    """Whether an entry of a list has one of some types; entries without a node are accepted."""
    entries = [entry for step in node.nodes("itemListElement") for entry in (*step.nodes("item"), step)]
    named = [each for each in entries if each.types and "ListItem" not in each.types]
    return not types or not named or any(books.vocabulary.are_a(each.types, types) for each in named)


def _retired(registry: Registry, page: Page) -> Iterator[tuple[str, str, str]]:
    """(title, day, source) of retired results that the page requests."""
    kinds = {name for node in page.nodes if not node.foreign and not node.reference for name in node.types}
    for profile, title, day, doc in retired_results(registry):
        if kinds & set(profile.types):
            yield title, day, doc


def retired_results(registry: Registry) -> Iterator[tuple[Profile, str, str, str]]:
    """(profile, title, day, source) of retired results, without those with a condition."""
    for profile in registry.profiles.values():
        if profile.status == "retired" and not profile.applies_when:
            yield profile, profile.heading or profile.title, profile.retired_on or "", profile.doc


def _cards(page: Page, books: Catalogue, url: str | None, now: datetime, first: Choice) -> Iterator[_Card]:
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
                yield _Card(main, {})
            continue
        if id(node) not in seen:
            seen.add(id(node))
            yield _Card(node, _slots(preview, origins, books, page))


def _slots(preview: Preview, origins: dict[str, list[Origin]], books: Catalogue, page: Page | None) -> dict[str, Slot]:
    """Values of a card by name, with the places of the fields."""
    card, snippet = books.mappings[preview.service_type].card, preview.snippet
    made: dict[str, Slot] = {}

    def add(name: str, text: str | None, specs: Iterable[Any], date: str = "", stars: float = -1.0) -> None:
        if text:
            prop, spans = _places(name, specs, origins, page)
            made[name] = Slot(text, prop, spans, date, stars)

    add("title", preview.unified.get("name"), ["name", "mainEntity.name", "headline"])
    add("url", snippet.url, ["url"])
    add("host", host_of(snippet.url), ["url"])
    add("display_url", snippet.display_url, ["breadcrumb", "url"])
    add("site_name", snippet.site_name, [*card["site"], "url"])
    add("description", squeezed(first_text(preview.unified, card["description"]) or ""), card["description"])
    add("byline", snippet.byline, card["byline"])
    if snippet.date:
        add("date", day_in_words(snippet.date), card["date"], snippet.date)
        if "startDate" not in card["date"]:
            add("published", day_in_words(snippet.date), card["date"], snippet.date)
    if snippet.rating:
        add("rating", snippet.rating.text, card["rating"], "", float(snippet.rating.stars))
    add("price", snippet.price.text if snippet.price else None, card["price"])
    add("image", snippet.image.url if snippet.image else None, card["image"])
    add("type", snippet.standard_type, ["@type"])
    specs = {each["key"]: each["from"] for each in card["facts"]}
    for fact in snippet.facts:
        add(f"facts/{fact.key}", f"{fact.label}\n{fact.value}", specs[fact.key])
    groups = [each["from"] for each in card["items"]["groups"]]
    for number, item in enumerate(snippet.items):
        text = f"{number + 1}.\n{item.title}" + (f" ({item.description})" if item.description else "")
        add(f"items/{number}", text, groups)
    for number, badge in enumerate(snippet.badges):
        add(f"badges/{number}", f"\n{badge}", [each["path"] for each in card["badges"][0]["when"]][:1])
    for key in [name for name in made if name.startswith("facts/")]:
        _, _, text = made[key].text.partition("\n")
        made[f"value/{key.partition('/')[2]}"] = made[key]._replace(text=text)
    return made


def _places(
    name: str, specs: Iterable[Any], origins: dict[str, list[Origin]], page: Page | None
) -> tuple[str, tuple[Span, ...]]:
    """(property, spans) of the first present path of a slot."""
    first = ""
    for spec in specs:
        path = spec if isinstance(spec, str) else spec["path"]
        first = first or path
        field, _, rest = path.partition(".")
        found = origins.get(field, [])
        if found and page is not None:
            inner = _INNER.get(name, _PLAIN)
            spans = [
                span
                for each in found[:3]
                for span in spans_at(page, Found(each.node, each.prop, each.place), rest, inner)
            ]
            return f"{found[0].prop}{'.' if rest else ''}{rest}", tuple(spans)
    return first, ()


def _meta(page: Page, url: str | None) -> dict[str, Slot]:
    """Values of the page itself: head, address, site and trail."""
    made = head_of(page)
    canonical = made.get("canonical")
    address = page.url or url or (made["og:url"].text if "og:url" in made else None)
    spans = canonical.spans if canonical else made["og:url"].spans if "og:url" in made else ()
    written = "link canonical" if canonical else "og:url"
    host = host_of(address)
    if host:
        made["host"] = Slot(host, written, spans)
        made["trail"] = Slot(display_url(address, host, {}) or host, written, spans)
    site = next((node for node in page.nodes if "WebSite" in node.types and isinstance(node.get("name"), str)), None)
    if site is not None:
        made["site"] = Slot(str(site.get("name")), "WebSite name", (page.span_of(site, "name", 0),))
    elif "og:site_name" in made:
        made["site"] = made["og:site_name"]
    elif host:
        made["site"] = made["host"]
    if host and (trail := _trail(page)):
        names, places = [name for name, _ in trail], tuple(span for _, span in trail)
        made["trail"] = Slot(" › ".join([host, *names[:-1]]), "BreadcrumbList", places)
    return made


def _trail(page: Page) -> list[tuple[str, Span]]:
    """Names of the steps of the first breadcrumb trail, with their places; the last is the page itself."""
    for node in page.nodes:
        if "BreadcrumbList" in node.types and node.same_as is None:
            steps: list[tuple[str, Span]] = []
            for step in node.nodes("itemListElement"):
                for holder in (step, *step.nodes("item")):
                    name = holder.get("name")
                    if isinstance(name, str):
                        steps.append((" ".join(name.split()), page.span_of(holder, "name", 0)))
                        break
            return steps[:7]
    return []


def _scope(
    registry: Registry, books: Catalogue, page: Page | None, view: View, meta: dict[str, Slot], main: _Card
) -> Scope:
    widths, em = letter_widths()
    # Without a page there is no node, and so no place to look up.
    known = cast("Page", page)
    limits = specification(registry).limits
    return Scope(known, main.node, main.slots, meta, view.device, view.blocks, limits, widths, em, books.words)


@lru_cache(maxsize=1)
def letter_widths() -> tuple[dict[str, int], int]:
    """(character -> width, units of an em) of a font with Arial's widths, made by `tools/make_widths.py`."""
    file = json.loads((assets.folder("site") / "widths.json").read_text("utf-8"))
    widths = {each: int(width) for width, characters in file["characters"].items() for each in characters}
    return widths, file["units_per_em"]


def to_data(surfaces: Iterable[Surface], page: Page | None) -> list[dict[str, Any]]:
    """Surfaces as JSON: views with their sources, results with parts, words with property, line and column."""
    return [
        {
            "surface": each.view.name, "title": each.view.title, "group": each.view.group,
            "sources": msgspec.to_builtins(each.view.sources),
            "documented": each.view.documented, "differs": each.view.differs,
            "retired": [{"title": title, "retired_on": day, "url": doc} for title, day, doc in each.retired],
            "results": [_result(drawing, page) for drawing in each.results],
        }
        for each in surfaces
    ]  # fmt: skip


def _result(drawing: Drawing, page: Page | None) -> dict[str, Any]:
    layout = drawing.layout
    about: dict[str, Any] = {"result": None, "title": "Text result", "frame": "result"}
    if layout is not None:
        about = {"result": layout.name, "title": layout.title, "frame": layout.frame}
        about |= {
            "source": msgspec.to_builtins(layout.source),
            "documented": layout.documented,
            "differs": layout.differs,
        }
    return about | {"parts": [_part(part, page) for part in drawing.parts]}


def _part(part: Part, page: Page | None) -> dict[str, Any]:
    made: dict[str, Any] = {"part": part.kind}
    if part.at:
        made["at"] = part.at
    if part.ratio:
        made["ratio"] = part.ratio
    made["words"] = [_word(word, page) for word in part.words]
    if part.entries:
        made["entries"] = [[_part(each, page) for each in entry] for entry in part.entries]
    return made


def _word(word: Word, page: Page | None) -> dict[str, Any]:
    made: dict[str, Any] = {"text": word.text}
    if word.label:
        made["label"] = word.label
    if word.rest:
        made["cut"] = word.rest
    if word.date:
        made["date"] = word.date
    if word.stars >= 0:
        made["stars"] = word.stars
    if word.property:
        made["property"] = word.property
        if page is not None:
            made["places"] = [_place(page.locate(span)) for span in dict.fromkeys(word.spans)]
    return made


def _place(location: Location) -> dict[str, int]:
    return {"line": location.line, "column": location.column, "start": location.start, "end": location.end}


__all__ = ["Drawing", "Surface", "letter_widths", "surfaces_of", "to_data"]
