"""Signed decisions: only the very receipt, for the very action at the very URL, in its time, is no stop."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost import receipts
from waypost.cli import main
from waypost.errors import MissingExtra, install_command
from waypost.models.decision import Decision
from waypost.receipts import (
    AHEAD_MS,
    PUBLIC_FILE,
    SECRET_FILE,
    ReceiptInvalid,
    RotationError,
    SigningError,
    SigningKeys,
    Verified,
    rotate_signing,
    verify,
)

jwt = pytest.importorskip("jwt", reason="the group test is not installed")

NOW = 1_795_176_000_000
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
URL = "https://pay.shop.example/cart?id=7&token=k4n4ry"
DECISION = Decision(
    decision_id="5f0c2f0e-1111-4222-8333-944455556666",
    normalized_domain="pay.shop.example",
    relationship_status="verified_official",
    risk_status="no_high_risk_signal_observed",
    action="payment",
    action_allowed=True,
    reason_codes=("official_relationship_verified",),
    confidence_class="high",
    unknowns=("threat_list_not_configured",),
    expires_at=NOW + 5 * MINUTE + 999,
    policy_version="baseline-2026-11-20",
)
KNOWN = {"url": URL, "action": "payment", "audience": "org-1", "now": NOW + MINUTE}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> SigningKeys:
    return SigningKeys.open(tmp_path_factory.mktemp("data"), NOW)


@pytest.fixture(scope="module")
def receipt(keys: SigningKeys) -> str:
    return signed(keys)


@pytest.fixture(scope="module")
def jwks(keys: SigningKeys) -> dict[str, Any]:
    return keys.jwks(NOW)


def signed(keys: SigningKeys, now: int = NOW, **changed: Any) -> str:
    how = {"url": URL, "issuer": "https://waypost.test", "audience": "org-1", "now": now}
    decision = msgspec.structs.replace(DECISION, expires_at=now + 5 * MINUTE + 999)
    decision = msgspec.structs.replace(decision, **{k: v for k, v in changed.items() if hasattr(decision, k)})
    return keys.sign(decision, **(how | {k: v for k, v in changed.items() if k in how or k == "algorithm"}))


def unpacked(receipt: str) -> list[dict[str, Any]]:
    return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in receipt.split(".")[:2]]


def resigned(keys: SigningKeys, receipt: str, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> str:
    """The receipt with something else in it, signed by the right key all the same."""
    header, claims = unpacked(receipt)
    change(header, claims)
    parts = [base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=") for each in (header, claims)]
    signature = keys._private_key(keys.current(NOW)).private_key.sign(b".".join(parts))
    return b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()


def reason(result: Verified | ReceiptInvalid) -> str:
    return "" if isinstance(result, Verified) else result.reason


def test_header_and_the_claims_are_those_of_the_contract(receipt: str):
    header, claims = unpacked(receipt)

    assert header == {"alg": "EdDSA", "kid": "2026-11-a", "typ": "waypost-receipt+jwt"}
    assert len(base64.urlsafe_b64decode(claims.pop("us") + "==")) == 16
    assert len(base64.urlsafe_b64decode(claims.pop("uh") + "==")) == 32
    assert claims == {
        "iss": "https://waypost.test",
        "aud": "org-1",
        "jti": DECISION.decision_id,
        "iat": NOW // 1000,
        "exp": (NOW + 5 * MINUTE) // 1000,
        "dom": "pay.shop.example",
        "act": "payment",
        "ok": True,
        "rc": ["official_relationship_verified"],
        "unk": ["threat_list_not_configured"],
        "conf": "high",
        "pol": "baseline-2026-11-20",
    }
    assert len(receipt) < 1000


def test_an_allowed_actions_receipt_verifies_with_its_decision(receipt: str, jwks: dict[str, Any]):
    result = verify(receipt, jwks, **KNOWN)

    assert result
    assert isinstance(result, Verified)
    assert result.claims.jti == DECISION.decision_id


@pytest.mark.parametrize("algorithm", ["EdDSA", "Ed25519"])
def test_receipts_of_an_earlier_release_verify(algorithm: str):
    recorded = json.loads((Path(__file__).parent / "cases" / "receipts" / "recorded.json").read_bytes())
    earlier = recorded["receipts"][algorithm]

    assert unpacked(earlier)[0]["alg"] == algorithm
    assert verify(earlier, recorded["jwks"], **KNOWN)
    assert reason(verify(earlier, recorded["jwks"], **(KNOWN | {"action": "login"}))) == "other_action"


HEADER = '"kid":"2026-11-a","typ":"waypost-receipt+jwt"}'


@pytest.mark.parametrize(
    ("header", "why"),
    [
        (f'{{"alg":"EdDSA",{HEADER}', ""),
        (f'{{"alg":"EdDSA","alg":"none",{HEADER}', "unknown_algorithm"),
        (f'{{"alg":"EdDSA","kid":"other",{HEADER}', ""),
        (f'\ufeff{{"alg":"EdDSA",{HEADER}', "malformed"),
        (f'{{"alg":NaN,{HEADER}', "malformed"),
        (f'{{"alg":"EdDSA","pad":"{"x" * 600}",{HEADER}', "malformed"),
        ("[]", "malformed"),
    ],
)
def test_the_last_of_two_members_counts(keys: SigningKeys, receipt: str, jwks: dict[str, Any], header: str, why: str):
    first = base64.urlsafe_b64encode(header.encode()).rstrip(b"=")
    text = b".".join([first, receipt.split(".")[1].encode()])
    signature = keys._private_key(keys.current(NOW)).private_key.sign(text)
    made = b".".join([text, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()

    assert reason(verify(made, jwks, **KNOWN)) == why


@pytest.mark.parametrize("text", ["A" * 9000, "..", "a.b", "a.b.c.d", ""])
def test_a_text_of_wrong_length_or_parts_is_malformed(jwks: dict[str, Any], text: str):
    assert reason(verify(text, jwks, **KNOWN)) == "malformed"


def test_only_the_urls_host_is_in_a_receipt(receipt: str):
    assert "k4n4ry" not in str(unpacked(receipt))
    assert "cart" not in str(unpacked(receipt))


@pytest.mark.parametrize(
    "same",
    [
        "https://PAY.shop.example:443/cart?id=7&token=k4n4ry",
        "https://pay.shop.example/./cart?id=7&token=k4n4ry#top",
        "https://somebody:secret@pay.shop.example/cart?id=7&token=k4n4ry",
    ],
)
def test_two_spellings_of_one_url_are_the_same_url(receipt: str, jwks: dict[str, Any], same: str):
    assert verify(receipt, jwks, **(KNOWN | {"url": same}))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"url": "https://pay.shop.example/cart?id=8&token=k4n4ry"}, "other_url"),
        ({"url": "https://pay.shop.example/"}, "other_url"),
        ({"url": "http://pay.shop.example/cart?id=7&token=k4n4ry"}, "other_url"),
        ({"url": "no url"}, "other_url"),
        ({"url": None}, "other_url"),
        ({"action": "login"}, "other_action"),
        ({"action": ""}, "other_action"),
        ({"audience": "org-2"}, "other_audience"),
        ({"now": NOW + 5 * MINUTE + 30_000}, "expired"),
        ({"now": NOW - 30_001}, "not_yet_valid"),
        ({"now": 0}, "not_yet_valid"),
        ({"now": "now"}, "malformed"),
    ],
    ids=str,
)
def test_another_url_action_audience_or_time_is_a_stop(
    receipt: str, jwks: dict[str, Any], changed: dict[str, Any], why: str
):
    assert reason(verify(receipt, jwks, **(KNOWN | changed))) == why


def test_clocks_may_differ_by_half_a_minute(receipt: str, jwks: dict[str, Any]):
    assert verify(receipt, jwks, **(KNOWN | {"now": NOW + 5 * MINUTE + 29_999}))
    assert verify(receipt, jwks, **(KNOWN | {"now": NOW - 30_000}))


def test_the_signature_of_a_stop_makes_it_no_approval(keys: SigningKeys, jwks: dict[str, Any]):
    stop = signed(keys, action_allowed=False)

    assert reason(verify(stop, jwks, **KNOWN)) == "action_not_allowed"
    assert receipts.read(stop, jwks, now=NOW)


def test_a_receipt_is_valid_no_longer_than_its_decision(keys: SigningKeys):
    short = unpacked(signed(keys, expires_at=NOW + 1999))[1]
    long = unpacked(signed(keys, expires_at=NOW + 400 * DAY))[1]

    assert short["exp"] == NOW // 1000 + 1
    assert long["exp"] == (NOW + DAY) // 1000


def test_every_byte_of_a_receipt_counts(receipt: str, jwks: dict[str, Any]):
    """Flip any byte of it, in several ways, and it is refused."""
    for place, letter in enumerate(receipt):
        for other in {"A", "_", "=", " ", ".", "é", chr(ord(letter) ^ 1), chr(ord(letter) ^ 32)} - {letter}:
            assert not verify(receipt[:place] + other + receipt[place + 1 :], jwks, **KNOWN), (place, letter, other)
        assert not verify(receipt[:place] + receipt[place + 1 :], jwks, **KNOWN)
        assert not verify(receipt[:place], jwks, **KNOWN)


WRONG_TYPES = [None, 1, "", [], {}, 1.5, "x", -1, True, 10**30]
BOUND = ("aud", "act", "ok", "uh", "us")


@pytest.mark.parametrize("name", [*BOUND, "iss", "jti", "iat", "exp", "dom", "rc", "unk", "conf", "pol"])
def test_every_claim_counts_even_under_a_good_signature(
    keys: SigningKeys, receipt: str, jwks: dict[str, Any], name: str
):
    """A claim that is missing or of another type is refused; so is any other value of those that bind."""
    original = unpacked(receipt)[1][name]
    assert not verify(resigned(keys, receipt, lambda _, claims: claims.pop(name)), jwks, **KNOWN)

    for other in WRONG_TYPES:
        result = verify(
            resigned(keys, receipt, lambda _, claims, other=other: claims.update({name: other})), jwks, **KNOWN
        )
        if type(other) is not type(original) or (name in BOUND and other != original):
            assert not result, other


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda header, _: header.update(typ="JWT"), "unknown_type"),
        (lambda header, _: header.update(typ="waypost-receipt"), "unknown_type"),
        (lambda header, _: header.update(alg="none"), "unknown_algorithm"),
        (lambda header, _: header.update(alg="HS256"), "unknown_algorithm"),
        (lambda header, _: header.update(alg="ES256"), "unknown_algorithm"),
        (lambda header, _: header.update(alg="Ed448"), "unknown_algorithm"),
        (lambda header, _: header.update(kid="2026-11-b"), "unknown_key"),
        (lambda header, _: header.update(crit=["exp"]), "malformed"),
        (lambda header, _: header.update(jwk={"kty": "OKP"}), "malformed"),
        (lambda header, _: header.update(b64=False), "malformed"),
        (lambda header, _: header.pop("kid"), "malformed"),
        (lambda _, claims: claims.update(exp=claims["iat"]), "bad_claims"),
        (lambda _, claims: claims.update(exp=claims["iat"] + 86_401), "bad_claims"),
        (lambda _, claims: claims.update(us=claims["us"][:-2]), "other_url"),
    ],
)
def test_good_signature_over_the_wrong_value_is_a_stop(
    keys: SigningKeys, receipt: str, jwks: dict[str, Any], change: Callable[[Any, Any], object], why: str
):
    assert reason(verify(resigned(keys, receipt, change), jwks, **KNOWN)) == why


def test_both_names_of_the_algorithm_are_read(keys: SigningKeys, jwks: dict[str, Any]):
    newer = signed(keys, algorithm="Ed25519")

    assert unpacked(newer)[0]["alg"] == "Ed25519"
    assert verify(newer, jwks, **KNOWN)


def test_the_key_set_states_the_kind_of_key(receipt: str, jwks: dict[str, Any]):
    (key,) = jwks["keys"]
    secret = {"kty": "oct", "k": key["x"], "kid": key["kid"]}

    for bad in (
        secret,
        key | {"kty": "EC"},
        key | {"crv": "Ed448"},
        key | {"crv": "X25519"},
        key | {"use": "enc"},
        key | {"alg": "HS256"},
        key | {"x": key["x"][:-1]},
        key | {"x": key["x"] + "="},
        key | {"x": 7},
        {},
    ):
        assert not verify(receipt, {"keys": [bad]}, **KNOWN), bad
    assert reason(verify(receipt, {"keys": [key, key]}, **KNOWN)) == "unknown_key"


def test_another_services_key_of_equal_name_fails(receipt: str, tmp_path: Path):
    other = SigningKeys.open(tmp_path, NOW).jwks(NOW)

    assert reason(verify(receipt, other, **KNOWN)) == "bad_signature"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["keys", "kid", "x"]), inner),
    max_leaves=6,
)


@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING, ANYTHING)
def test_nothing_that_is_handed_in_raises_or_passes(receipt: Any, jwks: Any, url: Any, action: Any, audience: Any):
    assert not verify(receipt, jwks, url=url, action=action, audience=audience, now=NOW)


@given(ANYTHING)
def test_no_key_set_makes_a_good_receipt_raise(receipt: str, jwks: Any):
    assert not verify(receipt, jwks, **KNOWN)


def test_another_implementation_reads_ours_and_ours_reads_it(keys: SigningKeys, jwks: dict[str, Any]):
    ours = signed(keys)
    options = {"verify_exp": False, "verify_iat": False, "verify_aud": False}
    read = jwt.decode(ours, jwt.PyJWK(jwks["keys"][0], "EdDSA"), algorithms=["EdDSA"], options=options)
    assert read == unpacked(ours)[1]

    stored = json.loads((keys._folder / SECRET_FILE).read_bytes())["keys"][0]
    private = jwt.PyJWK({"kty": "OKP", "crv": "Ed25519", "x": stored["x"], "d": stored["d"]}, "EdDSA")
    theirs = jwt.encode(read, private, algorithm="EdDSA", headers=unpacked(ours)[0])
    assert verify(theirs, jwks, **KNOWN)


def test_the_secret_half_is_private_and_never_published(tmp_path: Path):
    keys = SigningKeys.open(tmp_path, NOW)
    secret = json.loads((tmp_path / SECRET_FILE).read_bytes())["keys"][0]["d"]

    assert (tmp_path / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    assert secret not in (tmp_path / PUBLIC_FILE).read_text()
    assert secret not in json.dumps(keys.jwks(NOW))
    assert set(keys.jwks(NOW)["keys"][0]) == {"kty", "crv", "x", "kid", "use"}
    assert sorted(each.name for each in tmp_path.iterdir()) == [PUBLIC_FILE, SECRET_FILE]


def test_a_rotation_publishes_ahead_and_retains_old_keys(tmp_path: Path):
    keys = SigningKeys.open(tmp_path, NOW)
    names = lambda at: [each["kid"] for each in keys.jwks(at)["keys"]]  # noqa: E731

    rotated = rotate_signing(tmp_path, NOW + HOUR)

    assert rotated == ("2026-11-b", NOW + HOUR + AHEAD_MS)
    assert AHEAD_MS >= DAY
    assert names(NOW + HOUR + 1000) == ["2026-11-a", "2026-11-b"]
    assert keys.current(rotated.starts - 1).kid == "2026-11-a"
    assert keys.current(rotated.starts).kid == "2026-11-b"

    last_at = rotated.starts - 1
    last = signed(keys, last_at, expires_at=last_at + DAY)
    assert verify(last, keys.jwks(last_at + DAY), **(KNOWN | {"now": last_at + DAY - MINUTE}))
    assert names(rotated.starts + DAY) == ["2026-11-b"]


def test_every_rotation_leaves_one_signing_key_with_new_name(tmp_path: Path):
    keys, now, seen = SigningKeys.open(tmp_path, NOW), NOW, ["2026-11-a"]
    for _ in range(40):
        rotated = rotate_signing(tmp_path, now)
        assert rotated.kid not in seen
        seen.append(rotated.kid)
        published = {each["kid"] for each in keys.jwks(now + 1000)["keys"]}
        assert {keys.current(now).kid, rotated.kid} <= published
        now = rotated.starts
        assert keys.current(now).kid == rotated.kid

    stored = json.loads((tmp_path / SECRET_FILE).read_bytes())["keys"]
    assert sum("d" in each for each in stored) <= 3
    assert len(keys.jwks(now)["keys"]) <= 3


def test_a_key_that_waits_is_not_replaced(tmp_path: Path):
    SigningKeys.open(tmp_path, NOW)
    rotate_signing(tmp_path, NOW)

    with pytest.raises(RotationError, match=r"2026-11-b is published already and signs from 2026-11-"):
        rotate_signing(tmp_path, NOW + HOUR)


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path):
    opening = (
        "import sys; from pathlib import Path; from waypost.receipts import SigningKeys;"
        f"print(SigningKeys.open(Path(sys.argv[1]), {NOW}).current({NOW}).x)"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", opening, str(tmp_path)], stdout=subprocess.PIPE) for _ in range(3)
    ]

    report = {each.communicate(timeout=60)[0] for each in running}

    assert len(report) == 1
    assert json.loads((tmp_path / PUBLIC_FILE).read_bytes())["keys"][0]["x"].encode() in report.pop()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such modes")
def test_a_key_that_others_may_read_is_not_used(tmp_path: Path):
    SigningKeys.open(tmp_path, NOW)
    (tmp_path / SECRET_FILE).chmod(0o644)

    with pytest.raises(SigningError, match=r"may be read by others \(mode 644\): run `chmod 600`"):
        SigningKeys.open(tmp_path, NOW)


@pytest.mark.parametrize("damage", [b"", b"{", b'{"keys": [{"kid": "a"}]}', b"\xff\xfe"])
def test_a_damaged_key_file_is_named_and_not_used(tmp_path: Path, damage: bytes):
    SigningKeys.open(tmp_path, NOW)
    (tmp_path / SECRET_FILE).write_bytes(damage)

    with pytest.raises(SigningError, match=r"signing-keys\.json is damaged; put it back from a copy"):
        SigningKeys.open(tmp_path, NOW)


def test_halves_that_do_not_belong_together_are_damage(tmp_path: Path):
    SigningKeys.open(tmp_path, NOW)
    other = SigningKeys.open(tmp_path / "other", NOW).jwks(NOW)["keys"][0]["x"]
    stored = json.loads((tmp_path / SECRET_FILE).read_bytes())
    stored["keys"][0]["x"] = other
    (tmp_path / SECRET_FILE).write_text(json.dumps(stored))

    with pytest.raises(SigningError, match="is damaged"):
        SigningKeys.open(tmp_path, NOW)


def test_a_lost_key_file_is_not_a_first_start(tmp_path: Path):
    before = SigningKeys.open(tmp_path, NOW)
    old = signed(before)
    (tmp_path / SECRET_FILE).unlink()

    with pytest.raises(SigningError, match=r"signing-keys\.json is lost: .* rotate-signing"):
        SigningKeys.open(tmp_path, NOW + MINUTE)

    rotated = rotate_signing(tmp_path, NOW + MINUTE)
    keys = SigningKeys.open(tmp_path, NOW + MINUTE)
    assert (rotated.kid, rotated.starts) == ("2026-11-b", NOW + MINUTE)
    assert verify(old, keys.jwks(NOW + MINUTE), **KNOWN)  # what was signed before still holds
    assert verify(signed(keys), keys.jwks(NOW + MINUTE), **KNOWN)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(SigningError, match=r"signing-keys\.json cannot be written"):
        SigningKeys.open(tmp_path / "file" / "below", NOW)


def test_without_the_extra_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    receipts.jose.registry.cache_clear()
    monkeypatch.setitem(sys.modules, "joserfc.jws", None)

    for use in (
        lambda: verify("a.b.c", {"keys": []}, **KNOWN),
        lambda: SigningKeys.open(tmp_path, NOW),
        lambda: rotate_signing(tmp_path, NOW),
    ):
        with pytest.raises(MissingExtra, match=re.escape(install_command("receipts"))):
            use()


def test_verifying_needs_nothing_of_the_web():
    loaded = "import waypost.receipts, sys; print(*sorted(sys.modules))"

    names = subprocess.run(
        [sys.executable, "-c", loaded], check=True, capture_output=True, text=True, env=os.environ
    ).stdout.split()

    assert not {"litestar", "httpx", "asyncio", "cryptography", "joserfc", "ada_url"} & set(names)


def test_the_command_rotates_once_a_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rotate = ["keys", "rotate-signing", "--data", str(tmp_path)]

    assert main(rotate) == 0
    assert " is published and signs from " in capsys.readouterr().out
    assert main([*rotate, "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"kid", "signs_from"}
    assert main(rotate) == 1
    assert "rotate again after that" in capsys.readouterr().err
    (tmp_path / SECRET_FILE).write_bytes(b"{")
    assert main(rotate) == 3
    assert "signing-keys.json is damaged" in capsys.readouterr().err
