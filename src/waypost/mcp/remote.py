"""Backend of a service: every tool is a request to the API, with the caller's key, scopes and limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from waypost.client import AsyncClient, requests
from waypost.client.responses import Decision
from waypost.client.transport import Request, Response
from waypost.contract.schemas import names
from waypost.errors import UnknownType
from waypost.formats.text import timestamp
from waypost.mcp.answers import NoResult
from waypost.mcp.backend import Backend, bounded_card, bounded_report, checked_answer, explained
from waypost.registry import Registry
from waypost.registry import world as worlds

_INCLUDE = ("evidence_summary", "policy_version")


class RemoteBackend(Backend):
    """Backend over the `AsyncClient` of a service.

    address  address of the caller, if the backend is a proxy
    """

    def __init__(self, client: AsyncClient, registry: Registry, address: str = "") -> None:
        self._client = client
        self._registry = registry
        self._codes = worlds.load().document("codes.json")
        self._headers = {"x-forwarded-for": address} if address else {}

    async def close(self) -> None:
        await self._client.close()

    async def _send(self, request: Request[Any], gives: str) -> dict[str, Any]:
        """Document of a response, without unknown top-level members, added by a later service."""
        request = msgspec.structs.replace(request, read=_document, headers=request.headers | self._headers)
        document: dict[str, Any] = await self._client.send(request)
        # The schema of the tool forbids unknown members.
        known = self._registry.document(f"api/{gives}.schema.json")["properties"]
        return {name: value for name, value in document.items() if name in known}

    async def _decision(self, url: str, action: str, request: Request[Decision]) -> dict[str, Any]:
        """Document of a decision, after the client's checks for the URL and action."""
        read: list[Decision] = []

        def both(response: Response) -> Any:
            read.append(request.read(response))
            return _document(response)

        sent: Any = msgspec.structs.replace(request, read=both, headers=request.headers | self._headers)
        document: dict[str, Any] = await self._client.send(sent)
        checked_answer(url, action, read[-1])
        # The client has cut the time by this machine's clock, and to a day. The agent reads it in the document.
        document["expires_at"] = timestamp(round(read[-1].expires_at.timestamp() * 1000))
        properties = self._registry.document("api/decision.schema.json")["properties"]
        return {name: value for name, value in document.items() if name in properties}

    async def _check_destination(
        self, url: str, intended_action: str, claimed_brand: str | None = None, payee: dict[str, str] | None = None
    ) -> dict[str, Any]:
        name = payee["name"] if payee else None
        request = requests.agent_safety(url, intended_action, include=_INCLUDE, claimed_brand=claimed_brand, payee=name)
        return await self._decision(url, intended_action, request)

    async def _explain_decision(self, decision_id: str) -> dict[str, Any]:
        request: Any = msgspec.structs.replace(requests.decision(decision_id), read=_document, headers=self._headers)
        document: dict[str, Any] = await self._client.send(request)
        known = self._registry.document("api/decision.schema.json")["properties"]
        decision = {name: value for name, value in document.items() if name in known}
        return explained(decision, self._codes, expired=document.get("expired") is not False)

    async def _find_official(self, query: str, type: str | None = None, limit: int = 10) -> dict[str, Any]:  # noqa: A002
        return await self._send(requests.official(query, kind=type, limit=limit), "official-answer")

    async def _domain_profile(self, domain: str) -> dict[str, Any]:
        return await self._send(requests.domain(domain), "domain-profile")

    async def _validate_markup(self, type: str | None = None, **members: Any) -> dict[str, Any]:  # noqa: A002
        document = await self._send(requests.validate(kind=type, **members), "validate-answer")
        return _bounded(bounded_report, document)

    async def _preview_snippet(self, kind: str, **members: Any) -> dict[str, Any]:
        return _bounded(bounded_card, await self._send(requests.make_snippet(kind, **members), "made-snippet"))

    async def _schema(self, name: str | None = None) -> dict[str, Any]:
        if name is None:
            return {"index": await self._send(requests.schemas(), "schema-index")}
        request: Any = msgspec.structs.replace(requests.schema(name), read=_document, headers=self._headers)
        document = await self._client.send(request)
        own = str(document.get("title", "")) if isinstance(document, dict) else ""
        if own not in names(self._registry):
            raise UnknownType("")
        return {"name": own, "schema": document}

    async def _dispute(self, decision_id: str, claim: str, statement: str, **members: Any) -> dict[str, Any]:
        return await self._send(requests.dispute(decision_id, claim, statement, **members), "dispute-opened")


def _bounded(bound: Callable[[dict[str, Any]], dict[str, Any]], document: dict[str, Any]) -> dict[str, Any]:
    try:
        return bound(document)
    except (LookupError, TypeError, AttributeError):  # the schema is checked only after the document was cut
        raise NoResult("unreadable") from None


def _document(response: Response) -> Any:
    """JSON object of a response. Raises ValueError for anything else and for a repeated member."""
    document = json.loads(response.body, object_pairs_hook=_once)
    if not isinstance(document, dict):
        raise ValueError("the response is not an object")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a member is there twice")
    return dict(pairs)
