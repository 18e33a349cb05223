"""Backends of the tools: base class and shared parts of local and remote calls."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from waypost.client.responses import Decision
from waypost.client.transport import approved
from waypost.contract.problems import problems
from waypost.errors import WaypostError
from waypost.mcp.answers import NoResult, reason_of
from waypost.operations import OPERATIONS, Operation
from waypost.service import AT_ONCE
from waypost.service.batches import in_order
from waypost.service.problems import ProblemError, to_problem

Progress = Callable[[int, int], Awaitable[None]]
"""Report of the checks done and of their number."""
MOST_FINDINGS = 100
_CODES = ("reason_codes", "unknowns", "relationship_statuses", "risk_statuses", "confidence_classes")


class Backend(ABC):
    """Carries out the calls of tools: `run` those that are operations, a method `_<tool>` each of the others.

    The methods raise WaypostError for a call without a result.
    """

    async def call(self, tool: str, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        if tool == "check_many":
            return await self._check_many(progress, **arguments)
        if tool in OPERATIONS:
            return await self.run(OPERATIONS[tool], arguments)
        document: dict[str, Any] = await getattr(self, f"_{tool}")(**arguments)
        return document

    @abstractmethod
    async def run(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        """Document of an operation's result."""

    @abstractmethod
    async def close(self) -> None: ...

    async def _find_official(self, query: str, type: str | None = None, limit: int = 10) -> dict[str, Any]:  # noqa: A002
        kind = {"type": type} if type else {}
        return await self.run(OPERATIONS["official"], {"q": query, **kind, "limit": limit})

    async def _schema(self, name: str | None = None) -> dict[str, Any]:
        if name is None:
            return {"index": await self.run(OPERATIONS["schemas"], {})}
        return await self._named_schema(name)

    @abstractmethod
    async def _named_schema(self, name: str) -> dict[str, Any]: ...

    @abstractmethod
    async def _check_destination(self, url: str, intended_action: str, **more: Any) -> dict[str, Any]:
        """Document of a decision. `more`: further members of `tool-check-request`, by which they are checked before."""

    async def _check_many(
        self, progress: Progress, items: list[dict[str, Any]], semantic: str = "execute_all"
    ) -> dict[str, Any]:
        ends_early = semantic == "deny_on_first_deny"
        results: list[dict[str, Any]] = []
        works = [partial(self._result_of, item) for item in items]
        async with aclosing(in_order(works, at_once=1 if ends_early else AT_ONCE)) as entries:
            async for entry in entries:
                results.append(entry)
                await progress(len(results), len(items))
                # Anything but an explicit allow is a stop, errors included.
                if ends_early and entry.get("action_allowed") is not True:
                    return {"results": results, "stopped_at": len(results) - 1}
        return {"results": results}

    async def _result_of(self, item: dict[str, Any]) -> dict[str, Any]:
        """Entry of a batch: the decision, or the problem of a check without one, in our own words."""
        try:
            return await self._check_destination(**item)
        except WaypostError as error:
            return problem_entry(reason_of(error))


def problem_entry(code: str) -> dict[str, Any]:
    """Entry of a batch for a check without a decision."""
    problem = to_problem(ProblemError(code if code in problems() else "not-ready"), str(uuid.uuid4()), "")
    return {"error": problem.body}


def checked_answer(url: str, action: str, decision: Decision) -> None:
    """Raise NoResult for an allow of another action or host, and for an expired allow. Stops pass."""
    if decision.action_allowed is not True:
        return
    verdict = approved(url, action, decision)
    if isinstance(verdict, WaypostError):
        reasons = getattr(verdict, "reasons", ())
        raise NoResult(reasons[0] if reasons else "unreadable")


def bounded_report(document: dict[str, Any]) -> dict[str, Any]:
    """Report of a validation with at most MOST_FINDINGS findings; the summary counts the rest too."""
    left = MOST_FINDINGS
    for file in document["files"]:
        findings = file["findings"]
        if len(findings) > left:
            file["findings"], document["truncated"] = findings[:left], True
        left -= len(file["findings"])
    return document


def bounded_card(document: dict[str, Any]) -> dict[str, Any]:
    """Card with at most MOST_FINDINGS findings."""
    document["findings"] = document["findings"][:MOST_FINDINGS]
    return document


def explained(decision: dict[str, Any], codes: Mapping[str, Mapping[str, str]], *, expired: bool) -> dict[str, Any]:
    """Document of an explanation: the decision and the sentences of the codes."""
    known: dict[str, str] = {}
    for kind in _CODES:
        known |= codes[kind]
    named = [
        decision["relationship_status"],
        decision["risk_status"],
        decision["confidence_class"],
        *decision["reason_codes"],
        *decision["unknowns"],
    ]
    sentences = [{"code": code, "sentence": known[code]} for code in dict.fromkeys(named) if code in known]
    return {"decision": decision, "expired": expired, "sentences": sentences}
