"""Whatever people do, in whatever order: nobody verifies what they submitted, and history only grows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.relationship import RELATIONSHIP_TYPES, Claim, Event, RelationshipType
from waypost.store import relationships
from waypost.store.errors import ReviewError
from waypost.store.open import MIGRATIONS, numbered, statements
from waypost.store.relationships import DAY_MS, EDGES, TWO_REVIEWERS

NOW = 1_795_000_000_000
PEOPLE = ("ann", "bea", "cid")
ACTS = ("take_up", "send_back", "accept", "reject", "dispute", "revoke", "expire", "wait")


def fresh() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    for step in numbered(MIGRATIONS).values():
        for statement in statements(step.read_text(encoding="utf-8")):
            db.execute(statement)
    return db


def made(kind: str, organization: str) -> Claim:
    return Claim(
        domain="acme.example",
        scope="registrable",
        entity="acme",
        entity_name="Acme",
        type=cast("RelationshipType", kind),
        submitter="ann",
        origin="ann",
        source="form",
        organization=organization,
    )


def act(db: sqlite3.Connection, name: str, what: str, who: str, now: int) -> None:
    if what == "expire":
        relationships.expire(db, now)
    elif what != "wait":
        step: Any = getattr(relationships, what)
        step(db, name, who, now, **({} if what == "take_up" else {"reason": "because"}))


def reviewers(events: list[Event]) -> set[str]:
    """Who stands behind the last step to accepted: those who approved since the step before, and the last one."""
    last = max(n for n, each in enumerate(events) if each.act in {"accepted", "reinstated"})
    before = max(n for n, each in enumerate(events[:last]) if each.before != each.after)
    return {each.actor for each in events[before + 1 : last + 1] if each.act != "claimed_again"}


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(RELATIONSHIP_TYPES),
    st.sampled_from(["", "org_1"]),
    st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from(PEOPLE), st.integers(0, 200)), max_size=14),
)
def test_a_domain_can_never_verify_itself(kind: str, organization: str, acts: list[tuple[str, str, int]]) -> None:
    with closing(fresh()) as db:
        claim, now = made(kind, organization), NOW
        name = relationships.submit(db, claim, now).id
        before = relationships.history(db, name)
        for what, who, days in acts:
            now += days * DAY_MS
            try:
                act(db, name, what, who, now)
            except ReviewError as rejected:
                assert str(rejected)  # noqa: PT017 - either outcome is right
            events = relationships.history(db, name)
            assert events[: len(before)] == before
            assert all(e.after in EDGES[e.before] or e.before == e.after for e in events)
            before = events

        record = relationships.get(db, name)
        (found, *_) = relationships.about(db, "acme.example", "acme.example", organization) or (None,)
        if found and found.state == "accepted":
            behind = reviewers(before)
            assert "ann" not in behind
            assert len(behind) >= (2 if not organization and kind in TWO_REVIEWERS else 1)
            assert record.review_expires_at is not None
            assert record.reviewed_at is not None
            assert 0 < record.review_expires_at - record.reviewed_at <= 365 * DAY_MS


@pytest.mark.parametrize("kind", sorted(TWO_REVIEWERS))
def test_every_kind_of_relationship_can_be_accepted(kind: str) -> None:
    with closing(fresh()) as db:
        name = relationships.submit(db, made(kind, ""), NOW).id
        for who in ("bea", "cid"):
            relationships.accept(db, name, who, NOW)

        assert reviewers(relationships.history(db, name)) == {"bea", "cid"}
