"""A brand's name, cut by hyphens or dots.

`ac-me.test`, `pay.acm.e-support.test`: the words of the host, put together, make the name, and both its ends are
ends of words. What is one word to a reader is two to a filter that looks for the whole.
Source: reported impersonations of postal services and wallets, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_split_over_labels"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.how == "split":
            yield seen(
                reading,
                hit,
                name="lex.split",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="put together, words of the host make the name of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    if hit.place == "tenant" or hit.beside in {"urgent", "urging"} or reading.crowded:
        return "strong"
    return "medium" if hit.size == "long" else "weak"
