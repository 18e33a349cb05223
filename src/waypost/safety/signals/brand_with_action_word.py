"""A brand's name beside a word that asks for something, in a domain that is not the brand's.

`acme-login`, `acmerefund`, `verify-acme`: the words of `data/words/action.json` that press somebody to sign
in, pay, confirm or collect. A word of two or three letters, or one that means other things too, speaks for
its brand only here. Words of trade beside it (`acme-insurance`) make it weaker: companies do name themselves so.
Source: most reported impersonations put the brand's whole name beside such a word, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_with_action_word"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if (
            hit.kind == "exact"
            and hit.place == "registered"
            and hit.beside in {"urgent", "urging"}
            and hit.how != "split"
        ):
            yield seen(
                reading,
                hit,
                name="lex.token_action",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="a word that asks for something stands beside the name of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    if hit.how == "inside":
        return "medium" if hit.beside == "urgent" else "weak"
    if hit.how == "word" or reading.crowded:
        return "strong"
    if hit.size == "common" or (hit.size == "long" and hit.rest.business):
        return "medium"
    return "medium" if hit.beside == "urgent" and hit.rest.unexplained == 1 else "strong"
