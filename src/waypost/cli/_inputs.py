"""What was named on the command line, made into a list of pages; reading them is left to whoever judges them."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from waypost.cli._archives import is_archive, pages_of
from waypost.cli._gitignore import GitIgnore
from waypost.errors import Unreadable
from waypost.net.presence import PAGES

DATA = (".jsonld", ".json")
MARKDOWN = (".md", ".markdown")
MOST_BYTES = 64 << 20
"""A file, or what a compressed one unpacks to, may be this large: three times the largest page worth judging."""

Kind = Literal["html", "json", "markdown"]

_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"RIFF", b"wOFF", b"wOF2",
    b"\x00asm", b"OggS", b"\x00\x00\x01\x00", b"ID3", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"MZ", b"SQLite format 3",
)  # fmt: skip
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})


# A report is kept and sent around: what stands before the @ of an address stays out of it.
_CREDENTIALS = re.compile(r"^([a-z]+:[/\\]{2})[^/\\?#]*@", re.IGNORECASE)


class Input(NamedTuple):
    """One page to judge.

    path    how the report calls it.
    where   the file's path as the system knows it; the address of a URL; "-" for standard input.
    kind    "file", "url", "stdin", or "archived" for a page in a web archive.
    url     the address the page will have, where --base-url says so.
    walked  met in a folder or a pattern: passed over when it turns out to be no page.
    listed  an address that a list or a sitemap gives: its robots.txt is asked first.
    offset  where the record of a page in an archive begins, in bytes.
    fault   why it cannot be read, where that is known already.
    """

    path: str
    where: str
    kind: Literal["file", "url", "stdin", "archived"]
    url: str | None = None
    walked: bool = False
    listed: bool = False
    offset: int = -1
    fault: str = ""


class Found(NamedTuple):
    """Inputs in order; `empty` names folders and patterns in which there was nothing.

    `unchanged`: there were inputs, and none of them is to be looked at.
    """

    inputs: list[Input]
    empty: list[str]
    unchanged: bool = False


def collect(
    names: Iterable[str], base_url: str | None, stdin_name: str | None, *, gitignore: bool = False
) -> Found:  # fmt: skip
    """Every page that the arguments name, each once, folders and patterns sorted by path.

    gitignore  a search of folders leaves out what git ignores.
    """
    inputs: dict[tuple[str, str], Input] = {}
    empty: list[str] = []
    for name in names:
        before = 0
        for before, each in enumerate(_named(name, base_url, stdin_name, gitignore), 1):  # noqa: B007 - counted
            inputs.setdefault((each.kind, each.path), each)
        if not before:
            empty.append(name)
    return Found(list(inputs.values()), empty)


def _named(name: str, base_url: str | None, stdin_name: str | None, gitignore: bool) -> Iterator[Input]:
    if name == "-":
        yield Input(stdin_name or "-", "-", "stdin", base_url)
    elif is_address(name):
        yield Input(without_credentials(name), name, "url", base_url)
    elif is_folder(name):
        yield from _walk(name, base_url, GitIgnore.above(name) if gitignore else None)
    elif not glob.has_magic(name) or os.path.lexists(name):
        yield from _file(name, base_url)
    else:
        yield from _matches(name, base_url)


def _file(name: str, url: str | None, *, walked: bool = False) -> Iterator[Input]:
    """A file, or the pages in one that is an archive: several answers from one address are told apart by a number."""
    if not is_archive(name):
        yield Input(shown(name), name, "file", url, walked)
        return
    seen: dict[str, int] = {}
    for each in pages_of(name):
        if each.fault:
            yield Input(shown(name), name, "archived", None, walked, fault=each.fault)
            continue
        times = seen[each.url] = seen.get(each.url, 0) + 1
        called = f"{shown(name)}#{without_credentials(each.url)}" + (f" ({times})" if times > 1 else "")
        yield Input(called, name, "archived", each.url or None, walked, offset=each.offset)


def is_address(name: str) -> bool:
    """Is this an address on the web, not a file?"""
    return name.lower().startswith(("http://", "https://"))


def without_credentials(address: str) -> str:
    return _CREDENTIALS.sub(r"\1", address)


def _matches(pattern: str, base_url: str | None) -> Iterator[Input]:
    """The pages that a pattern names; relative to its part before the first wildcard they are published."""
    fixed = list(takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))
    for path in sorted(glob.glob(pattern, recursive=True), key=_parts):  # noqa: PTH207 - pathlib's matches hidden files
        if is_page(path) and _is_file(path):
            url = _address(base_url, os.path.relpath(path, Path(*fixed))) if base_url is not None else None
            yield from _file(path, url, walked=True)


def _walk(top: str, base_url: str | None, ignored: GitIgnore | None) -> Iterator[Input]:
    """The pages below a folder in the order of their paths; links are followed, each folder is entered once."""
    seen: set[tuple[int, int]] = set()
    found: list[str] = []
    for folder, folders, files in os.walk(top, followlinks=True):
        here = _identity(folder)
        if here is None or here in seen:
            folders.clear()
            continue
        seen.add(here)
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        pages = [each for each in files if not each.startswith(".") and is_page(each)]
        if ignored is not None:
            ignored.enter(folder)
            folders[:] = [each for each in folders if not ignored.hides(folder, each, is_folder=True)]
            pages = [each for each in pages if not ignored.hides(folder, each, is_folder=False)]
        found += [f"{folder}{os.sep}{each}" for each in pages]
    for path in sorted(found, key=_parts):
        if _is_file(path) or os.path.islink(path):  # noqa: PTH114 - a link to nowhere is met, not passed over
            url = _address(base_url, os.path.relpath(path, top)) if base_url is not None else None
            yield from _file(path, url, walked=True)


def is_folder(name: str) -> bool:
    """False also where nothing can be found out: too long a name, no permission."""
    try:
        return bool(name) and Path(name).is_dir()
    except OSError:
        return False


def _is_file(name: str) -> bool:
    return os.path.isfile(name)  # noqa: PTH113 - asked thousands of times


def _parts(path: str) -> list[str]:
    return path.split(os.sep)  # noqa: PTH206 - asked thousands of times


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        here = Path(folder).stat()
    except OSError:
        return None
    return here.st_dev, here.st_ino


def shown(path: str) -> str:
    """A path as the report shows it: forward slashes, no leading "./"; bytes that are no text are spelled out."""
    text = os.fsencode(os.path.normpath(path)).decode("utf-8", "backslashreplace")
    return text.replace(os.sep, "/")


def _address(base_url: str, relative: str) -> str:
    """The address of a page of a folder that is published at `base_url`: the index page is its folder."""
    from urllib.parse import quote, urljoin

    path = shown(relative).removesuffix(".gz")
    head, _, last = path.rpartition("/")
    if last in {"index.html", "index.htm"}:
        path = f"{head}/" if head else ""
    return urljoin(base_url, quote(path))


def is_page(name: str) -> bool:
    """Does the name's ending say that this is a page, or data to be read as one?"""
    return is_archive(name) or name.lower().removesuffix(".gz").endswith((*PAGES, *DATA, *MARKDOWN))


