"""Badge of a card: eligibility of a page's item for a rich result, by the findings of the page.

Status of a card: all results of a kind. Badge: one item of one page. Counterpart: `site/js/workbench/eligibility.js`,
compared by `tests/test_report_eligibility.py`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from waypost.models.finding import FileReport, Finding, ItemReport
from waypost.models.snippet import Status
from waypost.report._causes import results
from waypost.report._words import count

State = Literal["eligible", "not_eligible", "no_result", "unknown"]
KINDS: dict[Status, str] = {
    "supported": "Google has a rich result of this kind",
    "restricted": "Google shows rich results of this kind for some sites or places only",
    "retired": "Google no longer shows rich results of this kind",
    "none": "Google has no rich result of this kind",
}
"""Sentences about a kind of item, by the status of a card."""
_REQUIRED, _MISSED = "required-property-missing", "feature-not-eligible"


class Badge(NamedTuple):
    """Eligibility of an item.

    state  "eligible"; "not_eligible"; "no_result" for a kind without rich results; "unknown" without a page
    text   the same in words
    """

    state: State
    text: str


def badge_of(status: Status, file: FileReport | None = None, number: int | None = None) -> Badge:
    """Badge of an item.

    status  of the card
    file    report about the page; None for a document that is not a page
    number  of the item in the report
    """
    item = file.items[number] if file and number is not None and number < len(file.items) else None
    if file is None or item is None:
        return Badge("unknown", f"{KINDS[status]}; whether a page qualifies was not checked")
    found = [each for each in file.findings if each.item == number]
    errors = [each for each in found if each.severity == "error" and each.profile not in item.eligible]
    if item.eligible:
        return _eligible(item, errors, status)
    if item.retired or status in {"retired", "none"}:
        return Badge("no_result", KINDS["retired" if item.retired else status])
    return Badge("not_eligible", f"not eligible: {_reasons(errors, found)}")


def _eligible(item: ItemReport, errors: list[Finding], status: Status) -> Badge:
    limit = ", which Google shows for some sites or places only" if status == "restricted" else ""
    missed = dict.fromkeys(each.profile for each in errors if each.profile)
    return Badge("eligible", f"eligible for {results(item.eligible)}{limit}{_but_not(list(missed))}")


def _but_not(profiles: list[str]) -> str:
    return f"; not for {results(profiles)}" if profiles else ""


def _reasons(errors: list[Finding], found: list[Finding]) -> str:
    missing = len({each.property or each.message for each in errors if each.rule == _REQUIRED})
    wrong = sum(each.rule != _REQUIRED for each in errors)
    noun = "property" if missing == 1 else "properties"
    parts = [f"{missing:,} required {noun} missing"] if missing else []
    parts += [count(wrong, "error")] if wrong else []
    if parts:
        return ", ".join(parts)
    message = next((each.message for each in found if each.rule == _MISSED), "")
    return message.partition(": ")[2] or message or "the page does not have what such a result needs"
