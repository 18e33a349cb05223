"""Service state: objects opened once per process and shared by all requests."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from waypost import __version__, tracing
from waypost.api.limits import Limits, with_quotas
from waypost.api.logs import Logs
from waypost.api.metrics import Metrics
from waypost.api.settings import Settings
from waypost.errors import NotReady, WaypostError
from waypost.formats.text import timestamp
from waypost.isolation.documents import Arriving
from waypost.isolation.threads import ProviderThreads, within
from waypost.models.decision import SensitiveUrl
from waypost.receipts import SigningKeys, canonical_url
from waypost.receipts.stored_keys import open_keys
from waypost.registry import Registry
from waypost.registry import load as load_registry
from waypost.safety.policy import DEFAULT, policies
from waypost.service import Checked, Service, clock, open_service
from waypost.service.fixtures import open_fixtures
from waypost.service.keyring import Keyring
from waypost.service.outbound_limit import OutboundLimit
from waypost.service.page_work import Situation
from waypost.service.problems import ProblemError
from waypost.service.providers import CURRENT_ORGANIZATION
from waypost.service.shared_files import SharedFiles
from waypost.store import cursors, organizations
from waypost.store import settings as marks
from waypost.store.clock import SLACK_MS, behind_ms
from waypost.store.decision_queue import DecisionQueue
from waypost.store.engines import Connection
from waypost.store.folder import data_folder
from waypost.store.open import Store, open_store
from waypost.tracing import span

if TYPE_CHECKING:
    from waypost.isolation.workers import Pool
    from waypost.models.api_key import Environment
    from waypost.store.decisions import DecisionRecord

T = TypeVar("T")
_READY_S = 2.0
WRITE_S = 10.0
"""Seconds that a request waits for a write; its outcome is unknown then."""
LEAST_ROOM = 2 << 20
"""Bytes on the disk of a file, without which the service is not ready: the log of a full transaction and some pages."""
READ_S = 2.0
"""Seconds that a request waits for a read of a database."""
SEARCH_THREADS = 2
"""Searches that run at the same time; the words of a search may be those of all stored records."""
MOST_SEARCHES = 64
"""Searches that run or wait; a further one is answered at once that it must come again later."""
_OLD_SERVICES = 1
"""Replaced services kept open, as running decisions may still use them."""


class Decided(Protocol):
    """Caller of a decision: a key, or a person at the console."""

    @property
    def environment(self) -> Environment: ...


class ServiceState:
    """Components of a running service.

    service   makes decisions with real data; `fixtures` decides about the documented test hosts for test keys
    folder    data folder
    signing   keys that sign receipts
    shared    files that every replica on a database has; None on a file
    now       clock, milliseconds since 1970
    """

    written = staticmethod(timestamp)

    def __init__(
        self,
        settings: Settings,
        *,
        folder: Path,
        registry: Registry,
        service: Service,
        fixtures: Service,
        store: Store,
        keyring: Keyring,
        limits: Limits,
        logs: Logs,
        metrics: Metrics,
        signing: SigningKeys,
        shared: SharedFiles | None = None,
        now: Callable[[], int] = clock,
        closing: ExitStack | None = None,
    ) -> None:
        self.settings = settings
        self.folder = folder
        self.registry = registry
        self.service = service
        self.fixtures = fixtures
        self.store = store
        self.keyring = keyring
        self.limits = limits
        self.logs = logs
        self.metrics = metrics
        self.signing = signing
        self.shared = shared
        if shared is not None:
            shared.reload = self.reload
        self._pool: Pool | None = None
        self.arriving = Arriving()
        self.now = now
        self.trusted_proxies = tuple(ipaddress.ip_network(proxy, strict=False) for proxy in settings.trusted_proxies)
        self.cursor_secret = store.write(cursors.secret)
        self._old: list[Service] = []
        self._decisions = DecisionQueue(store.writer)
        self._macs: dict[str, hmac.HMAC] = {}
        self._closing = closing or ExitStack()
        # A read of a file takes less than the way to a thread and back; a database may hang, and is waited for.
        self._readers = ProviderThreads() if settings.store else None
        # A pool of their own: searches hold up neither decisions nor the checks of keys.
        self._searchers = ProviderThreads(SEARCH_THREADS)
        self._searches = 0

    def reload(self) -> None:
        """Open feeds, policies and reviews again and use them for later decisions.

        Running decisions keep the old ones. Raises as `open_service` does; then the state is unchanged.
        """
        # Opened before the exchange: an error leaves the old one in use.
        old, self.service = self.service, _opened(self.settings, self.folder, self.store, self.now)
        self._closing.callback(self.service.close)
        self._old.append(old)
        while len(self._old) > _OLD_SERVICES:
            self._old.pop(0).close()

    def utc(self) -> datetime:
        """Current time of the service's clock as an aware datetime."""
        return datetime.fromtimestamp(self.now() / 1000, UTC)

    def decides(self, caller: Decided) -> Service:
        """Decision service for a key, or for a person at the console. Test keys get `fixtures`, without network.

        Raises NotReady on a replica that differs from the others: it would decide otherwise than they do.
        """
        if self.shared is not None and (self.shared.problem or not self.shared.is_on_time):
            raise NotReady(_DIFFERS)
        return self.fixtures if caller.environment == "test" else self.service

    def on_behalf_of(self, organization: str) -> AbstractContextManager[None]:
        """Context of an organization: its relationships apply, and its limit counts the network checks."""
        return _OnBehalfOf(organization)

    async def is_organization(self, name: str) -> bool:
        return await self.fetch(lambda db: organizations.find(db, name)) is not None

    async def url_hmac(self, organization: str, url: SensitiveUrl) -> bytes:
        """HMAC-SHA256 of a URL under the organization's secret, stored in place of the URL."""
        begun = self._macs.get(organization)
        if begun is None:
            secret = await self.fetch(lambda db: organizations.url_secret(db, organization))
            begun = self._macs[organization] = hmac.new(secret, digestmod=hashlib.sha256)
        # A copy saves the key setup of a new HMAC for every decision.
        mac = begun.copy()
        mac.update(canonical_url(url).encode("utf-8", "surrogatepass"))
        return mac.digest()

    def receipt(self, checked: Checked, url: SensitiveUrl, audience: str) -> str:
        """Signed receipt of a decision, as a JWS."""
        return self.signing.sign(
            checked.decision,
            url=url,
            issuer=self.settings.site_url,
            audience=audience,
            now=checked.case.now,
            algorithm=self.settings.receipt_algorithm,
        )

    @property
    def situation(self) -> Situation:
        """Facts of the service for work in another process."""
        return Situation(self.utc(), self.settings.site_url, self.settings.requirements)

    @property
    def pool(self) -> Pool:
        """Worker processes for the documents of third parties, started when they are needed first."""
        if self._pool is None:
            from waypost.isolation.workers import usual_workers
            from waypost.service.workers import page_workers

            settings = self.settings
            workers = settings.page_workers or usual_workers(settings.workers)
            self._pool = self._closing.enter_context(page_workers(workers=workers, wait_s=settings.page_wait_s))
        return self._pool

    async def checks(self) -> dict[str, bool]:
        """Readiness checks: name -> whether the component works."""
        now = self.now()

        def put_mark(db: Connection) -> int:
            """Milliseconds by which the clock is behind the newest record."""
            # A write, because a full disk or a locked database does not show in a read.
            marks.put(db, "ready", str(now).encode())
            return behind_ms(db, now)

        store = on_time = True
        try:
            on_time = await asyncio.wait_for(self.write(put_mark), _READY_S) <= SLACK_MS
        except (WaypostError, TimeoutError):
            store = False
        # The mark takes the place of the one before, which needs no room.
        store = store and (bool(self.settings.store) or has_room(self.folder))
        found = {
            "store": store,
            "clock": on_time,
            "registry": bool(self.registry.mappings),
            "policy": bool(self.service.policy),
            "signing_key": bool(self.signing.jwks(self.now())["keys"]),
        }
        if self.shared is not None:
            found |= {"shared_files": not self.shared.problem, "clock": on_time and self.shared.is_on_time}
        return found

    def versions(self) -> dict[str, Any]:
        """Versions by which replicas are compared, and on a database the difference of the clocks."""
        found: dict[str, Any] = {
            "versions": {
                "waypost": __version__,
                "registry": self.registry.version,
                "brands": self.service.world.version,
                "policy": self.service.policy,
                "signing_key": self.signing.current(self.now()).kid,
            }
        }
        if release := self.service.world.release:
            found["versions"] |= {"release": str(release.version), "release_expires": timestamp(release.expires_at)}
        if self.shared is not None:
            found["versions"]["shared_files"] = str(self.shared.version)
            found["clock_skew_ms"] = self.shared.skew_ms
        return found

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Result of `work`, run by the store's writer and durable on return. Raises StoreError."""
        with span("waypost.store.write"):
            loop = asyncio.get_running_loop()
            future = self.store.writer.submit_from(loop, work)
            timer = loop.call_later(WRITE_S, _give_up, future)
            try:
                return await future
            finally:
                timer.cancel()

    async def refresh_keys(self) -> None:
        """Refresh the keyring, so that a change of keys applies at once. If the store is busy, their next use does."""
        with suppress(NotReady):  # the change is stored in any case
            await self.aside(self.keyring.refresh)

    def save(self, given: DecisionRecord) -> asyncio.Future[None]:
        """Queue a decision for storage. Await the future before answering; it raises StoreError."""
        return self._decisions.submit(given)

    async def fetch(self, work: Callable[[Connection], T]) -> T:
        """Result of `work`, a read of the store. Raises NotReady where a database does not answer in time."""
        return await self.aside(lambda: self.read(work))

    async def aside(self, work: Callable[[], T]) -> T:
        """Result of `work`, which reads the store: of a database in a thread, so that it never stops the event loop.

        Raises NotReady where it takes longer than `READ_S`.
        """
        if self._readers is None:
            return work()
        try:
            return await within(self._readers.submit(work), READ_S)
        except TimeoutError:
            raise NotReady(_LATE) from None

    async def search(self, work: Callable[[], T]) -> T:
        """Result of `work`, a search of the store, in a thread for either engine.

        Raises ProblemError for too many searches at a time, and where one takes longer than `READ_S`.
        """
        if self._searches >= MOST_SEARCHES:
            raise ProblemError("not-ready", _MANY_SEARCHES, headers=_SOON)
        end = time.monotonic() + READ_S

        def begin() -> T:
            if time.monotonic() > end:  # no one waits for the result any more
                raise TimeoutError
            return work()

        self._searches += 1
        try:
            return await within(self._searchers.submit(begin), READ_S)
        except TimeoutError:
            raise ProblemError("not-ready", _LONG_SEARCH, headers=_SOON) from None
        finally:
            self._searches -= 1

    def read(self, work: Callable[[Connection], T]) -> T:
        """Result of `work`, a short read of the store on this thread."""
        if tracing.TRACER is None:
            return self.store.read(work)
        with span("waypost.store.read"):
            return self.store.read(work)

    def close(self) -> None:
        self._closing.close()


