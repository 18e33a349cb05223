"""Warm-up of a service: each table is made before the first request, and no answer depends on it."""

from __future__ import annotations

import pytest

from waypost.registry.functions import functions_of
from waypost.registry.places import places_of
from waypost.registry.world import World, load
from waypost.safety import suffixes
from waypost.safety.brand_index import brand_index_of
from waypost.service import Service

NOW = 1_795_910_400_000
FIRST = (
    "https://garden-lamps.example.net/checkout?x=1",
    "https://paypa1-login.test/",
    "https://xn--80ak6aa92e.test/",
    "https://north-river.co.uk/a",
    "https://shop.myshopify.com/x",
    "https://accounts.google.com/o/oauth2/v2/auth?client_id=2&redirect_uri=https%3A%2F%2Fa.test%2Fcb&response_type=code",
    "https://www.dropbox.com/s/x/y.pdf",
)


def test_no_table_is_made_after_the_start() -> None:
    world = World(load().files)
    service = Service(world, now=lambda: NOW)

    service.warm_up()
    index, functions = brand_index_of(world), functions_of(world)

    def tables() -> tuple[object, ...]:
        makers = brand_index_of, places_of, functions_of
        return {*vars(world)}, {*vars(index)}, {*vars(functions)}, [each.cache_info().misses for each in makers]

    before, lengths = tables(), {*index._by_deletion}
    for url in FIRST:
        service.check(url, "payment")

    assert tables() == before
    assert {*index._by_deletion} == lengths


@pytest.mark.parametrize(
    "host",
    ["a.b.co.uk", "www.ck", "x.y.ck", "shop.github.io", "a.b.kobe.jp", "city.kobe.jp", "a.test", "net", "a.xn--p1ai"],
)
def test_suffixes_are_the_same_before_and_after(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suffixes, "_BY_LABEL", {})
    suffixes._rules_below.cache_clear()
    before = suffixes.suffixes_of(host)

    suffixes._rules_below.cache_clear()
    suffixes.read_all()

    assert suffixes.suffixes_of(host) == before
