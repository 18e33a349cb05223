"""Unknown salary unit.

Google reads HOUR, DAY, WEEK, MONTH and YEAR; with "per hour" or "annually" the salary is not shown.
Source: https://developers.google.com/search/docs/appearance/structured-data/job-posting, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import holders

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"QuantitativeValue", "MonetaryAmount"})
PROPERTIES = frozenset({"unitText"})

WORDS = ("HOUR", "DAY", "WEEK", "MONTH", "YEAR")
CORRECTIONS = {
    "HOURLY": "HOUR", "HR": "HOUR", "DAILY": "DAY", "WEEKLY": "WEEK", "MONTHLY": "MONTH", "YEARLY": "YEAR",
    "ANNUALLY": "YEAR", "ANNUAL": "YEAR", "ANNUM": "YEAR", "PA": "YEAR",
}  # fmt: skip


def check(item: Item) -> Iterator[FindingDraft]:
    if not any(_is_salary(holder, via) for holder, via in holders(item.node)):
        return
    for index, value in item.values("unitText"):
        if not isinstance(value, str) or value.strip() in WORDS:
            continue
        # "per hour", "p.a." and "Hours" are read, too.
        word = value.strip().upper().removeprefix("PER ").rstrip(".").replace(".", "")
        correction = word.removesuffix("S") if word.removesuffix("S") in WORDS else CORRECTIONS.get(word)
        yield item.warning(
            "unitText",
            f"{clip(value)!r} is not a unit of a salary",
            f"write {correction or ', '.join(WORDS)}",
            index=index,
            edits=(item.rewrite("unitText", correction, index),) if correction else (),
        )


def _is_salary(holder: Node, via: str) -> bool:
    # The unit stands in the MonetaryAmount, or in the QuantitativeValue inside it.
    return via == "baseSalary" or (via == "value" and any(further == "baseSalary" for _, further in holders(holder)))
