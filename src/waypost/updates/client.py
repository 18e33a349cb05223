"""Client of a publisher's repository: verifies a release by The Update Framework. Imports the extra `registry`.

    found = find_release(folder, reader_of(Path("registry.zip")), now)    # changes nothing
    install(folder, found.header, found.body)                             # replaces the installed release

The library `tuf` checks signatures, thresholds, versions, expiries, lengths and hashes in the order of the
specification (theupdateframework.github.io/specification/latest, section 5). The state is a temporary folder, filled
from the installed release: a rejected release leaves nothing behind. Parts with the hash of an installed part are not
fetched again.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from tuf.api import exceptions
from tuf.api.metadata import Metadata, Root, Snapshot, TargetFile, Targets, Timestamp
from tuf.ngclient import FetcherInterface, Updater, UpdaterConfig

from waypost.errors import WaypostError
from waypost.registry.world import Release, World
from waypost.updates.errors import UpdateError
from waypost.updates.installed import LARGEST, Body, Header, Installed, parts_of, read_installed, root_of, world_of
from waypost.updates.repository import Reader

FORMAT = 1
"""Form of a release: of `about.json`, and of what its parts hold."""
ABOUT, TARGETS = "about.json", "targets"
MOST_PARTS = 128
PART_BYTES = 16 << 20
_ADDRESS = "registry:"
"""Scheme of the addresses that the library makes of paths."""
_LIMITS = UpdaterConfig(
    max_root_rotations=64, max_delegations=0, snapshot_max_length=1 << 16, targets_max_length=1 << 20
)


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Target with the form of the release, the version of waypost, and the time in milliseconds since 1970."""

    format: int
    waypost: str
    built_at: int


class Found(NamedTuple):
    """Verified release, next to the installed release; `fetched` counts bytes."""

    header: Header
    body: Body
    world: World
    before: Installed | None
    fetched: int

    @property
    def is_new(self) -> bool:
        return self.before is None or self.header.version != self.before.header.version


class RootFacts(NamedTuple):
    """Root of trust: version, expiry as an ISO day, and ids of the keys that sign releases."""

    version: int
    expires: str
    keys: tuple[str, ...]


def read_root(data: bytes) -> RootFacts:
    """Facts of root metadata with valid signatures. Raises UpdateError."""
    with _as_update_error():
        root = Metadata[Root].from_bytes(data)
        root.verify_delegate(Root.type, root)
        return RootFacts(
            root.signed.version, root.signed.expires.date().isoformat(), tuple(root.signed.roles[Targets.type].keyids)
        )


def find_release(folder: Path, read: Reader, now: int) -> Found:
    """Newest release of a repository, verified in full. Raises UpdateError; nothing is changed in any case."""
    anchor = root_of(folder)
    digest = hashlib.sha256(anchor).hexdigest()
    before = read_installed(folder)
    if before and before.header.anchor != digest:
        raise UpdateError(
            "the release in use was verified from another root; `waypost registry reset` removes it first"
        )
    with tempfile.TemporaryDirectory(prefix="waypost-registry-") as name, _as_update_error():
        state = Path(name)
        for path, text in before.body.metadata.items() if before else ():
            (state / path).parent.mkdir(exist_ok=True)
            (state / path).write_text(text, "utf-8")
        fetcher = _Fetcher(read)
        updater = Updater(str(state), _ADDRESS, str(state), f"{_ADDRESS}/{TARGETS}", fetcher, _LIMITS, bootstrap=anchor)
        updater.refresh()
        # As the library has verified and written them.
        roots = sorted((state / "root_history").iterdir(), key=lambda path: int(path.name.partition(".")[0]))
        written = {path.name: path.read_bytes() for path in (state / f"{role}.json" for role in _ROLES)}
        targets = Metadata[Targets].from_bytes(written[f"{Targets.type}.json"]).signed
        expiries = [Metadata.from_bytes(data).signed.expires for data in (*written.values(), roots[-1].read_bytes())]
        parts = _parts(updater, targets, before, state)
        about = msgspec.json.decode(parts.pop(ABOUT), type=About)
        if about.format != FORMAT:
            raise UpdateError(f"release {targets.version} has form {about.format}, which takes a newer waypost")
        files: dict[str, str] = {}
        for part in parts.values():
            files |= msgspec.json.decode(part, type=dict[str, str])
        header = Header(
            version=targets.version,
            built_at=about.built_at,
            expires_at=int(min(expiries).timestamp() * 1000),
            installed_at=now,
            waypost=about.waypost,
            anchor=digest,
            sha256="",
        )
        metadata = {f"root_history/{path.name}": path.read_text("utf-8") for path in roots}
        metadata |= {path: data.decode() for path, data in written.items()}
    # Decoded and checked in full, so that a release with an error is not installed.
    world = world_of(files, Release(version=header.version, expires_at=header.expires_at))
    return Found(header, Body(metadata, files), world, before, fetcher.fetched)


