"""The Python client and the service speak the same language: every question, asked of the real application."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra client is not installed")

from waypost.client import AsyncClient, NoAnswer, Problem, Stopped  # noqa: E402
from waypost.receipts import verify  # noqa: E402

SITE = "http://127.0.0.1:8000"
ALLOWED = "https://allow.test/cart?token=s3cr3t"
NEWS = {"@type": "NewsArticle", "name": "The bridge is open", "url": "https://news.example/bridge"}
Call = Callable[[AsyncClient], Awaitable[Any]]


@pytest.fixture
def send(api: Any) -> Callable[..., Any]:
    """Asks with a test key, on the real clock: the client compares with its own."""
    api.clock.now = time.time_ns() // 1_000_000
    _, text = api.key(environment="test")

    def run(call: Call, key: str = text) -> Any:
        async def conversation() -> Any:
            async with AsyncClient(SITE, key, retries=0, transport=httpx.ASGITransport(app=api.app)) as client:
                return await call(client)

        return api._loop.run_until_complete(conversation())

    return run


def test_what_may_go_ahead_goes_ahead(send: Any):
    decision = send(lambda client: client.require(ALLOWED, "payment"))

    assert decision.normalized_domain == "allow.test"
    assert decision.is_understood


@pytest.mark.parametrize(
    ("host", "reasons"),
    [
        ("stop.test", ("threat_list_match",)),
        ("impersonation.test", ("brand_impersonation_signal",)),
        ("unknown.test", ("no_decisive_signal",)),
        ("error.test", ("not-ready",)),
        ("somewhere.example", ("no_decisive_signal",)),
    ],
)
def test_what_may_not_is_a_stop_with_its_reasons(send: Any, host: str, reasons: tuple[str, ...]):
    with pytest.raises(Stopped) as raised:
        send(lambda client: client.require(f"https://{host}/", "payment"))

    assert raised.value.reasons == reasons
    assert not send(lambda client: client.may(f"https://{host}/", "payment"))


def test_receipt_verifies_with_the_keys_that_the_service_publishes(send: Any, api: Any):
    decision = send(lambda client: client.agent_safety(ALLOWED, "payment", include=["receipt"], audience="till 4"))
    jwks = send(lambda client: client.jwks())

    assert verify(decision.receipt, jwks, url=ALLOWED, action="payment", audience="till 4", now=api.clock.now)
    assert not verify(decision.receipt, jwks, url=ALLOWED, action="login", audience="till 4", now=api.clock.now)


def test_a_decision_is_read_again_and_disputed(send: Any):
    decision = send(lambda client: client.check_url(ALLOWED, "login"))
    stored = send(lambda client: client.decision(decision.decision_id))
    opened = send(lambda client: client.dispute(decision.decision_id, "outdated", "The shop has moved."))

    assert decision.evidence_summary
    assert stored.holds()
    assert stored.decision_id == decision.decision_id
    assert send(lambda client: client.read_dispute(opened.dispute_id)).status == "open"


def test_a_batch_is_answered_entry_by_entry(send: Any):
    checks = [(ALLOWED, "payment"), ("no url", "payment"), ("https://stop.test/", "payment")]

    whole = send(lambda client: client.batch(checks))
    cut = send(lambda client: client.batch(checks, until_first_stop=True))

    assert whole.results[0].allows("payment")
    assert isinstance(whole.results[1], Problem)
    assert not whole.results[2].action_allowed
    assert (len(cut.results), cut.stopped_at) == (2, 1)


def test_lookup_finds_known_facts(send: Any):
    assert send(lambda client: client.domain("google.com")).relationship_status == "verified_official"
    assert all(each.review_status == "reviewed" for each in send(lambda client: client.official("google")).results)
    assert send(lambda client: client.search("google", kind="organization", limit=3)).results
    assert "NewsSnippet" in [each.name for each in send(lambda client: client.schemas()).schemas]
    assert send(lambda client: client.schema("NewsArticle"))["type"] == "object"


def test_markup_is_checked_and_previewed(send: Any, api: Any):
    _, live = api.key()  # a test key stores nothing
    page = '<div itemscope itemtype="https://schema.org/Recipe"><b itemprop="name">Pie</b></div>'

    report = send(lambda client: client.validate(html=page, profile="google/recipe"))
    made = send(lambda client: client.make_snippet("news", document=NEWS, store=True), live)
    stored = send(lambda client: client.snippets("news", limit=5), live)

    assert not report.valid
    assert report.files[0].findings[0].line == 1
    assert made.snippet.title == "The bridge is open"
    assert [each.id for each in stored.items] == [made.id]
    assert send(lambda client: client.make_snippet("news", document=NEWS)).id is None


def test_key_without_the_right_gets_a_message_and_stops(send: Any, api: Any):
    _, lookups_only = api.key("domain")

    with pytest.raises(NoAnswer) as raised:
        send(lambda client: client.search("x"), lookups_only)
    with pytest.raises(Stopped) as stop:
        send(lambda client: client.require(ALLOWED, "payment"), "wp_live_unknown")

    assert (raised.value.http_status, raised.value.problem) == (403, "insufficient-scope")
    assert stop.value.reasons == ("unauthenticated",)
