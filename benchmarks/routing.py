"""Processor time of a request by three ways through the service: `hot`, our routes in Litestar, and Litestar alone.

    python benchmarks/routing.py [--rounds N]

`hot` skips Litestar's routing and injection. `routes` are what every other endpoint has: Litestar routes, our guard and
strict reader. `litestar` is a small application with Litestar's own decoding of the struct, guard, hosts, CORS and
errors around the same operation. The three take turns in one process, so that a loaded machine slows all alike; the
figure is the median of the rounds, in microseconds of processor time for a request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

from litestar import Litestar, Request, get, post
from litestar.config.allowed_hosts import AllowedHostsConfig
from litestar.config.cors import CORSConfig
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency, Provide
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.response import Response

from waypost.api.app import create_app
from waypost.api.endpoint import endpoint_of
from waypost.api.operations import CallContext
from waypost.api.request import Call, joined
from waypost.api.settings import Settings
from waypost.api.state import ServiceState, open_state
from waypost.api.table import route_handlers
from waypost.models.api_key import SCOPES, Key
from waypost.models.decision import SensitiveUrl
from waypost.models.wire.decisions import CheckRequest
from waypost.models.wire.keys import Freeze, FreezeRequest
from waypost.operations import freeze as freezes
from waypost.operations.decisions import agent_safety
from waypost.registry import load
from waypost.service import clock
from waypost.store import keys, organizations

EACH = 40
"""Requests of a round."""
QUOTAS = dict.fromkeys(("checks", "checks-day", "reviews", "reading"), 10**9)
CASES: dict[str, tuple[str, str, bytes]] = {
    "agent-safety (hot)": (
        "POST", "/v1/agent-safety",
        json.dumps({"url": "https://shop.example.com/cart", "intended_action": "payment"}).encode(),
    ),
    "freeze, a read": ("GET", "/v1/freeze", b""),
    "freeze, a write": ("POST", "/v1/freeze", json.dumps({"reason": "a test"}).encode()),
}  # fmt: skip


def litestar_alone(state: ServiceState) -> Litestar:
    """Application with the machinery of Litestar alone."""
    endpoints = {endpoint.name: endpoint for endpoint in map(endpoint_of, route_handlers())}

    def key_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Key:
        scheme, _, text = connection.headers.get("authorization", "").partition(" ")
        found = state.keyring.known(text, state.now(), "127.0.0.1", is_fresh=True)
        if scheme.lower() != "bearer" or not isinstance(found, Key):
            raise NotAuthorizedException
        return found

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], handler: Any) -> None:
        key = key_of(connection)
        if handler.opt["scope"] != "any key" and handler.opt["scope"] not in key.scopes:
            raise PermissionDeniedException
        verdict = state.limits.at_once(key, handler.opt["limit"], state.now())
        connection.state.key, connection.state.headers = key, getattr(verdict, "headers", {})

    def context(request: Request[Any, Any, Any]) -> CallContext:
        endpoint = endpoints[request.route_handler.operation_id]
        call = Call(state, endpoint, request.scope, None, "id", joined(request.scope["headers"]))
        call.caller = request.state.key
        return CallContext(call)

    @post("/v1/agent-safety", operation_id="checkAgentSafety", opt={"scope": "agent", "limit": "checks"},
          status_code=200)  # fmt: skip
    async def decide(data: CheckRequest, context: NamedDependency[CallContext]) -> Response[bytes]:
        found = await agent_safety(data, context)
        return Response(found.document, headers=dict(found.headers or {}), media_type="application/json")

    @get("/v1/freeze", operation_id="readFreeze", opt={"scope": "any key", "limit": "reading"})
    async def read(context: NamedDependency[CallContext]) -> Freeze:
        return await freezes.freeze(context)

    @post("/v1/freeze", operation_id="startFreeze", opt={"scope": "review", "limit": "reviews"}, status_code=200)
    async def start(data: FreezeRequest, context: NamedDependency[CallContext]) -> Freeze:
        return await freezes.start_freeze(data, context)

    return Litestar(
        [decide, read, start],
        guards=[guard],
        dependencies={"context": Provide(context, sync_to_thread=False)},
        type_decoders=[(lambda kind: kind is SensitiveUrl, lambda kind, value: kind(value))],
        allowed_hosts=AllowedHostsConfig(allowed_hosts=["127.0.0.1"]),
        cors_config=CORSConfig(allow_origins=["https://app.example.com"]),
        openapi_config=None,
        logging_config=None,
    )


def sender(app: Any, case: str, text: str) -> Callable[[], Awaitable[None]]:
    """Coroutine function that sends one request of a case."""
    method, path, body = CASES[case]
    headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {text}".encode())]
    if body:
        headers += [(b"content-length", str(len(body)).encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
             "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
             "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        assert message.get("status", 200) == 200, message

    async def one() -> None:
        await app({**scope, "headers": list(headers), "state": {}}, receive, send)

    return one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        state = open_state(Settings(data=folder, offline=True, log="none"), registry=load())
        organization = state.store.write(lambda db: organizations.create(db, "One", "bench", clock()))
        request = keys.KeyRequest(name="bench", scopes=frozenset(SCOPES), environment="live", limits=QUOTAS)
        _, text = state.store.write(lambda db: keys.create(db, organization.id, request, "bench", clock()))
        state.keyring.refresh()
        hot = create_app(state)
        for handler in route_handlers():
            handler.opt.pop("hot", None)
        ways = {"hot": hot, "routes": create_app(state), "litestar": litestar_alone(state)}
        asyncio.run(measured(ways, text, rounds, state))


async def measured(ways: dict[str, Any], text: str, rounds: int, state: ServiceState) -> None:
    for case in CASES:
        times: dict[str, list[float]] = {way: [] for way in ways}
        senders = {way: sender(app, case, text) for way, app in ways.items()}
        for number in range(rounds + 1):
            for way, one in senders.items():
                began = time.thread_time_ns()
                for _ in range(EACH):
                    await one()
                if number:  # the first round loads what the others use
                    times[way].append((time.thread_time_ns() - began) / EACH / 1000)
        figures = {way: statistics.median(found) for way, found in times.items()}
        print(f"{case:20}" + "".join(f"  {way} {figure:6.0f} us" for way, figure in figures.items()))
    state.close()


if __name__ == "__main__":
    main()
