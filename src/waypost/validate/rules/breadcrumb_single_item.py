"""Breadcrumb trail has only one step.

A trail with a single step adds nothing to the address; Google asks for at least two steps. Leave the trail out on
the home page.
Source: https://developers.google.com/search/docs/appearance/structured-data/breadcrumb, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Node
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"BreadcrumbList"})
PROPERTIES = frozenset({"itemListElement"})


def check(trail: Item) -> Iterator[FindingDraft]:
    steps = list(trail.values("itemListElement"))
    # A text in place of a step is reported by the profile.
    if len(steps) == 1 and isinstance(steps[0][1], Node):
        yield trail.warning(
            "itemListElement",
            "the breadcrumb trail has only one step",
            "add the pages above this one, or leave the trail out",
            part="key",
        )
