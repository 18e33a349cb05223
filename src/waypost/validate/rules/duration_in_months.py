"""Duration of a recipe or a recording is months long.

Without a T the M stands for months: `P45M` is 45 months of cooking, and 45 minutes are `PT45M`. Courses and programs do
last months, and are not checked. Below five months the value may be meant, so the fix is not a safe one.
Source: https://schema.org/Duration and ISO 8601-1:2019 (5.5.2), read 2026-11-28.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.dates import read_duration
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = frozenset({"cookTime", "prepTime", "totalTime", "performTime", "duration"})
VALUES = frozenset({"text"})


def has_months(value: Value) -> bool:
    found = read_duration(value) if isinstance(value, str) else None
    return found is not None and found.months != 0


WHEN = has_months

_MEDIA = ("MediaObject", "Movie", "Episode", "Clip", "MusicRecording")
_MONTHS = pattern(r"P([0-9]{1,4})M", re.ASCII)
_FEW = 5


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not item.is_a(*(_MEDIA if prop == "duration" else ("Recipe",))):
        return
    text = str(value).strip()
    found = _MONTHS.fullmatch(text)
    correction = f"PT{found[1]}M" if found else None
    yield item.warning(
        prop,
        f"{clip(text)!r} is {f'{found[1]} months' if found else 'a time of months or years'}",
        f"write {correction} for {found[1]} minutes"
        if found
        else f"put a T before the hours, minutes and seconds of {clip(text)}",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
        safe=found is not None and int(found[1]) >= _FEW,
    )
