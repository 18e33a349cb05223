"""Brand name split by hyphens or dots.

`ac-me.test`, `pay.acm.e-support.test`: the words of the host, put together, make the name, and both its ends are
ends of words. A long name may also run on into words that ask for something: `acme-storeverify.test`. What is one word
to a reader is two to a filter that looks for the entire name.
Source: reported impersonations of postal services and wallets, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_split_over_labels"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if match.alignment == "split":
            yield match_evidence(
                reading,
                match,
                name="lex.split",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="put together, words of the host make the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    # Where programs keep files, a name is a resemblance.
    if reading.stored and match.neighbours not in {"urgent", "urging"}:
        return "medium"
    if match.level == "tenant" or match.neighbours in {"urgent", "urging"} or reading.crowded:
        return "strong"
    return "medium" if match.size == "long" else "weak"
