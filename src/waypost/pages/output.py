"""Files of the site on disk: a build writes changed files, and removes only files of an earlier build."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

try:
    _brotli: Any = importlib.import_module("brotli")
except ImportError:
    _brotli = None

MANIFEST = "site.manifest.json"
_TEXT = (".html", ".md", ".css", ".js", ".json", ".xml", ".txt", ".svg")
_WORTH_IT = 512


def manifest(files: Mapping[str, bytes], frame: dict[str, Any]) -> bytes:
    """Manifest: files with SHA-256 and size in bytes, and the layout values for pages rendered by a service."""
    entries = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in sorted(files.items())
    }
    return msgspec.json.format(msgspec.json.encode({"frame": frame, "files": entries}), indent=1) + b"\n"


def write(files: Mapping[str, bytes], output: Path, *, release: bool = False, complete: bool = True) -> int:
    """Write changed files and remove files left over from the last build; returns the number of changed files.

    release    also write compressed copies of texts: .gz, and .br where the package brotli is installed
    complete   `files` are the complete site; a part of the site removes no file
    """
    # Only files that an earlier build listed: the folder may hold files of others.
    removed = _files_of_last_build(output) - files.keys() if complete else set()
    written = 0
    for name, data in files.items():
        changed = _write_changed(output / name, data)
        written += changed
        if release and name.endswith(_TEXT) and len(data) >= _WORTH_IT:
            _compress(output / name, data, changed)
    for name in removed:
        for ending in ("", ".gz", ".br"):
            (output / f"{name}{ending}").unlink(missing_ok=True)
    return written


def _write_changed(target: Path, data: bytes) -> bool:
    """Write a file unless the content is the same already. Returns whether the file was written."""
    # The size first, without reading the file.
    if target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    # Written over and then cut: some file systems flush a file that was emptied and written again (100 ms a build).
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
        file.write(data)
        file.truncate()
    return True


def _compress(target: Path, data: bytes, changed: bool) -> None:
    """Write compressed copies of a file unless present and up to date."""
    packed = target.with_name(f"{target.name}.gz")
    if changed or not packed.is_file():
        # A time stamp would make equal builds differ.
        packed.write_bytes(gzip.compress(data, 9, mtime=0))
    packed = target.with_name(f"{target.name}.br")
    if _brotli and (changed or not packed.is_file()):
        packed.write_bytes(_brotli.compress(data, quality=9))


def _files_of_last_build(output: Path) -> set[str]:
    """Files in the manifest of the last build; only names below the folder."""
    try:
        names = json.loads((output / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    # The manifest may have been edited: a name with `..` must not delete a file elsewhere.
    return {name for name in names if _is_below(name)} if isinstance(names, dict) else set()


def _is_below(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name
