"""Backend without a service: the shipped world, and the store of a data folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import aclosing
from copy import copy
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from waypost.errors import WaypostError
from waypost.mcp.answers import NoResult, reason_of
from waypost.mcp.backend import Backend, Progress, checked_answer, explained, problem_entry
from waypost.models.decision import UNSPECIFIED, Inclusion, Target
from waypost.models.relationship import Relationship, RelationshipMatch, RelationshipType
from waypost.models.wire.decisions import CheckRequest
from waypost.operations import OPERATIONS, Decided, Operation
from waypost.operations.context import Work
from waypost.preview.request import kinds
from waypost.registry import Registry
from waypost.registry.world import World
from waypost.safety.explain import explain, explanation_to_dict
from waypost.safety.relationship import applies, shipped
from waypost.safety.serialize import CHECK_URL, decision_to_dict
from waypost.service import AT_ONCE, Checked, Service, page_work
from waypost.service.batches import in_order
from waypost.service.problems import ErrorItem, ProblemError
from waypost.service.workers import page_workers
from waypost.store.cursors import Page, Position

STORED = 256
T = TypeVar("T")


class LocalBackend(Backend):
    """Backend over a `Service`."""

    def __init__(self, service: Service, registry: Registry) -> None:
        super().__init__(registry)
        self._context = LocalContext(service, registry)
        self._codes = service.world.document("codes.json")

    async def close(self) -> None:
        await self._context.close()

    async def run(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        if "kind" in arguments:
            _check_kind(arguments["kind"], self._registry)
        return await operation.result(arguments, self._context)

    async def _check_many(
        self, progress: Progress, items: list[dict[str, Any]], semantic: str = "execute_all"
    ) -> dict[str, Any]:
        request = {"items": items, "semantic": semantic}
        return await OPERATIONS["batch"].result(request, self._context.reporting(progress))

    async def _explain_decision(self, decision_id: str) -> dict[str, Any]:
        members, expired = self._context.explanation(decision_id)
        return explained(members, self._codes, expired=expired)

    async def _dispute(self, **_arguments: Any) -> dict[str, Any]:
        raise NoResult("no-dispute")


async def _silent(_done: int, _total: int) -> None:
    """Progress that is reported to no one."""


class LocalContext:
    """Context without a service: the shipped reviews count.

    The last STORED decisions are kept in memory, for their explanations and for the payments that they lead to.
    """

    site_url = ""
    scopes: frozenset[str] = frozenset()

    def __init__(self, service: Service, registry: Registry) -> None:
        self._service = service
        self.registry = registry
        self._pool = page_workers(workers=1)
        self._decisions: OrderedDict[str, Checked] = OrderedDict()
        self.progress: Progress = _silent

    def reporting(self, progress: Progress) -> LocalContext:
        """The same context, which reports the progress of a batch."""
        made = copy(self)
        made.progress = progress
        return made

    async def close(self) -> None:
        self._pool.close()
        await self._pool.ended()
        self._service.close()

    @property
    def world(self) -> World:
        return self._service.world

    @property
    def situation(self) -> page_work.Situation:
        return page_work.Situation(datetime.now(UTC), "")

    def now(self) -> int:
        return self._service.now()

    def place(self, member: str) -> ErrorItem:
        return {"pointer": f"#/{member}"}

    def problem(self, error: WaypostError) -> dict[str, Any]:
        # In our own words: texts of an error may repeat the request.
        document: dict[str, Any] = problem_entry(reason_of(error))["error"]
        return document

    async def check(self, url: str) -> Checked:
        return await self._service.check_async(url)

    async def decide(self, check: CheckRequest, _always: Collection[Inclusion] = frozenset()) -> Decided:
        action = check.intended_action or UNSPECIFIED
        checked = await self._service.check_async(
            check.url,
            action,
            counterparties=check.counterparties,
            payment=check.payment,
            referrer=self._leading_shop(check.referred_by or ""),
        )
        decision = checked.decision
        members = decision_to_dict(decision, CHECK_URL)
        if decision.action_allowed:
            # The client's own checks, as for an answer of a service: an allow about another host never leaves.
            checked_answer(check.url, action, _as_answer(members))
        self._decisions[decision.decision_id] = checked
        while len(self._decisions) > STORED:
            self._decisions.popitem(last=False)
        return Decided(members, allowed=decision.action_allowed)

    def _leading_shop(self, name: str) -> str:
        """Host of the allowed checkout with an id; empty for any other decision, and for an expired one."""
        referrer = self._decisions.get(name)
        shop = referrer.decision if referrer else None
        leads = shop is not None and shop.action_allowed and shop.action in {"payment", "checkout"}
        return shop.normalized_domain if shop is not None and leads and self.now() < shop.expires_at else ""

    def explanation(self, decision_id: str) -> tuple[dict[str, Any], bool]:
        """(members of a decision with the explanation, whether the decision has expired). Raises ProblemError."""
        try:
            decision, case = self._decisions[decision_id]
        except KeyError:
            raise ProblemError("not-found") from None
        members = decision_to_dict(decision, CHECK_URL)
        members["explanation"] = explanation_to_dict(explain(decision, self.world, case.now, case.policy_file))
        return members, self.now() >= decision.expires_at

    async def all_decided(self, works: Sequence[Work[T]], *, until_denied: bool) -> list[tuple[T, bool]]:
        results: list[tuple[T, bool]] = []
        async with aclosing(in_order(works, at_once=1 if until_denied else AT_ONCE)) as found:
            async for each in found:
                results.append(each)
                await self.progress(len(results), len(works))
                if until_denied and not each[1]:
                    break
        return results

    async def spend(self, items: int) -> None:
        """Nothing is counted: there are no limits without a service."""

    def check_live(self) -> None:
        """Nothing live is changed: there is no store."""

    def accepts(self, *media: str) -> str:
        return media[0]

    def in_worker(self, work: Callable[..., T], *arguments: Any) -> Awaitable[T]:
        return self._pool.run(work, *arguments)

    async def aside(self, work: Callable[[], T]) -> T:
        return work()

    def reviews_of(self, checked: Checked) -> Iterable[Relationship]:
        return shipped(self.world, checked.case.target)

    def owner_of(self, review: Relationship) -> tuple[str, RelationshipType]:
        return self.world.brands[review.entity].name, "official_site"

    async def search(self, work: Callable[[], T]) -> T:
        return work()

    def accepted(self, _query: str, _kinds: Collection[str]) -> Collection[tuple[RelationshipMatch, Relationship]]:
        return ()

    def disputed(self, targets: Iterable[Target]) -> Collection[tuple[str, str]]:
        return {(target.host, "host") for target in targets if self._is_disputed(target)}

    def _is_disputed(self, target: Target) -> bool:
        known = self._service.relationships(target)
        return any(relationship.state == "disputed" and applies(relationship, target) for relationship in known)

    async def page(
        self, _cursor: str | None, _bound: tuple[str, ...], find: Callable[[Position | None], Page[T]]
    ) -> tuple[tuple[T, ...], str | None]:
        return tuple(find(None).items), None


def _check_kind(kind: str, registry: Registry) -> None:
    if kind not in kinds(registry):
        detail = f"it must be one of {', '.join(kinds(registry))}"
        raise ProblemError("invalid-request", errors=[{"pointer": "#/kind", "code": "enum", "detail": detail}])


def _as_answer(members: dict[str, Any]) -> Any:
    """Decision as a response of the service, for the client's checks."""
    from waypost.client.responses import Decision as Answer

    return msgspec.json.decode(msgspec.json.encode(members | {"dispute_path": ""}), type=Answer)
