"""Facts of a page for comparison with further pages of the site, and links in the lists of the page.

A run stores only the facts of a page, packed with MessagePack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

import msgspec

from waypost.formats.decoders import decoder
from waypost.formats.text import clip
from waypost.models.page import LangString, Node, Page, Value, is_present
from waypost.reader.names import resolve
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.suppressions import suppressed_ranges

SINGLE = frozenset(
    {"name", "legalName", "datePublished", "dateCreated", "startDate", "endDate", "birthDate", "deathDate",
     "foundingDate", "uploadDate", "duration", "price", "sku", "isbn", "mpn", "gtin", "gtin8", "gtin12", "gtin13",
     "gtin14", "taxID", "vatID", "leiCode", "duns"}
)  # fmt: skip
"""Properties with a single value, equal on two pages of the same day."""

URLS = ("url", "logo", "sameAs")
_ORGANIZATION = frozenset({"Organization"})
_BRANCH = frozenset({"LocalBusiness"})  # branches share a name and differ in everything else
_LISTS = frozenset({"BreadcrumbList", "ItemList"})
# Of one page; further ones are not compared.
_MOST_ENTITIES, _MOST_LINKS, _MOST_VALUES = 200, 1_000, 50
_LONGEST = 200
_LONGEST_URL = 2_000


class Entity(msgspec.Struct, frozen=True, array_like=True):
    """Entity for comparison with further pages: node `number` of the page.

    packed  property -> values as written; unpacked when needed, since most entities are described once, or in the same
            words on every page.
    """

    number: int
    id: str | None
    is_organization: bool
    packed: msgspec.Raw

    @property
    def facts(self) -> dict[str, tuple[str, ...]]:
        return _unpack_values(self.packed)


class Link(msgspec.Struct, frozen=True, array_like=True):
    """URL of another page in a list: `prop` of node `number` of the page."""

    number: int
    prop: str
    url: str
    is_breadcrumb: bool


class Reference(msgspec.Struct, frozen=True, array_like=True):
    """`@id` of a node that another page describes: value of `prop` of node `number` of the page."""

    number: int
    prop: str
    id: str


class PageFacts(msgspec.Struct, frozen=True, array_like=True):
    """Facts of a page.

    suppressed  (start, end, rules, reason) of the suppressions, in bytes.
    references  references to nodes of other pages with an `@id` of http or https.
    described   ids of the nodes with content that are not among `entities`.
    products    facts of the products for the comparison with feeds, see `feeds.products`; empty in a run without feeds.
    """

    url: str | None
    language: str
    entities: tuple[Entity, ...]
    links: tuple[Link, ...]
    suppressed: tuple[tuple[int, int, tuple[str, ...], str], ...]
    references: tuple[Reference, ...] = ()
    described: tuple[str, ...] = ()
    products: bytes = b""


_pack = msgspec.msgpack.Encoder().encode
unpack_facts: Callable[[bytes], PageFacts] = decoder(PageFacts)
_unpack_values: Callable[[bytes], dict[str, tuple[str, ...]]] = decoder(dict[str, tuple[str, ...]])


def facts_of(page: Page, vocabulary: Vocabulary, *, with_products: bool = False) -> bytes:
    """Facts of a page, packed; empty without facts. `with_products`: the run compares feeds of products."""
    products = b""
    if with_products:
        from waypost.validate.feeds.products import products_of

        products = products_of(page, vocabulary)
    entities: list[Entity] = []
    links: list[Link] = []
    references: list[Reference] = []
    described: list[str] = []
    numbers: dict[int, int] = {}
    for number, node in enumerate(page.nodes):
        if node.reference and len(references) < _MOST_LINKS and _is_on_another_page(node.id, page.url):
            numbers = numbers or {id(other): position for position, other in enumerate(page.nodes)}
            references += _references(node, numbers)
        if node.same_as is not None or node.reference or node.foreign or not node.props:
            continue
        if node.id is not None and len(described) < _MOST_LINKS:
            described.append(node.id)
        if not _LISTS.isdisjoint(node.types) and len(links) < _MOST_LINKS:
            # Made for the first list of a page: most pages have none.
            numbers = numbers or {id(other): position for position, other in enumerate(page.nodes)}
            links += _links(page, node, numbers)
        elif (node.id is not None or "Organization" in node.types) and len(entities) < _MOST_ENTITIES:
            entity = _entity(page, node, number, vocabulary)
            if entity is not None:
                entities.append(entity)
    if not (entities or links or references or described or products):
        return b""
    named = {entity.id for entity in entities}
    suppressed = tuple(suppressed_ranges(page)) if page.has_suppressions else ()
    language = (page.language or "").partition("-")[0].lower()
    return _pack(
        PageFacts(
            page.url,
            language,
            tuple(entities),
            tuple(links[:_MOST_LINKS]),
            suppressed,
            tuple(references),
            tuple(each for each in described if each not in named),
            products,
        )
    )


def _is_on_another_page(iri: str | None, here: str | None) -> bool:
    return (
        iri is not None
        and here is not None
        and iri.startswith(("http://", "https://"))
        and iri.partition("#")[0] != here.partition("#")[0]
    )


def _references(node: Node, numbers: Mapping[int, int]) -> Iterator[Reference]:
    """References of a node without content: the property with the node as its value."""
    if node.parent is not None and node.via is not None and not node.reverse and node.id is not None:
        number = numbers.get(id(node.parent))
        if number is not None:
            yield Reference(number, node.via, node.id)


def _entity(page: Page, node: Node, number: int, vocabulary: Vocabulary) -> Entity | None:
    are_a = vocabulary.are_a
    is_organization = are_a(node.types, _ORGANIZATION) and not are_a(node.types, _BRANCH)
    # Relative and blank ids name something on their own page only.
    iri = node.id if node.id is not None and "://" in node.id else None
    if iri is None and not is_organization:
        return None
    facts: dict[str, tuple[str, ...]] = {}
    for prop, values in node.props.items():
        if prop in SINGLE:
            if text := _single(values, prop, node):
                facts[prop] = (text,)
        elif is_organization and prop in URLS:
            found = (_url(value, page.base) for value in values[:_MOST_VALUES])
            if urls := tuple(dict.fromkeys(url for url in found if url)):
                facts[prop] = urls
    return Entity(number, iri, is_organization, msgspec.Raw(_pack(facts))) if facts else None


def _single(values: list[Value], prop: str, node: Node) -> str | None:
    """Text of a single value of a property; `None` for several values and for objects.

    A price includes the currency and a text the language: only values in the same currency or language can be a
    contradiction.
    """
    value = values[0] if len(values) == 1 else None
    if isinstance(value, Node) or not is_present(value):
        return None
    text = clip(str(value), _LONGEST)
    if prop == "price":
        return f"{text} {node.get('priceCurrency') or ''}".strip()
    return f"{text}\0{value.language.partition('-')[0].lower()}" if isinstance(value, LangString) else text


def _url(value: Value, base: str | None) -> str | None:
    if isinstance(value, Node):
        value = value.get("url") or value.get("contentUrl") or value.id
    url = resolve(value, base) if isinstance(value, str) else ""
    return url if "://" in url and split_url(url) is not None else None


@lru_cache(maxsize=1024)  # pages of a site repeat the same URLs: home page, logo, profiles elsewhere
def split_url(url: str) -> SplitResult | None:
    """Parts of a URL; `None` for another text, and for a URL too long to compare."""
    try:
        parts = urlsplit(url) if len(url) <= _LONGEST_URL else None
        return parts if parts is not None and parts.hostname else None
    except ValueError:
        return None


def _links(page: Page, node: Node, numbers: Mapping[int, int]) -> Iterator[Link]:
    """URLs of the members of a list. `numbers`: id() of a node -> number of the node."""
    is_breadcrumb = "BreadcrumbList" in node.types
    for value in node.props.get("itemListElement", ())[:_MOST_LINKS]:
        holder, prop, target = node, "itemListElement", value
        if isinstance(value, Node) and "ListItem" in value.types:
            holder, prop = value, "url" if value.get("url") is not None else "item"
            target = value.get(prop)
        if isinstance(target, Node):
            target = target.get("url") or target.id
        url = resolve(target, page.base).partition("#")[0] if isinstance(target, str) else ""
        if url.startswith(("http://", "https://")) and url != page.url and split_url(url) is not None:
            yield Link(numbers.get(id(holder), numbers[id(node)]), prop, url, is_breadcrumb)
