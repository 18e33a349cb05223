"""Talking to whoever runs the command: colours, width, progress, and output that is never half-written."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from waypost.cli._run import UsageError, hush

COLOURS = ("auto", "always", "never")


def add_colour(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--color",
        "--colour",
        choices=COLOURS,
        default="auto",
        metavar="WHEN",
        dest="colour",
        help="auto (a terminal, unless NO_COLOR is set; FORCE_COLOR colours everything), always or never",
    )


def coloured(when: str, stream: IO[Any]) -> bool:
    """no-color.org and force-color.org; what is asked for on the command line wins over both."""
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: IO[Any]) -> bool:
    try:
        return stream.isatty()
    except ValueError:
        return False


def width_of(stream: IO[Any]) -> int | None:
    """Columns of the terminal a stream goes to, None if it goes elsewhere."""
    if not is_terminal(stream):
        return None
    if (named := os.environ.get("COLUMNS", "")).isdigit() and int(named):
        return max(int(named), 40)
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, 40)
    except (OSError, ValueError):
        return 80


def check_output(path: str) -> None:
    """Refuse an output that cannot be written before any work is done."""
    try:
        target = Path(path).resolve()
        if target.is_dir():
            raise UsageError(f"--output {path}: this is a folder; name a file in it")
        if not target.parent.is_dir():
            raise UsageError(f"--output {path}: there is no folder {target.parent.name!r}; make it first")
    except OSError as fault:
        raise UsageError(f"--output: {(fault.strerror or str(fault)).lower()}") from None


def write(pieces: Iterable[str], path: str | None = None) -> None:
    """Write to standard output, or to a file that is replaced at the end, so that nobody meets half of it."""
    try:
        if path is None or path == "-":
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
            return
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", errors="backslashreplace", newline="") as device:
                device.writelines(pieces)
        else:
            _replace(pieces, target)
    except BrokenPipeError:
        raise
    except OSError as fault:
        if path is None:
            hush()
        raise UsageError(f"cannot write {path or 'the output'}: {(fault.strerror or str(fault)).lower()}") from None


def write_json(told: Any) -> None:
    """One JSON value, indented."""
    import msgspec

    write([msgspec.json.format(msgspec.json.encode(told), indent=2).decode(), "\n"])


def write_bytes(data: bytes) -> None:
    """Bytes to standard output, as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _replace(pieces: Iterable[str], target: Path) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(pieces)
        beside.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask())
        beside.replace(target)
    except BaseException:
        beside.unlink()
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Progress:
    """One line on the terminal that says how far the work is; nothing elsewhere, and nothing for quick work."""

    PATIENCE_S, PACE_S = 0.5, 0.1

    def __init__(self, total: int, quiet: bool, words: tuple[str, str] = ("files", "with findings")) -> None:
        self.total = total
        self._words = words
        self._on = not quiet and is_terminal(sys.stderr)
        self._next = time.monotonic() + self.PATIENCE_S
        self._drawn = False

    def __call__(self, done: int, faulty: int) -> None:
        if not self._on or (now := time.monotonic()) < self._next:
            return
        self._next = now + self.PACE_S
        self._drawn = True
        filled = 24 * done // max(self.total, 1)
        bar = "#" * filled + "." * (24 - filled)
        sys.stderr.write(f"\r\x1b[K[{bar}] {done:,} of {self.total:,} {self._words[0]}, {faulty:,} {self._words[1]}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
