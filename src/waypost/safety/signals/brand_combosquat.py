"""Brand name joined with other words.

`acmeprivate.test`, `my-acme-online.test`. Companies, fans and suppliers name themselves so as well, and
brands forget to say which domains are theirs: alone it is a resemblance. It weighs more for a long name under
a top-level domain where brands seldom live; glued to letters that make no word it may be part of one itself, in a
language that we have no list of.
A short name that is in no other word weighs more where only known words stand next to it, and the name of an
exchange, a bank, a post, an office or a messenger as a word next to others: others seldom name themselves after those.
Source: Kintis et al., Hiding in Plain Sight (combosquatting), CCS 2017, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_combosquat"
_NEIGHBOURS = frozenset({"business", "action", "little", "other"})


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        # Typos, disguises, split names and whole labels have signals of their own.
        plainly = match.kind == "exact" and match.level == "registered" and match.alignment not in {"split", "label"}
        if plainly and match.neighbours in _NEIGHBOURS:
            yield match_evidence(
                reading,
                match,
                name="lex.combosquat",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="other words stand next to the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    if _is_target(reading, match) or _stands_out(reading, match):
        return "strong"
    # Inside other letters, or as a common word, the name is mostly a part of something else.
    if match.alignment == "inside" or (match.size == "common" and match.alignment != "word"):
        return "weak"
    if match.size == "common":
        return "strong" if reading.crowded and match.neighbours == "action" else "weak"
    # Companies, dealers and suppliers name themselves with words of trade.
    if match.neighbours == "business":
        return _strength_with_trade(match) if reading.crowded else "weak"
    if match.alignment == "word":
        return "strong" if match.neighbours == "action" or reading.crowded else "medium"
    return _glued_strength(reading, match)


def _strength_with_trade(match: TokenMatch) -> Strength:
    return "strong" if match.alignment == "front" and match.size == "middling" else "medium"


def _glued_strength(reading: HostReading, match: TokenMatch) -> Strength:
    """Strength of a name at an end of a label, without a hyphen between name and letters."""
    if match.neighbours == "little":
        return "medium" if match.size == "long" else "weak"
    if reading.crowded and (match.alignment == "front" or match.size == "long"):
        return "strong" if match.neighbours == "action" else "medium"
    return "medium" if match.neighbours == "action" and match.size == "long" else "weak"


def _is_target(reading: HostReading, match: TokenMatch) -> bool:
    """Whether the sector of the brand and the words next to its name make it more than a resemblance."""
    sectors, alignment = match.token.sectors, match.alignment
    if "money" not in sectors or alignment == "inside":
        return False
    if match.size == "common":
        return alignment == "word" and _is_common_target(reading, match)
    if match.neighbours == "business":
        return alignment == "word" and bool(sectors & {"public", "coined"})
    if match.size == "middling":
        near = match.neighbours in {"little", "action"} and alignment != "back"
        return "exposed" in sectors and (near or (reading.crowded and alignment == "front"))
    return _is_long_target(reading, match)


def _is_common_target(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a common name, no everyday word, stands as a word next to suspicious words."""
    pressed = match.neighbours == "action" or (reading.crowded and match.neighbours == "other")
    return pressed and match.token.text not in reading.names.everyday


def _is_long_target(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a long name means its brand: as a word, or with a letter or two glued to it."""
    sector, neighbours = match.token.brand.categories[0], match.neighbours
    if sector == "messaging" and neighbours == "other" and not reading.crowded:
        return False  # newspapers, bots and channels are called after messengers
    # Two letters glued to a bank are its branch in a country: `acmebankcz`.
    is_glued = match.alignment == "front" and neighbours == "little" and sector != "banking"
    return match.alignment == "word" or is_glued


def _stands_out(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a rare short name stands next to known words alone, or as a word in a cheap domain."""
    if not match.token.rare or match.alignment not in {"front", "word"}:
        return False
    only_known = match.neighbours == "action" and match.words_around.action > 0
    return only_known or (reading.crowded and match.alignment == "word")
