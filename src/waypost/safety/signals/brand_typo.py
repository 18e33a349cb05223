"""Misspelled brand name (typosquatting).

Optimal string alignment: a letter too many, too few, another, or two changed places. From five letters on one
typo, from eight two; two typos in a name of less than twelve letters accuse no one unless the host also asks for
something. Ordinary words that lie one typo from a name are none, nor are names that are a common word except for a
few letters: two banks may well be called nearly the same. A name that ends otherwise and is alone may be the word or
the family that the brand is called after.
Source: Damerau 1964; Chromium's lookalike checks for the idea of minimum lengths, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.brand_index import LONG
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_typo"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if match.kind in {"one-slip", "two-slips"}:
            yield match_evidence(
                reading,
                match,
                name=f"lex.typo-{match.kind[:3]}-{match.level}",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="a typo or two lie between the host and the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    stranger = match.level != "registered"
    pressed = match.neighbours in {"urgent", "urging", "echo"} or (stranger and reading.pressing)
    if match.kind == "two-slips":
        certain = stranger or match.neighbours in {"urgent", "urging"}
        return "strong" if len(match.token.text) >= 12 or (pressed and certain) else "medium"
    if match.size == "long":
        alone = match.alignment == "label" and not stranger and not reading.crowded
        if alone and _ends_otherwise(match.label, match.token.text):
            return "medium"
        near = len(match.token.text) > LONG and match.label[0] == match.token.text[0]
        return "medium" if (match.neighbours == "business" and not stranger) or (alone and not near) else "strong"
    return "strong" if (stranger and match.alignment == "word") or match.neighbours == "urgent" else "weak"


def _ends_otherwise(label: str, name: str) -> bool:
    """Whether only the last letter is another, too many or missing."""
    return name.startswith(label[:-1]) or label.startswith(name[:-1])
