"""The Python client: one answer lets an action go ahead, and everything else there is stops it."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import pickle
import re
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

httpx = pytest.importorskip("httpx", reason="the extra client is not installed")

from waypost.client import AsyncClient, Client, ClientError, NoAnswer, Problem, Stopped, requests  # noqa: E402
from waypost.client.clients import TIMEOUT_S  # noqa: E402
from waypost.client.responses import NEVER_ALLOWED, NEVER_ALLOWED_SENSITIVE  # noqa: E402
from waypost.client.transport import Failure, Response, Send, Wait, conversation  # noqa: E402
from waypost.models.decision import (  # noqa: E402
    CONFIDENCE_CLASSES,
    REASON_CODES,
    RELATIONSHIP_STATUSES,
    RISK_STATUSES,
    UNKNOWNS,
    SensitiveUrl,
)

SERVICE = "https://waypost.test"
KEY = "wp_live_k4n4ryk4n4ryk4n4ryk4n4ryk4n4ryk4n4ryk"
URL = "https://shop.example/cart?token=s3cr3t"
MEMBERS = (
    "decision_id", "normalized_domain", "relationship_status", "risk_status", "action", "action_allowed",
    "reason_codes", "confidence_class", "unknowns", "expires_at", "dispute_path",
)  # fmt: skip

Handler = Callable[[Any], Any]


class Talk:
    """Either client over answers that a test hands out; `seen` are the requests."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.seen: list[Any] = []

    def __call__(self, answers: Any, method: str, *arguments: Any, **named: Any) -> Any:
        handler = answers if callable(answers) else lambda _: answers

        def handle(request: Any) -> Any:
            self.seen.append(request)
            return handler(request)

        setup = {name: named.pop(name) for name in ("timeout_s", "retries") if name in named}
        transport = httpx.MockTransport(handle)
        if self.kind == "waits":
            with Client(SERVICE, KEY, transport=transport, **setup) as client:
                return getattr(client, method)(*arguments, **named)
        return asyncio.run(self._awaited(transport, setup, method, arguments, named))

    async def _awaited(self, transport: Any, setup: Any, method: str, arguments: Any, named: Any) -> Any:
        async with AsyncClient(SERVICE, KEY, transport=transport, **setup) as client:
            return await getattr(client, method)(*arguments, **named)


@pytest.fixture(params=["waits", "is awaited"])
def talk(request: pytest.FixtureRequest) -> Talk:
    return Talk(request.param)


def require(talk: Talk, answers: Any, **named: Any) -> Any:
    return talk(answers, "require", URL, "payment", **named)


def stopped(talk: Talk, answers: Any, **named: Any) -> Stopped:
    with pytest.raises(Stopped) as raised:
        require(talk, answers, **named)
    assert talk(answers, "may", URL, "payment", **named) is False
    return raised.value


def test_an_allowed_action_goes_ahead_with_its_decision(talk: Talk, wire: Any):
    decision = require(talk, httpx.Response(200, json=wire.decision_body()))

    assert decision.action_allowed
    assert decision.holds()
    assert talk(httpx.Response(200, json=wire.decision_body()), "may", URL, "payment") is True


def test_request_is_a_post_with_key_header_and_url(talk: Talk, wire: Any):
    talk(
        httpx.Response(200, json=wire.decision_body()),
        "require",
        SensitiveUrl(URL),
        "payment",
        claimed_brand="Shop",
        payee="Ann",
    )

    (request,) = talk.seen
    assert (request.method, str(request.url)) == ("POST", f"{SERVICE}/v1/agent-safety")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    named = {"claimed_brand": "Shop", "payee": {"name": "Ann"}}
    assert json.loads(request.content) == {"url": URL, "intended_action": "payment", **named}


