"""Official destinations: relationships with a review that is valid now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec

from waypost.formats.text import display_name, display_url, timestamp
from waypost.models.relationship import Relationship
from waypost.models.wire.lookup import OfficialAnswer, OfficialKind, OfficialQuery, OfficialRelationship
from waypost.models.wire.tools import ToolOfficialRequest
from waypost.operations.context import Context
from waypost.operations.table import FROM_OTHERS, Method, Tool, operation
from waypost.safety.relationship import holds
from waypost.safety.review_subject import is_url_of
from waypost.safety.target import of_host
from waypost.service.hosts import covers_domain
from waypost.service.problems import ProblemError
from waypost.service.search_index import (
    STORED_ORDER,
    Hit,
    in_order,
    index_of,
    normalized,
    part_of,
    query_words,
    rank_of,
)

_SITE: OfficialKind = "official_site"
"""Relationship type of a shipped review."""
_USUAL = 20


@operation(
    "GET /v1/official",
    id="findOfficial",
    title="Find official destinations",
    tag="Lookup",
    scope="official",
    limit="lookups",
    answer="The relationships.",
    problems=("invalid-cursor",),
    tool=Tool(
        "find_official",
        about="Destinations of a brand or an organization that a review confirmed and that is valid now. It approves "
        f"nothing: check the destination before an action. {FROM_OTHERS}",
        takes=ToolOfficialRequest,
        words={"query": "q"},
        defaults={"limit": 10},
        summary=lambda found: f"{len(found['results'])} reviewed destinations",
    ),
    client=Method("official", "OfficialPage", "Relationships accepted in a review.", {"q": "query", "type": "kind"}),
    example={
        "results": [
            {
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
        ]
    },
)
async def official(query: OfficialQuery, context: Context) -> OfficialAnswer:
    """Only destinations with a review that is valid now: shipped with waypost, accepted by the operator's reviewers for
    every organization, or accepted by your organization for its own keys. Affiliates and resellers are not included:
    GET /v1/domain reports these.
    """
    words, kind = normalized(query.q), query.type or ""
    if words.startswith("*."):
        place = context.place("q")
        raise ProblemError(
            "invalid-request", errors=[place | {"code": "host", "detail": "a host name has no wildcard"}]
        )
    index_of(context.world, context.registry)  # the deadline is for the store
    found = await context.search(lambda: in_order(reviewed_hits(context, words, kind)))
    limit = query.limit or _USUAL
    hits, cursor = await context.page(query.cursor, (words, kind), lambda after: part_of(found, limit, after))
    results = msgspec.convert([hit.document for hit in hits], tuple[OfficialRelationship, ...])
    return OfficialAnswer(results=results, next_cursor=cursor)


def reviewed_hits(context: Context, query: str, kind: str) -> Iterator[Hit]:
    """Hits among shipped and stored relationships, without domains that have a disputed relationship."""
    world, words, now = context.world, query_words(query), context.now()
    ours = [
        (entry, entry.review)
        for entry in (index_of(world, context.registry).find(words) if kind in {"", _SITE} else ())
        if entry.kind == "relationship" and entry.review and holds(entry.review, now)
    ]
    kinds = (kind,) if kind else get_args(OfficialKind)
    # Two queries for all candidates, not several for each.
    accepted = context.accepted(query, kinds)
    domains = {review.domain for _, review in ours} | {match.domain for match, _ in accepted}
    targets = {domain: of_host(domain) for domain in domains}
    disputed = context.disputed(targets.values())

    def is_disputed(domain: str) -> bool:
        # A disputed relationship stops every sensitive action.
        target = targets[domain]
        return (target.host, "host") in disputed or (target.registrable, "registrable") in disputed

    for entry, review in ours:
        if not is_disputed(review.domain):
            key, url = review.id, f"https://{review.domain}/"
            yield _hit(key, entry.name, review.domain, url, _SITE, review, words, entry.order)
    for match, review in accepted:
        if covers_domain(review.domain, review.scope, world) and not is_disputed(review.domain):
            # What a submitter wrote may be no address, one that runs a script, or one of another host.
            url = display_url(match.url) if is_url_of(match.url or "", match.domain) else f"https://{match.domain}/"
            yield _hit(match.id, match.name, match.domain, url, match.type, review, words, STORED_ORDER)


def _hit(
    key: str, name: str, domain: str, url: str, kind: str, review: Relationship, words: list[str], order: int
) -> Hit:
    at, until = timestamp(review.reviewed_at or 0), timestamp(review.review_expires_at or 0)
    evidence = {"type": "registry_review", "status": "observed", "id": "reg.official", "observed_at": at,
                "valid_until": until}  # fmt: skip
    document = {
        "relationship_id": key,
        "entity": {"id": review.entity, "name": display_name(name), "type": "organization"},
        "domain": domain,
        "url": url,
        "relationship_type": kind,
        "review_status": "reviewed",
        "reviewed_at": at,
        "evidence_summary": [evidence],
        "expires_at": until,
    }
    return Hit(rank_of(name, domain, key, words, reviewed=True, order=order), document)
