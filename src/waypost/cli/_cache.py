"""What was found before, kept in a folder that may be deleted at any time.

What is kept of a page is what was said about it before the configuration had its say, by the digest of its bytes and of
everything that had a part in it: waypost's own code, the libraries that read pages, the registry, the profiles and
syntaxes that were asked for. Words about dates hold until the next instant at which they could become others. Files
are replaced whole, so that runs at the same time may lose each other's news but never meet half of it; a file that
cannot be read counts as none.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from waypost import __version__
from waypost.cli._inputs import MOST_BYTES, Input, read
from waypost.cli._run import processors, say
from waypost.errors import Unreadable
from waypost.registry import Registry

if TYPE_CHECKING:
    import hashlib

    from waypost.net.crawl import Remembered

FOLDER = ".waypost-cache"
SHARDS = 16
MOST_SHARD_BYTES = 16 << 20
MOST_WEB_BYTES = 256 << 20
UNUSED_DAYS = 30
_BUFFER_BYTES = 1 << 18
_MANY = 50
FRESH_S = 2.0
"""A file that has been changed so short a time before it was read may change again without its stamp telling."""

_MARK = b"waypost cache 1\n"
_CODE_FOLDERS = (
    "", "cli", "data", "extract", "formats", "models", "registry", "validate", "validate/rules", "validate/profiles",
)  # fmt: skip
"""Folders of the package whose code and tables decide on findings."""
_LIBRARIES = ("ada_url", "jsonschema_rs", "msgspec", "turbohtml")
_IGNORE = "# made by waypost: this folder may be deleted\n*\n"
_DAY_S = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_T = TypeVar("_T")


class Proof(msgspec.Struct, array_like=True, frozen=True):
    """What a result rests on: the digest of the page, the file's stamp where it can be trusted, and between which two
    instants (seconds since 1970, neither included) the words about dates hold."""

    digest: bytes
    stamp: tuple[int, int, int] | None
    since: float
    until: float


class Known(msgspec.Struct, array_like=True):
    """What is kept of a page: `result` is opaque here, `used` a day since 1970."""

    key: bytes
    proof: Proof
    result: bytes
    used: int


class Reading:
    """The stamp of a file before and after it is read, and the digest of what was read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._before = stamp_of(path)
        self._at_ns = time.time_ns()

    @property
    def was_quiet(self) -> bool:
        """Has nobody written to the file meanwhile?"""
        return self._before is not None and stamp_of(self._path) == self._before

    @property
    def stamp(self) -> tuple[int, int, int] | None:
        """The stamp, where the file will have another one after its next change."""
        fresh = self._before is None or self._at_ns - self._before[1] <= FRESH_S * 1e9
        return None if fresh else self._before

    def proof(self, data: bytes, now: datetime, turns: Iterable[datetime]) -> Proof | None:
        """None where the file was written to meanwhile."""
        if not self.was_quiet:
            return None
        moments = [(each - _EPOCH).total_seconds() for each in turns]
        at = (now - _EPOCH).total_seconds()
        return Proof(
            digest_of(data),
            self.stamp,
            max((each for each in moments if each < at), default=float("-inf")),
            min((each for each in moments if each >= at), default=float("inf")),
        )


def _sha256(data: bytes = b"") -> hashlib._Hash:
    from hashlib import sha256  # OpenSSL's lets other threads run, but a run without a cache need not load it

    return sha256(data, usedforsecurity=False)


def digest_of(data: bytes) -> bytes:
    return _sha256(data).digest()


class _Buffer(threading.local):
    """Room to read files into, one for each thread: asking the system for new room costs as much as reading."""

    def __init__(self) -> None:
        self.room = memoryview(bytearray(_BUFFER_BYTES))


_BUFFER = _Buffer()


def _digest_now(what: Input) -> bytes | None:
    """The digest of what a file holds now, unpacked; None where it cannot be read.

    It says nothing about what is too large or no page: the same bytes have been read before, so they were neither.
    """
    if what.where.lower().endswith(".gz"):
        try:
            return digest_of(read(what))
        except Unreadable:
            return None
    digest = _sha256()
    room = _BUFFER.room
    left = MOST_BYTES + 1
    try:
        with open(what.where, "rb", buffering=0) as file:  # noqa: PTH123 - asked thousands of times
            while left > 0 and (got := file.readinto(room)):
                digest.update(room[:got])
                left -= got
    except OSError:
        return None
    return digest.digest()


def stamp_of(path: str) -> tuple[int, int, int] | None:
    """(size, time of the last change in ns, number of the inode)"""
    try:
        seen = os.stat(path)  # noqa: PTH116 - asked thousands of times
    except OSError:
        return None
    return seen.st_size, seen.st_mtime_ns, seen.st_ino