def test_a_stop_names_reasons_unknowns_and_where_to_object(talk: Talk, wire: Any):
    stop = stopped(
        talk,
        httpx.Response(
            200,
            json=wire.decision_body(
                action_allowed=False,
                relationship_status="unverified",
                reason_codes=["no_decisive_signal"],
                confidence_class="medium",
                unknowns=["official_relationship_not_confirmed"],
            ),
        ),
    )

    path = "/v1/decisions/9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10/disputes"
    assert str(stop) == (
        "stop: payment at shop.example is not allowed: no_decisive_signal; unknown: "
        f"official_relationship_not_confirmed; confidence medium; to object: {path}"
    )
    assert (stop.reasons, stop.unknowns) == (("no_decisive_signal",), ("official_relationship_not_confirmed",))
    assert (stop.confidence_class, stop.dispute_path) == ("medium", path)


@pytest.mark.parametrize(
    "status", [100, 201, 202, 204, 206, 301, 302, 307, 400, 401, 403, 404, 418, 429, 500, 502, 503, 504]
)
def test_any_other_status_is_a_stop_even_when_approving(talk: Talk, wire: Any, status: int):
    good = httpx.Response(
        status, json=wire.decision_body(), headers={"location": f"{SERVICE}/v1/other", "retry-after": "99"}
    )

    stop = stopped(talk, good, retries=0)

    assert stop.decision is None
    assert len({str(each.url) for each in talk.seen}) == 1  # nobody followed a redirect


@pytest.mark.parametrize("member", MEMBERS)
def test_a_missing_member_is_a_stop(talk: Talk, wire: Any, member: str):
    assert stopped(talk, httpx.Response(200, json=wire.decision_body(**{member: None}))).reasons == ("unreadable",)


WRONG = [
    (member, value)
    for member in MEMBERS
    for value in (1, "", "true", 1.0, ["x"], {}, [[]])
    if not (member in {"decision_id", "dispute_path"} and isinstance(value, str))  # any text will do there
]


@pytest.mark.parametrize(("member", "value"), WRONG, ids=map(str, WRONG))
def test_a_member_of_the_wrong_kind_is_a_stop(wire: Any, member: str, value: Any):
    stopped(Talk("waits"), httpx.Response(200, json=wire.decision_body(**{member: value})))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"action_allowed": False}, "official_relationship_verified"),
        ({"action": "login"}, "other_action"),
        ({"action": "unspecified"}, "other_action"),
        ({"normalized_domain": "other.example"}, "other_destination"),
        ({"relationship_status": "verified_by_moonlight"}, "unknown_value"),
        ({"risk_status": "fine"}, "unknown_value"),
        ({"confidence_class": "absolute"}, "unknown_value"),
        ({"reason_codes": ["because"]}, "unknown_value"),
        ({"unknowns": ["what_is_love"]}, "unknown_value"),
        ({"expires_at": "2020-01-01T00:00:00.000Z"}, "expired"),
        ({"expires_at": "2099-01-01T00:00:00"}, "unreadable"),
        ({"expires_at": "tomorrow"}, "unreadable"),
    ],
)
def test_an_approval_of_another_action_place_or_time_stops(talk: Talk, wire: Any, changed: dict[str, Any], why: str):
    assert stopped(talk, httpx.Response(200, json=wire.decision_body(**changed))).reasons == (why,)


def test_a_member_that_is_there_twice_is_a_stop(talk: Talk, wire: Any):
    text = json.dumps(wire.decision_body())
    twice = text.replace('"action_allowed": true', '"action_allowed": false, "action_allowed": true')
    json_headers = {"content-type": "application/json"}

    assert stopped(talk, httpx.Response(200, text=twice, headers=json_headers)).reasons == ("unreadable",)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"null", b"[]", b'"yes"', b"true", b"\xff", b"[" * 100_000, b"{}", b"NaN"], ids=lambda b: b[:5]
)
def test_what_is_not_a_decision_is_a_stop(talk: Talk, body: bytes):
    headers = {"content-type": "application/json"}

    assert stopped(talk, httpx.Response(200, content=body, headers=headers)).reasons == ("unreadable",)


def test_an_approval_that_is_compressed_or_not_json_stops(talk: Talk, wire: Any):
    import gzip

    body = json.dumps(wire.decision_body()).encode()
    page = httpx.Response(200, content=body, headers={"content-type": "text/html"})
    small = {"content-type": "application/json", "content-encoding": "gzip"}

    assert stopped(talk, page).reasons == ("unreadable",)
    assert stopped(talk, lambda _: httpx.Response(200, stream=Bytes(gzip.compress(body)), headers=small)).reasons == (
        "encoded",
    )


