"""Backend of a service: every tool is a request to the API, with the caller's key, scopes and limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

import msgspec

from waypost.client import AsyncClient, requests
from waypost.client.responses import Batch, Decision, Problem
from waypost.client.transport import Request, Response
from waypost.contract.schemas import names
from waypost.errors import UnknownType
from waypost.formats.text import timestamp
from waypost.mcp.answers import NoResult
from waypost.mcp.backend import (
    Backend,
    Progress,
    bounded_card,
    bounded_report,
    checked_answer,
    explained,
    problem_entry,
)
from waypost.operations import Operation
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

    async def run(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        request = requests.of_path(operation.method, operation.path, arguments)
        return await self._send(request, operation.members)

    async def _send(self, request: Request[Any], known: Collection[str]) -> dict[str, Any]:
        """Document of a response, without unknown top-level members, added by a later service."""
        request = msgspec.structs.replace(request, read=_document, headers=request.headers | self._headers)
        document: dict[str, Any] = await self._client.send(request)
        # The schema of the tool forbids unknown members.
        return {name: value for name, value in document.items() if name in known}

    def _members(self, gives: str) -> Collection[str]:
        known: dict[str, Any] = self._registry.document(f"api/{gives}.schema.json")["properties"]
        return known

    async def _decision(self, url: str, action: str, request: Request[Decision]) -> dict[str, Any]:
        """Document of a decision, after the client's checks for the URL and action."""
        read: list[Decision] = []

        def both(response: Response) -> Any:
            read.append(request.read(response))
            return _document(response)

        sent: Any = msgspec.structs.replace(request, read=both, headers=request.headers | self._headers)
        document: dict[str, Any] = await self._client.send(sent)
        return self._checked(url, action, read[-1], document)

    def _checked(self, url: str, action: str, decision: Decision, document: dict[str, Any]) -> dict[str, Any]:
        """Document of a decision after the client's checks. Raises NoResult."""
        checked_answer(url, action, decision)
        # The client has cut the time by this machine's clock, and to a day. The agent reads it in the document.
        document["expires_at"] = timestamp(round(decision.expires_at.timestamp() * 1000))
        properties = self._registry.document("api/decision.schema.json")["properties"]
        return {name: value for name, value in document.items() if name in properties}

    async def _check_many(
        self, progress: Progress, items: list[dict[str, Any]], semantic: str = "execute_all"
    ) -> dict[str, Any]:
        """Batch of the service, which checks side by side within the organization's share of network checks."""
        ends_early = semantic == "deny_on_first_deny"
        pairs = [(item["url"], item["intended_action"]) for item in items]
        request = requests.batch(pairs, until_first_stop=ends_early)
        body = {"items": [item | {"include": _INCLUDE} for item in items], "semantic": semantic}

        def both(response: Response) -> tuple[Batch, dict[str, Any]]:
            return request.read(response), _document(response)

        sent: Any = msgspec.structs.replace(
            request, body=msgspec.json.encode(body), read=both, headers=request.headers | self._headers
        )
        batch, document = await self._client.send(sent)
        results = [
            self._entry(*pair, result, entry)
            for pair, result, entry in zip(pairs, batch.results, document["results"], strict=False)
        ]
        await progress(len(items), len(items))
        stop = next((number for number, each in enumerate(results) if each.get("action_allowed") is not True), None)
        if ends_early and stop is not None:
            # Also where our own checks have found the stop.
            return {"results": results[: stop + 1], "stopped_at": stop}
        return {"results": results}

    def _entry(self, url: str, action: str, result: Decision | Problem, document: dict[str, Any]) -> dict[str, Any]:
        """Entry of a batch, in our own words where there is no decision."""
        if isinstance(result, Problem):
            return problem_entry(result.code)
        try:
            return self._checked(url, action, result, document)
        except NoResult as error:
            return problem_entry(error.reason)

    async def _check_destination(self, url: str, intended_action: str, **more: Any) -> dict[str, Any]:
        request = requests.agent_safety(url, intended_action, include=_INCLUDE, **more)
        return await self._decision(url, intended_action, request)

    async def _explain_decision(self, decision_id: str) -> dict[str, Any]:
        request: Any = msgspec.structs.replace(requests.decision(decision_id), read=_document, headers=self._headers)
        document: dict[str, Any] = await self._client.send(request)
        known = self._registry.document("api/decision.schema.json")["properties"]
        decision = {name: value for name, value in document.items() if name in known}
        return explained(decision, self._codes, expired=document.get("expired") is not False)

    async def _validate_markup(self, type: str | None = None, **members: Any) -> dict[str, Any]:  # noqa: A002
        document = await self._send(requests.validate(kind=type, **members), self._members("validate-answer"))
        return _bounded(bounded_report, document)

    async def _preview_snippet(self, kind: str, **members: Any) -> dict[str, Any]:
        return _bounded(
            bounded_card, await self._send(requests.make_snippet(kind, **members), self._members("made-snippet"))
        )

    async def _named_schema(self, name: str) -> dict[str, Any]:
        request: Any = msgspec.structs.replace(requests.schema(name), read=_document, headers=self._headers)
        document = await self._client.send(request)
        own = str(document.get("title", "")) if isinstance(document, dict) else ""
        if own not in names(self._registry):
            raise UnknownType("")
        return {"name": own, "schema": document}

    async def _dispute(self, decision_id: str, claim: str, statement: str, **members: Any) -> dict[str, Any]:
        return await self._send(
            requests.dispute(decision_id, claim, statement, **members), self._members("dispute-opened")
        )


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
        raise ValueError("a member occurs twice")
    return dict(pairs)
