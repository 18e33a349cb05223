"""A brand's name, whole, under a top-level domain that is not known to be its own.

Brands own far more of these than anybody lists, most of all under countries: alone it is a resemblance. It is
more for a long name under a top-level domain that is cheap and open to all, and where that domain is a word that
asks for something (`acme.support`); `info` is where many keep a second home.
Source: Chromium's lookalike checks ignore matches across top-level domains for this reason, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_tld_variant"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind == "exact" and hit.place == "registered" and hit.how == "label":
            yield seen(
                reading,
                hit,
                name="lex.tld",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="under another top-level domain stands the name of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    pressing = reading.names.words.get(reading.target.suffix, (0, 0, 0))[0] < 0
    if hit.size == "common":
        return "weak"
    return "strong" if pressing and reading.target.suffix != "info" else "medium" if reading.crowded else "weak"