class Bytes(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    async def __aiter__(self) -> Any:
        for piece in self._pieces:
            yield piece


def test_an_answer_without_an_end_is_cut_off(talk: Talk):
    pieces = Bytes(*[b" " * (1 << 20)] * 9)
    headers = {"content-type": "application/json"}

    assert stopped(talk, lambda _: httpx.Response(200, stream=pieces, headers=headers)).reasons == ("too_large",)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (lambda: httpx.ConnectError("refused"), "connection"),
        (lambda: httpx.ReadTimeout("late"), "timeout"),
        (lambda: httpx.RemoteProtocolError("torn"), "connection"),
        (lambda: OSError("unplugged"), "connection"),
        (lambda: ValueError("whatever"), "connection"),
    ],
)
def test_no_answer_at_all_is_a_stop(talk: Talk, error: Callable[[], Exception], why: str):
    def fails(_: Any) -> Any:
        raise error()

    assert stopped(talk, fails).reasons == (why,)


@pytest.mark.parametrize("url", [None, 7, "", "no url", object(), "https://"])
def test_what_is_not_a_url_is_a_stop(talk: Talk, wire: Any, url: Any):
    good = httpx.Response(200, json=wire.decision_body(normalized_domain=""))

    with pytest.raises(Stopped):
        talk(good, "require", url, "payment")
    assert talk(good, "may", url, "payment") is False


def test_the_requested_host_equals_the_decisions_in_any_spelling(talk: Talk, wire: Any):
    for url, host in (
        ("https://SHOP.example./x", "shop.example"),
        ("https://u:p@bücher.example:8443/", "xn--bcher-kva.example"),
        ("https://[2606:4700::0:1]/", "2606:4700::1"),
    ):
        good = httpx.Response(200, json=wire.decision_body(normalized_domain=host))
        assert talk(good, "may", url, "payment") is True


def test_a_decision_is_valid_a_day_at_most(talk: Talk, wire: Any):
    now = datetime.now(UTC)
    decision = require(talk, httpx.Response(200, json=wire.decision_body()))
    far = require(talk, httpx.Response(200, json=wire.decision_body(expires_at="2999-01-01T00:00:00.000Z")))

    assert decision.holds(decision.expires_at - timedelta(milliseconds=1))
    assert not decision.holds(decision.expires_at)
    assert not decision.allows("payment", decision.expires_at)
    assert not decision.allows("login")
    assert far.expires_at < now + timedelta(days=1, minutes=1)


def test_a_slow_clock_does_not_lengthen_a_decision(talk: Talk, wire: Any):
    """The service's clock is an hour ahead of ours; its decision still holds five minutes."""
    there = datetime.now(UTC) + timedelta(hours=1)
    body = wire.decision_body(expires_at=wire.written(there + timedelta(minutes=5)))

    decision = require(talk, httpx.Response(200, json=body, headers={"date": format_datetime(there, usegmt=True)}))

    assert decision.expires_at < datetime.now(UTC) + timedelta(minutes=6)


def test_a_fast_clock_ends_a_decision_early(talk: Talk, wire: Any):
    there = datetime.now(UTC) - timedelta(hours=1)
    body = wire.decision_body(expires_at=wire.written(there + timedelta(minutes=5)))

    headers = {"date": format_datetime(there, usegmt=True)}
    assert stopped(talk, httpx.Response(200, json=body, headers=headers)).reasons == ("expired",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
LIKELY = {
    "normalized_domain": st.sampled_from(["shop.example", "SHOP.example", "other.example"]),
    "relationship_status": st.sampled_from([*RELATIONSHIP_STATUSES, "new"]),
    "risk_status": st.sampled_from([*RISK_STATUSES, "new"]),
    "action": st.sampled_from(["payment", "login", "Payment"]),
    "action_allowed": st.sampled_from([True, True, False, 1, "true"]),
    "reason_codes": st.lists(st.sampled_from([*REASON_CODES, "new"]), max_size=3),
    "confidence_class": st.sampled_from([*CONFIDENCE_CLASSES, "new"]),
    "unknowns": st.lists(st.sampled_from([*UNKNOWNS, "new"]), max_size=3),
    "expires_at": st.sampled_from(["2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z", "2999-01-01", 1e12]),
}


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(MEMBERS), max_size=2, unique=True))
    return {name: draw(LIKELY.get(name, JSON) | JSON) for name in names}


