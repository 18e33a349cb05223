"""A brand's name in letters that only look like it.

The host is brought to its UTS #39 skeleton and compared with the skeletons of the brands' names: an accent,
a Cyrillic letter, a one for an l, rn for m. Whole-script imitations, where no scripts are mixed, are seen
too, because it is the result that is compared. Accents alone, on a word that has them in some language, are
similar and no more. A name in other letters that imitates nobody is no signal, nor is
one that would have to be read shorter than it is: d is not taken for cl.
Source: UTS #39, Unicode Security Mechanisms, section 4, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "homoglyph_of_brand"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind in {"accented", "disguised"} and len(hit.written) >= len(hit.token.text):
            yield seen(
                reading,
                hit,
                name="lex.homoglyph",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="letters imitate the name of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    if hit.kind == "accented" and hit.beside not in {"urgent", "urging", "echo"}:
        return "medium"
    if reading.imitated and hit.how in {"label", "word"}:
        return "decisive"
    if hit.how in {"front", "back"} and hit.place == "registered" and hit.beside == "other" and not reading.crowded:
        foreign = reading.target.scripts not in {(), ("Latin",)}
        return "strong" if foreign or any(c.isdigit() for c in hit.written) else "weak"
    if hit.size == "long":
        return "weak" if hit.how == "inside" and hit.place == "registered" else "strong"
    if hit.how in {"label", "word"}:
        return "strong" if hit.how == "word" or hit.place != "registered" or reading.crowded else "medium"
    return (
        "strong"
        if hit.how != "inside" and (hit.beside in {"urgent", "urging"} or hit.place != "registered")
        else "weak"
    )
