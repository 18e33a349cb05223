"""Results of a page in the views of surfaces: layouts filled with the values of cards, of the head and of nodes.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

import msgspec

from waypost.formats.dates import day_in_words
from waypost.formats.text import squeezed
from waypost.models.json_value import Json, JsonObject
from waypost.models.page import Node, Page, Span
from waypost.models.snippet import Preview
from waypost.models.surface import Found, Layout, Limit, Part, Slot, View, Word
from waypost.preview.card import display_url, first_text, host_of
from waypost.preview.head import head_of
from waypost.preview.layouts import Scope, holds, parts_of, spans_at
from waypost.preview.places import place_data
from waypost.preview.unified import Origin
from waypost.registry.vocabulary import Vocabulary

MOST_RESULTS = 12
"""Results of a page in one view."""
_INNER: dict[str, tuple[str, ...]] = {
    "price": ("price", "lowPrice", "highPrice", "priceSpecification.price"), "rating": ("ratingValue",),
    "byline": ("name",), "image": ("url", "contentUrl"), "site_name": ("name",),
}  # fmt: skip
_PLAIN: tuple[str, ...] = ("name", "url", "text")


class Retired(msgspec.Struct, frozen=True):
    """Result that is no longer shown: types, title, day and source."""

    types: tuple[str, ...]
    title: str
    retired_on: str
    url: str


class Specification(NamedTuple):
    """Files of the registry: views, layouts, lengths by name, retired results, widths of characters in units of an em,
    words of cards, and the vocabulary."""

    views: list[View]
    layouts: list[Layout]
    limits: dict[str, Limit]
    retired: list[Retired]
    widths: dict[str, int]
    em: int
    words: JsonObject
    vocabulary: Vocabulary


class Drawing(NamedTuple):
    """Result of a page in a view: a rich result, or the text result, which has no `layout`."""

    layout: Layout | None
    parts: list[Part]


class Surface(NamedTuple):
    """View with the results of a page, and results that are no longer shown."""

    view: View
    results: list[Drawing]
    retired: list[Retired]


class ItemCard(NamedTuple):
    """Card of an item, as slots; `node` is the item, None of a document that is not a page."""

    node: Node | None
    slots: dict[str, Slot]


def surfaces_of_cards(
    spec: Specification, cards: list[ItemCard], page: Page | None, meta: dict[str, Slot]
) -> list[Surface]:
    """Surfaces of a page with its cards, the first item's first; views without anything to show are left out.

    meta  values of the page itself, see `meta_of`
    """
    main = cards[0] if cards else ItemCard(None, {})
    made: list[Surface] = []
    # Without a page there is no node, and so no place to look up.
    known = cast("Page", page)
    for view in spec.views:
        scope = Scope(
            known, main.node, main.slots, meta, view.device, view.blocks, spec.limits, spec.widths, spec.em, spec.words
        )  # fmt: skip
        is_search = page is not None and view.group == "search"
        results = _results(spec, scope, cards, view)[:MOST_RESULTS] if is_search else []
        if not any(each.layout is not None and each.layout.frame == "result" for each in results):
            parts = parts_of(view.parts, scope, 0)
            if parts:
                results = [Drawing(None, parts), *results]
        if results:
            made.append(Surface(view, results, list(_retired(spec, page)) if page is not None and is_search else []))
    return made


def _results(spec: Specification, scope: Scope, cards: list[ItemCard], view: View) -> list[Drawing]:
    """Rich results of a page in a view, without parts of other results."""
    drawn: list[Drawing] = []
    names: set[str] = set()
    for layout, card in _matches(spec, scope.page, cards, view):
        inner = scope._replace(node=card.node, slots=card.slots)
        parts = parts_of(layout.parts, inner, 0) if holds(layout.when, inner) else []
        if parts:
            drawn.append(Drawing(layout, parts))
            names.add(layout.name)
    return [each for each in drawn if each.layout is not None and names.isdisjoint(each.layout.unless)]


def _matches(spec: Specification, page: Page, cards: list[ItemCard], view: View) -> Iterator[tuple[Layout, ItemCard]]:
    """Layouts with the first matching item, layouts of the main item first."""
    main = cards[0].node if cards else None
    alive = [node for node in page.nodes if node.same_as is None and not node.foreign and not node.reference]
    ordered = [*([main] if main is not None else []), *(node for node in alive if node.parent is None)]
    found: list[tuple[int, Layout, Node]] = []
    for layout in spec.layouts:
        if layout.device and layout.device != view.device:
            continue
        nodes = [main] if layout.main and main is not None else [*ordered, *(alive if layout.nested else [])]
        node = next((each for each in nodes if _is_for(layout, each, spec.vocabulary)), None)
        if node is not None:
            found.append(((2 if layout.frame != "result" else 0) + (1 if node is not main else 0), layout, node))
    slots = {id(card.node): card.slots for card in cards}
    for _, layout, node in sorted(found, key=lambda each: each[0]):
        yield layout, ItemCard(node, slots.get(id(node), {}))


def _is_for(layout: Layout, node: Node, vocabulary: Vocabulary) -> bool:
    """Whether a layout is for an item: by its types, and those of an entry of a list; entries without a node pass."""
    if not vocabulary.are_a(node.types, frozenset(layout.types)):
        return False
    if vocabulary.are_a(node.types, frozenset(layout.exclude)):
        return False
    if not layout.entries:
        return True
    entries = [entry for step in node.nodes("itemListElement") for entry in (*step.nodes("item"), step)]
    named = [each for each in entries if each.types and "ListItem" not in each.types]
    return not named or any(vocabulary.are_a(each.types, frozenset(layout.entries)) for each in named)


def _retired(spec: Specification, page: Page) -> Iterator[Retired]:
    """Retired results that the page requests."""
    kinds = {name for node in page.nodes if not node.foreign and not node.reference for name in node.types}
    return (each for each in spec.retired if any(name in kinds for name in each.types))


def slots_of(
    preview: Preview, card: JsonObject, origins: dict[str, list[Origin]], page: Page | None
) -> dict[str, Slot]:
    """Values of a card by name, with the places of the fields. `card`: the `x-card` of the mapping."""
    unified, snippet = preview.unified, preview.snippet
    made: dict[str, Slot] = {}

    def add(name: str, text: str | None, specs: Iterable[Json], date: str = "", stars: float = -1.0) -> None:
        if text:
            prop, spans = _places(name, specs, origins, page)
            made[name] = Slot(text, prop, spans, date, stars)

    add("title", unified.get("name"), ["name", "mainEntity.name", "headline"])
    add("url", snippet.url, ["url"])
    add("host", host_of(snippet.url), ["url"])
    add("display_url", snippet.display_url, ["breadcrumb", "url"])
    add("site_name", snippet.site_name, [*card["site"], "url"])
    add("description", squeezed(first_text(unified, card["description"]) or ""), card["description"])
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
    name: str, specs: Iterable[Json], origins: dict[str, list[Origin]], page: Page | None
) -> tuple[str, tuple[Span, ...]]:
    """(property, spans) of the first present path of a slot."""
    first = ""
    for spec in specs:
        path: str = spec if isinstance(spec, str) else spec["path"]
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


def meta_of(page: Page, url: str | None) -> dict[str, Slot]:
    """Values of the page itself: head, address, site and trail."""
    made = head_of(page)
    source = made.get("canonical") or made.get("og:url")
    graph = made.get("og:url")
    address = page.url or url or (graph.text if graph is not None else None)
    spans: tuple[Span, ...] = source.spans if source is not None else ()
    written = "link canonical" if "canonical" in made else "og:url"
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
    trail = _trail(page) if host else []
    if host and trail:
        names = [name for name, _ in trail]
        made["trail"] = Slot(" › ".join([host, *names[:-1]]), "BreadcrumbList", tuple(span for _, span in trail))
    return made


def _trail(page: Page) -> list[tuple[str, Span]]:
    """Names of the steps of the first breadcrumb trail, with their places; the last is the page itself."""
    for node in page.nodes:
        if "BreadcrumbList" in node.types and node.same_as is None:
            steps: list[tuple[str, Span]] = []
            for step in node.nodes("itemListElement"):
                holder = next((each for each in (step, *step.nodes("item")) if isinstance(each.get("name"), str)), None)
                if holder is not None:
                    steps.append((squeezed(str(holder.get("name"))), page.span_of(holder, "name", 0)))
            return steps[:7]
    return []


def surfaces_data(surfaces: Iterable[Surface], page: Page | None) -> list[JsonObject]:
    """Surfaces as JSON with records of the registry: results with parts, words with property, line and column."""
    return [
        {
            "surface": each.view.name, "title": each.view.title, "group": each.view.group,
            "sources": each.view.sources, "documented": each.view.documented, "differs": each.view.differs,
            "retired": [
                {"title": gone.title, "retired_on": gone.retired_on, "url": gone.url} for gone in each.retired
            ],
            "results": [_result(drawing, page) for drawing in each.results],
        }
        for each in surfaces
    ]  # fmt: skip


def _result(drawing: Drawing, page: Page | None) -> JsonObject:
    layout = drawing.layout
    about: JsonObject = {"result": None, "title": "Text result", "frame": "result"}
    if layout is not None:
        about = {
            "result": layout.name, "title": layout.title, "frame": layout.frame, "source": layout.source,
            "documented": layout.documented, "differs": layout.differs,
        }  # fmt: skip
    return about | {"parts": [_part(part, page) for part in drawing.parts]}


def _part(part: Part, page: Page | None) -> JsonObject:
    made: JsonObject = {"part": part.kind}
    if part.at:
        made["at"] = part.at
    if part.ratio:
        made["ratio"] = part.ratio
    made["words"] = [_word(word, page) for word in part.words]
    if part.entries:
        made["entries"] = [[_part(each, page) for each in entry] for entry in part.entries]
    return made


def _word(word: Word, page: Page | None) -> JsonObject:
    made: JsonObject = {"text": word.text}
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
            spans = {f"{span.start} {span.end}": span for span in word.spans}
            made["places"] = [place_data(page, span) for span in spans.values()]
    return made