def approves(status: int, media: str, members: dict[str, Any]) -> bool:
    """What an approval is, said once more and in another way."""
    ends = members.get("expires_at")
    return (
        status == 200
        and media == "application/json"
        and set(MEMBERS) <= set(members)
        and members["action_allowed"] is True
        and members["action"] == "payment"
        and members["normalized_domain"] == "shop.example"
        and members["relationship_status"] in ("verified_official", "verified_affiliate", "declared_merchant")
        and (members["relationship_status"] != "declared_merchant" or "merchant_declared" in members["reason_codes"])
        and members["risk_status"] == "no_high_risk_signal_observed"
        and members["confidence_class"] in ("high", "medium")
        and isinstance(members["reason_codes"], list)
        and members["reason_codes"] != []
        and all(isinstance(each, str) and each in REASON_CODES for each in members["reason_codes"])
        and not (NEVER_ALLOWED["reason_codes"] | NEVER_ALLOWED_SENSITIVE["reason_codes"]) & set(members["reason_codes"])
        and isinstance(members["unknowns"], list)
        and all(isinstance(each, str) and each in UNKNOWNS for each in members["unknowns"])
        and not {"policy_input_incomplete", "tls_not_checked"} & set(members["unknowns"])
        and (
            members["relationship_status"] == "declared_merchant"
            or "official_relationship_not_confirmed" not in members["unknowns"]
        )
        and isinstance(members["decision_id"], str)
        and isinstance(members["dispute_path"], str)
        and isinstance(ends, str)
        and ends.endswith("Z")
        and datetime.fromisoformat(ends) > datetime.now(UTC)
    )


@given(
    st.sampled_from([200, 200, 200, 200, 201, 202, 203, 299, 302, 401, 500]),
    st.sampled_from(["application/json"] * 4 + ["text/plain", "application/xml", ""]),
    changes(),
)
@example(200, "application/json", {"reason_codes": ["redirects_elsewhere"]})
@settings(deadline=None, max_examples=250)
def test_only_a_complete_current_and_matching_approval_permits_action(status: int, media: str, changed: dict[str, Any]):
    members = GOOD | changed
    made = httpx.Response(status, content=json.dumps(members).encode(), headers={"content-type": media})

    passed = Talk("waits")(made, "may", URL, "payment", retries=0)

    assert passed == approves(status, media, members)


GOOD = {
    "decision_id": "d",
    "normalized_domain": "shop.example",
    "relationship_status": "verified_official",
    "risk_status": "no_high_risk_signal_observed",
    "action": "payment",
    "action_allowed": True,
    "reason_codes": ["official_relationship_verified"],
    "confidence_class": "high",
    "unknowns": [],
    "expires_at": "2999-01-01T00:00:00.000Z",
    "dispute_path": "/d",
}


@given(st.integers(100, 599), st.binary(max_size=60), st.dictionaries(st.sampled_from(["a", "date"]), st.just("x")))
@settings(deadline=None, max_examples=60)
def test_no_bytes_at_all_let_anything_through(status: int, body: bytes, headers: dict[str, str]):
    made = httpx.Response(status, content=body, headers=headers | {"content-type": "application/json"})

    assert Talk("waits")(made, "may", URL, "payment", retries=0) is False


# What must never be seen of the key and the URL


def everything_of(error: BaseException) -> str:
    """All that a log or an error reporter would see of an error, hidden context and locals of ours included."""
    seen, each = [], error
    while each is not None:
        seen += [str(each), repr(each), repr(vars(each))]
        each = each.__cause__ or each.__context__
    return "\n".join([*seen, *traceback.format_exception(error)])


