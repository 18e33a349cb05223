"""Cache of results in a folder that may be deleted at any time.

Results are stored before the configuration is applied. The key of a result is made of digests of the page's bytes,
waypost's code, the parsing libraries, the registry, the profiles and the syntaxes. Findings about dates are valid until
the next instant at which they would change. Files are replaced whole: of two simultaneous runs either may lose new
results, but neither reads half a file. A damaged file counts as absent.
"""

from __future__ import annotations

import os
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from waypost import __version__
from waypost.errors import Unreadable
from waypost.formats.digests import sha256
from waypost.formats.patterns import pattern
from waypost.isolation.process import processor_count
from waypost.lint.inputs import Input, read
from waypost.reader.sources import MAX_BYTES
from waypost.registry import Registry

if TYPE_CHECKING:
    from waypost.net.crawl import CachedResponse

FOLDER = ".waypost-cache"
SHARDS = 16
MAX_SHARD_BYTES = 16 << 20
MAX_WEB_BYTES = 256 << 20
UNUSED_DAYS = 30
_BUFFER_BYTES = 1 << 18
_MANY = 50
FRESH_S = 2.0
"""A file changed less than this many seconds before it was read may change again under the same time stamp."""

_MAGIC = b"waypost cache 1\n"
_CODE_FOLDERS = (
    "", "data", "data/visible", "reader", "reader/product_feeds", "formats", "lint", "models", "registry", "validate",
    "validate/rules", "validate/profiles", "validate/displayed", "validate/feeds",
)  # fmt: skip
"""Folders of the package whose code and tables decide on findings."""
_LIBRARIES = ("ada_url", "msgspec", "turbohtml")
_IGNORE = "# made by waypost: this folder may be deleted\n*\n"
_DAY_S = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_T = TypeVar("_T")


class Validity(msgspec.Struct, array_like=True, frozen=True):
    """Conditions under which a result is valid.

    digest        SHA-256 of the page.
    stamp         stamp of the file; None where a later change might leave the stamp equal.
    since, until  seconds since 1970, exclusive, between which the findings about dates are valid.
    """

    digest: bytes
    stamp: tuple[int, int, int] | None
    since: float
    until: float


class CachedResult(msgspec.Struct, array_like=True):
    """Stored result of a page: `result` is opaque bytes, `used` the day of the last use, in days since 1970."""

    key: bytes
    validity: Validity
    result: bytes
    used: int


