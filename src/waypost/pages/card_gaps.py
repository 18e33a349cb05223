"""Gaps of a card: empty slots that a finding is about. An empty slot that nothing requires is none.

Counterpart: `gapsOf` in `site/js/workbench/card.js`, compared by `tests/test_card_gaps.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from waypost.models.finding import Finding
from waypost.registry import assets

SLOTS = ("site", "description", "image", "byline", "date", "rating", "price")
_LONGEST = 160
_MISSING = ("required-property-missing", "feature-not-eligible")
_PARTS = re.compile(r"/(?:@graph|mainEntity|[0-9]+)(?=/|\Z)")


def cards() -> dict[str, Any]:
    """Data shared by the drawings of cards: `site/cards.json`."""
    shared: dict[str, Any] = json.loads((assets.folder("site") / "cards.json").read_text("utf-8"))
    return shared


def slots_of(mapping: dict[str, Any]) -> list[str]:
    """Slots of a card that its mapping fills."""
    return [slot for slot in SLOTS if mapping["x-card"][slot]]


def gaps_of(
    mapping: dict[str, Any], snippet: dict[str, Any], findings: Iterable[Finding], cards: dict[str, Any]
) -> dict[str, str]:
    """Slot -> why it is empty, from the findings of the card's item.

    cards  `site/cards.json`
    """
    about = [each for each in findings if each.severity != "info" and each.property]
    gaps = {}
    for slot in slots_of(mapping):
        if snippet["site_name" if slot == "site" else slot] is not None:
            continue
        finding = next((each for each in about if _is_about(each, slot, cards)), None)
        if finding is not None:
            words = cards["gaps"][slot][finding.rule not in _MISSING]
            message = finding.message.partition("; ")[0]
            short = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…"
            gaps[slot] = f"{words}: {short}"
    return gaps


def _is_about(finding: Finding, slot: str, cards: dict[str, Any]) -> bool:
    names = (finding.property or "").split(" or ")
    if not any(name in cards["slots"][slot] for name in names):
        return False
    inside = cards["inside"].get(slot, [])
    # A node that stands apart is named by its type; all others by the properties that lead to them.
    node = (finding.node or "").partition(" ")[0]
    path = [each for each in _PARTS.sub("", finding.pointer).split("/") if each and not each.startswith("#")]
    around = path[:-1] if path and path[-1] in names else path
    return all(each in inside for each in ([node] if node else []) + around)