@pytest.mark.parametrize(
    "answers",
    [
        lambda request: httpx.Response(401, json={"code": "unauthenticated", "detail": f"not {KEY}"}),
        lambda request: httpx.Response(500, json={"code": KEY.lower()}, headers={"x-request-id": KEY}),
        lambda request: httpx.Response(200, text=KEY),
        lambda request: (_ for _ in ()).throw(httpx.ConnectError(f"{request.headers} {request.url}", request=request)),
    ],
)
def test_an_error_holds_neither_the_key_nor_the_url(talk: Talk, answers: Any, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)

    stop = stopped(talk, answers, retries=0)

    seen = everything_of(stop) + caplog.text
    assert "k4n4ry" not in seen
    assert "s3cr3t" not in seen


def test_a_client_masks_its_key_and_cannot_be_pickled():
    with Client(SERVICE, KEY) as client:
        assert repr(client) == f"Client('https://waypost.test', key='wp_live_...{KEY[-4:]}')"
        assert KEY not in str(vars(client))
        for write in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="a client holds a key"):
                write(client)


def test_key_and_the_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WAYPOST_API_KEY", KEY)
    monkeypatch.setenv("WAYPOST_SERVICE", "http://localhost:8000/")

    with Client() as client:
        assert client.base_url == "http://localhost:8000"


@pytest.mark.parametrize(
    ("address", "key", "message"),
    [
        ("", KEY, "name the service"),
        ("waypost.test", KEY, "is not a URL"),
        ("ftp://waypost.test", KEY, "a scheme, a host and a port, and nothing else"),
        ("http://waypost.test", KEY, "the key would be sent unencrypted"),
        ("http://127.0.0.1.evil.example", KEY, "the key would be sent unencrypted"),
        ("http://localhost.evil.example", KEY, "the key would be sent unencrypted"),
        (f"https://{KEY}@waypost.test", KEY, "and nothing else"),
        (f"https://waypost.test/?key={KEY}", KEY, "and nothing else"),
        ("https://waypost.test/v1", KEY, "has no path"),
        (SERVICE, "", "a key is needed"),
        (SERVICE, "wp live", "a character that keys do not have"),
        (SERVICE, "wp\r\nx: y", "a character that keys do not have"),
        (SERVICE, "schlüssel", "a character that keys do not have"),
    ],
)
def test_an_unsafe_setup_is_rejected_and_repeats_no_secret(
    monkeypatch: pytest.MonkeyPatch, address: str, key: str, message: str
):
    monkeypatch.delenv("WAYPOST_SERVICE", raising=False)
    monkeypatch.delenv("WAYPOST_API_KEY", raising=False)

    with pytest.raises(ClientError, match=message) as raised:
        Client(address, key)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8000", "http://[::1]:8000", "http://localhost", "https://w.test"]
)
def test_plain_http_is_for_this_machine_alone(address: str):
    Client(address, KEY).close()


# Asking again


def steps(outcomes: list[Response | Failure], *, repeatable: bool, timeout_s: float = 10, took_s: float = 0.0) -> Any:
    """(what a conversation does, what it ends with), on a clock of its own."""
    now = 0.0
    talk = conversation(repeatable, timeout_s, 2, lambda: now)
    done, outcome = [], iter(outcomes)
    sent = None
    while True:
        try:
            step = talk.send(sent)
        except StopIteration as end:
            return done, end.value
        if isinstance(step, Send):
            done.append("send")
            now += took_s
            sent = next(outcome)
        else:
            assert isinstance(step, Wait)
            done.append(step.seconds)
            now += step.seconds
            sent = None


def status(code: int, **headers: str) -> Response:
    return Response(code, {name.replace("_", "-"): value for name, value in headers.items()}, b"")


LATE, GONE = Failure("timeout"), Failure("connection")


