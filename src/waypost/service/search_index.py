"""Search over shipped and stored records, merged into a single ranking.

Shipped records never change while a service runs; they are indexed once in memory. Words are split and folded as in the
store's search, so that the same words find records in both.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from waypost.formats.text import display_name, display_url
from waypost.models.relationship import Relationship
from waypost.safety.relationship import holds, shipped
from waypost.safety.review_subject import is_url_of
from waypost.safety.target import of_host
from waypost.service.hosts import covers_domain
from waypost.store import search
from waypost.store.cursors import Page, Position
from waypost.store.search import CANDIDATES, words_of

if TYPE_CHECKING:
    from waypost.registry import Registry
    from waypost.registry.world import World
    from waypost.store import Store

Kind = Literal["organization", "person", "product", "domain", "relationship", "schema", "field", "snippet"]
Matched = Literal["name", "alias", "domain", "description"]
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_SERVICE: dict[str, Kind] = {
    "PersonSnippet": "person",
    "ProductSnippet": "product",
    "OrganizationSnippet": "organization",
    "LocalBusinessSnippet": "organization",
}
STORED_ORDER = 1
"""Order of a record of the store, which is in no brand's file: after the principal domain of a brand."""


class Entry(NamedTuple):
    """Shipped record.

    review   accepted review of the domain, if any
    order    position of the domain in the file of its brand: 0 for the principal one
    """

    kind: Kind
    id: str
    name: str
    aliases: str = ""
    domain: str = ""
    url: str = ""
    review: Relationship | None = None
    description: str = ""
    order: int = 0

    def reviewed(self, now: int) -> bool:
        """Whether the record belongs to the registry or its review is valid at `now`, in milliseconds since 1970."""
        if self.kind in {"schema", "field"}:
            return True
        return self.review is not None and self.review.state == "accepted" and holds(self.review, now)


class Hit(NamedTuple):
    """Search result. `rank` sorts the best first and is never part of an answer."""

    rank: tuple[Any, ...]
    document: dict[str, Any]


