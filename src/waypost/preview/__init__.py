"""Snippets: node -> unified document -> card, by the mapping files of the registry, and back to JSON-LD."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, NamedTuple

from waypost.errors import NothingToShow, Unreadable
from waypost.models.page import Node, Page
from waypost.models.snippet import Preview
from waypost.preview.card import make_card
from waypost.preview.catalogue import Catalogue, Mapping, catalogue_of
from waypost.preview.cleaning import safe_document
from waypost.preview.markup import to_json_ld
from waypost.preview.pick import Picked, main_item, root_number
from waypost.preview.unified import Origin, Setting, unify
from waypost.reader import read_data, read_page
from waypost.registry import Registry, shared_registry

__all__ = ["Choice", "item_number", "make_snippet", "to_markup", "trace"]


class Choice(NamedTuple):
    """Item of a page that gets the card: of a service type, or by the number of its root; the main item by default."""

    service: str | None = None
    number: int | None = None


MAIN = Choice()


_MARKS = (b"{", b"[")


def make_snippet(
    source: bytes | Page | dict[str, Any] | list[Any],
    registry: Registry | None = None,
    *,
    url: str | None = None,
    now: datetime | None = None,
    choice: Choice = MAIN,
) -> Preview:
    """Unified document and card of a page's main item.

    source    bytes of an HTML page or of JSON-LD; a `Page`; JSON-LD as objects; or a unified document.
    url       URL of the source, base of relative URLs.
    now       aware UTC time for comparisons with dates; the current time by default.
    choice    item of the page, where it is not to be the main one.

    Raises NothingToShow, with the reason, for a source without a card or a main item without a name.
    """
    books = catalogue_of(registry or shared_registry())
    moment = now or datetime.now(UTC)
    # A unified document is JSON too: what has the shape of one needs no reading.
    if isinstance(source, dict):
        mapping = _mapping_of_document(source, books)
        if mapping is not None:
            return _preview(source, mapping, books, moment, ())
    page = source if isinstance(source, Page) else _read(source, books, url)
    return _of_page(page, books, url, moment, None, choice)


def item_number(page: Page, registry: Registry | None = None, choice: Choice = MAIN) -> int | None:
    """Number of the item that gets the card, as reports count items; None for an item outside all of them."""
    return root_number(page, _picked(page, catalogue_of(registry or shared_registry()), choice))


def item_places(page: Page, registry: Registry | None = None, choice: Choice = MAIN) -> list[tuple[str, int, str]]:
    """(syntax, block, pointer), as in reports, of the node with the card and of the page that stands for it."""
    picked = _picked(page, catalogue_of(registry or shared_registry()), choice)
    nodes = [node for node in (picked.wrapper, picked.node) if node is not None]
    return [(node.block.syntax, node.block.index, node.block.pointer(node)) for node in nodes]


def trace(
    page: Page, registry: Registry | None = None, *, now: datetime | None = None
) -> tuple[Preview, dict[str, list[Origin]]]:
    """Result of `make_snippet`, and field -> origins in the page (`Page.span_of` gives their spans)."""
    origins: dict[str, list[Origin]] = {}
    books = catalogue_of(registry or shared_registry())
    return _of_page(page, books, None, now or datetime.now(UTC), origins), origins


def to_markup(document: dict[str, Any], registry: Registry | None = None) -> dict[str, Any]:
    """JSON-LD with the content of a unified document."""
    books = catalogue_of(registry or shared_registry())
    safe = safe_document(document, books.registry).document
    return to_json_ld(safe, _mapping_for(safe, books), books)


def _read(source: Any, books: Catalogue, url: str | None) -> Page:
    if not isinstance(source, bytes):
        return read_data(_as_json(source), books.vocabulary, url=url)
    # JSON-LD begins with a bracket, HTML never does.
    if source.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in _MARKS:
        return read_data(source, books.vocabulary, url=url)
    return read_page(source, books.vocabulary, url=url)


def _as_json(source: Any) -> bytes:
    """Objects as ASCII JSON for the reader, lone surrogates escaped. Raises Unreadable."""
    try:
        return json.dumps(source, default=str).encode("ascii")
    except (ValueError, RecursionError) as error:
        raise Unreadable("the objects given", str(error)) from None


def _of_page(
    page: Page,
    books: Catalogue,
    url: str | None,
    now: datetime,
    origins: dict[str, list[Origin]] | None,
    choice: Choice = MAIN,
) -> Preview:
    return preview_of(page, books, url, now, origins, choice)[0]


def _picked(page: Page, books: Catalogue, choice: Choice) -> Picked:
    found = main_item(page, books, *choice)
    if isinstance(found, str):
        raise NothingToShow(found)
    return found


def preview_of(
    page: Page,
    books: Catalogue,
    url: str | None,
    now: datetime,
    origins: dict[str, list[Origin]] | None,
    choice: Choice = MAIN,
) -> tuple[Preview, Node]:
    """Preview of a page's item, and the node with the card. Raises NothingToShow."""
    picked = _picked(page, books, choice)
    mapping = books.mappings[picked.service]
    setting = Setting(picked.wrapper, picked.trail, page.url or url, page.base or page.url or url)
    document = unify(picked.node, mapping, picked.standard, books, setting, origins)
    return _preview(document, mapping, books, now, picked.about), picked.node


def _preview(
    document: dict[str, Any], mapping: Mapping, books: Catalogue, now: datetime, about: tuple[str, ...]
) -> Preview:
    # Before anything is drawn: addresses of a page may run scripts.
    document = safe_document(document, books.registry).document
    if not document.get("name"):
        raise NothingToShow(f"the {document['@type']} has no name: a card needs one")
    snippet = make_card(document, mapping, books, now, about)
    return Preview(service_type=mapping.service, standard_type=snippet.standard_type, unified=document, snippet=snippet)


def _mapping_for(document: dict[str, Any], books: Catalogue) -> Mapping:
    """Mapping of a unified document; for a list, the mapping of the members."""
    types = [document.get("@type")]
    types += [each.get("@type") for each in document.get("itemListElement", ()) if isinstance(each, dict)]
    for name in types:
        service = books.service_types.service_of(name) if isinstance(name, str) else None
        if service is not None:
            return books.mappings[service]
    raise NothingToShow(f"{types[0]} has no card: there is nothing to draw")


def _mapping_of_document(source: dict[str, Any], books: Catalogue) -> Mapping | None:
    """Mapping of a unified document, None for other JSON-LD. Similar JSON-LD exists, so the schema decides."""
    needed = books.registry.unified["required"]
    if any(name not in source for name in needed) or source.keys() - set(books.order):
        return None
    return _mapping_for(source, books) if books.is_unified(source) else None