@pytest.mark.parametrize(
    ("repeatable", "outcomes", "done"),
    [
        (False, [status(200)], ["send"]),
        (False, [LATE], ["send"]),
        (False, [GONE], ["send"]),
        (False, [status(500)], ["send"]),
        (False, [status(502)], ["send"]),
        (False, [status(503)], ["send"]),
        (False, [status(503, retry_after="1"), status(200)], ["send", 1.0, "send"]),
        (False, [status(429, retry_after="2"), status(200)], ["send", 2.0, "send"]),
        (False, [status(429, retry_after="6")], ["send"]),
        (False, [status(429)], ["send"]),
        (True, [LATE, GONE, status(200)], ["send", 0.2, "send", 0.4, "send"]),
        (True, [status(502), status(504), status(503)], ["send", 0.2, "send", 0.4, "send"]),
        (True, [status(408), status(200)], ["send", 0.2, "send"]),
        (False, [status(408)], ["send"]),
        (True, [status(500)], ["send"]),
        (True, [status(401)], ["send"]),
        (True, [Failure("too_large")], ["send"]),
    ],
)
def test_request_is_repeated_only_where_that_does_no_harm(
    repeatable: bool, outcomes: list[Response | Failure], done: list[Any]
):
    assert steps(outcomes, repeatable=repeatable)[0] == done


def test_nothing_is_requested_again_past_the_deadline():
    done, end = steps([LATE, LATE, LATE], repeatable=True, timeout_s=10, took_s=5)
    assert done == ["send", 0.2, "send"]
    assert end == LATE

    done, end = steps([status(429, retry_after="5")], repeatable=False, timeout_s=5)
    assert done == ["send"]
    assert end.status == 429


def test_date_in_retry_after_counts_from_the_answers_own():
    dates = {"retry_after": "Fri, 20 Nov 2026 10:00:03 GMT", "date": "Fri, 20 Nov 2026 10:00:00 GMT"}

    assert steps([status(503, **dates), status(200)], repeatable=False)[0] == ["send", 3.0, "send"]


def test_dispute_that_is_sent_again_is_the_same_dispute(talk: Talk):
    opened = {"dispute_id": "d-1", "status": "open", "decision_id": "9f", "created_at": "2026-11-20T09:45:00.000Z"}
    answers = iter([httpx.Response(502), httpx.Response(202, json=opened)])

    dispute = talk(lambda _: next(answers), "dispute", "9f", "wrong_domain", "It is ours.")

    assert dispute.status == "open"
    keys = [each.headers["idempotency-key"] for each in talk.seen]
    assert len(keys) == 2
    assert len(set(keys)) == 1


# Over a real connection


def over(serving: Any, kind: str, reply: Any, **setup: Any) -> tuple[Any, float]:
    """(what came of it, seconds)"""
    server = serving(reply)
    began = time.monotonic()

    async def awaited() -> Any:
        async with AsyncClient(server.url, KEY, **setup) as client:
            return await client.require(URL, "payment")

    try:
        if kind == "waits":
            with Client(server.url, KEY, **setup) as client:
                result = client.require(URL, "payment")
        else:
            result = asyncio.run(awaited())
    except Stopped as stop:
        result = stop
    return result, time.monotonic() - began


@pytest.mark.parametrize("kind", ["waits", "is awaited"])
def test_over_a_real_connection_too(serving: Any, wire: Any, kind: str):
    assert over(serving, kind, wire.decided())[0].action_allowed
    assert over(serving, kind, wire.decided(action_allowed=False))[0].decision.action_allowed is False
    assert over(serving, kind, b"nonsense\r\n\r\n")[0].reasons == ("connection",)
    assert over(serving, kind, lambda line, _: line.close())[0].reasons == ("connection",)
    torn = wire.decided()[:-20]
    assert over(serving, kind, lambda line, _: (line.sendall(torn), line.close()))[0].reasons == ("connection",)


@pytest.mark.parametrize("kind", ["waits", "is awaited"])
@pytest.mark.parametrize("how", ["silence", "a head that drips", "a body that drips"])
def test_server_that_takes_its_time_does_not_hold_us(serving: Any, wire: Any, kind: str, how: str):
    good = wire.decided()
    head, _, body = good.partition(b"\r\n\r\n")

    def dripping_body(line: Any, request: bytes) -> None:
        line.sendall(head + b"\r\n\r\n")
        wire.drip(body)(line, request)

    reply = {"silence": wire.silent, "a head that drips": wire.drip(good), "a body that drips": dripping_body}[how]

    stop, seconds = over(serving, kind, reply, timeout_s=0.4)

    assert stop.reasons == ("timeout",)
    assert seconds < 5


