"""Backend without a service: the shipped world, and the store of a data folder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import msgspec

from waypost.contract.schemas import names, published
from waypost.mcp.answers import NoResult
from waypost.mcp.backend import Backend, bounded_card, bounded_report, checked_answer, explained
from waypost.models.decision import Target, decode_sensitive
from waypost.models.relationship import Relationship, RelationshipMatch, RelationshipType
from waypost.models.wire.decisions import CheckRequest
from waypost.operations import Operation
from waypost.preview.request import kinds
from waypost.registry import Registry
from waypost.registry.world import World
from waypost.safety.explain import explain, explanation_to_dict
from waypost.safety.relationship import applies, shipped
from waypost.safety.serialize import CHECK_URL, decision_to_dict
from waypost.service import Checked, Service, page_work
from waypost.service.body import JSON
from waypost.service.problems import ErrorItem, ProblemError
from waypost.service.workers import page_workers
from waypost.store.cursors import Page, Position

STORED = 256
T = TypeVar("T")


class LocalBackend(Backend):
    """Backend over a `Service`. The last STORED decisions are kept in memory, for their explanations."""

    def __init__(self, service: Service, registry: Registry) -> None:
        self._service = service
        self._registry = registry
        self._pool = page_workers(workers=1)
        self._decisions: OrderedDict[str, Checked] = OrderedDict()
        self._codes = service.world.document("codes.json")

    async def close(self) -> None:
        self._pool.close()
        await self._pool.ended()
        self._service.close()

    async def _check_destination(self, url: str, intended_action: str, **more: Any) -> dict[str, Any]:
        referrer = self._decisions.get(more.pop("referred_by", ""))
        check = msgspec.convert({"url": url, **more}, CheckRequest, dec_hook=decode_sensitive)
        shop = referrer.decision if referrer else None
        leads = shop is not None and shop.action_allowed and shop.action in {"payment", "checkout"}
        is_valid = leads and shop is not None and self._service.now() < shop.expires_at
        checked = await self._service.check_async(
            url,
            intended_action,
            counterparties=check.counterparties,
            payment=check.payment,
            referrer=shop.normalized_domain if shop is not None and is_valid else "",
        )
        decision = checked.decision
        members = decision_to_dict(decision, CHECK_URL)
        if decision.action_allowed:
            # The client's own checks, as for an answer of a service: an allow about another host never leaves.
            checked_answer(url, intended_action, _as_answer(members))
        self._decisions[decision.decision_id] = checked
        while len(self._decisions) > STORED:
            self._decisions.popitem(last=False)
        return members

    async def _explain_decision(self, decision_id: str) -> dict[str, Any]:
        try:
            decision, case = self._decisions[decision_id]
        except KeyError:
            raise ProblemError("not-found") from None
        members = decision_to_dict(decision, CHECK_URL)
        members["explanation"] = explanation_to_dict(explain(decision, self._service.world, case.now, case.policy_file))
        return explained(members, self._codes, expired=self._service.now() >= decision.expires_at)

    async def run(self, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await operation.result(arguments, LocalContext(self._service, self._registry))
        document: dict[str, Any] = msgspec.to_builtins(result)
        return document

    async def _validate_markup(self, **arguments: Any) -> dict[str, Any]:
        raw = msgspec.json.encode(arguments)
        answer = await self._pool.run(page_work.validate, raw, JSON, JSON, _situation())
        return bounded_report(msgspec.json.decode(answer))

    async def _preview_snippet(self, kind: str, **arguments: Any) -> dict[str, Any]:
        _check_kind(kind, self._registry)
        raw = msgspec.json.encode(arguments)
        made = await self._pool.run(partial(page_work.make_snippet, may_store=False), raw, kind, _situation())
        return bounded_card(msgspec.json.decode(made.body))

    async def _named_schema(self, name: str) -> dict[str, Any]:
        registry = self._registry
        document = registry.schema(name)
        own = name if name in names(registry) else str(document["title"])
        return {"name": own, "schema": msgspec.json.decode(published(registry, own, ""))}

    async def _dispute(self, **_arguments: Any) -> dict[str, Any]:
        raise NoResult("no-dispute")


class LocalContext:
    """Context without a service: the shipped reviews count."""

    site_url = ""

    def __init__(self, service: Service, registry: Registry) -> None:
        self._service = service
        self.registry = registry

    @property
    def world(self) -> World:
        return self._service.world

    def now(self) -> int:
        return self._service.now()

    def place(self, member: str) -> ErrorItem:
        return {"pointer": f"#/{member}"}

    async def check(self, url: str) -> Checked:
        return await self._service.check_async(url)

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


def _situation() -> page_work.Situation:
    return page_work.Situation(datetime.now(UTC), "")


def _check_kind(kind: str, registry: Registry) -> None:
    if kind not in kinds(registry):
        detail = f"it must be one of {', '.join(kinds(registry))}"
        raise ProblemError("invalid-request", errors=[{"pointer": "#/kind", "code": "enum", "detail": detail}])


def _as_answer(members: dict[str, Any]) -> Any:
    """Decision as a response of the service, for the client's checks."""
    from waypost.client.responses import Decision as Answer

    return msgspec.json.decode(msgspec.json.encode(members | {"dispute_path": ""}), type=Answer)
