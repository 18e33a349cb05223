"""What speaks for another owner of a reviewed domain waits for a reviewer, once, and ends with the reviewer's word."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from waypost.models.decision import Evidence
from waypost.models.observation import StoredSignal
from waypost.models.relationship import Claim, OwnershipDoubt, OwnershipSnapshot, Relationship
from waypost.store import Store, audit, doubts, organizations, relationships, retention, reviews, signals
from waypost.store.errors import ReviewError, Unknown
from waypost.store.review_steps import Review, take

NOW = 1_795_000_000_000
DAY = 86_400_000
THEN = OwnershipSnapshot(
    registered_at=NOW - 4000 * DAY, registrar="Example Registrar", name_servers=("ns1.dns.example",)
)
TODAY = msgspec.structs.replace(THEN, registrar="Another Registrar")
MakeClaim = Callable[..., Claim]


def accepted(store: Store, made: Claim, snapshot: OwnershipSnapshot | None = THEN) -> str:
    name = store.write(lambda db: relationships.submit(db, made, NOW)).id
    store.write(lambda db: relationships.accept(db, name, "bea", NOW, "looked", snapshot=snapshot))
    return name


def doubt_about(name: str, **changed: object) -> OwnershipDoubt:
    about = OwnershipDoubt(
        relationship=name, organization="", domain="acme.example", entity="acme", changes=("registrar",),
        reviewed=THEN, observed=TODAY,
    )  # fmt: skip
    return msgspec.structs.replace(about, **changed)


def raised(store: Store, about: OwnershipDoubt, now: int = NOW) -> bool:
    return store.write(lambda db: doubts.raise_doubt(db, about, now))


def about(store: Store, domain: str = "acme.example") -> Relationship:
    (found,) = store.read(lambda db: relationships.about(db, domain, domain))
    return found


def test_an_approval_stores_its_facts_and_the_last_counts(store: Store, claim: MakeClaim) -> None:
    name = accepted(store, claim())
    assert about(store).snapshot == THEN

    store.write(lambda db: relationships.accept(db, name, "cid", NOW + DAY, "looked", snapshot=TODAY))
    assert about(store).snapshot == TODAY


def test_an_approval_without_facts_keeps_those_that_are_there(store: Store, claim: MakeClaim) -> None:
    name = accepted(store, claim())
    store.write(lambda db: relationships.accept(db, name, "cid", NOW, "looked"))

    assert about(store).snapshot == THEN


def test_a_doubt_waits_once_however_often_it_is_raised(store: Store, operator: str, claim: MakeClaim) -> None:
    name = accepted(store, claim())

    assert raised(store, doubt_about(name))
    assert not raised(store, doubt_about(name), NOW + 1)
    assert not raised(store, doubt_about(name, changes=("registrar", "name_servers")), NOW + 2)

    (waiting,) = store.read(lambda db: reviews.queue(db, operator)).items
    assert waiting.kind == "doubt"
    assert waiting.doubt is not None
    assert waiting.doubt.about.changes == ("registrar", "name_servers")
    reported = [event.type for event in store.read(lambda db: audit.events(db, operator)).items]
    assert reported.count("doubt.raised") == 1


def test_a_dismissed_doubt_makes_todays_facts_the_reviews(store: Store, operator: str, claim: MakeClaim) -> None:
    name = accepted(store, claim())
    raised(store, doubt_about(name))
    (item,) = store.read(lambda db: reviews.queue(db, operator)).items

    done = store.write(lambda db: take(db, "reject", operator, item.id, Review("bea", NOW + 1, "they told us")))

    assert done.doubt is not None
    assert (done.doubt.state, done.doubt.actor) == ("rejected", "bea")
    assert about(store).snapshot == TODAY
    assert not raised(store, doubt_about(name), NOW + 2), "the same facts are decided"
    assert raised(store, doubt_about(name, reviewed=TODAY, observed=THEN), NOW + 3), "other facts are a new doubt"


def test_a_doubt_that_is_upheld_disputes_its_review(store: Store, operator: str, claim: MakeClaim) -> None:
    name = accepted(store, claim())
    raised(store, doubt_about(name))
    (item,) = store.read(lambda db: reviews.queue(db, operator)).items

    store.write(lambda db: take(db, "uphold", operator, item.id, Review("bea", NOW + 1, "it was sold")))

    assert about(store).state == "disputed"
    with pytest.raises(ReviewError, match="upheld already"):
        store.write(lambda db: take(db, "reject", operator, item.id, Review("cid", NOW + 2, "no")))


def test_upheld_doubt_about_a_shipped_review_disputes_it_too(store: Store, operator: str) -> None:
    shipped = Relationship(
        id="registry:acme:acme.example", domain="acme.example", entity="acme", state="accepted", grave=True,
        review_source="registry 2026-11-01", reviewed_at=NOW - DAY, review_expires_at=NOW + DAY,
    )  # fmt: skip
    raised(store, doubt_about(shipped.id, changes=("registration_ending",), reviewed=None))
    (item,) = store.read(lambda db: reviews.queue(db, operator)).items
    shipped_reviews = ((shipped, "Acme"),)

    store.write(
        lambda db: take(db, "uphold", operator, item.id, Review("bea", NOW, "it lapsed", shipped=shipped_reviews))
    )

    assert (about(store).id, about(store).state) == (shipped.id, "disputed")


def test_doubt_is_for_the_reviewers_of_its_review_alone(store: Store, operator: str, claim: MakeClaim) -> None:
    acme, other = (store.write(lambda db, n=n: organizations.create(db, n, "root", NOW)).id for n in ("acme", "other"))  # type: ignore[misc]
    name = accepted(store, claim(organization=acme))
    raised(store, doubt_about(name, organization=acme))

    (item,) = store.read(lambda db: reviews.queue(db, acme)).items
    assert store.read(lambda db: reviews.queue(db, other)).items == []
    with pytest.raises(Unknown):
        store.read(lambda db: reviews.find(db, other, item.id))
    with pytest.raises(Unknown):
        store.write(lambda db: take(db, "uphold", operator, item.id, Review("bea", NOW, "sold")))


def test_no_one_approves_a_doubt(store: Store, operator: str, claim: MakeClaim) -> None:
    raised(store, doubt_about(accepted(store, claim())))
    (item,) = store.read(lambda db: reviews.queue(db, operator)).items

    with pytest.raises(ReviewError, match="upheld or rejected"):
        store.write(lambda db: take(db, "approve", operator, item.id, Review("bea", NOW, "looked")))


def test_stored_signals_end_by_expiry_or_by_observation(store: Store) -> None:
    subject = ("https", "shop.test", "443")
    found = Evidence(
        type="certificate_check", status="observed", id="net.tls", strength="medium", valid_until=NOW + DAY
    )
    store.write(lambda db: signals.write(db, [StoredSignal(subject, "net.tls", found)]))

    number, stored = store.read(lambda db: signals.since(db, 0, NOW))
    assert stored == (StoredSignal(subject, "net.tls", found),)
    assert store.read(lambda db: signals.since(db, number, NOW)) == (number, ())
    assert store.read(lambda db: signals.since(db, 0, NOW + DAY))[1] == ()
    assert store.write(lambda db: retention.sweep(db, NOW + DAY)).signals == 1

    store.write(lambda db: signals.write(db, [StoredSignal(subject, "net.tls", found)]))
    store.write(lambda db: signals.write(db, [StoredSignal(subject, "net.tls", None)]))
    assert store.read(lambda db: signals.since(db, 0, NOW))[1] == ()