@pytest.mark.parametrize("kind", ["waits", "is awaited"])
def test_a_redirect_is_never_followed(serving: Any, wire: Any, kind: str):
    elsewhere = serving(wire.decided())
    sent_away = wire.answer(307, b"", f"Location: {elsewhere.url}/v1/agent-safety")

    assert over(serving, kind, sent_away)[0].reasons == ("redirect",)
    assert elsewhere.seen == []


def test_a_proxy_never_receives_requests_to_this_machine(serving: Any, wire: Any, monkeypatch: pytest.MonkeyPatch):
    proxy = serving(wire.decided())
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)

    over(serving, "waits", wire.decided())

    assert proxy.seen == []


# Every other question


PIECE = {"type": "lexical_check", "status": "observed"}
UNIFIED = {"@context": "https://schema.org", "@type": "NewsArticle", "id": "https://n.test/1", "name": "N", "url": ""}
CARD = {
    "service_type": "NewsSnippet", "standard_type": "NewsArticle", "status": "supported", "title": "N", "url": None,
    "display_url": None, "site_name": None, "description": None, "image": None, "byline": None, "date": None,
    "rating": None, "price": None, "facts": [], "badges": [], "items": [],
}  # fmt: skip
TIME = "2026-11-20T09:45:00.000Z"
QUESTIONS: list[tuple[str, tuple[Any, ...], dict[str, Any], str, Any, Any]] = [
    ("check_url", (URL,), {}, "POST /v1/check-url", {"url": URL}, GOOD | {"action": "unspecified"}),
    ("decision", ("9f/..",), {}, "GET /v1/decisions/9f%2F..", None, GOOD | {"expired": False}),
    (
        "dispute", ("9f", "other", "why"), {"evidence": ["https://e.test/"]}, "POST /v1/decisions/9f/disputes",
        {"claim": "other", "statement": "why", "evidence": ["https://e.test/"]},
        {"dispute_id": "d", "status": "open", "decision_id": "9f", "created_at": TIME},
    ),
    (
        "read_dispute", ("d",), {}, "GET /v1/disputes/d", None,
        {"dispute_id": "d", "status": "open", "decision_id": "9f", "created_at": TIME, "changed_at": TIME,
         "claim": "other", "statement": "why"},
    ),
    (
        "domain", ("shop.example",), {}, "GET /v1/domain?domain=shop.example", None,
        {"normalized_domain": "shop.example", "unicode_domain": "shop.example", "registrable_domain": "shop.example",
         "public_suffix": "example", "is_idn": False, "scripts": ["Latin"], "relationship_status": "unverified",
         "risk_status": "risk_not_assessed", "official_for": [], "evidence_summary": [PIECE], "unknowns": [],
         "expires_at": TIME},
    ),
    (
        "official", ("Shop & Co",), {"limit": 5}, "GET /v1/official?q=Shop+%26+Co&limit=5", None,
        {"results": [{"relationship_id": "r", "entity": {"id": "e", "name": "Shop", "type": "organization"},
                      "domain": "shop.example", "url": "https://shop.example/", "relationship_type": "official_site",
                      "review_status": "reviewed", "reviewed_at": TIME, "evidence_summary": [], "expires_at": TIME}]},
    ),
    (
        "search", ("shop",), {"kind": "organization", "limit": 5}, "POST /v1/search",
        {"query": "shop", "type": "organization", "limit": 5},
        {"results": [{"id": "x", "kind": "domain", "name": "shop.example", "review_status": "unreviewed",
                      "matched_on": "domain"}], "next_cursor": "c"},
    ),
    (
        "validate", (), {"html": "<p>", "profile": "google/recipe"}, "POST /v1/validate",
        {"html": "<p>", "profile": "google/recipe"},
        {"valid": True, "version": 1, "registry_version": "abc", "tool": {},
         "files": [{"path": "request", "items": [], "findings": []}],
         "summary": {"files": 1, "items": 0, "errors": 0, "warnings": 0, "infos": 0, "skipped": 0}},
    ),
    ("schemas", (), {}, "GET /v1/schema", None, {"registry_version": "abc", "schemas": []}),
    ("schema", ("..",), {}, "GET /v1/schema/%2E%2E", None, {"type": "object"}),
    (
        "snippets", ("news",), {"domain": "n.test"}, "GET /v1/snippets/news?domain=n.test", None,
        {"items": [{"id": "s", "service_type": "NewsSnippet", "created_at": TIME, "unified": UNIFIED,
                    "snippet": CARD}]},
    ),
    (
        "make_snippet", ("news",), {"document": {"@type": "NewsArticle", "name": "N"}, "store": True},
        "POST /v1/snippets/news", {"document": {"@type": "NewsArticle", "name": "N"}, "store": True},
        {"id": "s", "service_type": "NewsSnippet", "unified": UNIFIED, "snippet": CARD, "findings": []},
    ),
    ("jwks", (), {}, "GET /.well-known/jwks.json", None, {"keys": []}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "arguments", "named", "line", "body", "answer"), QUESTIONS, ids=[each[0] for each in QUESTIONS]
)
def test_every_request_has_its_address_and_its_answer_type(
    talk: Talk, method: str, arguments: Any, named: Any, line: str, body: Any, answer: Any
):
    status = {"dispute": 202, "make_snippet": 201}.get(method, 200)
    found = talk(httpx.Response(status, json=answer | {"of_a_later_service": 1}), method, *arguments, **named)

    (request,) = talk.seen
    assert f"{request.method} {request.url.raw_path.decode()}" == line
    assert (json.loads(request.content) if request.content else None) == body
    assert KEY not in str(request.url)
    if not isinstance(found, dict):
        for name in set(answer) - {"version", "tool", "results", "items", "files", "summary", "snippet", "expires_at"}:
            assert getattr(found, name) is not None or answer[name] is None


