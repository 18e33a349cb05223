"""Publisher of releases: keys, root of trust, and the signed repository. Imports the extra `registry`.

    create_keys(keys, now, days)                          # root-key.pem, release-key.pem, root.json
    build(repository, keys, files, now=now, days=90)      # a further release, and registry.zip

Any server of static files can serve a repository. Names of parts contain a hash, and names of metadata a version: a
client reads one release or the next, never a mixture.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.signer import CryptoSigner
from tuf.api import exceptions
from tuf.api.metadata import Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp
from tuf.api.serialization import DeserializationError

from waypost import __version__
from waypost.registry.world import Release
from waypost.updates.client import ABOUT, FORMAT, TARGETS, About, RootFacts, read_root
from waypost.updates.errors import UpdateError
from waypost.updates.installed import parts_of, world_of, write_durably
from waypost.updates.repository import ARCHIVE

ROOT_KEY, RELEASE_KEY, ROOT = "root-key.pem", "release-key.pem", "root.json"
_PUBLIC = 0o644
"""Mode of the files that a web server reads."""
_ONLINE = (Targets.type, Snapshot.type, Timestamp.type)


class Built(NamedTuple):
    """Release of a repository: version, expiry in milliseconds, and number of brands; `changed` are its new parts."""

    version: int
    expires_at: int
    brands: int
    changed: int


def create_keys(folder: Path, now: int, days: int) -> RootFacts:
    """Make the keys of a publisher, or a new key for releases where there are keys: a further root names it.

    The root key signs the root alone, and is best held apart from the key for releases. Raises UpdateError.
    """
    root_path = folder / ROOT
    if root_path.exists():
        signed = _read(Root, root_path)
        signer, root = _signer(folder / ROOT_KEY), signed.signed
        for role in _ONLINE:
            for name in list(root.roles[role].keyids):
                root.revoke_key(name, role)
        root.version += 1
    else:
        signer, root = CryptoSigner.generate_ed25519(), Root(consistent_snapshot=True)
        root.add_key(signer.public_key, Root.type)
        _write_key(folder / ROOT_KEY, signer)
    release = CryptoSigner.generate_ed25519()
    for role in _ONLINE:
        root.add_key(release.public_key, role)
    root.expires = _moment(now) + timedelta(days=days)
    made = Metadata(root)
    made.sign(signer)
    _write_key(folder / RELEASE_KEY, release)
    data = made.to_bytes()
    write_durably(folder / f"{root.version}.{ROOT}", data)
    write_durably(root_path, data)
    return read_root(data)


def build(repository: Path, keys: Path, files: Mapping[str, str], *, now: int, days: int) -> Built:
    """Add a release of brand files to a repository, which is made where there is none. Raises UpdateError.

    files  path below `data/` -> text: `brands/...` and `sources.json`
    days   until the release expires, before which a further one has to be built
    """
    timestamp_path, expires = repository / "timestamp.json", _moment(now) + timedelta(days=days)
    version = _read(Timestamp, timestamp_path).signed.version + 1 if timestamp_path.exists() else 1
    world = world_of(files, Release(version=version, expires_at=int(expires.timestamp() * 1000)))
    signer, root = _signer(keys / RELEASE_KEY), _read(Root, keys / ROOT)
    if signer.public_key.keyid not in root.signed.roles[Targets.type].keyids:
        raise UpdateError(f"{RELEASE_KEY} is not the key that {ROOT} names: were they made together?")
    about = About(format=FORMAT, waypost=__version__, built_at=now)
    parts = {ABOUT: msgspec.json.encode(about)} | parts_of(files)
    targets = Targets(version, expires=expires, targets={p: TargetFile.from_data(p, d) for p, d in parts.items()})
    snapshot = Snapshot(version, expires=expires, meta={f"{Targets.type}.json": MetaFile(version)})
    timestamp = Timestamp(version, expires=expires, snapshot_meta=MetaFile(version))
    names, changed = [], 0
    for path, data in parts.items():
        folder, slash, name = path.rpartition("/")
        names.append(f"{TARGETS}/{folder}{slash}{targets.targets[path].hashes['sha256']}.{name}")
        if not (repository / names[-1]).exists():
            write_durably(repository / names[-1], data, _PUBLIC)
            changed += 1
    for number in range(1, root.signed.version + 1):
        names.append(f"{number}.{ROOT}")
        write_durably(repository / names[-1], _data(keys / names[-1]), _PUBLIC)
    # The timestamp last: until then a client sees the release before.
    for made, name in (
        (Metadata(targets), f"{version}.{Targets.type}.json"),
        (Metadata(snapshot), f"{version}.{Snapshot.type}.json"),
        (Metadata(timestamp), timestamp_path.name),
    ):
        made.sign(signer)
        names.append(name)
        write_durably(repository / name, made.to_bytes(), _PUBLIC)
    _archive(repository, names)
    return Built(version, int(expires.timestamp() * 1000), len(world.brands), changed)


def _archive(repository: Path, names: list[str]) -> None:
    """Write the archive of the newest release, for updates without a network."""
    made = repository / f".{ARCHIVE}"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.write(repository / name, name)
    made.replace(repository / ARCHIVE)


def _moment(now: int) -> datetime:
    # The form of the metadata has whole seconds.
    return datetime.fromtimestamp(now // 1000, UTC)


def _signer(path: Path) -> CryptoSigner:
    with _readable(path):
        return CryptoSigner(load_pem_private_key(path.read_bytes(), None))


def _read(kind: type[Root | Timestamp], path: Path) -> Metadata:  # type: ignore[type-arg]
    with _readable(path):
        made = Metadata.from_bytes(path.read_bytes())
        if not isinstance(made.signed, kind):
            raise UpdateError(f"{path.name} is other metadata than its name says")
        return made


def _data(path: Path) -> bytes:
    with _readable(path):
        return path.read_bytes()


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors of a file into UpdateError."""
    try:
        yield
    except FileNotFoundError:
        raise UpdateError(f"there is no {path.name}; `waypost registry key FOLDER` makes the keys") from None
    except (OSError, ValueError, TypeError, DeserializationError, exceptions.RepositoryError):
        raise UpdateError(f"{path.name} cannot be read") from None


def _write_key(path: Path, signer: CryptoSigner) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}")
    made.unlink(missing_ok=True)
    # Readable by its owner alone, before anything is in it.
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(signer.private_bytes)
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)