_ROLES = (Timestamp.type, Snapshot.type, Targets.type)


def _parts(updater: Updater, targets: Targets, before: Installed | None, state: Path) -> dict[str, bytes]:
    """Content of every target by path: of the installed release where the hash is the same, else fetched."""
    if ABOUT not in targets.targets:
        raise UpdateError(f"release {targets.version} has no {ABOUT}: this is not a registry of waypost")
    if len(targets.targets) > MOST_PARTS or sum(target.length for target in targets.targets.values()) > LARGEST:
        raise UpdateError(f"release {targets.version} is larger than {MOST_PARTS} parts or {LARGEST >> 20} MB")
    known = parts_of(before.body.files) if before else {}
    found = {}
    for path, target in targets.targets.items():
        found[path] = known[path] if _is_same(target, known.get(path)) else _fetched(updater, target, state)
    return found


def _is_same(target: TargetFile, data: bytes | None) -> bool:
    try:
        if data is not None:
            target.verify_length_and_hashes(data)
    except exceptions.LengthOrHashMismatchError:
        return False
    return data is not None


def _fetched(updater: Updater, target: TargetFile, state: Path) -> bytes:
    if target.length > PART_BYTES:
        raise UpdateError(f"the part {target.path[:80]} is larger than {PART_BYTES >> 20} MB")
    path = state / "part"
    updater.download_target(target, str(path))
    return path.read_bytes()


class _Fetcher(FetcherInterface):
    """Files of the repository for the library. `fetched` counts bytes."""

    def __init__(self, read: Reader) -> None:
        self._read = read
        self.fetched = 0

    def _fetch(self, url: str) -> Iterator[bytes]:
        try:
            for piece in self._read(url.removeprefix(f"{_ADDRESS}/")):
                self.fetched += len(piece)
                yield piece
        except FileNotFoundError:
            raise exceptions.DownloadHTTPError("there is no such file", 404) from None


_WHY: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.UnsignedMetadataError, "it is not signed by the publisher that is trusted here"),
    (exceptions.ExpiredMetadataError, "it has expired: the publisher or a server on the way withholds newer ones"),
    (exceptions.BadVersionNumberError, "it is older than the one in use"),
    (exceptions.LengthOrHashMismatchError, "a part of it is not the one that was signed"),
    (exceptions.DownloadLengthMismatchError, "a part of it is larger than was signed, or than is allowed"),
    (exceptions.DownloadHTTPError, "a part of it is missing"),
)


@contextmanager
def _as_update_error() -> Iterator[None]:
    """Turn errors of the library, of the disk and of untrusted JSON into UpdateError."""
    try:
        yield
    except WaypostError:
        raise
    except exceptions.DownloadError as error:
        # The library wraps what the reader raised.
        if isinstance(error.__cause__, WaypostError):
            raise error.__cause__ from None
        raise UpdateError(f"the release was refused: {_reason(error)}") from None
    except exceptions.RepositoryError as error:
        raise UpdateError(f"the release was refused: {_reason(error)}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, TypeError, KeyError, RecursionError):
        raise UpdateError("the release was refused: a part of it cannot be read") from None
    except OSError as error:
        raise UpdateError(f"the release cannot be read: {(error.strerror or str(error)).lower()}") from None


def _reason(error: Exception) -> str:
    return next((text for kind, text in _WHY if isinstance(error, kind)), "a part of it cannot be read")
