"""Taking a threat list in: from its bytes, packed or not, in whatever form it is published."""

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
from waypost.feeds.formats import SAMPLE, Form, entries, guess

RESERVED = "rdap"
"""`waypost feeds update rdap` is about something else."""
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def check_name(name: str) -> str:
    """Raises FeedError for what cannot be the name of a feed."""
    if not _NAME.fullmatch(name) or name == RESERVED:
        raise FeedError(f"{name!r} cannot be the name of a feed; use letters, digits and hyphens, as in phishing-urls")
    return name


def take(
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
    """Read a list and put it in the place of the one of its name. Raises FeedError; the old one then stays."""
    check_name(name)
    with ExitStack() as opened:
        plain = _unpacked(stream, opened)
        opened.enter_context(_said_plainly())
        form = form or guess(plain.read(SAMPLE))
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
def _said_plainly() -> Iterator[None]:
    """What unpacking stumbles over, in our own words."""
    try:
        yield
    except (EOFError, OSError, zlib.error, zipfile.BadZipFile) as fault:
        raise FeedError(f"it cannot be read to its end: {fault}") from None


def remove(folder: Path, name: str) -> None:
    """Forget a list. Raises UnknownFeed."""
    try:
        (folder / f"{check_name(name)}{ENDING}").unlink()
    except (FileNotFoundError, FeedError):
        raise UnknownFeed(name) from None


def header(folder: Path, name: str) -> Header:
    """What is known of one list. Raises UnknownFeed, and FeedError for a damaged one."""
    if not _NAME.fullmatch(name) or not (folder / f"{name}{ENDING}").is_file():
        raise UnknownFeed(name)
    feed = Feed(folder / f"{name}{ENDING}")
    feed.close()
    return feed.header


def _unpacked(stream: BinaryIO, opened: ExitStack) -> BinaryIO:
    """The text of a list; gzip, and the first file of a zip archive, are unpacked on the way."""
    start = stream.read(4)
    stream.seek(0)
    if start[:2] == b"\x1f\x8b":
        return cast("BinaryIO", opened.enter_context(gzip.GzipFile(fileobj=stream)))
    if start == b"PK\x03\x04":
        try:
            archive = opened.enter_context(zipfile.ZipFile(stream))
            return cast("BinaryIO", opened.enter_context(archive.open(archive.infolist()[0])))
        except (zipfile.BadZipFile, IndexError, RuntimeError, NotImplementedError) as fault:
            raise FeedError(f"the archive cannot be unpacked: {fault}") from None
    return stream
