"""Files of a publisher's repository, from a folder, an archive of one, or an https address."""

from __future__ import annotations

import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from waypost.errors import FetchFailed
from waypost.updates.errors import UpdateError

Reader = Callable[[str], Iterator[bytes]]
"""Content of a file by path in the repository, in pieces. Raises FileNotFoundError for a missing file."""
ARCHIVE = "registry.zip"
"""Name of the archive next to the files: an update without a network."""
WITHIN_S = 300.0
"""Seconds for all files of an update."""
_PIECE = 1 << 16


def reader_of(source: Path) -> Reader:
    """Reader of a repository in a folder, or in a zip archive of one. Raises UpdateError."""
    if source.is_dir():
        return lambda path: _pieces(source / path)
    try:
        archive = zipfile.ZipFile(source)
    except FileNotFoundError:
        raise UpdateError(f"there is no file {source.name}") from None
    except (OSError, zipfile.BadZipFile):
        raise UpdateError(f"{source.name} is not an archive of a registry, or it was cut") from None

    def read(path: str) -> Iterator[bytes]:
        try:
            # In pieces: what a small archive unpacks to may be huge.
            with archive.open(path) as file:
                while data := file.read(_PIECE):
                    yield data
        except KeyError:
            raise FileNotFoundError(path) from None
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
            raise UpdateError(f"{source.name} is damaged") from None

    return read


def reader_at(address: str, fetch: Callable[[str, float], tuple[int, bytes]]) -> Reader:
    """Reader of a repository at an https address.

    fetch  (URL, seconds) -> (status, body), by the guarded client; raises WaypostError
    """
    ends = time.monotonic() + WITHIN_S

    def read(path: str) -> Iterator[bytes]:
        left = ends - time.monotonic()
        if left <= 0:
            raise FetchFailed(f"the registry was not complete within {WITHIN_S:.0f} seconds", "timeout")
        status, data = fetch(f"{address.rstrip('/')}/{path}", left)
        # Stores of files answer either where there is none.
        if status in {403, 404}:
            raise FileNotFoundError(path)
        if status != 200:
            raise FetchFailed(f"the publisher's server answered {status}", "status")
        yield data

    return read


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(_PIECE):
            yield data
