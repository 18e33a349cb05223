"""Brand name with a word such as login or pay.

`acme-login`, `acmerefund`, `verify-acme`: the words of `data/words/action.json` that press someone to sign
in, pay, confirm or collect. A word of two or three letters, or one that has other meanings too, speaks for
its brand only here; one of four or five letters that is part of no word (`cibc`) also where it is glued to them.
Words of trade next to it (`acme-insurance`) make it weaker: companies do name themselves so, and their services
(`acmepay`).
Source: most reported impersonations put the brand's entire name next to such a word, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_with_action_word"
_FEW_LETTERS = 4
"""Letters of no known word around a name within a word, from which the name may be there by chance."""
_SERVICES = frozenset({"pay", "payments", "usercontent"})
"""Words that brands glue to their own names for a service of theirs: `acmepay`."""


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if (
            match.kind == "exact"
            and match.level == "registered"
            and match.neighbours in {"urgent", "urging"}
            and match.alignment != "split"
        ):
            yield match_evidence(
                reading,
                match,
                name="lex.token_action",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="a word that asks for something stands next to the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    # Within a word the name may be there by chance, the more so with many letters of no known word around.
    if match.alignment == "inside":
        few = match.words_around.unexplained <= _FEW_LETTERS
        if few and match.size == "long" and "money" in match.token.sectors:
            return "strong"
        return "medium" if match.neighbours == "urgent" else "weak"
    if match.alignment == "word":
        # An everyday word among others may be meant as the word.
        return "medium" if not reading.crowded and _is_plain_word(reading, match) else "strong"
    return "strong" if reading.crowded and not match.token.common else _glued_strength(match)


def _glued_strength(match: TokenMatch) -> Strength:
    """Strength of a name at an end of a label, without a hyphen between the name and the word."""
    is_trade = match.words_around.business
    # Brands glue such words to their own names.
    if match.alignment == "front" and match.label[match.end :] in _SERVICES and not match.token.common:
        return "medium"
    if not is_trade and (match.token.rare or _is_target(match)):
        return "strong"
    if match.size == "common" or (match.size == "long" and is_trade):
        return "medium"
    return "medium" if match.neighbours == "urgent" and _has_stray_letter(match) else "strong"


def _is_target(match: TokenMatch) -> bool:
    """Whether the brand holds money and its name is a common word, or its sector is often imitated."""
    return "money" in match.token.sectors and (match.size == "common" or "exposed" in match.token.sectors)


def _has_stray_letter(match: TokenMatch) -> bool:
    """Whether a letter of no known word, and not the name's last letter doubled, may change the name into a word."""
    doubled = match.label[match.end : match.end + 1] == match.label[match.end - 1 : match.end]
    return match.words_around.unexplained == 1 and not doubled


def _is_plain_word(reading: HostReading, match: TokenMatch) -> bool:
    """Whether the name is an everyday word that others precede, in a host with words of no known meaning."""
    return match.neighbours == "urging" and match.start > 0 and match.token.text in reading.names.everyday
