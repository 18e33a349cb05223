"""Check of an action at a destination: address, store, threat lists and network in, a decision out."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache, cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from waypost.errors import NotReady, UnknownAction, UnknownPolicy, WaypostError
from waypost.formats.ids import new_id_in_order
from waypost.formats.text import near
from waypost.models.decision import ACTIONS, UNSPECIFIED, Decision, Evidence, SensitiveUrl, Target
from waypost.models.payment import Payment, PaymentRequest
from waypost.models.relationship import OwnershipSnapshot, Relationship
from waypost.registry.world import World
from waypost.safety import ownership
from waypost.safety.brand_index import brand_index_of
from waypost.safety.counterparty import counterparties_of
from waypost.safety.decide import decide, relationships_of
from waypost.safety.decision_input import DecisionInput
from waypost.safety.policy import DEFAULT, find, policies
from waypost.safety.relationship import applies
from waypost.safety.suffixes import read_all
from waypost.safety.target import of_host
from waypost.safety.url_reading import Address, read_address
from waypost.service.memory import SignalMemory
from waypost.service.providers import (
    InMemory,
    Known,
    Lists,
    MustWait,
    Piece,
    Recent,
    from_memory,
)
from waypost.tracing import Span, span

if TYPE_CHECKING:
    from concurrent.futures import Future

    from waypost.isolation.threads import ProviderThreads
    from waypost.models.observation import StoredSignal
    from waypost.registry.vocabulary import Vocabulary
    from waypost.service.merchants import Merchants, Read
    from waypost.service.observer import Observed, Observer, Probe
    from waypost.service.store_notes import StoreNotes

Url = SensitiveUrl | str

WITHIN_S = 1.5
LEAST_S, MOST_S = 0.05, 5.0
"""Seconds for the network: default, least and most that a caller may request."""
AT_ONCE = 32


_LATE = "the store or a threat list does not answer in time; no decision can be made"


class Provided(msgspec.Struct, frozen=True):
    """Answers of store and threat lists about a destination.

    news    signals of any destination
    frozen  the organization has frozen its sensitive actions
    own     texts of the operator's own policies by version
    certificate_since  start of the first valid certificate seen at the host, in milliseconds since 1970, or None
    """

    known: tuple[Relationship, ...]
    matched: tuple[Evidence, ...]
    news: tuple[StoredSignal, ...] = ()
    frozen: bool = False
    own: Mapping[str, str] = {}
    certificate_since: int | None = None


class Checked(NamedTuple):
    """Decision with its input."""

    decision: Decision
    case: DecisionInput


def clock() -> int:
    """Current time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


_FIRST = (
    "https://www.host-name.example.com/a?b=c",
    "https://xn--bcher-kva.example.co.uk/",
    "https://tenant.github.io/",
    "https://accounts.google.com/o/oauth2/auth?client_id=1&scope=openid&redirect_uri=https%3A%2F%2Fexample.com%2F",
    "https://www.paypal.com/signin",
)
"""URLs that take every table: of names, homoglyphs, tenants, receivers and owners' functions."""


def _nothing(_target: Target, _now: int) -> tuple[()]:
    return ()


_NO_POLICIES: Mapping[str, str] = {}
NOTHING: InMemory[Any] = InMemory(_nothing)


@cache
def _shipped_vocabulary() -> Vocabulary:
    from waypost.registry import load

    return load().vocabulary


