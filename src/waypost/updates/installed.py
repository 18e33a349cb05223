"""File of the installed release: a header, then the metadata by which it was verified, and the brand files.

    waypost-registry/1 LF
    the header as JSON LF
    the body as JSON: `metadata` and `files`, text by name

A digest in the header finds a damaged file. The signatures were verified before the file was written: write access to
the data folder includes the store as well.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from waypost.registry import world as worlds
from waypost.registry.sources import brand_errors
from waypost.registry.world import Release, World
from waypost.updates.errors import UpdateError

FOLDER = "registry"
"""Subfolder of the data folder."""
CURRENT, PINNED, SOURCE = "current", "root.json", "source"
"""Names in the folder: the installed release, the root that the operator has pinned, and the address of releases."""
SHIPPED_ROOT = Path(__file__).parent / "trusted" / "root.json"
SOURCES = "sources.json"
MAGIC = b"waypost-registry/1\n"
LONGEST_HEADER = 16_384
LARGEST = 64 << 20
"""Bytes of an installed release."""
MOST_FILES = 100_000
_FILE = re.compile(r"brands/[0-9a-z]/[a-z0-9][a-z0-9-]{0,40}\.json|sources\.json")


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """Header of an installed release; times are milliseconds since 1970, UTC.

    anchor   SHA-256 of the pinned root of trust, in hex
    waypost  version of waypost that built the release
    sha256   of the body, in hex
    """

    version: int
    built_at: int
    expires_at: int
    installed_at: int
    waypost: str
    anchor: str
    sha256: str


class Body(msgspec.Struct, frozen=True):
    """Metadata by name as on disk (`timestamp.json`, `root_history/1.root.json`), and files by path below `data/`."""

    metadata: dict[str, str]
    files: dict[str, str]


class Installed(NamedTuple):
    """Installed release."""

    header: Header
    body: Body


def read_installed(folder: Path) -> Installed | None:
    """Release installed in a data folder, or None. Raises UpdateError for a damaged one."""
    path = folder / FOLDER / CURRENT
    try:
        if path.stat().st_size > LARGEST:
            raise UpdateError(f"the installed registry is larger than {LARGEST >> 20} MB")
        return _parsed(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UpdateError(f"the installed registry cannot be read: {(error.strerror or str(error)).lower()}") from None


def _parsed(data: bytes) -> Installed:
    if not data.startswith(MAGIC):
        raise UpdateError("the installed registry is of another form, or damaged")
    line, _, text = data[len(MAGIC) :].partition(b"\n")
    try:
        header = msgspec.json.decode(line[:LONGEST_HEADER], type=Header)
        if hashlib.sha256(text).hexdigest() != header.sha256:
            raise UpdateError("the installed registry is damaged; install it again with `waypost registry update`")
        return Installed(header, msgspec.json.decode(text, type=Body))
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UpdateError("the installed registry has a damaged header or body") from None


def install(folder: Path, header: Header, body: Body) -> None:
    """Replace the installed release of a data folder, at once and durably. The digest of the header is set here."""
    text = msgspec.json.encode(body)
    header = msgspec.structs.replace(header, sha256=hashlib.sha256(text).hexdigest())
    write_durably(folder / FOLDER / CURRENT, MAGIC + msgspec.json.encode(header) + b"\n" + text)


def write_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Replace a file: after a crash either the old or the new content is there, never a part. Raises UpdateError."""
    import tempfile

    try:
        path.parent.mkdir(mode=0o755 if mode & 0o044 else 0o700, parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritten(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(made).chmod(mode)
        Path(made).replace(path)
    except BaseException as error:
        Path(made).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritten(path, error) from None
        raise


def _unwritten(path: Path, error: OSError) -> UpdateError:
    return UpdateError(f"{path.name} cannot be written: {(error.strerror or str(error)).lower()}; nothing was changed")


def world_of(files: Mapping[str, str], release: Release) -> World:
    """World of the package with the brands of a release in place of its own. Raises UpdateError and RegistryError."""
    if len(files) > MOST_FILES:
        raise UpdateError(f"the release has more than {MOST_FILES:,} files")
    for path in files:
        # A release replaces brands and their sources: policies, places and suffixes belong to the code that reads them.
        if not _FILE.fullmatch(path):
            raise UpdateError(f"the release has a file {path[:80]!r}, which a registry does not hold")
    ours = worlds.load().files
    own = {path: data for path, data in ours.items() if not path.startswith("brands/")}
    made = World(own | {path: text.encode() for path, text in files.items()}, release)
    if not made.official:
        raise UpdateError("the release has no reviewed domain")
    if SOURCES not in files or len(made.brands) != len(files) - 1:
        raise UpdateError(f"the release has no {SOURCES}, or a brand in two files")
    if wrong := next(brand_errors(made), ""):
        raise UpdateError(f"the release has an error: {wrong}")
    return made


def load_world(folder: Path | None) -> World:
    """World with the release that a data folder has installed, else of the package alone. Raises UpdateError."""
    path = folder / FOLDER / CURRENT if folder else None
    try:
        about = path.stat() if path else None
    except FileNotFoundError:
        about = None
    except OSError as error:  # a release there may have withdrawn what the package still verifies
        raise UpdateError(f"the installed registry cannot be read: {(error.strerror or str(error)).lower()}") from None
    if folder is None or about is None:
        return worlds.load()
    return _load_world(folder, about.st_ino, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4)
def _load_world(folder: Path, *_identity: int) -> World:
    # Cached by the identity of the file: what was derived from a world (words of brands, the search index) stays valid.
    found = read_installed(folder)
    if found is None:
        return worlds.load()
    return world_of(found.body.files, Release(version=found.header.version, expires_at=found.header.expires_at))


def remove(folder: Path) -> bool:
    """Remove the installed release: the registry of the package is in use again. Whether there was one."""
    try:
        (folder / FOLDER / CURRENT).unlink()
    except FileNotFoundError:
        return False
    return True


def root_of(folder: Path) -> bytes:
    """Root of trust: pinned in the data folder, else shipped with the package. Raises UpdateError."""
    for path in (folder / FOLDER / PINNED, SHIPPED_ROOT):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UpdateError(f"the root of trust {path.name} cannot be read: {reason}") from None
    raise UpdateError(
        "no publisher is trusted yet: this package ships no key of one. Get the publisher's root.json by a way that "
        "you trust, then `waypost registry trust root.json`"
    )


def parts_of(files: Mapping[str, str]) -> dict[str, bytes]:
    """Parts of a release, as signed: a JSON object of files each, the brands by first letter."""
    parts: dict[str, dict[str, str]] = {}
    for path, text in sorted(files.items()):
        parts.setdefault(path if path == SOURCES else f"{path[: path.rindex('/')]}.json", {})[path] = text
    return {path: msgspec.json.encode(part) for path, part in parts.items()}


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Lock of a data folder's registry, waited for: a second update starts from the result of the first."""
    path = folder / FOLDER
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (path / ".lock").open("wb") as file:
        if sys.platform != "win32":  # there the last of two updates at once stays, each of them complete
            from fcntl import LOCK_EX, flock

            flock(file, LOCK_EX)
        yield


def pin(folder: Path, data: bytes) -> None:
    """Pin a root of trust. Raises UpdateError where the installed release was verified from another."""
    found = read_installed(folder)
    if found and found.header.anchor != hashlib.sha256(data).hexdigest():
        raise UpdateError(
            f"release {found.header.version} was verified from another root; `waypost registry reset` removes it first"
        )
    write_durably(folder / FOLDER / PINNED, data)
