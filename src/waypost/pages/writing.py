"""Files of the site on disk: only what changed is written, and only what an earlier build wrote is removed."""

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
    """Every file with its digest and its size in bytes, and what pages that a service renders need of the frame."""
    listed = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in sorted(files.items())
    }
    return msgspec.json.format(msgspec.json.encode({"frame": frame, "files": listed}), indent=1) + b"\n"


def write(
    files: Mapping[str, bytes],
    output: Path,
    *,
    release: bool = False,
    whole: bool = True,
    before: dict[str, bytes] | None = None,
) -> int:
    """Write what differs, remove what the last build wrote and this one does not; how many files were written.

    release    compressed twins beside every text that is worth it: .gz, and .br where the package brotli is there
    whole      `files` are all of the site; a part of it removes nothing
    before     what this run has written already, by name; brought up to date
    """
    known = {} if before is None else before
    gone = (known.keys() or _listed(output)) - files.keys() if whole else set()
    written = 0
    for name, data in files.items():
        if known.get(name) == data:
            continue
        changed = _put(output / name, data, known=name in known)
        written += changed
        if release and name.endswith(_TEXT) and len(data) >= _WORTH_IT:
            written += _compressed(output / name, data, changed)
    for name in gone:
        for ending in ("", ".gz", ".br"):
            (output / f"{name}{ending}").unlink(missing_ok=True)
    if before is not None:
        before.clear()
        before.update(files)
    return written


def _put(target: Path, data: bytes, *, known: bool) -> bool:
    """Write a file unless it holds the same already. `known`: this run wrote it, and something else."""
    if not known:
        if target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
    # Over what is there, and cut after it: some file systems flush a file that was emptied and written again.
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
        file.write(data)
        file.truncate()
    return True


def _compressed(target: Path, data: bytes, changed: bool) -> int:
    """The twins of a file, made again only where it changed: compressing takes longer than rendering."""
    written = 0
    packed = target.with_name(f"{target.name}.gz")
    if changed or not packed.is_file():
        packed.write_bytes(gzip.compress(data, 9, mtime=0))
        written += 1
    packed = target.with_name(f"{target.name}.br")
    if _brotli and (changed or not packed.is_file()):
        packed.write_bytes(_brotli.compress(data, quality=9))
        written += 1
    return written


def _listed(output: Path) -> set[str]:
    """What the last build wrote, by its manifest; only names that stay below the folder."""
    try:
        names = json.loads((output / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in names if _is_below(name)} if isinstance(names, dict) else set()


def _is_below(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name
