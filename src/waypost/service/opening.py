"""Opening of a service: world, store, threat lists, registries and network, from a data folder or a database."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import NotReady
from waypost.models.decision import Target
from waypost.registry.world import World
from waypost.safety.policy import DEFAULT
from waypost.service.checking import NOTHING, Service, clock
from waypost.service.providers import Known, Lists, StoredRelationships, ThreatLists
from waypost.updates import UpdateError, load_world

if TYPE_CHECKING:
    from waypost.models.observation import Observations
    from waypost.models.payment import MerchantFiles
    from waypost.net.rdap import Registries
    from waypost.service.merchants import Read
    from waypost.service.observer import Probe
    from waypost.service.store_notes import StoreNotes
    from waypost.store.open import Store


def open_service(
    folder: Path | None = None,
    *,
    offline: bool = False,
    policy: str = DEFAULT,
    trust_shipped_reviews: bool = True,
    now: Callable[[], int] = clock,
    through: Callable[[Probe], Probe] | None = None,
    store: Store | None = None,
    closing: ExitStack | None = None,
    required: bool = False,
) -> Service:
    """Service over the shipped world and, where present, a data folder's store, lists and registries.

    through   wraps the probe of the network; see `outbound_limit`
    store     the folder's store where it is open already; it stays open when the service is closed
    closing   resources to close after those of the service, also where an error is raised
    required  the folder was named: without a store or lists there, reviews would be missing silently
    Raises StoreError, NotReady, UnknownPolicy and RegistryError.
    """
    world = _world(folder)
    # Read here: inside a decision, a brand file with an error would stop every destination without saying why.
    _ = world.brands
    with closing or ExitStack() as opened:
        if folder is not None and required and store is None:
            _check_data(folder)
        # The folder may be missing where the store is that of a database.
        data = folder if folder is not None and (_exists(folder) or store is not None) else None
        known, notes = _stored(data, store, opened) if data else (NOTHING, None)
        probe = None if offline else network(_registries(data) if data else None)
        return Service(
            world,
            probe=through(probe) if probe and through else probe,
            known=known,
            lists=_threat_lists(data, world, opened) if data else NOTHING,
            merchants=None if offline else merchant_network(),
            policy=policy,
            trust_shipped_reviews=trust_shipped_reviews,
            now=now,
            notes=notes,
            closing=opened.pop_all(),
        )


def open_service_on(address: str, **options: Any) -> Service:
    """Service over the store of a database, and the lists and registries in it as they are now.

    options  of `open_service`

    Raises as `open_service` does, and MissingExtra.
    """
    from tempfile import TemporaryDirectory

    from waypost.service.shared_files import fetch_all
    from waypost.store.open import open_store

    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="waypost-")))
        store = opened.enter_context(open_store(address))
        fetch_all(store, folder)
        return open_service(folder, store=store, closing=opened.pop_all(), **options)


def network(registries: Registries | None = None, **how: Any) -> Probe:
    """Probe of the network: public addresses only, with the machine's resolver and trust store.

    registries  RDAP servers; the shipped table by default
    how         further arguments of `probe_async`, for tests on a loopback network
    """

    async def probe(target: Target, within_s: float) -> Observations:
        from waypost.net.probe import probe_async

        return await probe_async(
            target.host,
            scheme=target.scheme,
            port=target.port,
            # A tenant's name is not registered at any registry, nor is an address.
            registrable="" if target.hosted or target.address else target.registrable,
            within_s=within_s,
            registries=registries,
            now=clock,
            **how,
        )

    return probe


def merchant_network(**how: Any) -> Read:
    """Reader of merchants' files over the network: public addresses only.

    how  further arguments of `merchant_files`, for tests on a loopback network
    """

    async def read(target: Target, within_s: float) -> MerchantFiles:
        from waypost.net.merchant import merchant_files

        return await merchant_files(target.host, port=target.port, within_s=within_s, now=clock, **how)

    return read


def _stored(folder: Path, store: Store | None, opened: ExitStack) -> tuple[Known, StoreNotes | None]:
    """Relationships and notes of a folder's store, if there is one; a check never creates it."""
    from waypost.store.folder import NAME

    if store is None:
        if not _exists(folder / NAME):
            return NOTHING, None
        if (folder / NAME).stat().st_size == 0:  # SQLite would begin a new store
            raise NotReady(f"{folder / NAME} is empty: its reviews and disputes are missing")
    from waypost.service.store_notes import StoreNotes
    from waypost.store.open import open_store

    store = store or opened.enter_context(open_store(folder))
    return StoredRelationships(store), StoreNotes(store)


def _threat_lists(folder: Path, world: World, opened: ExitStack) -> Lists:
    """Threat lists of a folder, if there are any."""
    from waypost.feeds import FOLDER, Feeds

    if not _exists(folder / FOLDER):
        return NOTHING
    return ThreatLists(opened.enter_context(Feeds.load(folder / FOLDER)), world)


def _world(folder: Path | None) -> World:
    """World with the release of the registry that the folder has. Raises NotReady for a damaged one."""
    try:
        return load_world(folder)
    except UpdateError as error:
        raise NotReady(str(error)) from None


def _registries(folder: Path) -> Registries | None:
    """Registries of the fetched RDAP bootstrap file, or None."""
    from waypost.feeds import REGISTRIES
    from waypost.net.rdap import read_bootstrap

    path = folder / REGISTRIES
    return read_bootstrap(path.read_bytes(), path.name) if _exists(path) else None


def _check_data(folder: Path) -> None:
    """Check a named data folder. Raises NotReady where it is missing, or holds nothing of waypost."""
    from waypost.feeds import FOLDER, REGISTRIES
    from waypost.store.folder import NAME
    from waypost.updates import FOLDER as REGISTRY

    if not _exists(folder):
        raise NotReady(f"there is no data folder {folder}: its reviews and lists would be missing")
    if not any(_exists(folder / name) for name in (NAME, FOLDER, REGISTRIES, REGISTRY)):
        raise NotReady(f"the data folder {folder} has no store and no lists: name the folder of `waypost serve`")


def _exists(path: Path) -> bool:
    """Whether a path exists. Raises NotReady where it cannot be followed: the store there may hold a dispute."""
    try:
        path.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise NotReady(f"{path} is a link to nothing") from None
        return False
    except OSError as error:
        raise NotReady(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    return True
