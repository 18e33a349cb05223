"""Console of a command: messages, exit statuses, colours, width, progress, and atomic writing of output files."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

from waypost.errors import WaypostError

USAGE, UNREADABLE = 2, 3
"""Exit statuses shared by the commands."""
COLOURS = ("auto", "always", "never")


class UsageError(WaypostError):
    """Arguments make no sense. The message says which would."""

    code, status = "usage", 400


def print_message(message: str) -> None:
    """Write a message to standard error, after the program's name."""
    try:
        # Standard error, so that standard output holds the report alone and can be piped.
        print(f"waypost: {message}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass  # standard error is closed; the exit status still shows the outcome


def discard_output() -> None:
    """Point standard output at the null device once the reader has gone: the interpreter flushes at exit."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        pass


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
    """Whether to colour a stream. --color wins over NO_COLOR and FORCE_COLOR (no-color.org, force-color.org)."""
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
    """Columns of the terminal behind a stream, at least 40; None for a stream without a terminal."""
    if not is_terminal(stream):
        return None
    if (setting := os.environ.get("COLUMNS", "")).isdigit() and int(setting):
        return max(int(setting), 40)
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, 40)
    except (OSError, ValueError):
        return 80


def check_output(path: str) -> None:
    """Raise UsageError where an output cannot be written, before any work is done."""
    try:
        target = Path(path).resolve()
        if target.is_dir():
            raise UsageError(f"--output {path}: this is a folder; name a file in it")
        if not target.parent.is_dir():
            raise UsageError(f"--output {path}: there is no folder {target.parent.name!r}; make it first")
    except OSError as error:
        raise UsageError(f"--output {path}: {(error.strerror or str(error)).lower()}") from None


def write(pieces: Iterable[str], path: str | None = None) -> None:
    """Write to standard output, or to a file. The file is replaced at the end: no reader meets half of the text."""
    try:
        if path is None or path == "-":
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
            return
        target = Path(path).resolve()
        # A device or pipe such as /dev/stderr cannot be replaced.
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", errors="backslashreplace", newline="") as device:
                device.writelines(pieces)
        else:
            _replace(pieces, target)
    # The reader, `head` for example, has enough: `run` ends quietly with the status that shells expect.
    except BrokenPipeError:
        raise
    except OSError as error:
        if path is None:
            discard_output()
        raise UsageError(f"cannot write {path or 'the output'}: {(error.strerror or str(error)).lower()}") from None


def write_json(value: Any) -> None:
    """Write a JSON value to standard output, indented."""
    write([indented_json(value)])


def indented_json(value: Any) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output, unchanged."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _replace(pieces: Iterable[str], target: Path) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(pieces)
        # As a plain `open` would: the mode of the old file, or what the umask leaves for a new one.
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_mask())
        temporary.replace(target)
    except BaseException:
        temporary.unlink()
        raise


def _mask() -> int:
    # The system has no call that only reads the mask.
    mask = os.umask(0)
    os.umask(mask)
    return mask


class StatusLine:
    """Line on the terminal of standard error, redrawn at most every `pace_s` seconds; silent without a terminal."""

    def __init__(self, *, quiet: bool = False, patience_s: float, pace_s: float) -> None:
        self._on = not quiet and is_terminal(sys.stderr)
        self._pace_s = pace_s
        # The first drawing waits, so that short work shows nothing at all.
        self._next = time.monotonic() + patience_s
        self._drawn = False

    def draw(self, text: Callable[[], str]) -> None:
        """Draw the text, or leave `text` uncalled where the last drawing is too recent."""
        if not self._on or (now := time.monotonic()) < self._next:
            return
        self._next = now + self._pace_s
        self._drawn = True
        # ESC [K erases to the end of the line, in case the last drawing was longer.
        sys.stderr.write(f"\r\x1b[K{text()}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Progress(StatusLine):
    """Progress bar; hidden during the first half second of the work."""

    def __init__(self, total: int, quiet: bool, words: tuple[str, str] = ("files", "with findings")) -> None:
        super().__init__(quiet=quiet, patience_s=0.5, pace_s=0.1)
        self.total = total
        self._words = words

    def __call__(self, done: int, faulty: int) -> None:
        self.draw(lambda: self._bar(done, faulty))

    def _bar(self, done: int, faulty: int) -> str:
        filled = 24 * done // max(self.total, 1)
        bar = "#" * filled + "." * (24 - filled)
        return f"[{bar}] {done:,} of {self.total:,} {self._words[0]}, {faulty:,} {self._words[1]}"
