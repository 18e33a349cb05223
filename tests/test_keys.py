"""How a key is written, what it may do, and the life of one."""

from __future__ import annotations

import re
import zlib
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.models import api_key as keys
from waypost.models.api_key import EDGES, SCOPES, InsufficientScope, Key, KeyRequestError, State

NOW = 1_795_000_000_000
DAY = 86_400_000
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# Written out once more, on purpose: the table in the code must not change without this one.
ALLOWED = {
    ("active", "rotating"),
    ("active", "expired"),
    ("active", "revoked"),
    ("rotating", "expired"),
    ("rotating", "revoked"),
}


def key(**changed: Any) -> Key:
    usual = {
        "id": "k1",
        "hash": b"",
        "name": "shop",
        "prefix": "wp_live_",
        "last4": "wmRN",
        "organization": "o1",
        "organization_name": "Acme",
        "scopes": frozenset({"agent", "check"}),
        "environment": "live",
        "holder": "key:k1",
        "created_at": NOW,
        "created_by": "ann",
        "expires_at": NOW + 10 * DAY,
    }
    return Key(**(usual | changed))


@pytest.mark.parametrize("environment", keys.ENVIRONMENTS)
def test_a_new_key_has_46_characters_with_six_checking(environment: keys.Environment) -> None:
    text = keys.new_text(environment)

    assert len(text) == 46
    assert text.startswith(f"wp_{environment}_")
    assert re.fullmatch(keys.PATTERN, text)
    assert keys.is_key(text)
    assert sum(DIGITS.index(digit) * 62 ** (5 - at) for at, digit in enumerate(text[-6:])) == zlib.crc32(
        text[:-6].encode()
    )


def test_a_short_check_is_padded_with_zeros() -> None:
    body = next(text for number in range(100_000) if zlib.crc32((text := f"wp_live_{number:032}").encode()) < 62**5)

    assert keys._check(body).startswith("0")
    assert keys.is_key(body + keys._check(body))


def test_two_keys_are_never_the_same() -> None:
    assert len({keys.new_text("live") for _ in range(1000)}) == 1000


@given(at=st.integers(0, 45), to=st.characters(codec="utf-8"))
def test_one_wrong_character_makes_it_no_key(at: int, to: str) -> None:
    text = "wp_live_" + "7aB0" * 8
    text += keys._check(text)
    wrong = text[:at] + to + text[at + 1 :]

    assert keys.is_key(wrong) is (wrong == text)


@given(st.text(max_size=60))
def test_no_text_is_too_strange_to_be_no_key(text: str) -> None:
    assert not keys.is_key(text)
    assert not keys.is_key(f"wp_live_{text}")


def test_a_scanner_finds_a_key_in_any_surroundings() -> None:
    text = keys.new_text("live")

    found = re.findall(keys.PATTERN, f'WAYPOST_KEY="{text}"\nwp_live_' + "x" * 38)

    assert [each for each in found if keys.is_key(each)] == [text]


def test_a_mask_shows_the_prefix_and_the_last_four() -> None:
    assert key().masked == "wp_live_...wmRN"


@pytest.mark.parametrize(
    ("scopes", "labels"),
    [
        ({"domain", "official", "search", "snippets"}, ["Read"]),
        ({"domain", "official", "search"}, ["Read 3/4"]),
        ({"agent", "validate", "review"}, ["Write 1/4", "Validate"]),
        ({"keys", "review", "audit"}, []),
        (set(SCOPES), ["Read", "Write", "Validate"]),
    ],
)
def test_labels_are_computed_from_the_scopes(scopes: set[str], labels: list[str]) -> None:
    assert keys.labels_of(scopes) == labels


def test_labels_and_scopes_by_name_add_up() -> None:
    assert keys.scopes_of(labels=["read", "VALIDATE"], scopes=["audit"]) == {
        "domain", "official", "search", "snippets", "validate", "audit",
    }  # fmt: skip


def test_every_scope_has_a_label_except_those_by_name() -> None:
    labelled = [scope for scopes in keys.LABELS.values() for scope in scopes]

    assert len(labelled) == len(set(labelled))
    assert set(SCOPES) - set(labelled) == {"keys", "review", "audit"}


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        ({"labels": ["Reed"]}, "no label 'Reed'; did you mean Read?"),
        ({"scopes": ["agents"]}, "no scope 'agents'; did you mean agent?"),
        ({"scopes": ["everything"]}, "no scope 'everything' among domain, official"),
        ({}, "at least one scope"),
    ],
)
def test_an_unknown_label_or_scope_gets_the_likely_one(requested: dict[str, Any], message: str) -> None:
    with pytest.raises(KeyRequestError, match=re.escape(message)):
        keys.scopes_of(**requested)


@given(requested=st.sets(st.sampled_from(SCOPES)), held=st.sets(st.sampled_from(SCOPES)))
def test_no_one_gives_away_a_foreign_scope(requested: set[str], held: set[str]) -> None:
    if requested <= held:
        keys.check_grant(requested, held)
    else:
        with pytest.raises(InsufficientScope) as raised:
            keys.check_grant(requested, held)
        assert set(raised.value.required) == requested - held


def test_the_state_of_a_key_follows_from_its_times() -> None:
    until = NOW + 10 * DAY

    assert key().state(until - 1) == "active"
    assert key().state(until) == "expired"
    assert key(replaced_by="k2").state(until - 1) == "rotating"
    assert key(replaced_by="k2").state(until) == "expired"
    assert key(revoked_at=NOW).state(until) == "revoked"
    assert key(revoked_at=NOW + DAY).state(NOW) == "revoked", "a clock that went back revives nobody"


@pytest.mark.parametrize(("before", "after"), list(product(get_args(State), get_args(State))))
def test_no_key_takes_a_step_outside_the_table(before: State, after: State) -> None:
    assert (after in EDGES[before]) is ((before, after) in ALLOWED)


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("192.0.2.7", True),
        ("192.0.3.7", False),
        ("::ffff:192.0.2.7", True),
        ("2001:db8::1", True),
        ("2001:db9::1", False),
        ("", False),
        ("unix:", False),
    ],
)
def test_a_key_with_networks_is_good_from_these_alone(address: str, allowed: bool) -> None:
    bound = key(ip_allowlist=("192.0.2.0/24", "2001:db8::/32"))

    assert bound.is_allowed_from(address) is allowed
    assert key().is_allowed_from(address)


def test_networks_are_stored_in_their_usual_spelling() -> None:
    assert keys.networks(["192.0.2.1", " 2001:DB8:0::/32 ", "192.0.2.1"]) == ("192.0.2.1/32", "2001:db8::/32")
    for wrong in (["192.0.2.1/24"], ["example.com"], [""], ["192.0.2.1"] * 33):
        with pytest.raises(KeyRequestError):
            keys.networks(wrong)


def test_a_printed_key_is_masked_and_omits_absent_members() -> None:
    assert keys.to_dict(key(last_used_at=NOW + 1, environment="test", prefix="wp_test_")) == {
        "id": "k1",
        "name": "shop",
        "masked": "wp_test_...wmRN",
        "environment": "Test",
        "labels": ["Write 2/4"],
        "scopes": ["agent", "check"],
        "organization": {"id": "o1", "name": "Acme"},
        "created_at": "2026-11-18T11:06:40.000Z",
        "last_used_at": "2026-11-18T11:06:40.001Z",
        "expires_at": "2026-11-28T11:06:40.000Z",
    }


def test_the_audit_names_the_very_key() -> None:
    assert key(id="k2").actor == "key:k2"
