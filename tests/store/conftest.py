"""A store in a folder of its own, and claims to put into it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.postgres import ENGINES

from waypost.models.relationship import Claim
from waypost.store import Store, open_store, organizations
from waypost.store.decisions import DecisionRecord


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store on each engine. A test about SQLite's file is marked `sqlite`, with the reason."""
    place = tmp_path / "data" if request.param == "sqlite" else request.getfixturevalue("postgres_address")
    with open_store(place) as opened:
        yield opened


@pytest.fixture
def claim() -> Callable[..., Claim]:
    def made(**changed: Any) -> Claim:
        usual = {
            "domain": "acme.example",
            "scope": "registrable",
            "entity": "acme",
            "entity_name": "Acme",
            "type": "official_site",
            "submitter": "ann",
            "origin": "ann",
            "source": "form",
        }
        return Claim(**(usual | changed))

    return made


NOW = 1_795_000_000_000


@pytest.fixture
def operator(store: Store) -> str:
    """The first organization, which reviews what holds for all."""
    return store.write(lambda db: organizations.create(db, "Operator", "ann", NOW)).id


@pytest.fixture
def acme(store: Store, operator: str) -> str:
    return store.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id


@pytest.fixture
def given() -> Callable[..., DecisionRecord]:
    """A decision, as it is kept."""

    def made(organization: str, **changed: Any) -> DecisionRecord:
        members = {"normalized_domain": "acme.example", "relationship_status": "verified_official", "action": "payment"}
        usual = {
            "id": str(uuid.uuid4()),
            "organization": organization,
            "environment": "live",
            "key_id": "k1",
            "created_at": NOW,
            "expires_at": NOW + 900_000,
            "normalized_domain": "acme.example",
            "action": "payment",
            "url_hmac": b"h" * 32,
            "document": json.dumps(members | changed.pop("members", {})).encode(),
        }
        return DecisionRecord(**(usual | changed))

    return made