def has_room(folder: Path) -> bool:
    """Whether the disk of a folder has room for the decisions of a transaction; true where that cannot be known."""
    try:
        return disk_usage(folder).free >= LEAST_ROOM
    except OSError:
        return True


_DIFFERS = "this replica differs from the others; `/readyz` says how"
_LATE = "the store does not answer in time"
_MANY_SEARCHES = "too many searches wait; try again later"
_LONG_SEARCH = "the search takes too long; try again later, or with a word that fewer records have"
_SOON = {"retry-after": "1"}


def _give_up(future: asyncio.Future[T]) -> None:
    if not future.done():
        future.set_exception(NotReady(_LATE))


class _OnBehalfOf(AbstractContextManager[None]):
    """Sets `CURRENT_ORGANIZATION` while entered."""

    __slots__ = ("_organization", "_token")

    def __init__(self, organization: str) -> None:
        self._organization = organization

    def __enter__(self) -> None:
        self._token = CURRENT_ORGANIZATION.set(self._organization)

    def __exit__(self, *_: object) -> None:
        CURRENT_ORGANIZATION.reset(self._token)


def open_state(settings: Settings, *, registry: Registry | None = None, now: Callable[[], int] = clock) -> ServiceState:
    """Open all components of a service. Raises StoreError, NotReady, RegistryError, UnknownPolicy, MissingExtra."""
    folder = data_folder(settings.data or None)
    with ExitStack() as opened:
        store = opened.enter_context(open_store(settings.store or folder))
        signing, shared = _signing(settings, folder, store, now())
        service = opened.enter_context(_opened(settings, folder, store, now))
        return ServiceState(
            settings,
            folder=folder,
            registry=registry or load_registry(),
            service=service,
            # Test keys get the answers of a shipped policy: the operator's own is about real shops.
            fixtures=opened.enter_context(open_fixtures(now=now, policy=_shipped(service))),
            store=store,
            keyring=opened.enter_context(Keyring(store)),
            limits=opened.enter_context(_limits(settings, store)),
            logs=Logs(settings.log),
            metrics=Metrics(),
            signing=signing,
            shared=shared,
            now=now,
            closing=opened.pop_all(),
        )


