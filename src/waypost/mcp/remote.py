"""Backend of a service: every tool is a request to the API, with the caller's key, scopes and limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from waypost.client import AsyncClient, requests
from waypost.client.responses import Batch, Decision, Problem
from waypost.client.transport import Request, Response, read_decision
from waypost.formats.text import timestamp
from waypost.mcp.answers import NoResult
from waypost.mcp.backend import Backend, Progress, checked_answer, explained, problem_entry
from waypost.models.wire import decisions as wire
from waypost.operations import OPERATIONS, Operation
from waypost.registry import Registry
from waypost.registry import world as worlds

T = TypeVar("T")

_INCLUDE = ("evidence_summary", "policy_version")


class RemoteBackend(Backend):
    """Backend over the `AsyncClient` of a service.

    address  address of the caller, if the backend is a proxy
    """

    def __init__(self, client: AsyncClient, registry: Registry, address: str = "") -> None:
        super().__init__(registry)
        self._client = client
        self._codes = worlds.load().document("codes.json")
        self._headers = {"x-forwarded-for": address} if address else {}

    async def close(self) -> None:
        await self._client.close()

    async def run(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        if operation.gives is wire.Decision:
            return await self._decision(operation, arguments)
        document = await self._document(operation, arguments)
        if operation.gives is Any:
            return document
        # The schema of the tool forbids unknown members, added by a later service.
        return {name: value for name, value in document.items() if name in operation.result_members}

    def _request(self, operation: Operation, arguments: dict[str, Any]) -> Request[dict[str, Any]]:
        return requests.of_path(
            operation.method,
            operation.path,
            arguments,
            in_path=tuple(operation.members),
            once=operation.idempotent,
            repeatable=bool(operation.client and operation.client.harmless),  # no tool stores anything
            statuses=frozenset(operation.answers),
        )

    async def _document(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        return await self._send(self._request(operation, arguments), _document)

    async def _send(self, request: Request[Any], read: Callable[[Response], T]) -> T:
        return await self._client.send(
            msgspec.structs.replace(request, read=read, headers=request.headers | self._headers)
        )

    async def _decision(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        """Document of a decision, after the client's checks for the URL and action."""

        def both(response: Response) -> tuple[Decision, dict[str, Any]]:
            return _read_decision(response), _document(response)

        request = self._request(operation, arguments | {"include": _INCLUDE})
        decision, document = await self._send(request, both)
        return self._checked(arguments["url"], arguments["intended_action"], decision, document)

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

        request = msgspec.structs.replace(request, body=msgspec.json.encode(body))
        batch, document = await self._send(request, both)
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

    async def _explain_decision(self, decision_id: str) -> dict[str, Any]:
        document = await self._document(OPERATIONS["decision"], {"decision_id": decision_id})
        known = self._registry.document("api/decision.schema.json")["properties"]
        decision = {name: value for name, value in document.items() if name in known}
        return explained(decision, self._codes, expired=document.get("expired") is not False)


_read_decision = read_decision(Decision)


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
