"""Page to check a destination: recorded decisions about the test hosts, and the same request in code."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from markupsafe import Markup

from waypost.errors import NotReady
from waypost.pages import heads
from waypost.pages.draft import Draft, Source
from waypost.pages.reference import HOST, operation_of, samples_of
from waypost.pages.text import coloured
from waypost.safety.serialize import CHECK_URL, decision_to_dict
from waypost.service import MOST_S, Service
from waypost.service.decision_panel import panel_of
from waypost.service.fixtures import fixtures, open_fixtures

ADDRESS = "safety/check/"
_NO_ID = "00000000-0000-4000-8000-000000000000"
_FIRST = ("payment", "upload", "login", "visit")


def draft(source: Source) -> Draft:
    """Draft of the page."""
    values = {
        "hosts": fixtures(source.world),
        "actions": actions(source),
        "samples": _samples(next(iter(fixtures(source.world)))),
        "host": HOST,
    }
    return heads.draft(ADDRESS, "safety-check.html", values)


def actions(source: Source) -> dict[str, str]:
    """Actions in words by name, payment first, then other frequent ones."""
    doing: dict[str, str] = source.world.document("codes.json")["doing"]
    ordered = sorted(doing, key=lambda action: (action not in _FIRST, action != "payment"))
    return {action: doing[action] for action in ordered}


def _samples(host: str) -> list[tuple[str, Markup]]:
    """The same check in code, and as a call of the tool by an agent (Model Context Protocol)."""
    body = {"url": f"https://{host}/", "intended_action": "payment"}
    call = {"method": "tools/call", "params": {"name": "check_destination", "arguments": body}}
    return [
        *samples_of(operation_of("/v1/agent-safety"), body),
        ("MCP", coloured(json.dumps({"jsonrpc": "2.0", "id": 1, **call}, indent=2))),
    ]


def script(source: Source) -> str:
    """Decisions by host and action, and the sentences of their codes, as an object literal of a script."""
    codes = source.world.document("codes.json")
    kinds = ("actions", "relationship_statuses", "risk_statuses", "confidence_classes", "unknowns", "reason_codes")
    data = {"codes": {kind: codes[kind] for kind in kinds}, "hosts": recorded(source)}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def recorded(source: Source) -> dict[str, Any]:
    """Decisions by host and action, made once in a build."""
    if "decisions" not in source.read:
        source.read["decisions"] = _decided(source, source.world.document("codes.json"))
    decisions: dict[str, Any] = source.read["decisions"]
    return decisions


def _decided(source: Source, codes: dict[str, Any]) -> dict[str, Any]:
    """Decisions by host and action. A thread of its own, because a build may run where an event loop is running."""
    # Without a wait that a loaded machine might cut short: two builds have the same answers.
    service = open_fixtures(now=lambda: int(source.now.timestamp() * 1000), waits=False)

    async def decide_all() -> dict[str, Any]:
        return {
            host: {action: await _decision(service, host, action) for action in codes["doing"]}
            for host in fixtures(source.world)
        }

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, decide_all()).result()


async def _decision(service: Service, host: str, action: str) -> dict[str, Any]:
    try:
        checked = await service.check_async(f"https://{host}/", action, within_s=MOST_S)
    except NotReady as error:
        return {"problem": str(error)}
    decision = msgspec.structs.replace(checked.decision, decision_id=_NO_ID)
    panel = panel_of(decision, checked.case, service.world)
    members = {name: panel[name] for name in ("tier", "because", "row", "effects", "past")}
    return members | {"decision": decision_to_dict(decision, CHECK_URL)}
