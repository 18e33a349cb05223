"""The opening hours cannot be read.

`openingHours` has a small grammar: days as Mo, Tu, We, Th, Fr, Sa, Su, a hyphen for a range and a comma between,
then the time with a hyphen: `Mo-Fr 09:00-17:00`, `Sa,Su 10:00-14:00`, `Mo-Su` for always open. "Monday to Friday
9-5" is read by nobody. Several spans are several values. `openingHoursSpecification` says the same in parts.
Source: https://schema.org/openingHours, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"openingHours"})

DAY = r"(?:Mo|Tu|We|Th|Fr|Sa|Su|PH|SH)"
CLOCK = r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?"
DAYS = rf"{DAY}(?:\s?-\s?{DAY})?"
HOURS = rf"{CLOCK}\s?-\s?{CLOCK}"
GRAMMAR = pattern(rf"{DAYS}(?:[\s,;]+(?:{DAYS}|{HOURS}|off|closed))*[\s;]*", re.ASCII)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str) or (len(value) <= 500 and GRAMMAR.fullmatch(value.strip())):
        return
    if value.strip() == "24/7":
        yield item.warning(prop, "'24/7' is not in the grammar of openingHours", "write Mo-Su", index=index)
        return
    yield item.warning(
        prop, f"{clip(value)!r} cannot be read as opening hours", "write it as Mo-Fr 09:00-17:00", index=index
    )
