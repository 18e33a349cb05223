"""Time zone offset without a colon.

`+0000` and `+02` belong to the basic format of ISO 8601. The standard does not allow such an offset behind a date
with hyphens, and strict readers reject the full date. Many templating languages print this form by default.
Source: ISO 8601-1:2019 (5.3.4.1) and RFC 3339 (5.6), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import Moment, normal_form, read
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.rules.date_form_uncommon import UNCOMMON
from waypost.validate.value_conditions import is_unusual_date
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.date | KINDS.time
VALUES = frozenset({"text"})
WHEN = is_unusual_date


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str):
        return
    found = read(value)
    if (
        not isinstance(found, Moment)
        or found.form in ("week", "ordinal")
        or not UNCOMMON.keys().isdisjoint(found.notes)
    ):
        return  # reported by date-form-uncommon
    if {"offset-basic", "offset-short"}.isdisjoint(found.notes):
        return
    right = normal_form(value)
    yield item.warning(
        prop, f"the offset in {clip(value)!r} has no colon", f"write {right}", index=index,
        edits=(item.rewrite(prop, right, index),),
    )  # fmt: skip
