"""Lists of words that people read on pages, and signs of currencies. Data: `data/visible/words.json`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

_DATA = Path(__file__).resolve().parents[2] / "data" / "visible" / "words.json"


class VisibleWords(msgspec.Struct, frozen=True):
    """The file: sign of a currency -> its codes, and language -> kind of words -> words."""

    signs: dict[str, str]
    languages: dict[str, dict[str, str]]


@cache
def visible_words() -> VisibleWords:
    return msgspec.json.decode(_DATA.read_bytes(), type=VisibleWords)
