"""A brand's name with one slip of the keys in it, or two in a long one.

Optimal string alignment: a letter too many, too few, another, or two changed places. From five letters on one
slip, from eight two; two slips in a name of less than twelve letters accuse nobody unless the host also asks for
something. Ordinary words that lie one slip from a name are none, nor are names that are a common word but for a
few letters: two banks may well be called nearly the same. A name that ends otherwise and is alone may be the word or
the family that the brand is called after.
Source: Damerau 1964; Chromium's lookalike checks for the idea of minimum lengths, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.names import LONG
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_typo"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind in {"one-slip", "two-slips"}:
            yield seen(
                reading,
                hit,
                name=f"lex.typo-{hit.kind[:3]}-{hit.place}",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="a slip or two lie between the host and the name of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    stranger = hit.place != "registered"
    pressed = hit.beside in {"urgent", "urging", "echo"} or (stranger and reading.pressing)
    if hit.kind == "two-slips":
        certain = stranger or hit.beside in {"urgent", "urging"}
        return "strong" if len(hit.token.text) >= 12 or (pressed and certain) else "medium"
    if hit.size == "long":
        alone = hit.how == "label" and not stranger and not reading.crowded
        if alone and _ends_otherwise(hit.label, hit.token.text):
            return "medium"
        near = len(hit.token.text) > LONG and hit.label[0] == hit.token.text[0]
        return "medium" if (hit.beside == "business" and not stranger) or (alone and not near) else "strong"
    return "strong" if (stranger and hit.how == "word") or hit.beside == "urgent" else "weak"


def _ends_otherwise(label: str, name: str) -> bool:
    """Whether only the last letter is another, too many or missing."""
    return name.startswith(label[:-1]) or label.startswith(name[:-1])
