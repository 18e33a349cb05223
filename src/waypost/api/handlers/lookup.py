"""Lookup: official relationships."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from litestar import get
from litestar.di import NamedDependency

from waypost.api.endpoint import Answer, Contract, Parameter
from waypost.api.pagination import CURSOR, LIMIT, cursor_page
from waypost.api.request import Call, Reply, json_reply
from waypost.formats.text import display_name, display_url, timestamp
from waypost.models.relationship import RELATIONSHIP_TYPES, Relationship, RelationshipMatch
from waypost.safety.relationship import holds
from waypost.safety.review_subject import is_url_of
from waypost.safety.target import of_host
from waypost.service.hosts import covers_domain
from waypost.service.problems import ProblemError
from waypost.service.search_index import (
    STORED_ORDER,
    Entry,
    Hit,
    hit_to_dict,
    in_order,
    index_of,
    normalized,
    part_of,
    query_words,
    rank_of,
)
from waypost.store import relationships, search

_OFFICIAL = tuple(kind for kind in RELATIONSHIP_TYPES if kind.startswith("official_"))
_SITE = "official_site"
"""Relationship type of a shipped review."""


_FOUND: dict[str, Any] = {
    "relationship_id": "rel_0123456789abcdef0123",
    "entity": {"id": "acme", "name": "Acme", "type": "organization"},
    "domain": "pay.example.com",
    "url": "https://pay.example.com/",
    "relationship_type": "official_payment",
    "review_status": "reviewed",
    "reviewed_at": "2026-11-20T09:00:00.000Z",
    "evidence_summary": [
        {
            "type": "registry_review",
            "status": "observed",
            "id": "reg.official",
            "observed_at": "2026-11-20T09:00:00.000Z",
            "valid_until": "2027-11-20T09:00:00.000Z",
        }
    ],
    "expires_at": "2027-11-20T09:00:00.000Z",
}


@get(
    "/v1/official",
    operation_id="findOfficial",
    summary="Find official destinations",
    description="Only destinations with a review that is valid now: those that ship with waypost, those that the "
    "operator's reviewers accepted for everyone, and those that your organization accepted for its own keys. Those who "
    "act for someone else are not included: GET /v1/domain reports them.",
    tags=["Lookup"],
    opt=Contract(
        scopes=("official",),
        limit="lookups",
        parameters=(
            Parameter(
                "q",
                "Words of a name or a domain; the last may be unfinished.",
                {"type": "string", "minLength": 1, "maxLength": 200},
                required=True,
            ),
            Parameter(
                "type",
                "Only relationships of this type.",
                {"type": "string", "enum": list(_OFFICIAL)},
            ),
            LIMIT,
            CURSOR,
        ),
        answers={200: Answer("The relationships.", "official-answer", example={"results": [_FOUND]})},
        problems=("invalid-cursor",),
    ),
)
async def official(call: NamedDependency[Call]) -> Reply:
    """Official relationships with a review that is valid now."""
    query, kind = normalized(call.query["q"]), call.query.get("type", "")
    if query.startswith("*."):
        place = {"parameter": "q", "code": "host", "detail": "a host name has no wildcard"}
        raise ProblemError("invalid-request", errors=[place])
    index_of(call.state.decides(call.key).world, call.state.registry)  # the deadline is for the store
    found = await call.state.search(lambda: in_order(reviewed_hits(call, query, kind)))
    return json_reply(
        await cursor_page(
            call, lambda limit, after: part_of(found, limit, after), hit_to_dict, query, kind, name="results"
        )
    )


def reviewed_hits(call: Call, query: str, kind: str) -> Iterator[Hit]:
    """Hits among shipped and stored relationships, without domains that have a disputed relationship."""
    state, now = call.state, call.state.now()
    world, words = state.decides(call.key).world, query_words(query)
    ours = [
        (entry, entry.review)
        for entry in (index_of(world, state.registry).find(words) if kind in {"", _SITE} else ())
        if entry.kind == "relationship" and entry.review and holds(entry.review, now)
    ]
    found = state.read(
        lambda db: search.search(db, query, now, organization=call.owner, limit=search.CANDIDATES, reviewed_only=True)
    )
    matches = [match for match in found if match.type in _OFFICIAL and kind in {"", match.type}]
    # Two queries for all candidates, not several for each.
    reviews = state.read(lambda db: relationships.reviews(db, [match.id for match in matches]))
    is_doubted = _doubts(call, {review.domain for _, review in ours} | {match.domain for match in matches})
    for entry, review in ours:
        if not is_doubted(review.domain):
            yield _shipped(entry, review, words)
    for match in matches:
        stored = reviews[match.id]
        if covers_domain(stored.domain, stored.scope, world) and not is_doubted(stored.domain):
            yield _of_store(match, stored, words)


def _doubts(call: Call, domains: Iterable[str]) -> Callable[[str], bool]:
    """Function that finds whether a reviewer has set a relationship of a domain to disputed, which stops every
    sensitive action."""
    owner = call.key.organization
    targets = {domain: of_host(domain) for domain in domains}
    subjects = {name for target in targets.values() for name in (target.host, target.registrable)}
    known = call.state.read(lambda db: relationships.disputed(db, sorted(subjects), owner))

    def is_doubted(domain: str) -> bool:
        target = targets[domain]
        return (target.host, "host") in known or (target.registrable, "registrable") in known

    return is_doubted


def _shipped(entry: Entry, review: Relationship, words: list[str]) -> Hit:
    url = f"https://{review.domain}/"
    return _hit(review.id, review.entity, entry.name, review.domain, url, _SITE, review, words, entry.order)


def _of_store(match: RelationshipMatch, review: Relationship, words: list[str]) -> Hit:
    # What a submitter wrote may be no address, one that runs a script, or one of another host.
    url = display_url(match.url) if is_url_of(match.url or "", match.domain) else f"https://{match.domain}/"
    return _hit(match.id, review.entity, match.name, match.domain, url, match.type, review, words, STORED_ORDER)


def _hit(
    key: str, entity: str, name: str, domain: str, url: str, kind: str, review: Relationship, words: list[str],
    order: int,
) -> Hit:  # fmt: skip
    at, until = timestamp(review.reviewed_at or 0), timestamp(review.review_expires_at or 0)
    evidence = {"type": "registry_review", "status": "observed", "id": "reg.official", "observed_at": at,
                "valid_until": until}  # fmt: skip
    document: dict[str, Any] = {
        "relationship_id": key,
        "entity": {"id": entity, "name": display_name(name), "type": "organization"},
        "domain": domain,
        "url": url,
        "relationship_type": kind,
        "review_status": "reviewed",
        "reviewed_at": at,
        "evidence_summary": [evidence],
        "expires_at": until,
    }
    return Hit(rank_of(name, domain, key, words, reviewed=True, order=order), document)
