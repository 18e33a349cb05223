"""Badge of a card: eligibility of a page's item for a rich result, by the findings of the page.

Status of a card: all results of a kind. Badge: one item of one page. Counterpart: `site/js/workbench/eligibility.js`,
compared by `tests/test_report_eligibility.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from waypost.models.finding import FileReport, Finding, NotEligible
from waypost.models.snippet import Status
from waypost.report._causes import lapses_of, results
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


def badge_of(
    status: Status,
    file: FileReport | None = None,
    number: int | None = None,
    places: Sequence[tuple[str, int, str]] = (),
) -> Badge:
    """Badge of an item.

    status  of the card
    file    report about the page; None for a document that is not a page
    number  of the item in the report
    places  of the node of the card and of the page around the node: (syntax, block, pointer)
    """
    numbers = (
        [n for n, each in enumerate(file.verdicts) if (each.syntax, each.block, each.pointer) in places] if file else []
    )
    item = file.items[number] if file and number is not None and number < len(file.items) else None
    if file is None or (item is None and not numbers):
        return Badge("unknown", f"{KINDS[status]}; whether a page qualifies was not checked")
    nodes = [file.verdicts[n] for n in numbers]
    if nodes or item is None:
        eligible = sorted({name for node in nodes for name in node.eligible})
        retired = any(node.retired for node in nodes)
        found = [each for each in file.findings if each.verdict in numbers]
    else:
        eligible, retired = list(item.eligible), bool(item.retired)
        found = [each for each in file.findings if each.item == number]
    errors = [each for each in found if each.severity == "error" and each.profile not in eligible]
    missed = [each for node in nodes for each in node.not_eligible if each.profile not in eligible]
    if eligible:
        limit = ", which Google shows for some sites or places only" if status == "restricted" else ""
        lost = [each.profile for each in errors if each.profile] if not nodes else []
        lost += [each.profile for each in missed if each.severity == "error"]
        past = "".join(dict.fromkeys(map(lapses_of, nodes)))
        return Badge("eligible", f"eligible for {results(eligible)}{limit}{past}{_but_not(list(dict.fromkeys(lost)))}")
    if not missed and (retired or status in {"retired", "none"}):
        return Badge("no_result", KINDS["retired" if retired else status])
    return Badge("not_eligible", f"not eligible: {_reasons(errors, found, missed)}")


def _but_not(profiles: list[str]) -> str:
    return f"; not for {results(profiles)}" if profiles else ""


def _reasons(errors: list[Finding], found: list[Finding], missed: list[NotEligible]) -> str:
    missing = len({each.property or each.message for each in errors if each.rule == _REQUIRED})
    wrong = sum(each.rule != _REQUIRED for each in errors)
    noun = "property" if missing == 1 else "properties"
    parts = [f"{missing:,} required {noun} missing"] if missing else []
    parts += [count(wrong, "error")] if wrong else []
    if parts:
        return ", ".join(parts)
    if missed:
        return missed[0].why
    message = next((each.message for each in found if each.rule == _MISSED), "")
    return message.partition(": ")[2] or message or "the page does not have what such a result needs"
