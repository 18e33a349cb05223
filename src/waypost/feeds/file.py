"""File format of an imported threat list: a header, then sorted hashes of 8 bytes. Hosts cannot be read back.

    waypost-feed/1 LF
    the header as JSON LF
    hosts that are listed: sorted hashes
    hosts of which pages are listed: sorted hashes

A hash is BLAKE2b of the host, 8 bytes, little-endian. With a million entries, one in 2**44 absent hosts is a false
match.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import IO, BinaryIO

import msgspec

from waypost.feeds.errors import FeedError
from waypost.feeds.formats import Entry, Form
from waypost.feeds.sorting import WIDTH, Sorter, packed, unpacked

MAGIC = b"waypost-feed/1\n"
ENDING = ".feed"
LONGEST_HEADER = 16_384
MOST_ENTRIES = 100_000_000
_CHECK_EVERY = 8192

Progress = Callable[[int], None]
"""Called every 8,192 entries with the number read so far."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """Header of a list, in JSON.

    source      URL or path; a URL may contain a key, so display its host only
    fetched_at  milliseconds since 1970, UTC
    entries     number in the list; `unreadable` of them without a host
    hosts       number of different hosts; `pages`: number of hosts with single pages
    sha256      of the hashes, in hex
    """

    name: str
    source: str
    form: Form
    column: str | None
    fetched_at: int
    max_age_s: int
    entries: int
    unreadable: int
    hosts: int
    pages: int
    sha256: str

    @property
    def stale_at(self) -> int:
        return self.fetched_at + self.max_age_s * 1000


def key(host: str) -> int:
    # `person` keeps these hashes apart from any other use of BLAKE2b on the same text.
    return int.from_bytes(hashlib.blake2b(host.encode(), digest_size=WIDTH, person=b"waypost-feed").digest(), "little")


class Feed:
    """List open for lookups by the `key` of a host. The file is mapped into memory, not read."""

    def __init__(self, path: Path) -> None:
        """Raises FeedError for a damaged file, or one of another format."""
        try:
            with path.open("rb") as file:
                self.header, start = _read_header(file, path.name)
                middle = start + WIDTH * self.header.hosts
                end = middle + WIDTH * self.header.pages
                # A list cut short would let hosts pass; a check of the size finds it without reading the file.
                if os.fstat(file.fileno()).st_size != end:
                    raise FeedError(f"{path.name} is not complete")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise FeedError(f"{path.name}: {(error.strerror or str(error)).lower()}") from None
        self._views = ExitStack()
        whole = self._views.enter_context(memoryview(self._map))
        self._hashes = self._views.enter_context(whole[start:end])
        self._hosts = self._view(whole[start:middle])
        self._pages = self._view(whole[middle:end])

    def _view(self, part: memoryview) -> Sequence[int]:
        view = unpacked(self._views.enter_context(part))
        if isinstance(view, memoryview):
            self._views.enter_context(view)
        return view

    def lists(self, number: int) -> bool:
        """Whether the host itself is listed."""
        return _holds(self._hosts, number)

    def lists_page_of(self, number: int) -> bool:
        """Whether some page of the host is listed."""
        return _holds(self._pages, number)

    def intact(self) -> bool:
        """Whether the hashes match the header. Reads the whole file."""
        return hashlib.sha256(self._hashes).hexdigest() == self.header.sha256

    def close(self) -> None:
        self._views.close()
        self._map.close()


def _holds(numbers: Sequence[int], number: int) -> bool:
    # Some twenty steps for a million entries, so that a lookup reads few pages of the mapped file.
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number


def _read_header(file: BinaryIO, name: str) -> tuple[Header, int]:
    # With limits, since a file of another kind may have no line end at all.
    if file.readline(len(MAGIC)) != MAGIC:
        raise FeedError(f"{name} is not a feed of this version of waypost")
    line = file.readline(LONGEST_HEADER)
    try:
        return msgspec.json.decode(line, type=Header), len(MAGIC) + len(line)
    except msgspec.MsgspecError:
        raise FeedError(f"{name} has a damaged header") from None


def write(
    folder: Path,
    entries: Iterable[Entry | None],
    *,
    name: str,
    source: str,
    form: Form,
    column: str | None,
    fetched_at: int,
    max_age_s: int,
    progress: Progress | None = None,
) -> Header:
    """Write a list and atomically replace the one of its name.

    Raises FeedError for an empty list, or if most entries are not hosts.
    """
    # The body goes to a file first: the header before it needs the counts and the digest.
    with closing(Sorter()) as hosts, closing(Sorter()) as pages, tempfile.TemporaryFile() as body:
        count, unreadable = _sort(entries, hosts, pages, progress)
        _check(count, unreadable)
        digest = hashlib.sha256()
        sizes = [_spool(sorter, body, digest.update) for sorter in (hosts, pages)]
        header = Header(
            name=name,
            source=source,
            form=form,
            column=column,
            fetched_at=fetched_at,
            max_age_s=max_age_s,
            entries=count,
            unreadable=unreadable,
            hosts=sizes[0],
            pages=sizes[1],
            sha256=digest.hexdigest(),
        )
        _replace(folder, header, body)
    return header


def _sort(entries: Iterable[Entry | None], hosts: Sorter, pages: Sorter, progress: Progress | None) -> tuple[int, int]:
    count = unreadable = 0
    for count, entry in enumerate(entries, 1):
        if entry is None:
            unreadable += 1
        else:
            (pages if entry.page else hosts).add(key(entry.host))
        # Not at every entry, of which there may be a hundred million.
        if not count % _CHECK_EVERY:
            if count > MOST_ENTRIES:
                raise FeedError(f"a list may have {MOST_ENTRIES:,} entries")
            if progress:
                progress(count)
    return count, unreadable


def _check(count: int, unreadable: int) -> None:
    """Raises FeedError for a list that is probably a wrong file: an empty list would let all hosts pass."""
    if count == unreadable:
        raise FeedError("there is no host in it")
    if unreadable * 2 > count:
        raise FeedError(f"{unreadable:,} of {count:,} entries are not hosts; is --format or --column right?")


def _spool(sorter: Sorter, body: IO[bytes], digest: Callable[[bytes], None]) -> int:
    size = 0
    for piece in packed(sorter):
        body.write(piece)
        digest(piece)
        size += len(piece)
    return size // WIDTH


def _replace(folder: Path, header: Header, body: IO[bytes]) -> None:
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=folder, prefix=f".{header.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + msgspec.json.encode(header) + b"\n")
            body.seek(0)
            shutil.copyfileobj(body, file)
            file.flush()
            # Before the rename: after a crash either the old or the new list is there, never an empty one.
            os.fsync(file.fileno())
        Path(made).replace(folder / f"{header.name}{ENDING}")
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
