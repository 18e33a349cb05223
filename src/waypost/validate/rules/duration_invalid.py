"""Invalid duration format.

Consumers read `PT30M` for thirty minutes and drop "30 minutes", `30` or `0:30`: the cooking time or the length of
the video is not shown. Letters stand behind their numbers, the T before hours, minutes and seconds: `PT1H30M`,
`P2W`, `P1DT12H`.
Source: https://schema.org/Duration and ISO 8601-1:2019 (5.5.2), read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.date_guesses import guess_duration
from waypost.formats.dates import read_duration
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.duration


VALUES = frozenset({"text", "number"})


def is_no_duration(value: Value) -> bool:
    return not isinstance(value, str) or read_duration(value) is None


WHEN = is_no_duration
_LONGEST_NUMBER = 7
CLOCK = pattern(r"(\d{1,2}):(\d\d)", re.ASCII)


def _readings(text: str) -> str:
    """Hint with both readings of "3:21" or "30", or with the form of a duration."""
    if found := CLOCK.fullmatch(text.strip()):
        large, small = int(found[1]), int(found[2])
        return f"write PT{large}M{small}S for {large} min {small} s, or PT{large}H{small}M for {large} h {small} min"
    if (number := text.strip()).isascii() and number.isdecimal() and len(number) < _LONGEST_NUMBER:
        return f"write PT{number}M if minutes are meant, PT{number}S if seconds"
    return "write PT, then the hours, minutes and seconds, each number before its letter H, M or S"


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = str(value)
    if item.is_a("MusicRelease", "QuantitativeValue"):
        return
    first, slash, second = text.partition("/")
    if slash and read_duration(first) and read_duration(second):
        return  # schema.org's own pages show a range so
    correction = guess_duration(text) if isinstance(value, str) else None
    # "pt30m": ISO 8601 has capital letters only.
    if correction is None and read_duration(text.upper()) is not None:
        correction = text.strip().upper()
    yield item.warning(
        prop, f"{clip(text)!r} is not an ISO 8601 duration",
        f"write {correction}" if correction else _readings(text),
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )  # fmt: skip
