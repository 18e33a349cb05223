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
    if not pressed and _is_another(reading, match):
        return "medium"
    if _begins_otherwise(match):
        return "medium" if match.size == "long" else "weak"
    if match.kind == "two-typos":
        return _of_two_typos(reading, match, is_pressed=pressed)
    if match.size == "long":
        return _of_long_name(reading, match)
    first = match.label[match.start : match.start + 1] == match.token.text[0]
    return "strong" if (stranger and first and match.alignment == "word") or match.neighbours == "urgent" else "weak"


def _of_two_typos(reading: HostReading, match: TokenMatch, *, is_pressed: bool) -> Strength:
    """Strength of two typos: in a short name hardly an accusation, unless the host also presses."""
    is_label_of_others = match.alignment == "label" and not reading.names.has_own_core(match.token.text)
    if match.level == "subdomain" or is_label_of_others:
        return "medium"
    if match.level == "tenant" and match.alignment == "word" and match.size == "long":
        return "strong"
    # Two letters make another word of most names, a shop's or a family's, that also asks for something.
    near = reading.crowded or typos(match.written, match.token.text, 1) <= 1
    certain = match.level != "registered" or (match.neighbours in {"urgent", "urging"} and near)
    return "strong" if len(match.token.text) >= 12 or (is_pressed and certain) else "medium"


def _of_long_name(reading: HostReading, match: TokenMatch) -> Strength:
    """Strength of one typo in a long name, near few words; a coined name is near no word."""
    if "coined" in match.token.sectors or match.level != "registered":
        return "strong"
    is_money = "money" in match.token.sectors
    if match.neighbours == "business" or (match.neighbours == "other" and not is_money and not reading.crowded):
        return "medium"
    if match.alignment == "label" and _may_be_another_name(reading, match):
        return "medium"
    return "strong"


def _may_be_another_name(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a registered name with one typo may be a name of its own: the word, or a family's name."""
    label, name = match.label, match.token.text
    # A letter that the name does not have makes another name, except among names of those that hold money.
    if "money" not in match.token.sectors and not set(label) <= set(name):
        return True
    if _ends_otherwise(label, name):
        return True
    near = len(name) > LONG and label[0] == name[0]
    return not reading.crowded and (not near or _has_another_letter(label, name))


def _begins_otherwise(match: TokenMatch) -> bool:
    """Whether a name alone has the wrong first letter, by which readers know a name: `ocme.test`."""
    return match.level == "registered" and match.alignment == "label" and match.label[0] != match.token.text[0]


def _is_another(reading: HostReading, match: TokenMatch) -> bool:
    """Whether the name is a machine's, of a customer of a service, or of a company in a sector with many names."""
    if reading.stored or (match.level != "registered" and reading.serves_businesses):
        return True
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