class Service:
    """Service that decides whether an action may go ahead at a destination.

    probe           observes the network; None to stay offline
    known           relationships of the store, in addition to the shipped ones
    lists           evidence of the threat lists
    merchants       reads the files of merchants' hosts; None to stay offline
    observes_pages  the probe observes the page at the URL, not the front page alone
    notes           signals and doubts in the store
    closing         resources to close with the service
    """

    def __init__(
        self,
        world: World,
        *,
        probe: Probe | None = None,
        known: Known = NOTHING,
        lists: Lists = NOTHING,
        merchants: Read | None = None,
        vocabulary: Callable[[], Vocabulary] = _shipped_vocabulary,
        now: Callable[[], int] = clock,
        new_id: Callable[[], str] = new_id_in_order,
        policy: str = DEFAULT,
        trust_shipped_reviews: bool = True,
        observes_pages: bool = False,
        notes: StoreNotes | None = None,
        closing: ExitStack | None = None,
    ) -> None:
        self.world = world
        self.policy = _version(world, policy, known)
        self.now = now
        self._providers = known, lists
        self._memories = from_memory(known), from_memory(lists)
        self._new_id = new_id
        self._trust_shipped_reviews = trust_shipped_reviews
        self._observes_pages = observes_pages
        self._notes = notes
        self._closing = closing or ExitStack()
        self._memory = SignalMemory(stored=notes is not None)
        self._observer = _observer(probe, world, vocabulary, now) if probe else None
        self._read_files = merchants

    @cached_property
    def _merchants(self) -> Merchants:
        """Comparison of payments with merchants' files, loaded with the first payment."""
        from waypost.service.merchants import Merchants

        return Merchants(self._read_files, self.now)

    def warm_up(self) -> None:
        """Load what the first decision would, while no other request is answered and no deadline runs."""
        if self._observer is not None:
            from waypost.net.rdap import shipped_registries
            from waypost.net.trust import default_trust

            default_trust()
            shipped_registries()
        brand_index_of(self.world).build()
        read_all()
        self.world.is_restricted("example.com")
        shipped = DEFAULT if self._has_own(self.policy) else self.policy
        for url in _FIRST:
            address = read_address(url, self.world)
            case = DecisionInput(
                decision_id="", target=address.target, action=UNSPECIFIED, now=self.now(), policy=shipped,
                reading=address.reading,
            )  # fmt: skip
            decide(case, self.world)

    def check(
        self,
        url: Url,
        action: str = UNSPECIFIED,
        *,
        counterparties: Sequence[str] = (),
        payment: PaymentRequest | None = None,
        referrer: str = "",
        policy: str | None = None,
        within_s: float = WITHIN_S,
    ) -> Checked:
        """Decision for an action at a URL, outside an event loop. Parameters and errors as in `check_async`."""
        (result,) = self.checks(
            [url],
            action,
            counterparties=counterparties,
            payment=payment,
            referrer=referrer,
            policy=policy,
            within_s=within_s,
        )
        if isinstance(result, WaypostError):
            raise result
        return result

    async def check_async(
        self,
        url: Url,
        action: str = UNSPECIFIED,
        *,
        counterparties: Sequence[str] = (),
        payment: PaymentRequest | None = None,
        referrer: str = "",
        policy: str | None = None,
        within_s: float = WITHIN_S,
    ) -> Checked:
        """Decision for an action at a URL. `within_s` bounds the network, in seconds.

        counterparties  names of whom the caller means: brands, entities, domains
        payment         endpoint and payee of the payment, where the caller knows them
        referrer        host of an allowed checkout that leads to the URL, or empty

        Raises InvalidUrl, UnknownAction, UnknownPolicy and NotReady: then there is no decision, which is a stop.
        """
        began = time.monotonic()
        try:
            with span("waypost.decision", action=action) as made:
                address, version = self._parsed(url, action, policy)
                # Certificates are read for payments alone, and not remembered.
                provided = None if payment is not None and self._has_own(version) else self._remembered(address)
                future = None if provided else self._submitted(address)
                observed, paying = None, None
                if observer := self._observer:
                    target = address.target
                    if payment is not None:
                        observed, paying = await self._merchants.observed(target, payment, observer, within_s)
                    else:
                        # Also read here, since a coroutine for what is in memory would cost more than the answer.
                        observed = observer.recent(target) or await observer.observe(target, within_s)
                elif payment is not None:
                    paying = self._merchants.payment(payment, None, None)
                if future:
                    # Store and lists ran next to the network: what they have left is the rest of the same time.
                    provided = await self._awaited(future, within_s - time.monotonic() + began)
                assert provided is not None
                checked = self._decided(address, action, version, observed, counterparties, paying, provided, referrer)
                if made:
                    _note_decision(made, checked.decision)
                return checked
        except Exception as error:  # noqa: BLE001  any other error may hide a result
            raise _known_error(error) from None

    def relationships(self, target: Target) -> tuple[Relationship, ...]:
        """Relationships of the store for a destination. Raises NotReady."""
        return _from_provider("the store", self._providers[0], target, self.now())

    async def _awaited(self, future: Future[Provided], left_s: float) -> Provided:
        """Answers of store and lists within some seconds. Raises NotReady: late answers may hold a dispute."""
        from waypost.isolation.threads import within

        try:
            return await within(future, left_s)
        except TimeoutError:
            raise NotReady(_LATE) from None

    def checks(
        self,
        urls: Iterable[Url],
        action: str = UNSPECIFIED,
        *,
        counterparties: Sequence[str] = (),
        payment: PaymentRequest | None = None,
        referrer: str = "",
        policy: str | None = None,
        within_s: float = WITHIN_S,
    ) -> Iterator[Checked | WaypostError]:
        """Decision or error for each URL, in order; outside an event loop."""
        if self._observer is None:
            for url in urls:
                yield self._check_offline(url, action, policy, counterparties, payment, within_s)
            return
        from waypost.isolation.bounded_loop import BoundedLoop

        results = self.checks_async(
            urls,
            action,
            counterparties=counterparties,
            payment=payment,
            referrer=referrer,
            policy=policy,
            within_s=within_s,
        )

        async def following() -> Checked | WaypostError | None:
            return await anext(results, None)

        with BoundedLoop() as loop:
            while (result := loop.run(following())) is not None:
                yield result

    async def checks_async(
        self,
        urls: Iterable[Url],
        action: str = UNSPECIFIED,
        *,
        counterparties: Sequence[str] = (),
        payment: PaymentRequest | None = None,
        referrer: str = "",
        policy: str | None = None,
        within_s: float = WITHIN_S,
    ) -> AsyncIterator[Checked | WaypostError]:
        """Decision or error for each URL, in order; at most `AT_ONCE` at the same time."""
        from waypost.service.batches import in_order

        async def check_one(url: Url) -> Checked | WaypostError:
            try:
                return await self.check_async(
                    url,
                    action,
                    counterparties=counterparties,
                    payment=payment,
                    referrer=referrer,
                    policy=policy,
                    within_s=within_s,
                )
            except WaypostError as error:
                return error

        results = in_order((partial(check_one, url) for url in urls), at_once=AT_ONCE)
        try:
            async for result in results:
                yield result
        finally:
            await results.aclose()

    def _check_offline(
        self,
        url: Url,
        action: str,
        policy: str | None,
        counterparties: Sequence[str],
        payment: PaymentRequest | None,
        within_s: float,
    ) -> Checked | WaypostError:
        """Decision without network and event loop."""
        try:
            address, version = self._parsed(url, action, policy)
            provided = self._remembered(address) or self._waited_for(address, within_s)
            paying = self._merchants.payment(payment, None, None) if payment else None
            return self._decided(address, action, version, None, counterparties, paying, provided)
        except Exception as error:  # noqa: BLE001  any other error may hide a result
            return _known_error(error)

    def _parsed(self, url: Url, action: str, policy: str | None) -> tuple[Address, str]:
        if action not in ACTIONS and action != UNSPECIFIED:
            raise UnknownAction(ACTIONS, near(action, ACTIONS))
        version = _version(self.world, policy, self._providers[0]) if policy else self.policy
        return read_address(url, self.world), version

    def _has_own(self, version: str) -> bool:
        """Whether a policy is the operator's own."""
        return version not in policies(self.world)

    def _remembered(self, address: Address) -> Provided | None:
        """Answers of store and lists that are in memory; None where one has to be waited for."""
        if self._notes is not None and self._notes.is_due:
            return None
        try:
            return self._provided(address, *self._memories)
        except MustWait:
            return None

    @cached_property
    def _threads(self) -> ProviderThreads:
        # asyncio, which a decision offline never needs, is a tenth of the start of `waypost check`.
        from waypost.isolation.threads import ProviderThreads

        return ProviderThreads()

    def _submitted(self, address: Address) -> Future[Provided]:
        """Future answers of store and lists: their disk may hang."""
        return self._threads.submit(partial(self._read, address))

    def _read(self, address: Address) -> Provided:
        """Answers of store and lists, and signals that another process has stored."""
        with span("waypost.store.read"):
            provided = self._provided(address, *self._providers)
            if provided.own and (read := getattr(self._providers[0], "certificate_since", None)):
                since = read(address.target.host)
                provided = msgspec.structs.replace(provided, certificate_since=since) if since else provided
            news = self._notes.news(self.now()) if self._notes else ()
            return msgspec.structs.replace(provided, news=news) if news else provided

    def _waited_for(self, address: Address, within_s: float) -> Provided:
        future = self._submitted(address)
        with suppress(TimeoutError):
            future.exception(within_s)
        if not future.done():
            raise NotReady(_LATE)
        return future.result()

    def _provided(self, address: Address, known: Recent[Relationship], lists: Recent[Evidence]) -> Provided:
        """Answers of store and lists. Raises NotReady where a provider fails."""
        now = self.now()
        relationships = _from_provider("the store", known, address.target, now)
        matched = _from_provider("a threat list", lists, address.target, now)
        # Hops count against a destination, never for it: their disputes and matches are added, their reviews are not.
        for outer in address.reading.through:
            relationships += _disputed_on_the_way(outer, address.target, known, now)
            outer_matched = _from_provider("a threat list", lists, outer, now)
            matched += tuple(piece for piece in outer_matched if piece.strength != "context")
        # Receivers of a sign-in's result: their reviews are about them alone.
        for receiver in address.reading.sign_in:
            if receiver.host != address.target.host:
                relationships += _from_provider("the store", known, receiver, now)
                of_receiver = _from_provider("a threat list", lists, receiver, now)
                matched += tuple(piece for piece in of_receiver if piece.strength != "context")
        # As new as the relationships: both come of one reading of the store.
        store = self._providers[0]
        return Provided(
            relationships,
            matched,
            frozen=bool(getattr(store, "is_frozen", False)),
            own=getattr(store, "own_policies", _NO_POLICIES),
        )

    def _decided(
        self,
        address: Address,
        action: str,
        version: str,
        observed: Observed | None,
        counterparties: Sequence[str],
        payment: Payment | None,
        provided: Provided,
        referrer: str = "",
    ) -> Checked:
        target, reading, now = address.target, address.reading, self.now()
        own = ""
        if self._has_own(version) and not (own := provided.own.get(version, "")):
            raise NotReady(f"the policy {version} is not accepted any more; no decision can be made")
        known, matched = provided.known, provided.matched
        if provided.news:
            self._memory.learn(provided.news)
        seen = observed.seen if observed else None
        further = (*matched, *observed.evidence) if observed else matched
        case = DecisionInput(
            decision_id=self._new_id(),
            target=target,
            action=action,
            now=now,
            seen=seen,
            relationships=(*known, *observed.claims) if observed else known,
            further=further,
            policy=version,
            trust_shipped_reviews=self._trust_shipped_reviews,
            reading=msgspec.structs.replace(reading, deeper=False) if self._observes_pages else reading,
            counterparties=counterparties_of(counterparties, target, known, self.world) if counterparties else (),
            remembered=self._memory.recall(target, seen, further, now),
            payment=payment,
            referrer=of_host(referrer) if referrer else None,
            frozen=provided.frozen,
            policy_file=own,
            certificate_since=provided.certificate_since if own else None,
        )
        decision = decide(case, self.world)
        self._memory.remember(target, decision.evidence, now)
        if self._notes is not None:
            self._note(case, decision)
        return Checked(decision, case)

    def _note(self, case: DecisionInput, decision: Decision) -> None:
        """Leave the signals of a decision, and doubts about the reviews behind it, to the store."""
        assert self._notes is not None
        self._notes.write(self._memory.changed())
        tls = case.seen.tls if case.policy_file and case.payment and case.seen else None
        if tls is not None and tls.status == "observed" and tls.valid and tls.not_before is not None:
            self._notes.note_certificate(case.target.host, tls.not_before)
        if case.seen is not None and any(piece.id.startswith(ownership.EVIDENCE_ID) for piece in decision.evidence):
            reviews = relationships_of(case, self.world)
            for doubt in ownership.doubts(reviews, case.target, case.seen, case.now):
                self._notes.raise_doubt(doubt, case.now)

    async def snapshot(self, domain: str) -> OwnershipSnapshot | None:
        """Facts about the ownership of a domain today, for its review; None where nothing was observed."""
        if self._observer is None:
            return None
        seen = (await self._observer.observe(of_host(domain), WITHIN_S)).seen
        return ownership.snapshot_of(seen) if seen else None

    def close(self) -> None:
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _version(world: World, name: str, known: Known) -> str:
    """Version of a shipped policy, or of an accepted one of the operator. Raises UnknownPolicy, and StoreError."""
    try:
        return find(world, name).version
    except UnknownPolicy:
        read = getattr(known, "read_own_policies", None)
        own: Mapping[str, str] = read() if read else {}
        # Dates are ISO, so that the order of the versions of an id is the order of the days.
        named = [version for version in sorted(own) if name in {version, version[:-11]}]
        if not named:
            raise
        return named[-1]


