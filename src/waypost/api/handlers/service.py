"""Service endpoints: limits, the OpenAPI document, well-known files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec
from litestar import get
from litestar.di import NamedDependency

from waypost.api.endpoint import ANY_KEY, JSON, PUBLIC, Answer, Contract, Endpoint
from waypost.api.request import Call, Reply, json_reply
from waypost.contract import openapi

_A_WHILE = "public, max-age=300, stale-while-revalidate=86400"
_LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'


@get(
    "/v1/limits",
    operation_id="readLimits",
    summary="List the limits",
    description="Every limit: what it counts, for which caller, at which endpoints, and the quota of this key. "
    "`body_bytes` is given by endpoint. `depth` and `nodes` limit a JSON body: how deep objects and arrays are nested, "
    "and how many values there are.",
    tags=["Service"],
    opt=Contract(
        scopes=(ANY_KEY,),
        limit="reading",
        answers={200: Answer("The limits.", "limits")},
    ),
)
async def limits(call: NamedDependency[Call]) -> Reply:
    from waypost.api.table import table

    used: dict[str, list[str]] = {}
    for endpoint in table():
        # A set, as most endpoints have one limit for both.
        for name in {endpoint.limit, endpoint.form_limit}:
            used.setdefault(name, []).extend(_names(endpoint))
    policies = [
        {
            "name": policy.name,
            "quota": call.key.limits.get(policy.name, policy.quota),
            "window_s": policy.window_s,
            "per": policy.counts,
            "counts": policy.what or "requests",
            "endpoints": used.get(policy.part_of or policy.name, []),
        }
        for policy in call.state.limits.policies
    ]
    bodies = {name: endpoint.body for endpoint in table() if endpoint.body for name in _names(endpoint)}
    return json_reply(
        {
            "policies": policies,
            "body_bytes": {name: body.limit for name, body in bodies.items()},
            "depth": max(body.depth for body in bodies.values()),
            "nodes": max(body.nodes for body in bodies.values()),
        }
    )


def _names(endpoint: Endpoint) -> Iterator[str]:
    """Names of an endpoint as method and path: a safe POST has a second one, by QUERY."""
    yield f"{endpoint.method} {endpoint.path}"
    if endpoint.as_query:
        yield f"QUERY {endpoint.path}"


@get(
    "/openapi.json",
    operation_id="readDescription",
    summary="Get the OpenAPI description",
    description="OpenAPI 3.1.",
    tags=["Service"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        answers={200: Answer("The document.", "", "application/vnd.oai.openapi+json;version=3.1")},
        cache=_A_WHILE,
    ),
)
async def description(call: NamedDependency[Call]) -> Reply:
    return Reply(_described(call.state.settings.api_url), 200, "application/vnd.oai.openapi+json;version=3.1")


@lru_cache(maxsize=1)
def _described(url: str) -> bytes:
    """OpenAPI document of the service at a URL: the same bytes for all callers, however slowly they read."""
    # The shipped document names no host; this service knows its own.
    return msgspec.json.encode(openapi.document() | {"servers": [{"url": url}]})


@get(
    "/.well-known/security.txt",
    operation_id="readSecurityContact",
    summary="Get the security contact",
    description="RFC 9116.",
    tags=["Service"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        answers={200: Answer("The file.", "", "text/plain")},
        cache=_A_WHILE,
    ),
)
async def security_txt(call: NamedDependency[Call]) -> Reply:
    settings = call.state.settings
    # Less than a year ahead, as RFC 9116 section 2.5.5 recommends.
    expires = datetime.fromtimestamp(call.state.now() / 1000, UTC).date() + timedelta(days=180)
    lines = [
        f"Contact: {settings.security_contact or settings.site_url + '/security/'}",
        f"Expires: {expires.isoformat()}T00:00:00Z",
        f"Canonical: {settings.site_url}/.well-known/security.txt",
        "Preferred-Languages: en",
        f"Policy: {settings.site_url}/security/",
    ]
    return Reply("\n".join([*lines, ""]).encode(), 200, "text/plain; charset=utf-8")


@get(
    "/.well-known/api-catalog",
    operation_id="readCatalog",
    summary="Get the API catalog",
    description="RFC 9727.",
    tags=["Service"],
    opt=Contract(
        scopes=(PUBLIC,),
        limit="schema",
        answers={200: Answer("The links.", "", _LINKSET)},
        cache=_A_WHILE,
    ),
)
async def catalog(call: NamedDependency[Call]) -> Reply:
    settings = call.state.settings
    links: dict[str, Any] = {
        "anchor": f"{settings.api_url}/v1",
        "service-desc": [{"href": f"{settings.api_url}/openapi.json", "type": JSON}],
        "service-doc": [{"href": f"{settings.site_url}/api/", "type": "text/html"}],
        "status": [{"href": f"{settings.api_url}/readyz", "type": JSON}],
    }
    link = f'<{settings.site_url}/.well-known/api-catalog>; rel="api-catalog"'
    return Reply(msgspec.json.encode({"linkset": [links]}), 200, _LINKSET, {"link": link})
