"""Skeletons of names, equal for names with confusable letters (UTS #39, section 4)."""

from __future__ import annotations

import unicodedata
from functools import cache

from waypost.registry.world import DATA, document

_IN_LATIN = {"0": "o", "1": "l", "i": "l", "|": "l"}

_FILLERS = frozenset("\u115f\u1160")
"""Hangul fillers, letters that show nothing; U+3164 and U+FFA0 are these after NFKC."""


@cache
def _prototypes() -> dict[int, str]:
    imitated = document(DATA / "confusables.json")["looks_like"]
    return {ord(char): plain for plain, imitations in imitated.items() for char in imitations}


def skeleton(name: str) -> str:
    """Skeleton of a name: letters and digits without case and accents, confusable letters made the same."""
    # NFKC first, as script and other letter-like symbols have a case only after it; NFKD last, to part letters and
    # accents.
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    # M are marks, Z separators, C control and format characters such as zero-width joiners, P punctuation.
    letters = "".join(
        char for char in folded if unicodedata.category(char)[0] not in {"M", "Z", "C", "P"} and char not in _FILLERS
    )
    # `rn` looks like `m` in most fonts.
    plain = letters.translate(_prototypes()).casefold().replace("rn", "m")
    return "".join(_IN_LATIN.get(char, char) for char in plain)