def _shipped(service: Service) -> str:
    return service.policy if service.policy in policies(service.world) else DEFAULT


def _signing(settings: Settings, folder: Path, store: Store, now: int) -> tuple[SigningKeys, SharedFiles | None]:
    """Signing keys of the folder, or of the database with the other shared files, which are then up to date."""
    if not settings.store:
        return SigningKeys.open(folder, now), None
    signing = SigningKeys(None, store.write(lambda db: open_keys(db, folder, now)))
    store.engine.announce(signing.jwks(now)["keys"])
    shared = SharedFiles(store, folder, signing)
    shared.poll()
    return signing, shared


def _limits(settings: Settings, store: Store) -> Limits:
    # A single process on a file counts addresses alone: it has no one to share them with.
    is_shared = bool(settings.store) or settings.workers > 1
    return Limits(
        store,
        policies=with_quotas(settings.quotas),
        processes=settings.workers * settings.replicas + 1,
        secret=store.write(cursors.secret) if is_shared else b"",
    )


def _opened(settings: Settings, folder: Path, store: Store, now: Callable[[], int]) -> Service:
    service = open_service(
        folder,
        store=store,
        offline=settings.offline,
        now=now,
        through=lambda probe: OutboundLimit(probe, now, settings.outbound, settings.outbound_each),
        policy=settings.policy or DEFAULT,
    )
    service.warm_up()
    return service
