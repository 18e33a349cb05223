"""Import of a threat list from its bytes, compressed or not, in any of the formats."""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from waypost.feeds.errors import FeedError, UnknownFeed
from waypost.feeds.file import ENDING, Feed, Header, Progress, write
from waypost.feeds.formats import SAMPLE, Form, entries, guess_format

RESERVED = "rdap"
"""No name of a feed: `waypost feeds update rdap` fetches the RDAP bootstrap file."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def check_name(name: str) -> str:
    """The name itself. Raises FeedError if it is not a valid name of a feed."""
    if not _NAME.fullmatch(name) or name == RESERVED:
        raise FeedError(f"{name!r} cannot be the name of a feed; use letters, digits and hyphens, as in phishing-urls")
    return name


def ingest(
    folder: Path,
    stream: BinaryIO,
    *,
    name: str,
    source: str,
    form: Form | None,
    column: str | None,
    now: int,
    max_age_s: int,
    progress: Progress | None = None,
) -> Header:
    """Read a list and replace the one of its name. Raises FeedError; then the old one stays."""
    check_name(name)
    with ExitStack() as opened:
        plain = _unpacked(stream, opened)
        opened.enter_context(_as_feed_error())
        form = form or guess_format(plain.read(SAMPLE))
        # A gzip stream rewinds by decompressing again; the sample is small.
        plain.seek(0)
        return write(
            folder,
            entries(plain, form, column),
            name=name,
            source=source,
            form=form,
            column=column,
            fetched_at=now,
            max_age_s=max_age_s,
            progress=progress,
        )


@contextmanager
def _as_feed_error() -> Iterator[None]:
    """Turn errors of decompression into FeedError."""
    try:
        yield
    except (EOFError, OSError, zlib.error, zipfile.BadZipFile) as error:
        raise FeedError(f"it cannot be read to its end: {error}") from None


def remove(folder: Path, name: str) -> None:
    """Delete a list. Raises UnknownFeed."""
    try:
        (folder / f"{check_name(name)}{ENDING}").unlink()
    # A name that is none of a feed cannot be one of the folder's, nor lead out of it.
    except (FileNotFoundError, FeedError):
        raise UnknownFeed(name) from None


def header(folder: Path, name: str) -> Header:
    """Header of a list. Raises UnknownFeed, and FeedError for a damaged list."""
    if not _NAME.fullmatch(name) or not (folder / f"{name}{ENDING}").is_file():
        raise UnknownFeed(name)
    feed = Feed(folder / f"{name}{ENDING}")
    feed.close()
    return feed.header


def _unpacked(stream: BinaryIO, opened: ExitStack) -> BinaryIO:
    """Text of a list: gzip, or the first file of a zip archive, decompressed."""
    # By the first bytes: downloads often lack an ending, or have the wrong one.
    start = stream.read(4)
    stream.seek(0)
    if start[:2] == b"\x1f\x8b":
        return cast("BinaryIO", opened.enter_context(gzip.GzipFile(fileobj=stream)))
    if start == b"PK\x03\x04":
        try:
            archive = opened.enter_context(zipfile.ZipFile(stream))
            return cast("BinaryIO", opened.enter_context(archive.open(archive.infolist()[0])))
        except (zipfile.BadZipFile, IndexError, RuntimeError, NotImplementedError) as error:
            raise FeedError(f"the archive cannot be unpacked: {error}") from None
    return stream