class Cache:
    """The results of earlier runs under the same waypost and registry.

    folder  where it lies; made when there is something to keep.
    strict  go by the bytes of a file alone, whatever its size and time of change say.
    """

    def __init__(self, folder: Path, registry: Registry, now: datetime, *, strict: bool = False) -> None:
        self.folder = folder
        self._home = folder.parent.resolve()
        self._strict = strict
        self._now = (now - _EPOCH).total_seconds()
        self._today = int(time.time() // _DAY_S)
        self._results = folder / f"results-{_identity(registry, now)}"
        self._shards: dict[int, dict[str, Known]] = {}
        self._stamps: dict[int, tuple[int, int, int] | None] = {}
        self._changed: dict[int, set[str]] = {}
        self._names: dict[str, str] = {}

    def find_all(self, asked: Sequence[tuple[Input, bytes]]) -> list[bytes | None]:
        """The results that are known of files as they are now, each with its key; None where there is none.

        Reading and hashing let other threads work, so they share it.
        """
        if len(asked) < _MANY:
            return [self._find(*each) for each in asked]
        from concurrent.futures import ThreadPoolExecutor

        for number in range(SHARDS):
            self._shard(number)
        threads = max(processors(), 2)
        size = -(-len(asked) // threads)
        parts = [asked[n : n + size] for n in range(0, len(asked), size)]
        with ThreadPoolExecutor(threads) as pool:
            return [
                each for part in pool.map(lambda part: [self._find(*each) for each in part], parts) for each in part
            ]

    def _find(self, what: Input, key: bytes) -> bytes | None:
        name = self._name(what.where)
        number = _shard(name)
        known = self._shard(number).get(name)
        if known is None or known.key != key or not known.proof.since < self._now < known.proof.until:
            return None
        if self._strict or known.proof.stamp is None or stamp_of(what.where) != known.proof.stamp:
            reading = Reading(what.where)
            if _digest_now(what) != known.proof.digest or not reading.was_quiet:
                return None
            if reading.stamp != known.proof.stamp:
                known.proof = msgspec.structs.replace(known.proof, stamp=reading.stamp)
                self._changed.setdefault(number, set()).add(name)
        if known.used != self._today:
            known.used = self._today
            self._changed.setdefault(number, set()).add(name)
        return known.result

    def keep(self, what: Input, key: bytes, proof: Proof, result: bytes) -> None:
        name = self._name(what.where)
        self._shard(_shard(name))[name] = Known(key, proof, result, self._today)
        self._changed.setdefault(_shard(name), set()).add(name)

    def save(self, *, quiet: bool) -> None:
        """Write what is new. A folder that cannot be written to costs the next run its gain, and nothing else."""
        try:
            for number, names in self._changed.items():
                self._write(number, names)
            if self._changed:
                self._tidy()
        except OSError as fault:
            if not quiet:
                say(f"the cache {self.folder} cannot be written: {(fault.strerror or str(fault)).lower()}")
        self._changed.clear()

    def _name(self, where: str) -> str:
        """A file's path from the folder that holds the cache, so that it is known wherever waypost runs."""
        folder, _, last = where.rpartition(os.sep)
        if folder not in self._names:
            relative = os.path.relpath(os.path.realpath(folder or (os.sep if where[:1] == os.sep else ".")), self._home)
            self._names[folder] = os.fsencode(relative).decode("utf-8", "backslashreplace")
        return f"{self._names[folder]}/{os.fsencode(last).decode('utf-8', 'backslashreplace')}"

    def _shard(self, number: int) -> dict[str, Known]:
        if number not in self._shards:
            path = self._results / f"{number:02}"
            self._stamps[number] = stamp_of(str(path))
            self._shards[number] = _read(path, dict[str, Known]) or {}
        return self._shards[number]

    def _write(self, number: int, names: set[str]) -> None:
        path = self._results / f"{number:02}"
        mine = self._shards[number]
        if stamp_of(str(path)) != self._stamps[number]:  # another run has written meanwhile
            theirs = _read(path, dict[str, Known]) or {}
            mine = theirs | {name: mine[name] for name in names}
        recent = {name: each for name, each in mine.items() if self._today - each.used <= UNUSED_DAYS}
        data = msgspec.msgpack.encode(recent)
        while len(data) > MOST_SHARD_BYTES and recent:
            by_use = sorted(recent, key=lambda name: recent[name].used, reverse=True)
            recent = {name: recent[name] for name in by_use[: len(by_use) // 2]}
            data = msgspec.msgpack.encode(recent)
        self._make(self._results)
        _write(path, data)

    def _make(self, folder: Path) -> None:
        if folder.is_dir():
            return
        folder.mkdir(parents=True, exist_ok=True)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text(_IGNORE, encoding="utf-8")

    def _tidy(self) -> None:
        """Take away what other versions left, once they have not been used for a while."""
        old = time.time() - UNUSED_DAYS * _DAY_S
        for folder in self.folder.glob("results-*"):
            if folder != self._results and folder.stat().st_mtime < old:
                for each in folder.iterdir():
                    each.unlink(missing_ok=True)
                folder.rmdir()

    def answers(self) -> _Answers:
        """What servers answered, for conditional requests."""
        return _Answers(self.folder / "web", self._make)


class _Answers:
    """Answers of servers, a file for each address."""

    def __init__(self, folder: Path, make: Callable[[Path], None]) -> None:
        self._folder, self._make = folder, make

    def recall(self, url: str) -> Remembered | None:
        from waypost.net.crawl import Remembered

        known = _read(self._path(url), Remembered)
        if known is None:
            return None
        try:
            return msgspec.structs.replace(known, data=zlib.decompress(known.data))
        except zlib.error:
            return None

    def keep(self, url: str, answer: Remembered) -> None:
        data = msgspec.msgpack.encode(msgspec.structs.replace(answer, data=zlib.compress(answer.data, 1)))
        try:
            self._make(self._folder)
            _write(self._path(url), data)
        except OSError:
            pass  # then the page is sent whole the next time

    def close(self) -> None:
        """Keep all of them below their bound; the oldest go first."""
        size = 0
        for _, length, path in sorted(self._all(), reverse=True):
            size += length
            if size > MOST_WEB_BYTES:
                path.unlink(missing_ok=True)

    def _path(self, url: str) -> Path:
        return self._folder / _sha256(url.encode("utf-8", "replace")).hexdigest()[:32]

    def _all(self) -> Iterator[tuple[float, int, Path]]:
        try:
            for each in self._folder.iterdir():
                seen = each.stat()
                yield seen.st_mtime, seen.st_size, each
        except OSError:
            return


def key_of(what: Input, profiles: tuple[str, ...], syntaxes: frozenset[str] | None, site: str) -> bytes:
    """Digest of what, besides the page itself, decides what is said about it."""
    return _key_of(what.url, what.walked, profiles, syntaxes, site)


@lru_cache(64)  # most pages of a run differ in nothing but themselves
def _key_of(
    url: str | None, walked: bool, profiles: tuple[str, ...], syntaxes: frozenset[str] | None, site: str
) -> bytes:
    told = (url, walked, profiles, sorted(syntaxes) if syntaxes is not None else None, site)
    return _sha256(msgspec.msgpack.encode(told)).digest()[:16]


def _shard(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % SHARDS


def _read(path: Path, shape: type[_T]) -> _T | None:
    """What a file of the cache holds; None for one that is not there, not whole or not ours."""
    try:
        with path.open("rb") as file:
            head, data = file.read(len(_MARK) + 32), file.read()
    except OSError:
        return None
    if head != _MARK + digest_of(data):
        return None
    try:
        return msgspec.msgpack.decode(data, type=shape)
    except msgspec.DecodeError:
        return None


def _write(path: Path, data: bytes) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MARK + digest_of(data))
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


_RETIRED = re.compile(rb'"retired_on":\s*"(\d{4}-\d\d-\d\d)"')


def _identity(registry: Registry, now: datetime) -> str:
    """Digest of everything that judges: our code, the libraries that read, the registry, what it has retired by now."""
    digest = _sha256(f"{__version__} {registry.version} {sys.version_info[:2]}".encode())
    package = Path(__file__).parent.parent
    for folder in _CODE_FOLDERS:
        for entry in sorted(os.scandir(package / folder), key=lambda each: each.name):
            if entry.name.endswith((".py", ".json")):
                digest.update(f"{folder}/{entry.name}\0".encode())
                digest.update(Path(entry.path).read_bytes())
    digest.update(" ".join(_versions()).encode())
    days = sorted(day for path, data in registry.files.items() if "profiles/" in path for day in _RETIRED.findall(data))
    today = now.date().isoformat().encode()
    digest.update(str(sum(day <= today for day in days)).encode())
    return digest.hexdigest()[:16]


def _versions() -> list[str]:
    """The folders that hold what installers say of our libraries: their names have the versions."""
    found: list[str] = []
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - names are all that is wanted
        except OSError:
            continue
        found += [
            name
            for name in names
            if name.endswith(".dist-info") and name.partition("-")[0].lower().replace("-", "_") in _LIBRARIES
        ]
    return sorted(found)


def folder_for(named: str | None, setting: Any, config: str | None) -> Path | None:
    """Where the cache lies: where it was asked for, else beside the configuration; without either there is none."""
    if named:
        return Path(named)
    if setting is False or config is None:
        return None
    return Path(setting) if isinstance(setting, str) else Path(config).parent / FOLDER