class Index:
    """Inverted index: word of a name, alias, domain or description -> entries."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        found: dict[str, array[int]] = {}
        for number, entry in enumerate(self.entries):
            for word in set(folded(f"{entry.name} {entry.aliases} {entry.domain} {entry.description}")):
                found.setdefault(word, array("I")).append(number)
        self._words = sorted(found)
        self._where = [found[word] for word in self._words]

    def find(self, words: list[str]) -> list[Entry]:
        """Entries that contain every word; the last word may be a prefix. At most `CANDIDATES`."""
        if not words:
            return []
        left = set(self._beginning(words[-1]))
        for word in words[:-1]:
            left &= set(self._exactly(word))
        # `index_of` sorts entries with a review first, so the bound drops the least relevant ones.
        return [self.entries[number] for number in sorted(left)[:CANDIDATES]]

    def _exactly(self, word: str) -> Iterable[int]:
        at = bisect_left(self._words, word)
        return self._where[at] if at < len(self._words) and self._words[at] == word else ()

    def _beginning(self, word: str) -> Iterator[int]:
        at = bisect_left(self._words, word)
        # The words are sorted: those with the same prefix are neighbours.
        while at < len(self._words) and self._words[at].startswith(word):
            yield from self._where[at]
            at += 1


def folded(text: str) -> list[str]:
    """Words of a text, without letter case and accents."""
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))
    return _WORD.findall(plain)


def query_words(text: str) -> list[str]:
    return [word for part in words_of(text) for word in folded(part)]


@lru_cache(maxsize=4)
def index_of(world: World, registry: Registry) -> Index:
    """Index of the shipped records, those with a review first."""
    return Index(sorted((*_of_world(world), *_of_registry(registry)), key=lambda entry: entry.review is None))


def _of_world(world: World) -> Iterator[Entry]:
    for brand in world.brands.values():
        aliases = " ".join((*brand.names[1:], *brand.aliases))
        reviews = {domain: _review(world, domain) for domain in brand.domains}
        home = reviews[brand.home]
        url = f"https://{brand.official_home}/" if brand.official_home else ""
        yield Entry("organization", brand.slug, brand.name, aliases, brand.home, url, home)
        for order, (domain, review) in enumerate(reviews.items()):
            url = f"https://{domain}/" if review else ""
            yield Entry("domain", domain, brand.name, aliases, domain, url, review, order=order)
            if review is not None:
                yield Entry("relationship", review.id, brand.name, aliases, domain, url, review, order=order)
    for site in world.sites:
        yield Entry("organization", f"site:{site.domains[0]}", site.name, "", site.domains[0])
        for order, domain in enumerate(site.domains):
            yield Entry("domain", domain, site.name, "", domain, order=order)


def _review(world: World, domain: str) -> Relationship | None:
    """Accepted shipped review for exactly this domain, None without one."""
    target = of_host(domain)
    for review in shipped(world, target):
        if review.domain == domain and review.state == "accepted" and covers_domain(review.domain, review.scope, world):
            return review
    return None


def _of_registry(registry: Registry) -> Iterator[Entry]:
    for service, document in registry.mappings.items():
        standard = str(document["x-standard-type"])
        spaced = f"{_HUMP.sub(' ', standard)} {_HUMP.sub(' ', service)} {service}"
        yield Entry("schema", service, standard, spaced, "", f"/v1/schema/{service}")
    yield Entry("schema", "Unified", "Unified", "unified model", "", "/v1/schema/Unified")
    for name, schema in registry.unified["properties"].items():
        about = str(schema.get("description", ""))
        yield Entry("field", name, name, _HUMP.sub(" ", name), "", "/v1/schema/Unified", None, about)


def shipped_hits(index: Index, text: str, now: int) -> Iterator[Hit]:
    """Hits among the shipped records."""
    words = query_words(text)
    for entry in index.find(words):
        reviewed = entry.reviewed(now)
        members: dict[str, Any] = {"id": entry.id, "kind": entry.kind, "name": entry.name}
        if entry.domain:
            members["domain"] = entry.domain
        if entry.url:
            members["url"] = entry.url
        members["review_status"] = "reviewed" if reviewed else "unreviewed"
        if entry.domain:
            members["relationship_status"] = "verified_official" if reviewed else "claimed_unreviewed"
        if entry.kind == "relationship":
            members["state"] = "accepted" if reviewed else "expired"
        members["matched_on"] = _matched(entry, words)
        yield Hit(rank_of(entry.name, entry.domain, entry.id, words, reviewed=reviewed, order=entry.order), members)


def stored_hits(store: Store, text: str, organization: str, now: int) -> Iterator[Hit]:
    """Hits in the store: global records, and records of the given organization."""
    words = query_words(text)
    for row in store.read(
        lambda db: search.search(db, text, now, organization=organization, limit=CANDIDATES, every_state=True)
    ):
        reviewed = row.review_status == "reviewed"
        members: dict[str, Any] = {
            "id": row.id,
            "kind": "relationship",
            "name": display_name(row.name),
            "domain": row.domain,
        }
        if is_url_of(row.url or "", row.domain):
            members["url"] = display_url(row.url)
        members |= {
            "review_status": row.review_status,
            "relationship_status": _status(row.state, row.type, reviewed=reviewed),
            "state": row.state,
            "matched_on": row.matched_on,
        }
        yield Hit(rank_of(row.name, row.domain, row.id, words, reviewed=reviewed, order=STORED_ORDER), members)
    for own in store.read(lambda db: search.search_snippets(db, text, organization, limit=CANDIDATES)):
        document: dict[str, Any] = {
            "id": own.id,
            "kind": _OF_SERVICE.get(own.service_type, "snippet"),
            "name": display_name(own.name),
        }
        if own.domain:
            document["domain"] = own.domain
        document |= {"review_status": "unreviewed", "matched_on": own.matched_on}
        yield Hit(rank_of(own.name, own.domain, own.id, words, reviewed=False, order=STORED_ORDER), document)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Hits sorted by rank, without duplicates. For the same record the later hit wins.

    Pass the store's hits last: they are newer than the shipped data.
    """
    found = {(hit.document.get("kind"), hit.rank[-1]): hit for hit in hits}
    return sorted(found.values(), key=lambda hit: hit.rank)


def part_of(hits: list[Hit], limit: int, after: Position | None) -> Page[Hit]:
    """Page of the hits. A position is the number of hits before the page."""
    start = int(after[0]) if after else 0
    more = len(hits) > start + limit
    return Page(hits[start : start + limit], (start + limit,) if more else None)


def hit_to_dict(hit: Hit) -> dict[str, Any]:
    return hit.document


def normalized(text: str) -> str:
    """Query text as searched and as bound to cursors: stripped, in Unicode NFC."""
    return unicodedata.normalize("NFC", text.strip())


def rank_of(name: str, domain: str, key: str, words: list[str], *, reviewed: bool, order: int) -> tuple[Any, ...]:
    """Sort key of a hit: exact matches, prefixes, reviewed records, short names, then the order of the brand's file."""
    query = " ".join(words)
    texts = {" ".join(folded(name)), " ".join(folded(domain))}
    exact, begins = query in texts, any(text.startswith(query) for text in texts)
    # Of equal matches the shortest name comes first, as the words cover most of it.
    return (not exact, not begins, not reviewed, len(name), order, domain, key)


def _matched(entry: Entry, words: list[str]) -> Matched:
    texts: tuple[tuple[Matched, str], ...] = (
        ("name", entry.name), ("alias", entry.aliases), ("domain", entry.domain), ("description", entry.description),
    )  # fmt: skip
    for where, text in texts:
        there = folded(text)
        if set(words[:-1]) <= set(there) and any(word.startswith(words[-1]) for word in there):
            return where
    return "description"


def _status(state: str, kind: str, *, reviewed: bool) -> str:
    """Relationship status of a stored record by its state and type alone."""
    if reviewed:
        return "verified_affiliate" if kind == "affiliate" else "verified_official"
    return {"disputed": "disputed", "unreviewed": "claimed_unreviewed", "in_review": "claimed_unreviewed"}.get(
        state, "unverified"
    )
