"""JSON-LD scripts of a page that are not strict JSON."""

from __future__ import annotations

from typing import Literal

from waypost.reader import read_data, read_page
from waypost.reader.dirtyjson import is_strict
from waypost.reader.json_block import JsonBlock
from waypost.reader.markdown import read_markdown
from waypost.registry import load

Kind = Literal["html", "json", "markdown"]


def broken_blocks(
    data: bytes, kind: Kind = "html", media_type: str | None = None, encoding: str | None = None
) -> frozenset[int]:
    """Numbers of the scripts that a strict parser rejects."""
    words = load().vocabulary
    if kind == "json":
        page = read_data(data, words)
    elif kind == "markdown":
        page = read_markdown(data, words, syntaxes=("json-ld",))
    else:
        page = read_page(data, words, media_type=media_type, encoding=encoding, syntaxes=("json-ld",))
    blocks = (block for block in page.blocks if isinstance(block, JsonBlock))
    broken = frozenset(block.index for block in blocks if not is_strict(block.text))
    page.release()
    return broken
