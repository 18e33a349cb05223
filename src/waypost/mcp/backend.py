"""Backends of the tools: base class and shared parts of local and remote calls."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from waypost.client.responses import Decision
from waypost.client.transport import approved
from waypost.contract.problems import problems
from waypost.contract.schemas import names
from waypost.errors import UnknownType, WaypostError
from waypost.mcp.answers import NoResult
from waypost.mcp.tools import Tool
from waypost.models.decision import SensitiveUrl
from waypost.operations import OPERATIONS, Operation
from waypost.registry import Registry
from waypost.service.problems import ProblemError, to_problem

Progress = Callable[[int, int], Awaitable[None]]
"""Report of the checks done and of their number."""
_CODES = ("reason_codes", "unknowns", "relationship_statuses", "risk_statuses", "confidence_classes")


class Backend(ABC):
    """Carries out the calls of tools: `run` those that are just an operation, a method `_<tool>` each of the others.

    The methods raise WaypostError for a call without a result.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def call(self, tool: Tool, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        if tool.name == "check_many":
            return await self._check_many(progress, **arguments)
        if own := getattr(self, f"_{tool.name}", None):
            document: dict[str, Any] = await own(**arguments)
            return document
        given = {**tool.made.defaults, **arguments}
        found = await self.run(tool.operation, {tool.made.words.get(name, name): given[name] for name in given})
        try:
            return tool.made.cut(found)
        except (LookupError, TypeError, AttributeError):  # the schema is checked only after the document was cut
            raise NoResult("unreadable") from None

    @abstractmethod
    async def run(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        """Document of an operation's result."""

    @abstractmethod
    async def close(self) -> None: ...

    @abstractmethod
    async def _check_many(
        self, progress: Progress, items: list[dict[str, Any]], semantic: str = "execute_all"
    ) -> dict[str, Any]: ...

    async def _schema(self, name: str | None = None) -> dict[str, Any]:
        if name is None:
            return {"index": await self.run(OPERATIONS["schemas"], {})}
        document = await self.run(OPERATIONS["schema"], {"type": name})
        own = str(document.get("title", ""))
        if own not in names(self._registry):
            raise UnknownType("")
        return {"name": own, "schema": document}


def problem_entry(code: str) -> dict[str, Any]:
    """Entry of a batch for a check without a decision."""
    problem = to_problem(ProblemError(code if code in problems() else "not-ready"), str(uuid.uuid4()), "")
    return {"error": problem.body}


def checked_answer(url: SensitiveUrl | str, action: str, decision: Decision) -> None:
    """Raise NoResult for an allow of another action or host, and for an expired allow. Stops pass."""
    if decision.action_allowed is not True:
        return
    verdict = approved(url, action, decision)
    if isinstance(verdict, WaypostError):
        reasons = getattr(verdict, "reasons", ())
        raise NoResult(reasons[0] if reasons else "unreadable")


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
