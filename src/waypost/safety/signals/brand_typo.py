"""Misspelled brand name (typosquatting).

Optimal string alignment: a letter too many, too few, another, or two changed places. From five letters on one
typo, from eight two; two typos in a name of less than twelve letters accuse no one unless they are in a tenant's name
or, under a top-level domain that is cheap and open to all, next to a word that asks for something. One typo in a name
like those of many companies counts as two: two banks may well be called nearly the same. A name alone that begins with
another letter accuses no one: readers know a name by its first letter. Ordinary words one typo from a name, with or
without a number after them, are none. A name that is alone and ends otherwise, or has one other letter, may be another
name: the word or the family that the brand is called after. Below another's domain a typo accuses for brands that hold
money, or where the host asks for something; a platform's nearly alike neighbour is another company.
Source: Damerau 1964; Chromium's lookalike checks for the idea of minimum lengths, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.brand_index import LONG
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence
from waypost.safety.typos import typos

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_typo"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if match.kind in {"one-typo", "two-typos"}:
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
    pressed = match.neighbours in {"urgent", "urging", "echo"} or (stranger and reading.urges(match))
    # A machine, a customer of a service, or another company of a like name.
    if not pressed and (reading.stored or (stranger and reading.serves_businesses) or _is_another(match)):
        return "medium"
    # Readers know a name by its first letter: with another a name that stands alone is another's, `ocme.test`.
    if match.level == "registered" and match.alignment == "label" and match.label[0] != match.token.text[0]:
        return "medium" if match.size == "long" else "weak"
    # Two typos in a short name accuse no one, unless the host also asks for something.
    if match.kind == "two-typos":
        if match.level == "subdomain" or (
            match.alignment == "label" and not reading.names.has_own_core(match.token.text)
        ):
            return "medium"
        # Two letters make another word of most names, a shop's or a family's, that also asks for something.
        near = reading.crowded or typos(match.written, match.token.text, 1) <= 1
        certain = stranger or (match.neighbours in {"urgent", "urging"} and near)
        if match.level == "tenant" and match.alignment == "word" and match.size == "long":
            return "strong"
        return "strong" if len(match.token.text) >= 12 or (pressed and certain) else "medium"
    if match.size == "long":
        # A coined name is near no other word.
        if "coined" in match.token.sectors:
            return "strong"
        if not stranger and match.neighbours == "other" and "money" not in match.token.sectors and not reading.crowded:
            return "medium"
        whole = match.alignment == "label" and not stranger
        # A letter that the name does not have may make it another name.
        if whole and "money" not in match.token.sectors and not set(match.label) <= set(match.token.text):
            return "medium"
        alone = whole and not reading.crowded
        if (whole and _ends_otherwise(match.label, match.token.text)) or (
            alone and _has_another_letter(match.label, match.token.text)
        ):
            return "medium"
        near = len(match.token.text) > LONG and match.label[0] == match.token.text[0]
        return "medium" if (match.neighbours == "business" and not stranger) or (alone and not near) else "strong"
    first = match.label[match.start : match.start + 1] == match.token.text[0]
    return "strong" if (stranger and first and match.alignment == "word") or match.neighbours == "urgent" else "weak"


def _is_another(match: TokenMatch) -> bool:
    """Whether the name is rather the name of a machine, or of a company in a sector with many names."""
    if match.level == "registered":
        return match.alignment == "label" and "platforms" in match.token.sectors
    if match.level != "subdomain":
        return False
    return match.kind == "two-typos" or match.alignment != "label" or "money" not in match.token.sectors


def _has_another_letter(label: str, name: str) -> bool:
    """Whether a letter is another, rather than missing, too many or out of place: `acne` is as good as `acme`."""
    return len(label) == len(name) and sorted(label) != sorted(name)


def _ends_otherwise(label: str, name: str) -> bool:
    """Whether only the last letter is another, too many or missing."""
    return name.startswith(label[:-1]) or label.startswith(name[:-1])
