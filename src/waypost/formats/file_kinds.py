"""Kinds of page files: HTML, JSON-LD and Markdown, by the name, the media type or the first bytes."""

from __future__ import annotations

import re
from typing import Literal

PAGES = (".html", ".htm", ".xhtml")
"""Suffixes of page files."""
DATA = (".jsonld", ".json")
MARKDOWN = (".md", ".markdown")

Kind = Literal["html", "json", "markdown", "code"]

_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"RIFF", b"wOFF", b"wOF2",
    b"\x00asm", b"OggS", b"\x00\x00\x01\x00", b"ID3", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"MZ", b"SQLite format 3",
)  # fmt: skip
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})


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


def kind_of_response(data: bytes, media_type: str | None) -> Kind:
    """Kind by the Content-Type; by the first character where the type is neither HTML, JSON nor Markdown."""
    essence = (media_type or "").partition(";")[0].strip().lower()
    if essence in {"text/html", "application/xhtml+xml"}:
        return "html"
    if essence == "text/markdown":
        return "markdown"
    return "json" if essence == "application/json" or essence.endswith("+json") else kind_of("", data)


def is_binary(data: bytes) -> bool:
    """Whether bytes are surely no page: a known file format, or more than 5 % control characters."""
    if data.startswith(_MAGIC):
        return True
    head = data[:4096]
    if head.startswith(_UNICODE_MARKS) or head.lstrip()[:1] in {b"<", b"{", b"["}:
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 20


def is_linked_data(data: bytes) -> bool:
    """Whether JSON is JSON-LD: most .json files of a searched folder are something else."""
    import msgspec

    if b'"@' not in data:
        return False
    try:
        top = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return re.search(rb'"@(?:context|graph|type)"\s*:', data) is not None
    first = top[0] if isinstance(top, list) and top else top
    return isinstance(first, dict) and not first.keys().isdisjoint({"@context", "@graph", "@type"})
