"""Brand name in lookalike characters.

The host is brought to its UTS #39 skeleton and compared with the skeletons of the brands' names: an accent,
a Cyrillic letter, a one for an l, rn for m. The result is compared, so imitations in a single foreign script are found
too. Accents alone, on a word spelled with accents in some language, are a resemblance. A name in other letters without
a brand's skeleton gives no signal, and neither does a name longer than the host's own: d is not taken for cl.
Source: UTS #39, Unicode Security Mechanisms, section 4, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "homoglyph_of_brand"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        # A longer name than what is written is not an imitation: `d` is not taken for `cl`.
        if match.kind in {"accented", "disguised"} and len(match.written) >= len(match.token.text):
            yield match_evidence(
                reading,
                match,
                name="lex.homoglyph",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="letters imitate the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    # An accent may belong to a word of some language, unless a word next to it asks for something.
    if match.kind == "accented" and match.neighbours not in {"urgent", "urging", "echo"}:
        return "medium"
    if match.alignment == "label":
        short = match.level == "subdomain" and len(match.label) <= 3
        # The whole label looks like the name: nothing else can be meant.
        return "medium" if short and not reading.imitated else "decisive"
    if match.alignment == "word":
        return "decisive" if reading.imitated else "strong"
    return _glued_strength(reading, match)


def _glued_strength(reading: HostReading, match: TokenMatch) -> Strength:
    """Strength of a lookalike glued to letters, with which the name may form a longer word."""
    is_edge, presses = match.alignment in {"front", "back"}, match.neighbours in {"urgent", "urging"}
    if match.level != "registered":
        is_name = is_edge and (presses or _is_marked(reading, match))
        return "strong" if match.size == "long" or is_name else "weak"
    # A lookalike within a longer word is mostly the word's own letters.
    return _registered_strength(reading, match, presses=presses) if is_edge else "weak"


def _registered_strength(reading: HostReading, match: TokenMatch, *, presses: bool) -> Strength:
    """Strength of a lookalike at an end of a registered label."""
    if match.neighbours in {"other", "little"} and not reading.crowded:
        foreign = reading.target.scripts not in {(), ("Latin",)}
        return "strong" if foreign or (match.size == "long" and any(c.isdigit() for c in match.written)) else "weak"
    if _is_glued_by_chance(reading, match):
        return "weak"
    return "strong" if match.size == "long" or presses else "weak"


def _is_glued_by_chance(reading: HostReading, match: TokenMatch) -> bool:
    """Whether one plain letter for another, glued to letters of no known word, is chance: `zeilen`."""
    if match.alignment not in {"front", "back"} or match.level != "registered" or _is_marked(reading, match):
        return False
    if match.neighbours == "urging":
        return match.size == "middling" and not reading.crowded
    return match.neighbours == "other"


def _is_marked(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a digit or a foreign letter shows intent; one plain letter for another may be a word's own."""
    return reading.imitated or any(map(str.isdigit, match.written))