def kind_of(name: str, data: bytes) -> Kind:
    """HTML, JSON or Markdown: by the ending of the name, else, for the first two, by the first character."""
    ending = name.lower().removesuffix(".gz")
    if ending.endswith(PAGES):
        return "html"
    if ending.endswith(DATA):
        return "json"
    if ending.endswith(MARKDOWN):
        return "markdown"
    return "json" if data.lstrip(b"\xef\xbb\xbf \t\r\n\f")[:1] in {b"{", b"["} else "html"


def read(what: Input) -> bytes:
    """The bytes of a file or of standard input, unpacked; `Unreadable` says why not."""
    if what.kind == "stdin":
        return read_stdin()
    try:
        return _read_file(what.where)
    except OSError as fault:
        raise Unreadable(what.path, (fault.strerror or str(fault)).lower()) from None


def read_stdin() -> bytes:
    if sys.stdin is None:
        raise Unreadable("-", "standard input is closed")
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    return _whole(data, "-")


def _read_file(path: str) -> bytes:
    with Path(path).open("rb") as file:
        if path.lower().endswith(".gz"):
            data = _unpacked(file, path)
        else:
            # A bounded read sets its whole bound aside; a file says its size, and only others need it.
            size = os.fstat(file.fileno()).st_size
            data = file.read() if 0 < size <= MOST_BYTES else file.read(MOST_BYTES + 1)
    if is_binary(_whole(data, path)):
        raise Unreadable(shown(path), "this is a binary file, not a page")
    return data


def _unpacked(file: BinaryIO, path: str) -> bytes:
    import gzip
    import zlib

    try:
        return gzip.GzipFile(fileobj=file).read(MOST_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as fault:
        raise Unreadable(shown(path), f"the compressed data is damaged ({fault})") from None


def _whole(data: bytes, path: str) -> bytes:
    if len(data) > MOST_BYTES:
        raise Unreadable(shown(path), f"it is larger than {MOST_BYTES >> 20} MiB")
    return data


def is_binary(data: bytes) -> bool:
    """Is this surely no page: a known file format, or too many control characters to be text?"""
    if data.startswith(_MAGIC):
        return True
    head = data[:4096]
    if head.startswith(_UNICODE_MARKS) or head.lstrip()[:1] in {b"<", b"{", b"["}:
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 20


def is_linked_data(data: bytes) -> bool:
    """Is this JSON-LD? Asked of the .json files of a folder, most of which are something else."""
    import msgspec

    if b'"@' not in data:
        return False
    try:
        top = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError):
        return re.search(rb'"@(?:context|graph|type)"\s*:', data) is not None
    first = top[0] if isinstance(top, list) and top else top
    return isinstance(first, dict) and not first.keys().isdisjoint({"@context", "@graph", "@type"})
