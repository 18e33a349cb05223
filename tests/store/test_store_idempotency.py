"""The same request twice: one effect, one answer."""

from __future__ import annotations

import pytest

from waypost.store import Store, idempotency
from waypost.store.errors import IdempotencyInProgress, IdempotencyMismatch
from waypost.store.idempotency import GIVEN_UP_MS, RETENTION_MS, StoredResponse

NOW = 1_795_000_000_000
KEY = "key-1"
ANSWER = StoredResponse(status=201, location="/v1/keys/1", body=b'{"id": "1"}')


def begin(
    store: Store, organization: str, request_body: bytes = b"a", now: int = NOW, key: str = KEY
) -> StoredResponse | None:
    return store.write(lambda db: idempotency.begin(db, organization, key, "token", request_body, now))


def finish(store: Store, organization: str, key: str = KEY) -> None:
    store.write(lambda db: idempotency.finish(db, organization, key, "token", ANSWER))


def test_a_request_that_was_answered_is_answered_again(store: Store, acme: str) -> None:
    assert begin(store, acme) is None
    finish(store, acme)

    assert begin(store, acme) == ANSWER
    assert begin(store, acme, now=NOW + RETENTION_MS - 1) == ANSWER


def test_after_a_day_it_is_a_new_request(store: Store, acme: str) -> None:
    begin(store, acme)
    finish(store, acme)

    assert begin(store, acme, b"b", NOW + RETENTION_MS) is None


def test_the_same_token_with_another_request_is_rejected(store: Store, acme: str) -> None:
    begin(store, acme)
    with pytest.raises(IdempotencyMismatch):
        begin(store, acme, b"b")
    finish(store, acme)
    with pytest.raises(IdempotencyMismatch, match="use a new one for each"):
        begin(store, acme, b"b")


def test_a_request_that_is_being_answered_waits(store: Store, acme: str) -> None:
    begin(store, acme)

    with pytest.raises(IdempotencyInProgress):
        begin(store, acme, now=NOW + GIVEN_UP_MS - 1)


def test_an_abandoned_token_is_taken_over(store: Store, acme: str) -> None:
    begin(store, acme)

    assert begin(store, acme, now=NOW + GIVEN_UP_MS) is None


def test_one_that_failed_may_be_made_again(store: Store, acme: str) -> None:
    begin(store, acme)
    store.write(lambda db: idempotency.forget(db, acme, KEY, "token"))

    assert begin(store, acme, b"b") is None


def test_another_keys_token_is_another_token(store: Store, acme: str) -> None:
    begin(store, acme)
    finish(store, acme)

    assert begin(store, acme, b"b", key="key-2") is None
    assert begin(store, acme) == ANSWER


def test_another_organizations_token_is_another_token(store: Store, acme: str, operator: str) -> None:
    begin(store, acme)
    finish(store, acme)

    assert begin(store, operator, b"b") is None