class StampedRead:
    """Read of a file, with the stamp of the file before the read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._before = stamp_of(path)
        self._at_ns = time.time_ns()

    @property
    def is_unchanged(self) -> bool:
        """Whether the file still has the stamp from before the read."""
        return self._before is not None and stamp_of(self._path) == self._before

    @property
    def stamp(self) -> tuple[int, int, int] | None:
        """Stamp of the file; None where the next change might leave the stamp equal, so soon after the last change."""
        # A file system may count time in steps of up to 2 s (FAT): within a step two changes have one time stamp.
        fresh = self._before is None or self._at_ns - self._before[1] <= FRESH_S * 1e9
        return None if fresh else self._before

    def validity(self, data: bytes, now: datetime, turns: Iterable[datetime]) -> Validity | None:
        """Conditions for a result from `data`; None where the file has changed since the read began."""
        if not self.is_unchanged:
            return None
        moments = [(turn - _EPOCH).total_seconds() for turn in turns]
        at = (now - _EPOCH).total_seconds()
        return Validity(
            digest_of(data),
            self.stamp,
            # The result holds between the last change of a dated finding before now and the first one after.
            max((moment for moment in moments if moment < at), default=float("-inf")),
            min((moment for moment in moments if moment >= at), default=float("inf")),
        )


def _sha256(data: bytes = b"") -> Any:
    # For whole files; imported here, since OpenSSL takes long to load, and a run without a cache needs none.
    import hashlib

    return hashlib.sha256(data, usedforsecurity=False)


def digest_of(data: bytes) -> bytes:
    return bytes(_sha256(data).digest())


_ROOMS: dict[int, memoryview] = {}


def _room() -> memoryview:
    """Buffer to read files into, one per thread: allocating a new buffer takes as long as reading."""
    import threading  # only a run with a cache of results reads here

    thread = threading.get_ident()
    if thread not in _ROOMS:
        _ROOMS[thread] = memoryview(bytearray(_BUFFER_BYTES))
    return _ROOMS[thread]


def _digest_now(item: Input) -> bytes | None:
    """SHA-256 of a file's bytes, decompressed; None where the file cannot be read.

    Size and kind need no check: the digest is compared with the digest of a page already checked for both.
    """
    if item.where.lower().endswith(".gz"):
        try:
            return digest_of(read(item))
        except Unreadable:
            return None
    digest = _sha256()
    room = _room()
    # Never more of a file than a page may have, however large the file is.
    left = MAX_BYTES + 1  # the part of a longer file has the digest of no page
    try:
        with open(item.where, "rb", buffering=0) as file:  # noqa: PTH123 - called thousands of times
            while left > 0 and (got := file.readinto(room)):
                digest.update(room[:got])
                left -= got
    except OSError:
        return None
    return bytes(digest.digest())


def stamp_of(path: str) -> tuple[int, int, int] | None:
    """(size in bytes, time of the last change in ns, inode); None for a missing file."""
    try:
        status = os.stat(path)  # noqa: PTH116 - called thousands of times
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


class Cache:
    """Results of earlier runs under the same waypost and registry.

    folder    place of the cache; made when the first result is stored.
    strict    compare the bytes of every file, with an equal stamp too.
    identity  digest of waypost and registry, to save the reading of all code for a further cache.
    """

    def __init__(
        self, folder: Path, registry: Registry, now: datetime, *, strict: bool = False, identity: str = ""
    ) -> None:
        self.folder = folder
        self._home = folder.parent.resolve()
        self._strict = strict
        self._now = (now - _EPOCH).total_seconds()
        self._today = int(time.time() // _DAY_S)
        self.identity = identity or _identity(registry, now)
        self._results = folder / f"results-{self.identity}"
        self._shards: dict[int, dict[str, CachedResult]] = {}
        self._stamps: dict[int, tuple[int, int, int] | None] = {}
        self._changed: dict[int, set[str]] = {}
        self._names: dict[str, str] = {}

    def find_all(self, requests: Sequence[tuple[Input, bytes]]) -> list[bytes | None]:
        """Result for each request (input, options digest), in order; None where no stored result is valid now.

        Threads share the reading and hashing, because both release the interpreter's lock.
        """
        if len(requests) < _MANY:
            return [self._find(*request) for request in requests]
        from concurrent.futures import ThreadPoolExecutor

        # Loaded before the threads start, because loading a shard changes `_shards` without a lock.
        # All of them, since the names spread over the shards at random.
        for number in range(SHARDS):
            self._shard(number)
        threads = max(processor_count(), 2)
        size = -(-len(requests) // threads)
        parts = [requests[n : n + size] for n in range(0, len(requests), size)]
        with ThreadPoolExecutor(threads) as pool:
            found = pool.map(lambda part: [self._find(*request) for request in part], parts)
            return [result for part in found for result in part]

    def _find(self, item: Input, key: bytes) -> bytes | None:
        name = self._name(item.where)
        number = _shard(name)
        cached = self._shard(number).get(name)
        # Cheapest first: another option or day makes any check of the file needless.
        if cached is None or cached.key != key or not cached.validity.since < self._now < cached.validity.until:
            return None
        before = (cached.validity, cached.used)
        if self._strict or cached.validity.stamp is None or stamp_of(item.where) != cached.validity.stamp:
            # Stamp before digest: a change during the read is noticed by the stamp after it.
            read_now = StampedRead(item.where)
            if _digest_now(item) != cached.validity.digest or not read_now.is_unchanged:
                return None
            cached.validity = msgspec.structs.replace(cached.validity, stamp=read_now.stamp)
        cached.used = self._today
        if (cached.validity, cached.used) != before:
            self._changed.setdefault(number, set()).add(name)
        return cached.result

    def put(self, item: Input, key: bytes, validity: Validity, result: bytes) -> None:
        name = self._name(item.where)
        # An entry for the same file under other options is replaced: a project mostly runs with one set of options.
        self._shard(_shard(name))[name] = CachedResult(key, validity, result, self._today)
        self._changed.setdefault(_shard(name), set()).add(name)

    def save(self) -> str:
        """Write the new results; the reason where they cannot be written, else empty."""
        try:
            for number, names in self._changed.items():
                self._write(number, names)
            if self._changed:
                self._tidy()
        except OSError as error:
            return f"the cache {self.folder} cannot be written: {(error.strerror or str(error)).lower()}"
        finally:
            self._changed.clear()
        return ""

    def _name(self, where: str) -> str:
        """Path of a file relative to the folder above the cache, the same in every working directory."""
        # `realpath` asks the system for every part of a path: once per folder, not once per file.
        folder, _, last = where.rpartition(os.sep)
        if folder not in self._names:
            relative = os.path.relpath(os.path.realpath(folder or (os.sep if where[:1] == os.sep else ".")), self._home)
            self._names[folder] = os.fsencode(relative).decode("utf-8", "backslashreplace")
        return f"{self._names[folder]}/{os.fsencode(last).decode('utf-8', 'backslashreplace')}"

    def _shard(self, number: int) -> dict[str, CachedResult]:
        if number not in self._shards:
            path = self._results / f"{number:02}"
            self._stamps[number] = stamp_of(str(path))
            self._shards[number] = _read(path, dict[str, CachedResult]) or {}
        return self._shards[number]

    def _write(self, number: int, names: set[str]) -> None:
        path = self._results / f"{number:02}"
        mine = self._shards[number]
        # Another run has written meanwhile: keep its results, replace only the entries changed here.
        if stamp_of(str(path)) != self._stamps[number]:
            theirs = _read(path, dict[str, CachedResult]) or {}
            mine = theirs | {name: mine[name] for name in names}
        recent = {name: entry for name, entry in mine.items() if self._today - entry.used <= UNUSED_DAYS}
        data = msgspec.msgpack.encode(recent)
        # Too large: keep the half used last, and halve again while needed.
        while len(data) > MAX_SHARD_BYTES and recent:
            by_use = sorted(recent, key=lambda name: recent[name].used, reverse=True)
            recent = {name: recent[name] for name in by_use[: len(by_use) // 2]}
            data = msgspec.msgpack.encode(recent)
        self._make(self._results)
        _write(path, data)

    def _make(self, folder: Path) -> None:
        if folder.is_dir():
            return
        folder.mkdir(parents=True, exist_ok=True)
        # The folder ignores itself, so that no one has to add it to the project's .gitignore.
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text(_IGNORE, encoding="utf-8")

    def _tidy(self) -> None:
        """Delete results of waypost versions not used for `UNUSED_DAYS`."""
        old = time.time() - UNUSED_DAYS * _DAY_S
        for folder in self.folder.glob("results-*"):
            # Branches with different versions alternate: the results of the other one stay for a month.
            if folder != self._results and folder.stat().st_mtime < old:
                for entry in folder.iterdir():
                    entry.unlink(missing_ok=True)
                folder.rmdir()

    def responses(self) -> ResponseCache:
        """Responses of servers, for conditional requests."""
        return ResponseCache(self.folder / "web", self._make)


class ResponseCache:
    """Responses of servers, a file per URL."""

    def __init__(self, folder: Path, make: Callable[[Path], None]) -> None:
        self._folder, self._make = folder, make

    def recall(self, url: str) -> CachedResponse | None:
        from waypost.net.crawl import CachedResponse

        cached = _read(self._path(url), CachedResponse)
        if cached is None:
            return None
        try:
            return msgspec.structs.replace(cached, data=zlib.decompress(cached.data))
        except zlib.error:
            return None

    def keep(self, url: str, answer: CachedResponse) -> None:
        data = msgspec.msgpack.encode(msgspec.structs.replace(answer, data=zlib.compress(answer.data, 1)))
        try:
            self._make(self._folder)
            _write(self._path(url), data)
        except OSError:
            pass  # the next run fetches the page in full

    def close(self) -> None:
        """Delete the oldest responses beyond `MAX_WEB_BYTES`."""
        size = 0
        # Newest first, so that the sum passes the limit at the oldest.
        for _, length, path in sorted(self._all(), reverse=True):
            size += length
            if size > MAX_WEB_BYTES:
                path.unlink(missing_ok=True)

    def _path(self, url: str) -> Path:
        return self._folder / str(sha256(url.encode("utf-8", "replace")).hexdigest())[:32]

    def _all(self) -> Iterator[tuple[float, int, Path]]:
        try:
            for entry in self._folder.iterdir():
                status = entry.stat()
                yield status.st_mtime, status.st_size, entry
        except OSError:
            return


def options_digest(item: Input, profiles: tuple[str, ...], syntaxes: frozenset[str] | None, site: str) -> bytes:
    """Digest of the options that affect the findings of an input."""
    return _digest_of_options(item.url, item.walked, profiles, syntaxes, site)


@lru_cache(64)  # the pages of a run mostly have equal options
def _digest_of_options(
    url: str | None, walked: bool, profiles: tuple[str, ...], syntaxes: frozenset[str] | None, site: str
) -> bytes:
    options = (url, walked, profiles, sorted(syntaxes) if syntaxes is not None else None, site)
    return bytes(sha256(msgspec.msgpack.encode(options)).digest()[:16])


def _shard(name: str) -> int:
    # Any even spread will do; crc32 is the same in every process, unlike hash().
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) % SHARDS


def _read(path: Path, shape: type[_T]) -> _T | None:
    """Content of a file of the cache; None where the file is absent, damaged or written by another program."""
    try:
        with path.open("rb") as file:
            head, data = file.read(len(_MAGIC) + 32), file.read()
    except OSError:
        return None
    # The digest finds truncated and damaged files, which msgpack might decode to wrong results.
    # The magic line changes with the format: an older cache counts as absent.
    if head != _MAGIC + digest_of(data):
        return None
    try:
        return msgspec.msgpack.decode(data, type=shape)
    except msgspec.DecodeError:
        return None


def _write(path: Path, data: bytes) -> None:
    import tempfile

    # In the same folder, because a rename is atomic only within a file system.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + digest_of(data))
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


_RETIRED = pattern(rb'"retired_on":\s*"(\d{4}-\d\d-\d\d)"')


def _identity(registry: Registry, now: datetime) -> str:
    """Digest of our code, the parsing libraries, the registry, and the number of rich results retired by now."""
    # The version alone is not enough: in a checkout the code changes without a new version.
    digest = _sha256(f"{__version__} {registry.version} {sys.version_info[:2]}".encode())
    package = Path(__file__).parent.parent
    for folder in _CODE_FOLDERS:
        for entry in sorted(os.scandir(package / folder), key=lambda entry: entry.name):
            if entry.name.endswith((".py", ".json")):
                # The name too, as a moved file changes what is imported.
                digest.update(f"{folder}/{entry.name}\0".encode())
                digest.update(Path(entry.path).read_bytes())
    digest.update(" ".join(_versions()).encode())
    days = sorted(day for path, data in registry.files.items() if "profiles/" in path for day in _RETIRED.findall(data))
    # The number, not the date: results stay valid until the next rich result is retired.
    today = now.date().isoformat().encode()
    digest.update(str(sum(day <= today for day in days)).encode())
    return str(digest.hexdigest())[:16]


def _versions() -> list[str]:
    """Names of the .dist-info folders of the parsing libraries, with the versions in the names."""
    found: list[str] = []
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - only names are needed
        except OSError:
            continue
        found += [
            name
            for name in names
            if name.endswith(".dist-info") and name.partition("-")[0].lower().replace("-", "_") in _LIBRARIES
        ]
    return sorted(found)


def folder_for(named: str | None, setting: Any, config: str | None) -> Path | None:
    """Folder of the cache: --cache, else the setting, else a folder next to the configuration; None without any."""
    if named:
        return Path(named)
    if setting is False or config is None:
        return None
    return Path(setting) if isinstance(setting, str) else Path(config).parent / FOLDER
