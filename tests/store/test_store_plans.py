"""What a request or a commit reads of SQLite grows with its own rows, never with all rows of a store."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

import pytest

from waypost.models.relationship import Claim
from waypost.store import (
    Store,
    audit,
    decisions,
    disputes,
    doubts,
    heads,
    keys,
    relationships,
    retention,
    reviews,
    search,
    usage,
)
from waypost.store.decisions import DecisionRecord
from waypost.store.engines.sqlite import connect
from waypost.store.errors import Unknown

NOW = 1_795_000_000_000
MakeClaim = Callable[..., Claim]
_BIG = "relationship|relationship_claim|relationship_event|dispute|dispute_event|ownership_doubt|audit_event|api_key"
_VERIFIED = {"relationship_status": "verified_official", "normalized_domain": "pay.acme.example"}
READS: dict[str, Callable[[Any, str], object]] = {
    "queue": lambda db, owner: reviews.queue(db, owner),
    "queue-from-a-place": lambda db, owner: reviews.queue(db, owner, after=(NOW, "rel_1")),
    "disputes": lambda db, owner: disputes.find_page(db, owner),
    "doubt": lambda db, owner: db.execute(doubts._LATEST, ("rel_1", owner)).fetchone(),
    "reviews-behind-a-decision": lambda db, owner: disputes.relationships_behind(db, _VERIFIED, owner),
    "facts": lambda db, owner: relationships.about(db, "pay.acme.example", "acme.example", owner),
    "search": lambda db, owner: search.search(db, "acme", NOW, organization=owner),
    "search-of-documents": lambda db, owner: search.search_snippets(db, "acme", owner),
    "list": lambda db, _: relationships.find_many(db),
    "list-of-a-state": lambda db, _: relationships.find_many(db, "accepted"),
    "doubts": lambda db, _: doubts.waiting(db, "", (-1, ""), 100),
    "claims-that-say-the-same": lambda db, owner: db.execute(
        relationships._WAITING, (owner, "acme.example", "registrable", "acme", "official_site")
    ).fetchone(),
    "reviews-that-are-over": lambda db, _: relationships.expire(db, NOW),
    "keys": lambda db, owner: keys.find_page(db, owner),
    "audit": lambda db, owner: audit.events(db, owner),
    "heads-after-a-commit": lambda db, _: list(heads.found(db, 1)),
    "an-old-decision": lambda db, owner: decisions.by_capability(db, "dec_1", NOW),
}


@pytest.mark.sqlite("plans are of SQLite")
@pytest.mark.parametrize("name", READS)
def test_a_read_uses_an_index_and_sorts_results_only(
    name: str, store: Store, operator: str, claim: MakeClaim, given: Callable[..., DecisionRecord]
) -> None:
    store.write(lambda db: reviews.submit(db, operator, claim(), NOW))
    store.write(lambda db: decisions.put(db, given(organization=operator)))
    statements: list[str] = []
    with closing(connect(store.path, "rw")) as db:
        db.set_trace_callback(statements.append)
        with suppress(Unknown):
            READS[name](db, operator)
        db.set_trace_callback(None)

        reads = [text for text in statements if text.startswith(("SELECT", "WITH"))]
        plans = {text: [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {text}")] for text in reads}

    assert plans
    for text, plan in plans.items():
        assert not [step for step in plan if re.match(rf"SCAN (?:{_BIG}|r|e)\b", step)], (text, plan)
        if name.startswith(("queue", "list", "doubts")):
            assert "USE TEMP B-TREE FOR ORDER BY" not in plan, text
        # Rows of a search are found by their numbers, never among all rows of an organization.
        assert not (name.startswith("search") and [step for step in plan if step.endswith("(organization=?)")]), plan
        assert not [step for step in plan if step.endswith("(state=?)")], (text, plan)


def most_steps(db: Any, work: Callable[[Any], object]) -> int:
    """Thousands of instructions of SQLite's machine that some work takes."""
    count = [0]
    db.set_progress_handler(lambda: count.__setitem__(0, count[0] + 1), 1000)
    work(db)
    db.set_progress_handler(None, 0)
    return count[0]


@pytest.mark.sqlite("instructions are of SQLite")
def test_common_words_and_domains_cost_no_more_with_rows(store: Store, operator: str, claim: MakeClaim) -> None:
    def grow(db: Any) -> None:
        for number in range(2_000):
            several = claim(domain="flooded.test", entity=f"acme{number}", entity_name=f"Acme {number}")
            relationships.submit(db, several, NOW + number)

    store.write(grow)
    with closing(connect(store.path, "rw")) as db:
        assert most_steps(db, lambda db: search._endings(db, "acme")) <= 2
        assert most_steps(db, lambda db: relationships.about(db, "flooded.test", "flooded.test")) <= 5
        assert most_steps(db, lambda db: relationships.submit(db, claim(domain="flooded.test"), NOW)) <= 2
        assert len(relationships.about(db, "flooded.test", "flooded.test")) == relationships.MOST_ABOUT


def test_a_review_counts_among_any_number_of_claims(store: Store, operator: str, claim: MakeClaim) -> None:
    def grow(db: Any) -> None:
        first = relationships.submit(db, claim(), NOW)
        relationships.accept(db, first.id, "bea", NOW)
        for number in range(2 * relationships.MOST_ABOUT):
            relationships.submit(db, claim(entity=f"other{number}"), NOW + 1 + number)

    store.write(grow)
    found = store.read(lambda db: relationships.about(db, "acme.example", "acme.example", operator))

    assert [known.state for known in found].count("accepted") == 1
    assert len(found) == relationships.MOST_ABOUT + 1


@pytest.mark.sqlite("instructions are of SQLite")
def test_a_sweep_without_old_rows_costs_a_constant(
    store: Store, operator: str, given: Callable[..., DecisionRecord]
) -> None:
    def grow(db: Any) -> None:
        for number in range(5):
            decisions.put(db, *(given(operator) for _ in range(1000)))
            for each in range(500):
                usage.draw(db, usage.Draw(f"{number}-{each}", "checks", 60_000, 60, spent=1), NOW)

    with closing(connect(store.path, "rw")) as db:
        store.write(grow)
        assert most_steps(db, lambda db: retention.sweep(db, NOW)) <= 12
        store.write(grow)
        assert most_steps(db, lambda db: retention.sweep(db, NOW)) <= 12
