"""Spans of a look at a host: one for each part, and no text of a page, an address or an error in any."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from waypost import tracing
from waypost.net.probe import probe_async

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")

TARGET = "/s3cr3t?token=s3cr3t"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    monkeypatch.delenv("OTEL_SDK_DISABLED", raising=False)
    exporter = InMemorySpanExporter()
    provider = tracing.switch_on(exporter)

    def finished() -> dict[str, Any]:
        provider.force_flush()
        found = exporter.get_finished_spans()
        assert "s3cr3t" not in "".join(each.to_json() for each in found)
        return {each.name.removeprefix("waypost.look."): each for each in found}

    yield finished
    tracing.switch_off()
    provider.shutdown()


def observe(world: Any, port: int, names: Any) -> None:
    how = {"policy": world.policy, "trust": world.trust, "registries": {}, "within_s": 8, "resolver": names}
    asyncio.run(probe_async("shop.test", port=port, target=TARGET, **how))


def test_a_check_has_a_span_for_each_part(world: Any, spans: Any) -> None:
    server = world.server(world.page(b"<p>s3cr3t"), "good")

    observe(world, server.port, world.Names(shop_test=[world.HERE]))

    found = spans()
    assert set(found) == {"dns", "tls", "http", "registration"}
    assert found["dns"].attributes["waypost.outcome"] == "found"
    assert found["tls"].parent.span_id == found["dns"].parent.span_id == found["http"].context.span_id


def test_a_failure_has_the_name_of_its_error_alone(world: Any, spans: Any) -> None:
    server = world.server(lambda line, _: line.close(), "good")

    observe(world, server.port, world.Names(shop_test=[world.HERE]))

    found = spans()
    assert found["http"].attributes["error.type"] == "FetchFailed"
    assert not [name for name, each in found.items() if each.events or each.status.description]