def _observer(probe: Probe, world: World, vocabulary: Callable[[], Vocabulary], now: Callable[[], int]) -> Observer:
    from waypost.service.observer import Observer

    return Observer(probe, world, vocabulary, now)


def _note_decision(made: Span, decision: Decision) -> None:
    made.note(
        allowed=decision.action_allowed,
        relationship=decision.relationship_status,
        risk=decision.risk_status,
        confidence=decision.confidence_class,
        decision_id=decision.decision_id,
    )


def _disputed_on_the_way(
    outer: Target, target: Target, known: Recent[Relationship], now: int
) -> tuple[Relationship, ...]:
    """Disputes of a host that redirects to the destination: a client that follows the URL requests this host first."""
    return tuple(
        msgspec.structs.replace(relationship, domain=target.host, entity="", scope="host")
        for relationship in _from_provider("the store", known, outer, now)
        if relationship.state == "disputed" and (relationship.domain == outer.host or applies(relationship, outer))
    )


def _from_provider(provider: str, provide: Recent[Piece], target: Target, now: int) -> tuple[Piece, ...]:
    """Results of a provider. Raises NotReady where it fails, which may hide a dispute or a match; MustWait for None."""
    try:
        found = provide(target, now)
        if found is None:
            raise MustWait
        return tuple(found)
    except (WaypostError, MustWait):
        raise
    except Exception as error:  # noqa: BLE001  any failure may hide a result
        raise NotReady(f"{provider} cannot be read ({type(error).__name__}); no decision can be made") from None


def _known_error(error: Exception) -> WaypostError:
    """NotReady for an unforeseen exception, without its text, which may hold a URL; any other error unchanged."""
    if isinstance(error, WaypostError):
        return error
    return NotReady(f"the check failed ({type(error).__name__}); no decision can be made")
