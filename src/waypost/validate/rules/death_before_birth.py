"""Ends before it begins (birth, founding).

The two dates are swapped or have a wrong year; readers that draw timelines from them go astray.
Source: https://schema.org/birthDate, https://schema.org/deathDate, https://schema.org/foundingDate and
https://schema.org/dissolutionDate, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import is_before, moment
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Person", "Organization"})
PROPERTIES = frozenset({"deathDate", "dissolutionDate"})


def check(item: Item) -> Iterator[FindingDraft]:
    for first, last in (("birthDate", "deathDate"), ("foundingDate", "dissolutionDate")):
        begin, end = moment(item.text(first)), moment(item.text(last))
        # An ancient year is read as the nearest date that Python has, which proves no order.
        if begin and end and begin.form != "ancient" and is_before(end, begin):
            yield item.warning(
                last,
                f"{last} ({item.text(last)}) is before {first} ({item.text(first)})",
                "swap the two dates, or correct the year",
                related=((f"{first} is here", (item.node, first)),),
            )
