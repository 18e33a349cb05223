"""Inputs of a command: files, folders, patterns and URLs become a list of pages. No page is read here."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, NamedTuple

from waypost.cli._archives import is_archive, pages_of
from waypost.errors import Unreadable
from waypost.net.presence import PAGES

if TYPE_CHECKING:
    from waypost.cli._gitignore import GitIgnore

DATA = (".jsonld", ".json")
MARKDOWN = (".md", ".markdown")
MAX_BYTES = 64 << 20
"""Largest file, after decompression: three times the largest page that is worth checking."""

Kind = Literal["html", "json", "markdown"]

_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"RIFF", b"wOFF", b"wOF2",
    b"\x00asm", b"OggS", b"\x00\x00\x01\x00", b"ID3", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"MZ", b"SQLite format 3",
)  # fmt: skip
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})
# A report is stored and sent around: the user name and password of a URL stay out of it.
_USERINFO = re.compile(r"^([a-z]+:[/\\]{2})[^/\\?#]*@", re.IGNORECASE)


class Input(NamedTuple):
    """Page to check.

    path       name of the page in the report.
    where      path of the file for the operating system; a URL; "-" for standard input.
    kind       "file", "url", "stdin", or "archived" for a page in a web archive.
    url        URL of the published page, from --base-url.
    walked     found in a folder or by a pattern: skipped where the content is no page.
    from_list  URL from a list or a sitemap: fetched only where robots.txt allows it.
    offset     byte offset of the record of a page in an archive.
    error      reason why the page cannot be read, where known before reading.
    """

    path: str
    where: str
    kind: Literal["file", "url", "stdin", "archived"]
    url: str | None = None
    walked: bool = False
    from_list: bool = False
    offset: int = -1
    error: str = ""


class InputList(NamedTuple):
    """Inputs in order. `empty` names the folders and patterns without a page.

    unchanged  no input is left, because every page is excluded or unchanged.
    """

    inputs: list[Input]
    empty: list[str]
    unchanged: bool = False


def collect(
    names: Iterable[str], base_url: str | None, stdin_name: str | None, *, gitignore: bool = False
) -> InputList:  # fmt: skip
    """Pages named by the arguments, without duplicates; pages of a folder or pattern sorted by path.

    gitignore  leave out files ignored by git when a folder is searched.
    """
    inputs: dict[tuple[str, str], Input] = {}
    empty: list[str] = []
    for name in names:
        number = 0
        for number, item in enumerate(_expand(name, base_url, stdin_name, gitignore), 1):  # noqa: B007 - counted
            inputs.setdefault((item.kind, item.path), item)
        if not number:
            empty.append(name)
    return InputList(list(inputs.values()), empty)


def _expand(name: str, base_url: str | None, stdin_name: str | None, gitignore: bool) -> Iterator[Input]:
    if name == "-":
        yield Input(stdin_name or "-", "-", "stdin", base_url)
    elif is_address(name):
        yield Input(without_credentials(name), name, "url", base_url)
    elif is_folder(name):
        yield from _walk(name, base_url, _gitignore_of(name) if gitignore else None)
    elif not glob.has_magic(name) or os.path.lexists(name):
        yield from _from_file(name, base_url)
    else:
        yield from _glob(name, base_url)


def _from_file(name: str, url: str | None, *, walked: bool = False) -> Iterator[Input]:
    """A file, or the pages of an archive; further pages with the same URL have a number after the name."""
    if not is_archive(name):
        yield Input(display_path(name), name, "file", url, walked)
        return
    seen: dict[str, int] = {}
    for page in pages_of(name):
        if page.error and not page.url:
            yield Input(display_path(name), name, "archived", None, walked and page.offset < 0, error=page.error)
            continue
        times = seen[page.url] = seen.get(page.url, 0) + 1
        path = f"{display_path(name)}#{without_credentials(page.url)}" + (f" ({times})" if times > 1 else "")
        if page.error:
            yield Input(path, name, "archived", None, error=page.error)
            continue
        yield Input(path, name, "archived", page.url or None, walked, offset=page.offset)


def is_address(name: str) -> bool:
    """Tell whether an argument is a URL, not a file."""
    return name.lower().startswith(("http://", "https://"))


def without_credentials(address: str) -> str:
    return _USERINFO.sub(r"\1", address)


def _gitignore_of(folder: str) -> GitIgnore | None:
    from waypost.cli._gitignore import GitIgnore

    return GitIgnore.above(folder)


def _glob(pattern: str, base_url: str | None) -> Iterator[Input]:
    """Pages matching a pattern. URLs are relative to the part before the first wildcard."""
    fixed = list(takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))
    for path in sorted(glob.glob(pattern, recursive=True), key=_parts):  # noqa: PTH207 - pathlib's matches hidden files
        if is_page(path) and _is_file(path):
            url = _address(base_url, os.path.relpath(path, Path(*fixed))) if base_url is not None else None
            yield from _from_file(path, url, walked=True)


def _walk(top: str, base_url: str | None, ignored: GitIgnore | None) -> Iterator[Input]:
    """Pages below a folder, sorted by path."""
    for path in sorted(_page_paths(top, ignored), key=_parts):
        if _is_file(path) or os.path.islink(path):  # noqa: PTH114 - a link to nowhere is met, not passed over
            url = _address(base_url, os.path.relpath(path, top)) if base_url is not None else None
            yield from _from_file(path, url, walked=True)


def _page_paths(top: str, ignored: GitIgnore | None) -> Iterator[str]:
    """Paths of the pages below a folder. Links are followed, but no folder is entered twice."""
    seen: set[tuple[int, int]] = set()
    for folder, folders, files in os.walk(top, followlinks=True):
        identity = _device_and_inode(folder)
        if identity is None or identity in seen:
            folders.clear()
            continue
        seen.add(identity)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        pages = [name for name in files if not name.startswith(".") and is_page(name)]
        if ignored is not None:
            ignored.enter(folder)
            folders[:] = [name for name in folders if not ignored.hides(folder, name, is_folder=True)]
            pages = [name for name in pages if not ignored.hides(folder, name, is_folder=False)]
        yield from (f"{folder}{os.sep}{name}" for name in pages)


def is_folder(name: str) -> bool:
    """Tell whether a path is a folder; False where the system cannot say (name too long, no permission)."""
    try:
        return bool(name) and Path(name).is_dir()
    except OSError:
        return False


def _is_file(name: str) -> bool:
    return os.path.isfile(name)  # noqa: PTH113 - called thousands of times


def _parts(path: str) -> list[str]:
    return path.split(os.sep)  # noqa: PTH206 - called thousands of times


def _device_and_inode(folder: str) -> tuple[int, int] | None:
    try:
        status = Path(folder).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def display_path(path: str) -> str:
    """Path for reports: forward slashes, no leading "./"; bytes outside UTF-8 are escaped."""
    text = os.fsencode(os.path.normpath(path)).decode("utf-8", "backslashreplace")
    return text.replace(os.sep, "/")


def _address(base_url: str, relative: str) -> str:
    """URL of a page of a folder published at `base_url`; an index page has the URL of the folder."""
    from urllib.parse import quote, urljoin

    path = display_path(relative).removesuffix(".gz")
    head, _, last = path.rpartition("/")
    if last in {"index.html", "index.htm"}:
        path = f"{head}/" if head else ""
    return urljoin(base_url, quote(path))


def is_page(name: str) -> bool:
    """Tell by the ending of a name whether a file holds a page, or data checked like a page."""
    return is_archive(name) or name.lower().removesuffix(".gz").endswith((*PAGES, *DATA, *MARKDOWN))


def kind_of(name: str, data: bytes) -> Kind:
    """Kind of a page by the ending of the name; else HTML or JSON by the first character."""
    ending = name.lower().removesuffix(".gz")
    if ending.endswith(PAGES):
        return "html"
    if ending.endswith(DATA):
        return "json"
    if ending.endswith(MARKDOWN):
        return "markdown"
    return "json" if data.lstrip(b"\xef\xbb\xbf \t\r\n\f")[:1] in {b"{", b"["} else "html"


def read(item: Input) -> bytes:
    """Bytes of a file, decompressed, or of standard input. Raises Unreadable."""
    if item.kind == "stdin":
        return read_stdin()
    try:
        return _read_file(item.where)
    except OSError as error:
        raise Unreadable(item.path, (error.strerror or str(error)).lower()) from None


def read_stdin() -> bytes:
    if sys.stdin is None:
        raise Unreadable("-", "standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    return _within_limit(data, "-")


def _read_file(path: str) -> bytes:
    with Path(path).open("rb") as file:
        if path.lower().endswith(".gz"):
            data = _decompress(file, path)
        else:
            # A bounded read allocates its whole bound, which only pipes and devices without a size need.
            size = os.fstat(file.fileno()).st_size
            data = file.read() if 0 < size <= MAX_BYTES else file.read(MAX_BYTES + 1)
    if is_binary(_within_limit(data, path)):
        raise Unreadable(display_path(path), "this is a binary file, not a page")
    return data


def _decompress(file: BinaryIO, path: str) -> bytes:
    import gzip
    import zlib

    try:
        return gzip.GzipFile(fileobj=file).read(MAX_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable(display_path(path), f"the compressed data is damaged ({error})") from None


def _within_limit(data: bytes, path: str) -> bytes:
    if len(data) > MAX_BYTES:
        raise Unreadable(display_path(path), f"it is larger than {MAX_BYTES >> 20} MiB")
    return data


def is_binary(data: bytes) -> bool:
    """Tell whether bytes are surely no page: a known file format, or more than 5 % control characters."""
    if data.startswith(_MAGIC):
        return True
    head = data[:4096]
    if head.startswith(_UNICODE_MARKS) or head.lstrip()[:1] in {b"<", b"{", b"["}:
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 20


def is_linked_data(data: bytes) -> bool:
    """Tell whether JSON is JSON-LD: most .json files of a searched folder are something else."""
    import msgspec

    if b'"@' not in data:
        return False
    try:
        top = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return re.search(rb'"@(?:context|graph|type)"\s*:', data) is not None
    first = top[0] if isinstance(top, list) and top else top
    return isinstance(first, dict) and not first.keys().isdisjoint({"@context", "@graph", "@type"})
