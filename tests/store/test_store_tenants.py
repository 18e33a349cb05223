"""Whatever two organizations do, in whatever order: neither ever sees or changes what is the other's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from waypost.errors import WaypostError
from waypost.models.api_key import SCOPES
from waypost.models.relationship import Claim
from waypost.models.wire.disputes import DisputeRequest
from waypost.store import (
    audit,
    decisions,
    disputes,
    idempotency,
    keys,
    organizations,
    relationships,
    reviews,
    search,
    sessions,
    snippets,
)  # fmt: skip
from waypost.store.decisions import DecisionRecord
from waypost.store.errors import Unknown
from waypost.store.idempotency import StoredResponse
from waypost.store.keys import KeyRequest
from waypost.store.open import MIGRATIONS, numbered, statements
from waypost.store.review_steps import STEPS, Review, take

NOW = 1_795_000_000_000
TENANTS = ("acme", "other")
WORDING = DisputeRequest(claim="wrong_relationship", statement="it was sold")


class Tenants(RuleBasedStateMachine):
    """An operator who looks on, and two others who make things and reach for each other's."""

    made = Bundle("made")

    @initialize()
    def begin(self) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        for step in numbered(MIGRATIONS).values():
            for statement in statements(step.read_text(encoding="utf-8")):
                self.db.execute(statement)
        organizations.create(self.db, "operator", "root", NOW)
        self.ids = {each: organizations.create(self.db, each, "root", NOW).id for each in TENANTS}
        self.now = NOW

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()

    def organization_of(self, tenant: str) -> str:
        return self.ids[tenant]

    @rule(target=made, tenant=st.sampled_from(TENANTS))
    def makes_a_key(self, tenant: str) -> tuple[str, str, str]:
        key_request = KeyRequest(name=f"{tenant}'s", scopes=frozenset(SCOPES))
        key, _ = keys.create(self.db, self.organization_of(tenant), key_request, tenant, self.now)
        return tenant, "key", key.id

    @rule(target=made, tenant=st.sampled_from(TENANTS))
    def requests_a_decision(self, tenant: str) -> tuple[str, str, str]:
        return tenant, "decision", self.decided(tenant)

    def decided(self, tenant: str) -> str:
        name = f"decision-{self.db.execute('SELECT count(*) FROM decision').fetchone()[0]}"
        document = {"normalized_domain": "acme.example", "relationship_status": "verified_official", "id": tenant}
        given = DecisionRecord(
            id=name,
            organization=self.organization_of(tenant),
            environment="live",
            key_id=tenant,
            created_at=self.now,
            expires_at=self.now + 1,
            normalized_domain="acme.example",
            action="payment",
            url_hmac=b"the same for both",
            document=json.dumps(document).encode(),
        )
        decisions.put(self.db, given)
        return name

    @rule(target=made, tenant=st.sampled_from(TENANTS))
    def claims_a_domain_for_itself(self, tenant: str) -> tuple[str, str, str]:
        claim = Claim(
            domain="acme.example",
            scope="registrable",
            entity="acme",
            entity_name=f"Common {tenant}",
            type="official_site",
            submitter=f"{tenant} one",
            origin=tenant,
            source="form",
            organization=self.organization_of(tenant),
        )
        return tenant, "relationship", reviews.submit(self.db, self.organization_of(tenant), claim, self.now).id

    @rule(target=made, tenant=st.sampled_from(TENANTS))
    def stores_a_document(self, tenant: str) -> tuple[str, str, str]:
        unified = {"@type": "NewsArticle", "name": f"Common {tenant}"}
        stored = snippets.put(self.db, self.organization_of(tenant), "NewsSnippet", unified, {}, tenant, self.now)
        return tenant, "snippet", stored.id

    @rule(target=made, tenant=st.sampled_from(TENANTS))
    def lodges_a_dispute(self, tenant: str) -> tuple[str, str, str]:
        found = decisions.find(self.db, self.organization_of(tenant), self.decided(tenant), self.now)
        return tenant, "dispute", disputes.lodge(self.db, found, WORDING, f"{tenant} one", self.now).id

    @rule(of=made)
    def the_other_reaches_for_it(self, of: tuple[str, str, str]) -> None:
        """With every act there is: what is another's is as if it were not there, and stays as it was."""
        tenant, kind, name = of
        (other,) = set(TENANTS) - {tenant}
        before = self.dump()
        for act in self.acts(self.organization_of(other), kind, name, f"{other} two").values():
            with pytest.raises(Unknown):
                act()
        assert self.dump() == before

    @rule(of=made, data=st.data())
    def its_own_does_something_with_it(self, of: tuple[str, str, str], data: st.DataObject) -> None:
        tenant, kind, name = of
        acts = self.acts(self.organization_of(tenant), kind, name, f"{tenant} two")
        what = data.draw(st.sampled_from(sorted(acts)))
        try:
            acts[what]()
        except Unknown:
            assert self.is_the_operators(name, what)
        except WaypostError:
            pass  # not possible from here

    def is_the_operators(self, name: str, what: str) -> bool:
        """A dispute that the operator decides can be seen and taken back by its own, and not decided."""
        row = self.db.execute("SELECT reviewed_by FROM dispute WHERE id = ?", (name,)).fetchone()
        return what in STEPS and row == ("operator",)

    def acts(self, organization: str, kind: str, name: str, who: str) -> dict[str, Callable[[], Any]]:
        db, now = self.db, self.now
        reviewed = {
            what: lambda what=what: take(db, what, organization, name, Review(who, now, "looked")) for what in STEPS
        }
        of_each_kind: dict[str, dict[str, Callable[[], Any]]] = {
            "key": {
                "find": lambda: keys.find(db, organization, name),
                "rotate": lambda: keys.rotate(db, organization, name, who, now),
                "revoke": lambda: keys.revoke(db, organization, name, who, now),
            },
            "decision": {"find": lambda: decisions.find(db, organization, name, now)},
            "snippet": {"find": lambda: snippets.find(db, organization, name)},
            "relationship": reviewed | {"find": lambda: reviews.find(db, organization, name)},
            "dispute": reviewed
            | {
                "find": lambda: disputes.find(db, organization, name),
                "history": lambda: disputes.history(db, organization, name),
                "withdraw": lambda: disputes.withdraw(db, organization, name, who, now, key="key"),
            },
        }
        return of_each_kind[kind]

    @rule(tenant=st.sampled_from(TENANTS), token=st.sampled_from(["one", "two"]))
    def repeats_a_request(self, tenant: str, token: str) -> None:
        found = idempotency.begin(self.db, self.organization_of(tenant), "key", token, tenant.encode(), self.now)
        if found is None:
            answer = StoredResponse(status=201, location="", body=tenant.encode())
            idempotency.finish(self.db, self.organization_of(tenant), "key", token, answer)
        else:
            assert found.body == tenant.encode()

    @rule(tenant=st.sampled_from(TENANTS))
    def signs_in(self, tenant: str) -> None:
        token = sessions.create_link(self.db, self.organization_of(tenant), tenant, self.now)
        session, cookie = sessions.sign_in(self.db, token, self.now)
        assert session.organization.id == self.organization_of(tenant)
        assert sessions.find(self.db, cookie, self.now) == session

    @rule()
    def time_passes(self) -> None:
        self.now += 1000

    def dump(self) -> list[str]:
        return list(self.db.iterdump())

    @invariant()
    def each_sees_its_own_alone(self) -> None:
        if not hasattr(self, "db"):
            return
        db = self.db
        for tenant in TENANTS:
            organization_id = self.organization_of(tenant)
            assert {each.organization for each in keys.find_page(db, organization_id).items} <= {organization_id}
            assert {each.name for each in snippets.find_page(db, organization_id, "NewsSnippet").items} <= {
                f"Common {tenant}"
            }
            assert {each.name for each in search.search_snippets(db, "common", organization_id)} <= {f"Common {tenant}"}
            assert {each.name for each in search.search(db, "common", self.now, organization=organization_id)} <= {
                f"Common {tenant}"
            }
            assert {
                each.organization for each in relationships.about(db, "acme.example", "acme.example", organization_id)
            } <= {organization_id}
            assert {each.organization for each in disputes.find_page(db, organization_id).items} <= {organization_id}
            assert {each.organization for each in audit.events(db, organization_id, limit=1000).items} <= {
                organization_id
            }
            waiting = [each.relationship or each.dispute for each in reviews.queue(db, organization_id).items]
            assert {each.organization for each in waiting if each} <= {organization_id}
            for decision in db.execute("SELECT id FROM decision WHERE organization = ?", (organization_id,)).fetchall():
                later = decisions.find(db, organization_id, decision[0], self.now).superseded_by
                row = db.execute("SELECT organization FROM decision WHERE id = ?", (later,)).fetchone()
                assert row in (None, (organization_id,))

    @invariant()
    def every_chain_holds(self) -> None:
        if hasattr(self, "db"):
            assert all(each.broken is None for each in audit.verify(self.db))


TestTenants = Tenants.TestCase
TestTenants.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
