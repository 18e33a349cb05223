"""What a running door holds, built in one place: the world, the reviews, the lists, the network and the clock.

    with open_service(data_folder()) as service:
        checked = service.check("https://shop.example/pay", "payment")

Everything outside is a function that was handed in. Where one of them fails, is late or says what cannot be, the
answer is a stop, or there is none: `NotReady`, which a caller treats as a stop. Nothing here keeps, logs or repeats
a URL: it becomes a `Target` at once.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from waypost.errors import NotReady, UnknownAction, WaypostError
from waypost.formats.ids import new_id_in_order
from waypost.formats.text import near
from waypost.models.decision import ACTIONS, UNSPECIFIED, Decision, Evidence, SensitiveUrl, Target
from waypost.models.relationship import Relationship
from waypost.registry import world as worlds
from waypost.registry.world import World
from waypost.safety.decide import DecisionInput, decide
from waypost.safety.policy import DEFAULT, find
from waypost.safety.target import normalise

if TYPE_CHECKING:
    from waypost.models.observation import Observations
    from waypost.net.rdap import Registries
    from waypost.registry.vocabulary import Vocabulary
    from waypost.service.looking import Eyes, Look, Looked

Known = Callable[[Target, int], tuple[Relationship, ...]]
"""The relationships that may be about a destination, at a time."""
Lists = Callable[[Target, int], tuple[Evidence, ...]]
"""What the threat lists say of a destination, at a time; nothing where there is no list."""
Url = SensitiveUrl | str
Told = TypeVar("Told")

ASKING: ContextVar[str] = ContextVar("organization", default="")
"""The organization that asks, where one does: what its own reviewers accepted holds for it, and for nobody else."""

WITHIN_S = 1.5
LEAST_S, MOST_S = 0.05, 5.0
"""Seconds for the network: the usual, the least and the most that a caller may ask for."""
AT_ONCE = 32


class Checked(NamedTuple):
    """A decision, and all that it rests on besides the world."""

    decision: Decision
    case: DecisionInput


def clock() -> int:
    """Now, in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def _nothing(_target: Target, _now: int) -> tuple[()]:
    return ()


@cache
def _shipped_vocabulary() -> Vocabulary:
    from waypost.registry import load

    return load().vocabulary


class Service:
    """Answers whether an action may go ahead at a destination.

    look    asks the network; none where it is off
    known   the relationships of the store, besides those that ship with the world
    lists   the threat lists
    closing what is let go of with the service
    """

    def __init__(
        self,
        world: World,
        *,
        look: Look | None = None,
        known: Known = _nothing,
        lists: Lists = _nothing,
        vocabulary: Callable[[], Vocabulary] = _shipped_vocabulary,
        now: Callable[[], int] = clock,
        new_id: Callable[[], str] = new_id_in_order,
        policy: str = DEFAULT,
        trust_shipped_reviews: bool = True,
        closing: ExitStack | None = None,
    ) -> None:
        self.world = world
        self.policy = find(world, policy).version
        self.now = now
        self._known = known
        self._lists = lists
        self._new_id = new_id
        self._trust_shipped_reviews = trust_shipped_reviews
        self._closing = closing or ExitStack()
        self._eyes = _eyes(look, world, vocabulary, now) if look else None

    def check(
        self, url: Url, action: str = UNSPECIFIED, *, policy: str | None = None, within_s: float = WITHIN_S
    ) -> Checked:
        """The decision, waited for; see `check_async`, which is for use inside an event loop."""
        (result,) = self.checks([url], action, policy=policy, within_s=within_s)
        if isinstance(result, WaypostError):
            raise result
        return result

    async def check_async(
        self, url: Url, action: str = UNSPECIFIED, *, policy: str | None = None, within_s: float = WITHIN_S
    ) -> Checked:
        """The decision for an action at a URL.

        Raises InvalidUrl, UnknownAction, UnknownPolicy and NotReady: then there is no decision, which is a stop.
        """
        with _NOTHING_ELSE:
            target, version = self._asked(url, action, policy)
            eyes = self._eyes
            looked = (eyes.seen_lately(target) or await eyes.at(target, within_s)) if eyes else None
            return self._judged(target, action, version, looked)

    def checks(
        self, urls: Iterable[Url], action: str = UNSPECIFIED, *, policy: str | None = None, within_s: float = WITHIN_S
    ) -> Iterator[Checked | WaypostError]:
        """A decision for each URL, or why there is none, in their order; see `checks_async`."""
        if self._eyes is None:
            for url in urls:
                yield self._checked_here(url, action, policy)
            return
        import asyncio

        results = self.checks_async(urls, action, policy=policy, within_s=within_s)

        async def following() -> Checked | WaypostError | None:
            return await anext(results, None)

        with asyncio.Runner() as runner:
            while (result := runner.run(following())) is not None:
                yield result

    async def checks_async(
        self, urls: Iterable[Url], action: str = UNSPECIFIED, *, policy: str | None = None, within_s: float = WITHIN_S
    ) -> AsyncIterator[Checked | WaypostError]:
        """The same inside an event loop, `AT_ONCE` at a time."""
        import asyncio
        from collections import deque

        async def one(url: Url) -> Checked | WaypostError:
            try:
                return await self.check_async(url, action, policy=policy, within_s=within_s)
            except WaypostError as fault:
                return fault

        waiting: deque[asyncio.Task[Checked | WaypostError]] = deque()
        try:
            for url in urls:
                waiting.append(asyncio.create_task(one(url)))
                if len(waiting) >= AT_ONCE:
                    yield await waiting.popleft()
            while waiting:
                yield await waiting.popleft()
        finally:
            for each in waiting:
                each.cancel()

    def _checked_here(self, url: Url, action: str, policy: str | None) -> Checked | WaypostError:
        """A decision without the network, and without an event loop."""
        try:
            with _NOTHING_ELSE:
                target, version = self._asked(url, action, policy)
                return self._judged(target, action, version, None)
        except WaypostError as fault:
            return fault

    def _asked(self, url: Url, action: str, policy: str | None) -> tuple[Target, str]:
        if action not in ACTIONS and action != UNSPECIFIED:
            raise UnknownAction(ACTIONS, near(action, ACTIONS))
        version = find(self.world, policy).version if policy else self.policy
        return normalise(url), version

    def _judged(self, target: Target, action: str, version: str, looked: Looked | None) -> Checked:
        now = self.now()
        known = _told_by("the store", self._known, target, now)
        listed = _told_by("a threat list", self._lists, target, now)
        case = DecisionInput(
            decision_id=self._new_id(),
            target=target,
            action=action,
            now=now,
            seen=looked.seen if looked else None,
            relationships=(*known, *looked.claims) if looked else known,
            further=(*listed, *looked.evidence) if looked else listed,
            policy=version,
            trust_shipped_reviews=self._trust_shipped_reviews,
        )
        return Checked(decide(case, self.world), case)

    def close(self) -> None:
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _eyes(look: Look, world: World, vocabulary: Callable[[], Vocabulary], now: Callable[[], int]) -> Eyes:
    from waypost.service.looking import Eyes

    return Eyes(look, world, vocabulary, now)


