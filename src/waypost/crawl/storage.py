"""Folders and files of a crawl: on the local machine, or at an address for fsspec, such as `s3://bucket/crawl`."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from waypost.errors import MissingExtra, Unreadable, WaypostError
from waypost.reader.sources import within_limit


def is_remote(where: str) -> bool:
    """Whether a place is an address for fsspec, and no path."""
    return "://" in where


def without_file_scheme(where: str) -> str:
    """Path of a place that is written as a file:// address; every further place as written."""
    return where[len("file://") :] if where.startswith("file:///") else where


def _fsspec() -> Any:
    try:
        return import_module("fsspec")
    except ImportError:
        raise MissingExtra("fsspec", "crawl", "to read from and write to addresses such as s3://") from None


def _file_system(where: str) -> tuple[Any, str]:
    """(file system, path in it). Raises WaypostError for an unknown kind of address."""
    # Pages are fetched with robots.txt, limits and checks of addresses, none of which fsspec knows.
    if where.lower().startswith(("http://", "https://")):
        raise WaypostError(f"{where}: archives and folders are not read over HTTP; name a file, or an s3:// address")
    try:
        found: tuple[Any, str] = _fsspec().core.url_to_fs(where)
    except (ImportError, ValueError) as error:
        raise WaypostError(f"{where.partition('://')[0]}://: {error}") from None
    return found


def open_remote(where: str) -> IO[bytes]:
    """File at an address, for reading from any place."""
    system, path = _file_system(where)
    opened: IO[bytes] = system.open(path, "rb")
    return opened


def read_remote(where: str, name: str) -> bytes:
    """Bytes of a page at an address, decompressed. Raises Unreadable about `name`."""
    import gzip
    import zlib

    from waypost.reader.sources import MAX_BYTES

    try:
        with open_remote(where) as file:
            stream: Any = gzip.GzipFile(fileobj=file) if where.lower().endswith(".gz") else file
            return within_limit(stream.read(MAX_BYTES + 1), name)
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(name, str(error)) from None


def files_below(where: str) -> list[tuple[str, int]]:
    """(address, size in bytes) of the files at or below an address, sorted."""
    system, path = _file_system(where)
    scheme = where.partition("://")[0]
    try:
        found = system.find(path, detail=True)
    except OSError as error:
        raise WaypostError(f"{where}: {error}") from None
    return sorted((f"{scheme}://{name}", int(entry.get("size") or 0)) for name, entry in found.items())


_OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "memory"})
"""Kinds of addresses without renaming, where a file appears when all of it was sent."""


class StorageError(WaypostError):
    """A file of a crawl cannot be written, as on a full disk."""

    code = "crawl_storage"


class Folder:
    """Folder for the files of a crawl. A file is written under another name, then renamed."""

    def __init__(self, where: str) -> None:
        where = without_file_scheme(where)
        self.where = where.rstrip("/") or "/"
        self._remote = _file_system(where) if is_remote(where) else None

    def path(self, name: str) -> str:
        """Path of a file in the folder, for the operating system or the file system of fsspec."""
        return f"{self._remote[1].rstrip('/') if self._remote else self.where}/{name}"

    def address(self, name: str) -> str:
        """Path or address of a file in the folder, complete."""
        scheme = f"{self.where.partition('://')[0]}://" if self._remote else ""
        return f"{scheme}{self.path(name)}"

    @property
    def file_system(self) -> Any:
        """File system of fsspec; None for the local machine."""
        return self._remote[0] if self._remote else None

    def exists(self, name: str = "") -> bool:
        if self._remote:
            return bool(self._remote[0].exists(self.path(name)))
        return Path(self.path(name)).exists()

    def names(self, below: str = "") -> list[str]:
        """Names of the files in a folder of the folder, sorted; empty for a missing folder."""
        if self._remote:
            # `ls` raises on a missing folder in some file systems and not in others.
            if not self._remote[0].exists(self.path(below)):
                return []
            return sorted(str(name).rsplit("/", 1)[-1] for name in self._remote[0].ls(self.path(below), detail=False))
        path = Path(self.path(below))
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    def read(self, name: str) -> bytes:
        if self._remote:
            data: bytes = self._remote[0].cat_file(self.path(name))
            return data
        return Path(self.path(name)).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all. Raises StorageError."""
        try:
            if self._remote:
                self._replace_remote(self._remote[0], self.path(name), data)
            else:
                self._replace(Path(self.path(name)), data)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StorageError(f"{self.address(name)} cannot be written: {reason}") from None

    def _replace_remote(self, system: Any, path: str, data: bytes) -> None:
        folder, _, name = path.rpartition("/")
        system.makedirs(folder, exist_ok=True)
        protocol = system.protocol
        if _OBJECT_STORES.intersection((protocol,) if isinstance(protocol, str) else protocol):
            system.pipe_file(path, data)  # an object is seen when it is whole
            return
        temporary = f"{folder}/.{name}.{os.getpid()}.tmp"
        try:
            system.pipe_file(temporary, data)
            system.mv(temporary, path)
        except OSError:
            with suppress(OSError):
                system.rm_file(temporary)
            raise

    def make(self) -> None:
        """Create a folder of this machine. Raises StorageError."""
        try:
            Path(self.where).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{self.where} cannot be written: {(error.strerror or str(error)).lower()}") from None

    def _replace(self, target: Path, data: bytes) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        # In the same folder, as a rename is atomic only within a file system; by process, as several may write.
        temporary = target.parent / f".{target.name}.{os.getpid()}.tmp"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                # A unit counts as done by the name of its file, also after a loss of power.
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        if self._remote:
            self._remote[0].rm_file(self.path(name))
        else:
            Path(self.path(name)).unlink(missing_ok=True)