def test_an_unanswered_request_is_reported(talk: Talk):
    problem = {"code": "insufficient-scope", "detail": "the key lacks the scope"}

    with pytest.raises(NoAnswer) as raised:
        talk(httpx.Response(403, json=problem, headers={"x-request-id": "r-1"}), "domain", "shop.example")

    assert str(raised.value) == "the service answered 403 (insufficient-scope): the key lacks the scope"
    assert (raised.value.reason, raised.value.http_status, raised.value.problem) == (
        "problem",
        403,
        "insufficient-scope",
    )
    assert raised.value.request_id == "r-1"


def test_a_stored_decision_that_expired_allows_nothing(talk: Talk):
    over = talk(httpx.Response(200, json=GOOD | {"expired": True}), "decision", "d")

    assert not over.holds()
    assert not over.allows("payment")


def test_each_entry_of_a_batch_stands_by_itself(talk: Talk, wire: Any):
    bad = wire.decision_body(normalized_domain=7)
    error = {"error": {"code": "invalid-url", "status": 422, "title": "t"}}
    answers = httpx.Response(200, json={"results": [wire.decision_body(), error, bad]})

    results = talk(answers, "batch", [(URL, "payment")] * 3).results

    assert results[0].allows("payment")
    assert [each.code for each in results[1:]] == ["invalid-url", "unreadable"]
    assert all(isinstance(each, Problem) for each in results[1:])


@pytest.mark.parametrize(("count", "limit_s"), [(1, 10), (21, 20), (50, 34.5)])
def test_time_limit_of_a_batch_grows_with_its_items(count: int, limit_s: float):
    request = requests.batch([(URL, "payment")] * count)

    assert request.within_s(TIMEOUT_S) == limit_s


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_batch_with_another_count_is_not_an_answer(talk: Talk, wire: Any, count: int):
    with pytest.raises(NoAnswer, match="cannot be read"):
        talk(httpx.Response(200, json={"results": [wire.decision_body()] * count}), "batch", [(URL, "payment")] * 2)


def test_without_httpx_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    import sys

    from waypost.errors import MissingExtra, install_command

    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("client"))):
        Client(SERVICE, KEY)


def test_methods_are_made_from_the_operations() -> None:
    from tools import make_client

    assert make_client.TARGET.read_text("utf-8") == make_client.text(), "run tools/make_client.py"
