"""A merchant's well-known files: of the host alone, whole, in time and never by a way that leads away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.net.conftest import HERE, Names, page, replies, sends_to

from waypost.models.payment import MerchantFiles
from waypost.net.merchant import X402, is_reusable, merchant_files

Answer = Callable[..., None]
PROFILE = b'{"ucp": {"version": "2026-08-25"}, "signing_keys": []}'
NOW = 1000


def json_answer(body: bytes, status: str = "200 OK") -> Answer:
    return replies(f"HTTP/1.1 {status}\nContent-Type: application/json\nContent-Length: {len(body)}", body)


ABSENT = json_answer(b"{}", "404 Not Found")


def answers(ucp: Answer, x402: Answer = ABSENT) -> Answer:
    return lambda to, request: (x402 if X402.encode() in request.split(b"\r\n")[0] else ucp)(to, request)


def read(world: Any, port: int, host: str = "shop.test", within_s: float = 5.0) -> MerchantFiles:
    names = Names(shop_test=[HERE], pay_shop_test=[HERE], acme_test=[HERE])
    return asyncio.run(
        merchant_files(
            host, port=port, within_s=within_s, now=lambda: NOW, resolver=names, policy=world.policy, trust=world.trust
        )
    )


def test_files_are_read_from_the_host_itself(world: Any) -> None:
    server = world.server(answers(json_answer(PROFILE)), "good")

    found = read(world, server.port)

    assert (found.ucp.status, found.ucp.data) == ("read", PROFILE)
    assert found.x402.status == "absent"
    assert is_reusable(found, NOW)
    assert not is_reusable(found, found.valid_until)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (page(b"<p>shop</p>"), "absent"),
        (json_answer(b"{}", "410 Gone"), "absent"),
        (json_answer(b"{}", "403 Forbidden"), "failed"),
        (json_answer(b"{}", "503 Unavailable"), "failed"),
        (json_answer(b" " * 200_000), "failed"),
        (sends_to("https://acme.test/.well-known/ucp"), "failed"),
        (sends_to("http://shop.test/.well-known/ucp"), "failed"),
        (sends_to("http://127.0.0.2/.well-known/ucp"), "failed"),
        (lambda to, request: None, "failed"),
    ],
)
def test_an_answer_of_another_kind_is_not_read(world: Any, answer: Answer, status: str) -> None:
    server = world.server(answers(answer), "good")

    found = read(world, server.port)

    assert (found.ucp.status, found.ucp.data) == (status, b"")
    assert is_reusable(found, NOW) is (status == "absent")


def test_a_redirect_to_another_host_brings_no_keys_along(world: Any) -> None:
    """The stranger answers at the same address, so that the certificate and the file are good there."""
    stranger = world.server(json_answer(PROFILE), "good")
    server = world.server(answers(sends_to(f"https://acme.test:{stranger.port}/.well-known/ucp")), "good")

    assert read(world, server.port).ucp.status == "failed"


def test_a_redirect_within_the_host_is_followed(world: Any) -> None:
    def moved(to: Any, request: bytes) -> None:
        (json_answer(PROFILE) if b"/ucp.json" in request else sends_to("/ucp.json"))(to, request)

    server = world.server(answers(moved), "good")

    assert read(world, server.port).ucp.data == PROFILE


def test_files_over_a_bad_certificate_are_not_read(world: Any) -> None:
    server = world.server(answers(json_answer(PROFILE)), "expired")

    assert read(world, server.port).ucp.status == "failed"
    assert read(world, server.port, host="pay.other.test").ucp.status == "failed"
    assert server.requests == []
