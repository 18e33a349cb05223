"""Brand name under an unknown top-level domain.

Brands own far more of these than any list names, most of all under countries: alone a resemblance. More for a long
name under a top-level domain that is cheap and open to all, and where that domain is a word asking for something
(`acme.support`); `info` is a common second home.
Source: Chromium's lookalike checks ignore matches across top-level domains for this reason, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_tld_variant"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if match.kind == "exact" and match.level == "registered" and match.alignment == "label":
            yield match_evidence(
                reading,
                match,
                name="lex.tld",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="under another top-level domain stands the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    # A negative first figure marks a word that asks for something.
    pressing = reading.names.words.get(reading.target.suffix, (0, 0, 0))[0] < 0
    if match.size == "common":
        return "weak"
    if "public" in match.token.sectors and match.size == "long" and reading.crowded:
        return "strong"
    return "strong" if pressing and reading.target.suffix != "info" else "medium" if reading.crowded else "weak"
