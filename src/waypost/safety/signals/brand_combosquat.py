"""A brand's name glued to other words, in a domain that is not the brand's.

`acmeprivate.test`, `my-acme-online.test`. Companies, fans and suppliers name themselves so as well, and
brands forget to say which domains are theirs: alone it is a resemblance. It weighs more for a long name under
a top-level domain where brands seldom live; glued to letters that make no word it may be part of one itself, in a
language that we have no list of.
Source: Kintis et al., Hiding in Plain Sight (combosquatting), CCS 2017, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_combosquat"
_BESIDE = frozenset({"business", "action", "little", "other"})


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        plainly = hit.kind == "exact" and hit.place == "registered" and hit.how not in {"split", "label"}
        if plainly and hit.beside in _BESIDE:
            yield seen(
                reading,
                hit,
                name="lex.combosquat",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="other words stand beside the name of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    telling = hit.beside in {"action", "little"}
    if hit.how == "inside" or hit.size == "common":
        return "strong" if hit.how == "word" and reading.crowded and telling else "weak"
    if hit.beside == "business":
        return "medium" if reading.crowded else "weak"
    if hit.how == "word":
        return "strong" if telling or reading.crowded else "medium"
    if hit.beside == "little":
        return "medium" if hit.size == "long" else "weak"
    if reading.crowded and (hit.how == "front" or hit.size == "long"):
        return "strong" if hit.beside == "action" else "medium"
    return "medium" if telling and hit.size == "long" else "weak"
