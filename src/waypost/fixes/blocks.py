"""JSON-LD scripts of a page that are not strict JSON."""

from __future__ import annotations

from waypost.formats.file_kinds import Kind
from waypost.reader.dirtyjson import is_strict
from waypost.reader.json_block import JsonBlock
from waypost.reader.sources import PageSource, parse_source
from waypost.registry import load


def broken_blocks(
    data: bytes,
    kind: Kind = "html",
    media_type: str | None = None,
    encoding: str | None = None,
    language: str = "",
) -> frozenset[int]:
    """Numbers of the scripts that a strict parser rejects. `language` of a template or of code."""
    source = PageSource(data, kind, None, media_type, language)
    page = parse_source(source, "-", load().vocabulary, ("json-ld",), encoding)
    blocks = (block for block in page.blocks if isinstance(block, JsonBlock))
    broken = frozenset(block.index for block in blocks if not is_strict(block.text))
    page.release()
    return broken