def _told_by(whom: str, ask: Callable[[Target, int], tuple[Told, ...]], target: Target, now: int) -> tuple[Told, ...]:
    """What a provider says. One that fails may be hiding a dispute or a match, so there is no decision without it."""
    try:
        return tuple(ask(target, now))
    except WaypostError:
        raise
    except Exception as fault:  # noqa: BLE001  whatever it was, it is not known what it kept from us
        raise NotReady(f"{whom} cannot be read ({type(fault).__name__}); no decision can be made") from None


class _NothingElse:
    """What nobody foresaw is no decision, and its text, which may hold anything, goes no further."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        if isinstance(fault, Exception) and not isinstance(fault, WaypostError):
            raise NotReady(f"the check failed ({type(fault).__name__}); no decision can be made") from None


_NOTHING_ELSE = _NothingElse()


def open_service(
    folder: Path | None = None,
    *,
    offline: bool = False,
    policy: str = DEFAULT,
    trust_shipped_reviews: bool = True,
    now: Callable[[], int] = clock,
    through: Callable[[Look], Look] | None = None,
) -> Service:
    """A service over the shipped world, and over a data folder's store, lists and registries where they are.

    through  what the look at the network is made to go through; see `gate`
    Raises StoreError, NotReady, UnknownPolicy and RegistryError.
    """
    world = worlds.load()
    with ExitStack() as opened:
        known: Known = _nothing
        lists: Lists = _nothing
        registries = None
        if folder is not None and _is_there(folder):
            known = _stored(folder, opened)
            lists = _listed(folder, world, opened)
            registries = None if offline else _registries(folder)
        look = None if offline else network(registries)
        return Service(
            world,
            look=through(look) if look and through else look,
            known=known,
            lists=lists,
            policy=policy,
            trust_shipped_reviews=trust_shipped_reviews,
            now=now,
            closing=opened.pop_all(),
        )


def network(registries: Registries | None = None, now: Callable[[], int] = clock, **how: Any) -> Look:
    """The network as it is: only public addresses, the machine's own resolver and trust.

    registries  RDAP servers; the shipped table without them
    how         what else `look_async` takes; only tests, which know a loopback network, give any
    """

    async def look(target: Target, within_s: float) -> Observations:
        from waypost.net.look import look_async

        return await look_async(
            target.host,
            scheme=target.scheme,
            port=target.port,
            # A tenant's name is not registered at any registry, nor is an address.
            registrable="" if target.hosted or target.address else target.registrable,
            within_s=within_s,
            registries=registries,
            now=now,
            **how,
        )

    return look


def _stored(folder: Path, opened: ExitStack) -> Known:
    """The relationships of a folder's store, if there is one: to ask is no reason to make it."""
    from waypost.store.open import NAME, open_store
    from waypost.store.relationships import about

    if not _is_there(folder / NAME):
        return _nothing
    store = opened.enter_context(open_store(folder))
    return lambda target, _: store.read(lambda db: about(db, target.host, target.registrable, ASKING.get()))


def _listed(folder: Path, world: World, opened: ExitStack) -> Lists:
    """The threat lists of a folder, if there are any."""
    from waypost.feeds import FOLDER, Feeds

    if not _is_there(folder / FOLDER):
        return _nothing
    feeds = opened.enter_context(Feeds.load(folder / FOLDER))
    return lambda target, now: feeds.evidence(target, world, now)


def _registries(folder: Path) -> Registries | None:
    """The whole RDAP bootstrap file, if it was fetched."""
    from waypost.feeds import REGISTRIES
    from waypost.net.rdap import read_bootstrap

    path = folder / REGISTRIES
    return read_bootstrap(path.read_bytes(), path.name) if _is_there(path) else None


def _is_there(path: Path) -> bool:
    """Whether a path leads to anything. Raises NotReady where that cannot be told: a dispute may lie there."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise NotReady(f"{path} cannot be read: {(fault.strerror or str(fault)).lower()}") from None
    return True
