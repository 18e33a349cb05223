"""About the service itself: whether it lives, what it allows, what it promises."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from waypost.api.endpoint import ANY_KEY, JSON, PUBLIC, Answer, Endpoint
from waypost.api.problems import Refused
from waypost.api.request import Call, Reply, reply
from waypost.contract import openapi

_A_WHILE = "public, max-age=300, stale-while-revalidate=86400"
_LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'


async def healthz(call: Call) -> Reply:  # noqa: ARG001 - it answers: that is all it says
    return reply({"status": "ok"})


async def readyz(call: Call) -> Reply:
    """Whether decisions can be made and kept now."""
    checks = await call.running.checks()
    if not all(checks.values()):
        raise Refused("not-ready", more={"checks": checks}, headers={"retry-after": "5"})
    return reply({"status": "ready", "checks": checks})


async def limits(call: Call) -> Reply:
    from waypost.api.table import table

    used: dict[str, list[str]] = {}
    for each in table():
        used.setdefault(each.policy, []).append(f"{each.method} {each.path}")
    policies = [
        {"name": each.name, "quota": each.quota, "window_s": each.window_s, "endpoints": used.get(each.name, [])}
        for each in call.running.limits.policies
    ]
    bodies = [each.body for each in table() if each.body]
    return reply(
        {
            "policies": policies,
            "body_bytes": {f"{each.method} {each.path}": each.body.limit for each in table() if each.body},
            "depth": max(each.depth for each in bodies),
            "nodes": max(each.nodes for each in bodies),
        }
    )


async def description(call: Call) -> Reply:
    document = openapi.document()
    document["servers"] = [{"url": call.running.settings.api_url}]
    return Reply(msgspec.json.encode(document), 200, "application/vnd.oai.openapi+json;version=3.1")


async def security_txt(call: Call) -> Reply:
    settings = call.running.settings
    expires = datetime.fromtimestamp(call.running.now() / 1000, UTC).date() + timedelta(days=180)
    lines = [
        f"Contact: {settings.security_contact or settings.site_url + '/security/'}",
        f"Expires: {expires.isoformat()}T00:00:00Z",
        f"Canonical: {settings.site_url}/.well-known/security.txt",
        "Preferred-Languages: en",
        f"Policy: {settings.site_url}/security/",
    ]
    return Reply("\n".join([*lines, ""]).encode(), 200, "text/plain; charset=utf-8")


async def jwks(call: Call) -> Reply:
    return reply(call.running.signing.jwks(call.running.now()))


async def catalog(call: Call) -> Reply:
    settings = call.running.settings
    links: dict[str, Any] = {
        "anchor": f"{settings.api_url}/v1",
        "service-desc": [{"href": f"{settings.api_url}/openapi.json", "type": JSON}],
        "service-doc": [{"href": f"{settings.site_url}/api/", "type": "text/html"}],
        "status": [{"href": f"{settings.api_url}/readyz", "type": JSON}],
    }
    link = f'<{settings.site_url}/.well-known/api-catalog>; rel="api-catalog"'
    return Reply(msgspec.json.encode({"linkset": [links]}), 200, _LINKSET, {"link": link})


def _about(path: str, name: str, summary: str, about: str, handle: Any, **more: Any) -> Endpoint:
    given: dict[str, Any] = {
        "answers": {200: Answer(summary + ".", "")},
        "needs": (PUBLIC,),
        "policy": "schema",
        "tag": "Service",
        **more,
    }
    return Endpoint(method="GET", path=path, name=name, summary=summary, about=about, handle=handle, **given)


ENDPOINTS = (
    _about("/healthz", "readHealth", "Whether the process lives", "It looks at nothing else.", healthz,
           policy="", answers={200: Answer("It does.", "health")}, site=True),
    _about("/readyz", "readReadiness", "Whether answers can be given now",
           "The store can be written, the registry and a policy are loaded, a signing key is there.", readyz,
           policy="", answers={200: Answer("They can.", "readiness")}, site=True),
    _about("/v1/limits", "readLimits", "What is allowed", "Every limit, with the endpoints it counts.", limits,
           needs=(ANY_KEY,), policy="reading", answers={200: Answer("The limits.", "limits")}),
    _about("/openapi.json", "readDescription", "The description of this API", "OpenAPI 3.1.", description,
           cache=_A_WHILE, answers={200: Answer("The document.", "", "application/vnd.oai.openapi+json;version=3.1")},
           site=True),
    _about("/.well-known/security.txt", "readSecurityContact", "Where to report a weakness", "RFC 9116.",
           security_txt, cache=_A_WHILE, answers={200: Answer("The file.", "", "text/plain")}, site=True),
    _about("/.well-known/jwks.json", "readSigningKeys", "The keys that sign receipts",
           "The current key, the next, and those whose receipts have not all expired (RFC 7517).", jwks,
           cache=_A_WHILE, answers={200: Answer("The keys.", "jwks")}, site=True),
    _about("/.well-known/api-catalog", "readCatalog", "Where the API is described", "RFC 9727.", catalog,
           cache=_A_WHILE, answers={200: Answer("The links.", "", _LINKSET)}, site=True),
)  # fmt: skip
