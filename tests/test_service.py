"""The running service: whatever its providers do, it stops or has no decision, and it never waits for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.errors import InvalidUrl, NotReady, UnknownAction, UnknownPolicy, WaypostError
from waypost.models.decision import (
    ACTIONS,
    EVIDENCE_STATUSES,
    EVIDENCE_TYPES,
    STRENGTHS,
    UNSPECIFIED,
    Decision,
    Evidence,
    SensitiveUrl,
    Target,
)
from waypost.models.observation import (
    DnsObservation,
    Hop,
    HttpObservation,
    Observations,
    RegistrationObservation,
    TlsObservation,
)
from waypost.models.relationship import STATES, Claim, Relationship
from waypost.registry.world import World, load
from waypost.service import Service, open_service
from waypost.service.decision_panel import panel_of
from waypost.service.fixtures import fixtures, open_fixtures
from waypost.service.observer import REUSE_MS, unobserved
from waypost.store import open_store, relationships

BRANDS = Path(__file__).parent / "cases" / "signals" / "brands"
NOW = 1_795_176_000_000
MINUTE, DAY = 60_000, 86_400_000
CANARY = "k4n4ry"
MATCH = Evidence(type="threat_list_check", status="observed", id="list.match", strength="decisive", observed_at=NOW)


def small_world() -> World:
    shipped = {path: data for path, data in load().files.items() if not path.startswith(("brands/", "sites.json"))}
    brands = {f"brands/x/{path.name}": path.read_bytes() for path in BRANDS.glob("*.json")}
    return World(shipped | brands | {"sites.json": b'{"sites": []}'})


WORLD = small_world()


def seen_of(target: Target, body: bytes = b"", **changes: Any) -> Observations:
    times = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
    hop = Hop(scheme=target.scheme, host=target.host, port=target.port, status=200)
    whole = Observations(
        host=target.host,
        observed_at=NOW,
        dns=DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times),
        tls=TlsObservation(status="observed", valid=True, **times),
        http=HttpObservation(status="observed", hops=(hop,), answer=200, media_type="text/html", body=body, **times),
        registration=RegistrationObservation(status="observed", registered_at=NOW - 900 * DAY, **times),
    )
    return msgspec.structs.replace(whole, **changes)


async def honest(target: Target, within_s: float) -> Observations:
    return seen_of(target)


def service(**providers: Any) -> Service:
    return Service(WORLD, **({"probe": honest, "now": lambda: NOW, "new_id": lambda: "d"} | providers))


def test_with_honest_providers_a_reviewed_destination_is_allowed() -> None:
    """Without this, a stop proves nothing below."""
    decision, case = service().check("https://acme.test/", "payment")

    assert decision.action_allowed is True
    assert case.seen is not None
    assert service().check("https://acme.test/").decision.deciding == ("action",)


def raising(error: BaseException) -> Callable[..., Any]:
    async def probe(target: Target, within_s: float) -> Observations:
        raise error

    return probe


def answering(answer: Callable[[Target], Any]) -> Callable[..., Any]:
    async def probe(target: Target, within_s: float) -> Any:
        return answer(target)

    return probe


def swap(name: str, value: object) -> Callable[[Target], Any]:
    return lambda target: seen_of(target, **{name: value})


def at(observed_at: int, valid_until: int) -> Callable[[Target], Any]:
    def answer(target: Target) -> Observations:
        whole = seen_of(target)
        times = {"observed_at": observed_at, "valid_until": valid_until}
        parts = {name: msgspec.structs.replace(getattr(whole, name), **times) for name in ("dns", "tls", "http")}
        return msgspec.structs.replace(whole, **parts)

    return answer


STRANGE = HttpObservation(status="observed", observed_at=NOW, valid_until=NOW + 1, hops=("x",))  # type: ignore[arg-type]
UNFIT_OBSERVATIONS = {
    "fails": raising(RuntimeError(CANARY)),
    "fails as the network does": raising(OSError(CANARY)),
    "is cancelled": raising(asyncio.CancelledError()),
    "times out by itself": raising(TimeoutError()),
    "is out of memory": raising(MemoryError()),
    "has nothing to say": answering(lambda target: None),
    "says something else": answering(lambda target: "all is well"),
    "speaks of another host": answering(lambda target: seen_of(target, host="acme.example")),
    "has no idea of names": answering(swap("dns", None)),
    "calls a certificate well that it did not see": answering(swap("tls", True)),
    "has hops that are none": answering(swap("http", STRANGE)),
    "speaks of tomorrow": answering(at(NOW + DAY, NOW + 2 * DAY)),
    "speaks of yesterday": answering(at(NOW - DAY, NOW + DAY)),
    "is out of date": answering(at(NOW - 2, NOW - 1)),
    "counts time in words": answering(lambda target: seen_of(target, observed_at="now")),
}  # fmt: skip


@pytest.mark.parametrize("probe", UNFIT_OBSERVATIONS.values(), ids=UNFIT_OBSERVATIONS)
def test_a_network_that_fails_or_lies_allows_nothing(probe: Any) -> None:
    checked = service(probe=probe).check("https://acme.test/", "payment")

    assert checked.decision.action_allowed is False
    assert CANARY not in repr(checked)


def test_a_held_up_event_loop_blames_no_name_server() -> None:
    async def probe(target: Target, within_s: float) -> Observations:
        time.sleep(within_s)
        await asyncio.sleep(0)
        return unobserved(target, NOW, "timeout")

    decision = service(probe=probe).check("https://acme.test/", "payment", within_s=0.3).decision

    assert decision.action_allowed is False
    assert "network_check_not_made" in decision.unknowns
    assert "dns_timeout" not in decision.unknowns
    assert {piece.status for piece in decision.evidence if piece.id.startswith("net.")} == {"not_attempted"}
    assert decision.expires_at <= NOW + 5_000


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_network_that_never_answers_is_left_behind(stubborn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.service.observer.GRACE_S", 0.05)

    async def probe(target: Target, within_s: float) -> Observations:
        for _ in range(2 if stubborn else 1):
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                if not stubborn:
                    raise
                stubborn_until.append(time.monotonic())
                break
        return seen_of(target)

    stubborn_until: list[float] = []

    decision = service(probe=probe).check("https://acme.test/", "payment", within_s=0.05).decision

    assert decision.action_allowed is False
    assert "network_check_not_made" in decision.unknowns
    assert "dns_timeout" not in decision.unknowns
    assert bool(stubborn_until) is stubborn


UNFIT = {
    "fails": RuntimeError(CANARY),
    "is locked": OSError(CANARY),
    "says it is not ready": NotReady("not now"),
    "says nothing": None,
    "says a number": 7,
}


@pytest.mark.parametrize("provider", ["known", "lists"])
@pytest.mark.parametrize("answer", UNFIT.values(), ids=UNFIT)
def test_an_unreadable_store_or_list_gives_no_decision(provider: str, answer: object) -> None:
    """It may be hiding a dispute or a match."""

    def request(target: Target, now: int) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(NotReady) as raised:
        service(**{provider: request}).check("https://acme.test/", "payment")

    assert CANARY not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("provider", ["known", "lists"])
def test_words_of_another_kind_are_not_relationships_or_evidence(provider: str) -> None:
    decision = service(**{provider: lambda target, now: ("acme.test is fine",)}).check("https://shop.test/", "payment")

    assert decision.decision.action_allowed is False


def test_a_clock_that_fails_is_not_a_decision() -> None:
    def broken() -> int:
        raise OSError(CANARY)

    with pytest.raises(NotReady):
        service(now=broken, probe=None).check("https://acme.test/", "payment")


statuses = st.sampled_from(["observed", "not_observed", "not_attempted", "failed"])
claims = st.builds(
    Relationship,
    id=st.just("r"),
    domain=st.sampled_from(["acme.test", "shop.test", "quillmart-login.test"]),
    entity=st.just("acme"),
    state=st.sampled_from(STATES),
    review_source=st.just("operator 2026-11-20"),
    reviewed_at=st.sampled_from([None, NOW - DAY, NOW + DAY]),
    review_expires_at=st.sampled_from([None, NOW - 1, NOW + DAY]),
)
words = st.builds(
    Evidence,
    type=st.sampled_from(EVIDENCE_TYPES),
    status=st.sampled_from(EVIDENCE_STATUSES),
    strength=st.sampled_from(STRENGTHS),
    brand=st.sampled_from(["", "acme", "nobody"]),
    observed_at=st.sampled_from([None, NOW, NOW + DAY]),
)


@settings(max_examples=150)
@given(
    st.sampled_from(["acme.test", "shop.test", "quillmart-login.test", "127.0.0.1"]),
    st.sampled_from([*ACTIONS, UNSPECIFIED]),
    st.tuples(statuses, statuses, statuses, statuses),
    st.lists(claims, max_size=3),
    st.lists(words, max_size=3),
    st.sampled_from(["baseline", "strict"]),
)
def test_a_sensitive_allow_has_its_review_and_evidence(
    host: str,
    action: str,
    states: tuple[str, ...],
    known: list[Relationship],
    messages: list[Evidence],
    policy: str,
) -> None:
    """Missing evidence never becomes approval."""

    def answer(target: Target) -> Observations:
        whole = seen_of(target)
        parts = zip(("dns", "tls", "http", "registration"), states, strict=True)
        return msgspec.structs.replace(
            whole, **{name: msgspec.structs.replace(getattr(whole, name), status=state) for name, state in parts}
        )

    engine = service(probe=answering(answer), known=lambda *_: tuple(known), lists=lambda *_: tuple(messages))

    decision = engine.check(f"https://{host}/{CANARY}", action, policy=policy).decision

    assert CANARY not in repr(decision)
    assert decision.expires_at >= NOW
    if decision.action_allowed and action != "visit":
        accepted = [r for r in known if r.domain == host and r.state == "accepted" and r.review_expires_at == NOW + DAY]
        assert host == "acme.test" or accepted
        assert not any(r.state == "disputed" and r.domain == host for r in known)
        assert states[:3] == ("observed", "observed", "observed")
        assert decision.risk_status == "no_high_risk_signal_observed"
        assert action != UNSPECIFIED
        if policy == "strict" and action in {"payment", "checkout", "login", "identity_file_transfer"}:
            assert any(each.type == "threat_list_check" and each.status == "observed" for each in messages)


def test_a_recent_observation_serves_again_briefly() -> None:
    probes, times = [], [NOW]

    async def probe(target: Target, within_s: float) -> Observations:
        probes.append(target.host)
        return seen_of(target)

    engine = service(probe=probe, now=lambda: times[0])
    for later in (0, REUSE_MS - 1, REUSE_MS):
        times[0] = NOW + later
        assert engine.check("https://acme.test/", "payment").decision.action_allowed is (later < REUSE_MS + 1)

    assert probes == ["acme.test", "acme.test"]
    engine.check("https://acme.test:444/", "payment")
    assert len(probes) == 3


def test_check_that_failed_is_made_again_the_next_time() -> None:
    probes = []

    async def probe(target: Target, within_s: float) -> Observations:
        probes.append(1)
        if len(probes) == 1:
            raise OSError
        return seen_of(target)

    engine = service(probe=probe)

    assert [engine.check("https://acme.test/", "payment").decision.action_allowed for _ in range(2)] == [False, True]


def test_many_destinations_are_answered_in_order_with_own_errors() -> None:
    async def probe(target: Target, within_s: float) -> Observations:
        await asyncio.sleep(0.02 if target.host.startswith("a") else 0)
        return seen_of(target)

    urls = ["https://acme.test/", "no url", "https://shop.test/", *(f"https://s{n}.test/" for n in range(70))]

    for engine in (service(probe=probe), service(probe=None)):
        results = list(engine.checks(urls, "payment"))
        assert len(results) == len(urls)
        assert isinstance(results[1], InvalidUrl)
        hosts = [each.decision.normalized_domain for each in results if not isinstance(each, WaypostError)]
        assert hosts == [f"{url.removeprefix('https://').rstrip('/')}" for url in urls if "://" in url]


def test_the_body_of_a_page_is_never_stored() -> None:
    body = f'<script type="application/ld+json">{{"@type": "WebSite", "name": "{CANARY}"}}</script>'.encode()

    checked = service(probe=answering(lambda target: seen_of(target, body))).check("https://acme.test/", "payment")

    assert checked.decision.action_allowed is True
    assert CANARY not in repr(checked)
    assert checked.case.seen is not None
    assert checked.case.seen.http.body == b""


CLAIM = b'<script type="application/ld+json">{"@type": "Organization", "name": "Quillmart", "url": "%s"}</script>'


@pytest.mark.parametrize(
    ("home", "status", "code"),
    [
        (b'<a href="https://shop.test/">our shop</a>', "observed", "official_site_links_back"),
        (b"<p>shop.test", "not_observed", None),
        (None, "failed", None),
    ],
)
def test_a_claimed_brands_link_back_verifies_nothing(home: bytes | None, status: str, code: str | None) -> None:
    requested = []

    def answer(target: Target) -> Observations:
        requested.append(target.host)
        if target.host == "shop.test":
            return seen_of(target, CLAIM % b"https://shop.test/")
        if home is None:
            raise OSError
        return seen_of(target, home)

    decision = service(probe=answering(answer)).check("https://shop.test/", "payment").decision

    back = [each for each in decision.evidence if each.type == "reciprocal_link_check"]
    assert [(each.status, each.summary_code, each.brand) for each in back] == [(status, code, "quillmart")]
    assert decision.relationship_status == "claimed_unreviewed"
    assert decision.risk_status == "no_high_risk_signal_observed"
    assert decision.action_allowed is False
    assert requested == ["shop.test", "quillmart.example"]


def test_a_page_without_claims_requests_no_site() -> None:
    requested = []

    def answer(target: Target) -> Observations:
        requested.append(target.host)
        return seen_of(target, CLAIM % b"https://quillmart.example/")

    found = service(probe=answering(answer)).check("https://shop.test/").decision.evidence
    (suggested,) = filter(None, (each.suggested_alternative for each in found))
    assert suggested == "https://quillmart.example/"
    assert requested == ["shop.test"]


@pytest.mark.parametrize(
    "body", [b"\xff\xfe\x00", b"<" * 50_000, b'<script type="application/ld+json">' + b"[" * 50_000]
)
def test_no_page_keeps_a_decision_from_being_made(body: bytes) -> None:
    checked = service(probe=answering(lambda target: seen_of(target, body))).check("https://acme.test/", "payment")

    assert checked.decision.relationship_status == "verified_official"


def test_a_reader_that_breaks_is_a_check_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RecursionError(CANARY)

    monkeypatch.setattr("waypost.service.observer.read_page", breaks)
    probe = answering(lambda target: seen_of(target, b"<p>"))

    decision = service(probe=probe).check("https://shop.test/", "payment").decision

    assert [e.status for e in decision.evidence if e.type == "structured_data_claim"] == ["failed"]


def consulting(kind: str) -> World:
    """The world with a policy that also consults one more type of evidence."""
    policy = WORLD.document("policies/baseline-2026-11-20.json") | {"policy_id": "curious"}
    for tier in policy["tiers"]:
        tier["consults"] = [*tier["consults"], kind]
    return World(WORLD.files | {"policies/curious-2026-11-20.json": msgspec.json.encode(policy)})


def test_an_unread_page_is_an_unknown_for_its_policies() -> None:
    world = consulting("structured_data_claim")

    def decision_of(probe: Any) -> Decision:
        return Service(world, probe=probe, now=lambda: NOW, policy="curious").check("https://shop.test/").decision

    offline, no_page = decision_of(None), decision_of(honest)
    read = decision_of(answering(lambda target: seen_of(target, b"<p>")))

    assert {"page_content_not_inspected", "structured_data_not_inspected"} <= set(offline.unknowns)
    assert "structured_data_not_inspected" in no_page.unknowns
    assert "page_content_not_inspected" not in no_page.unknowns
    assert "structured_data_not_inspected" not in read.unknowns


@pytest.mark.parametrize(
    ("url", "action", "policy", "error"),
    [
        ("ftp://acme.test/", "payment", None, InvalidUrl),
        ("acme.test", "payment", None, InvalidUrl),
        ("https://acme.test/", "pay", None, UnknownAction),
        ("https://acme.test/", "payment", "lenient", UnknownPolicy),
    ],
)
def test_what_cannot_be_requested_is_rejected(
    url: str, action: str, policy: str | None, error: type[WaypostError]
) -> None:
    with pytest.raises(error):
        service().check(SensitiveUrl(url), action, policy=policy)


def test_an_empty_folder_stays_empty_without_store_and_lists(tmp_path: Path) -> None:
    with open_service(tmp_path, offline=True, now=lambda: NOW) as engine:
        decision = engine.check("https://www.paypal.com/", "payment").decision

    assert decision.relationship_status == "verified_official"
    assert "threat_list_not_configured" in decision.unknowns
    assert list(tmp_path.iterdir()) == []


def test_an_open_store_counts_without_a_data_folder(tmp_path: Path) -> None:
    claim = Claim(
        domain="shop.example.com",
        scope="host",
        entity="acme",
        entity_name="Acme",
        type="official_site",
        submitter="ann",
        origin="acme.example",
        source="form",
    )
    with open_store(tmp_path / "elsewhere") as store:
        submitted = store.write(lambda db: relationships.submit(db, claim, NOW))
        for reviewer in ("bea", "cem"):
            store.write(lambda db, by=reviewer: relationships.accept(db, submitted.id, by, NOW, days=10))
        with open_service(tmp_path / "missing", offline=True, now=lambda: NOW, store=store) as engine:
            decision = engine.check("https://shop.example.com/", "payment").decision

    assert decision.relationship_status == "verified_official"
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("name", ["", "waypost.sqlite3", "feeds"])
def test_unreadable_disputes_or_lists_give_no_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stat = Path.stat

    def closed(self: Path, **how: bool) -> object:
        if self == tmp_path / name:
            raise PermissionError(13, "Permission denied")
        return stat(self, **how)

    monkeypatch.setattr(Path, "stat", closed)

    with pytest.raises(NotReady, match="permission denied"):
        open_service(tmp_path, offline=True)


EXPECTED = {
    "allow.test": (True, "verified_official", "no_high_risk_signal_observed", ()),
    "stop.test": (False, "unverified", "high_risk_signal_observed", ("official_relationship_not_confirmed",)),
    "impersonation.test": (False, "suspected_impersonation", "high_risk_signal_observed", ()),
    "unknown.test": (
        False,
        "unverified",
        "no_high_risk_signal_observed",
        ("official_relationship_not_confirmed",),
    ),
}


@pytest.mark.parametrize("host", EXPECTED)
@pytest.mark.parametrize("now", [NOW, NOW + 3000 * DAY])
def test_fixtures_are_decided_the_same_way_at_every_request(host: str, now: int) -> None:
    decision = open_fixtures(now=lambda: now).check(f"https://{host}/pay", "payment").decision

    allowed, relationship, risk, unknowns = EXPECTED[host]
    assert (decision.action_allowed, decision.relationship_status) == (allowed, relationship)
    assert (decision.risk_status, decision.unknowns) == (risk, unknowns)
    alternative = "https://allow.test/" if host == "impersonation.test" else None
    assert decision.official_alternative == alternative


def test_a_high_risk_stop_names_the_row_of_risk() -> None:
    service = open_fixtures(now=lambda: 0)
    decision, case = service.check("https://stop.test/", "upload")

    row = panel_of(decision, case, service.world)["row"]

    assert {"relationship", "risk"} <= set(decision.deciding)
    assert (row["line"], row["holds"], row["found"]) == ("risk", False, ["high_risk_signal_observed"])


def test_the_slow_fixture_waits_and_the_broken_decides_nothing() -> None:
    engine = open_fixtures()

    slow = engine.check("https://slow.test/", "payment", within_s=0.05).decision

    assert slow.action_allowed is False
    assert {"dns_timeout", "tls_not_checked", "http_not_fetched"} <= set(slow.unknowns)
    with pytest.raises(NotReady):
        engine.check("https://error.test/", "payment")
    assert set(fixtures(load())) == {*EXPECTED, "slow.test", "error.test"}


def test_without_fixtures_their_hosts_are_ordinary_unknown_ones() -> None:
    with open_service(offline=True) as engine:
        for host in fixtures(load()):
            decision = engine.check(f"https://{host}/", "payment").decision
            assert (decision.relationship_status, decision.reason_codes) == ("unverified", ("no_decisive_signal",))


def test_a_disputed_redirecting_host_stops_its_targets() -> None:
    """A redirecting host is visited first, so a dispute of it is in the scope of the decision."""
    url = "https://www.google.com/url?q=https://stranger.test/"

    def known(target: Target, _: int) -> tuple[Relationship, ...]:
        if target.host != "www.google.com":
            return ()
        return (Relationship(id="dispute:1", domain=target.host, entity="", scope="host", state="disputed"),)

    def check(**providers: Any) -> Decision:
        return Service(load(), now=lambda: NOW, new_id=lambda: "d", **providers).check(url, "visit").decision

    assert check().action_allowed is True
    decision = check(known=known)
    assert (decision.action_allowed, decision.normalized_domain) == (False, "stranger.test")
    assert decision.relationship_status == "disputed"
    assert decision.reason_codes[0] == "relationship_disputed"
