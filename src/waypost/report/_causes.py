"""Causes of findings: alike findings of a page or of a run together, with their places, in the order of effect.

`site/js/workbench/causes.js` does the same in the browser; `tests/test_report_causes.py` compares the two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from waypost.formats.digests import sha256
from waypost.formats.patterns import pattern
from waypost.formats.text import join_words
from waypost.models.finding import (
    NOTHING_READ,
    SEVERITIES,
    Advice,
    Cause,
    FileReport,
    Finding,
    NodeVerdict,
    Suppression,
    cause_of,
    label_of,
    result_words,
)
from waypost.report import View
from waypost.report._words import count

MOST_USEFUL = 3
"""Number of changes on top of a report about several pages."""
_MOST_VERDICTS = 8  # items with something to do
NAMED = 3
"""Number of places that are named, of many."""
MOST_NAMES = 6
"""Number of properties that are listed, of many."""
_MOST_GENERATORS = 3
_MOST_SETTINGS = 3
_MISSED = "feature-not-eligible"
_RECOMMENDED = "recommended-property-missing"
_QUOTED = pattern(r"(?<!\w)'[^']+'")
"""Value in a message; names with an apostrophe stand between double quotes."""
_READ_ALL_THE_SAME = frozenset({"json-duplicate-key", "json-too-large"})
_LOST_ITEM = "microdata-itemtype-without-itemscope"
_RULES_IN_WORDS = {
    "type-wrong-case": "its type", "unknown-type": "its type", "type-address-wrong": "its type",
    "jsonld-context-missing": "@context", "required-property-missing": "its values",
}  # fmt: skip


class Place(NamedTuple):
    """Place of a finding: path of the page and location, as in `Finding`."""

    path: str
    line: int
    column: int
    end_line: int
    utf16_column: int
    utf16_end_column: int
    start: int
    end: int


class CauseReport(msgspec.Struct):
    """Alike findings.

    first   the first of them, in the order of the report.
    item    the node that the first finding is about, if known.
    places  the first places; `count` counts all.
    advice  advice for the first finding, as sentences.
    values  the different values that the messages quote, in the order of the report.
    pages   number of pages.
    failing number of findings that fail the run.
    """

    first: Finding
    item: NodeVerdict | None
    places: list[Place]
    advice: list[str]
    values: dict[str, None] = {}
    count: int = 0
    pages: int = 0
    failing: int = 0

    @property
    def effect(self) -> tuple[int, int, int, int]:
        """Sort key: greatest effect first."""
        return SEVERITIES.index(self.first.severity), _effect(self.first), -self.pages, -self.count


def causes(
    files: Iterable[FileReport],
    view: View,
    *,
    most: int = NAMED,
    findings_of: Callable[[FileReport], Iterable[Finding]] | None = None,
) -> list[CauseReport]:
    """Causes of the findings that a report shows, greatest effect first, else in the order of the report.

    most         places of a cause that are kept.
    findings_of  findings of a file; by default those that `view` shows.
    """
    found: dict[tuple[Cause, Suppression | None], CauseReport] = {}
    findings_of = findings_of or view.counting
    for file in files:
        nodes: list[NodeVerdict] | None = None
        seen: set[tuple[Cause, Suppression | None]] = set()
        failing = view.failing_in(file)
        for finding in findings_of(file):
            key = cause_of(finding), finding.suppression
            cause = found.get(key)
            if cause is None:
                nodes = nodes_of(file) if nodes is None else nodes
                cause = found[key] = CauseReport(finding, node_of(nodes, finding), [], advice_of(file, finding))
            cause.values |= values_of([finding])
            if len(cause.places) < most:
                cause.places.append(_place(file.path, finding))
            cause.count += 1
            cause.failing += finding.severity in failing
            if key not in seen:
                seen.add(key)
                cause.pages += 1
    return sorted(found.values(), key=lambda cause: cause.effect)


def _place(path: str, finding: Finding) -> Place:
    return Place(
        path,
        finding.line,
        finding.column,
        finding.end_line,
        finding.utf16_column,
        finding.utf16_end_column,
        finding.start,
        finding.end,
    )


def extent(cause: CauseReport) -> str:
    """Number of the places in words: "3,000 places on 2,900 pages"; empty for one place."""
    if cause.count == 1:
        return ""
    on = f" on {count(cause.pages, 'page')}" if cause.pages > 1 else ""
    return f"{count(cause.count, 'place')}{on}"


def cause_digest(finding: Finding) -> str:
    """Fingerprint of a cause: equal in further runs, for any names of pages and any number of places."""
    return str(sha256("\0".join(part or "" for part in cause_of(finding)).encode("utf-8", "replace")).hexdigest())[:32]


def _effect(finding: Finding) -> int:
    """-1 for a finding that costs whole items, 0 for one that costs a result, 1 for a wrong value, 2 for advice."""
    if _is_unread(finding):
        return -1
    if finding.rule == _RECOMMENDED:
        return 2
    return 0 if finding.profile else 1


def _is_unread(finding: Finding) -> bool:
    """Does the finding keep consumers from reading items at all: the text of a script, or a type without itemscope?"""
    if finding.severity != "error":
        return False
    # A type that costs the item around it a result keeps no one from reading the item.
    is_lost = finding.rule == _LOST_ITEM and finding.profile is None
    return is_lost or (finding.rule.startswith("json-") and finding.rule not in _READ_ALL_THE_SAME)


def nodes_of(file: FileReport) -> list[NodeVerdict]:
    """Nodes of a page with their verdicts; items in a report without verdicts."""
    if file.verdicts or not file.items:
        return file.verdicts
    return [
        NodeVerdict(types=item.types, name=item.name, id=item.id, syntax=item.syntax, pointer="", line=item.line,
                    column=item.column, item=number, eligible=item.eligible, retired=item.retired)
        for number, item in enumerate(file.items)
    ]  # fmt: skip


def node_number(finding: Finding) -> int | None:
    """Index of the node of a finding; of the item in a report without verdicts."""
    return finding.item if finding.verdict is None else finding.verdict


def node_of(nodes: Sequence[NodeVerdict], finding: Finding) -> NodeVerdict | None:
    """Node of a finding: the nearest with a verdict."""
    number = node_number(finding)
    return nodes[number] if number is not None and number < len(nodes) else None


def label(node: NodeVerdict) -> str:
    """Node in words: Product 'Loma kettle'."""
    return label_of(node.types, node.name)


def about(node: NodeVerdict | None, finding: Finding) -> str:
    """Message of a finding behind the name of its node, unless the message names the node's type itself.

    A node that stands apart from that with the verdict comes first: Offer 'Spring offer' of Product 'Loma kettle'.
    """
    holder = label(node) if node is not None else None
    if finding.node is not None and finding.node != holder:
        # "Product: not eligible ..." names the node by its type.
        types, colon, rest = finding.message.partition(": ")
        message = rest if colon and finding.node.startswith(types) else finding.message
        return f"{finding.node} of {holder}: {message}" if holder is not None else f"{finding.node}: {message}"
    if node is None or finding.message.startswith(node.types):
        return finding.message
    return f"{holder}: {finding.message}"


def results(profiles: Iterable[str]) -> str:
    """Rich results in words: "google/product-snippet" is "product snippet results"."""
    names = dict.fromkeys(map(result_words, profiles))
    return f"{join_words(names)} results"


class NodeReport(NamedTuple):
    """Verdict about a node, or about a script without items, in words: the results, or the obstacles to them.

    label    the node in words.
    text     the verdict, empty for a node about which there is nothing to say.
    rank     -1 if it cannot be read, 0 with errors, 1 with advice about the node itself, 2 eligible, 3 neither.
    covered  findings that the text covers in full: the rest is reported on its own.
    """

    node: NodeVerdict
    label: str
    text: str
    rank: int
    covered: list[Finding]


def verdicts(file: FileReport, view: View, joint: str = "; ") -> list[NodeReport]:
    """Verdicts about the nodes of a page, those with most to do first, else in document order.

    joint  stands between the parts of a verdict.
    """
    own: dict[int, list[Finding]] = {}
    for finding in view.counting(file):
        number = node_number(finding)
        if number is not None:
            own.setdefault(number, []).append(finding)
    made = [_verdict(node, own.get(number, []), joint) for number, node in enumerate(nodes_of(file))]
    return sorted([*_unread_places(file, view), *made], key=lambda each: each.rank)


def _unread_places(file: FileReport, view: View) -> Iterator[NodeReport]:
    """Verdicts about scripts and tags without a readable item."""
    places: dict[int | str, list[Finding]] = {}
    for finding in view.counting(file):
        if finding.item is None and _is_unread(finding):
            # All errors of a script stand together; a tag has no block, and stands alone.
            places.setdefault(finding.fingerprint if finding.block is None else finding.block, []).append(finding)
    for found in places.values():
        first = found[0]
        name = "tag with a type" if first.rule == _LOST_ITEM else "JSON-LD script"
        node = NodeVerdict(types=(name,), syntax=first.syntax, pointer="", line=first.line, column=first.column)
        yield NodeReport(node, name, _unread(found), -1, [])


def _unread(findings: list[Finding]) -> str:
    """Why nothing is read, as a part of a verdict."""
    first = findings[0]
    if first.rule == _LOST_ITEM:
        return first.message
    more = f"; {count(len(findings) - 1, 'more error')}" if len(findings) > 1 else ""
    return f"search engines cannot read this script, see {first.line}:{first.column}: {first.message}{more}"


def _verdict(node: NodeVerdict, findings: list[Finding], joint: str) -> NodeReport:
    unread = [finding for finding in findings if _is_unread(finding)]
    errors = [finding for finding in findings if finding.severity == "error" and not _is_unread(finding)]
    covered = [finding for finding in findings if _is_covered(finding, node)]
    missed = _missed(node, errors, covered)
    parts = [_unread(unread)] if unread else []
    if node.eligible:
        parts.append(eligible_for(node))
    if missed:
        parts.append(f"not {'' if node.eligible else 'eligible '}for {results(missed)}")
    if errors:
        parts.append(_things_to_do(errors))
    parts += [_advice(finding) for finding in sorted(covered, key=_effect)]
    is_retired = bool(node.retired) and node.via is None and not (parts or unread)
    if is_retired:
        parts.append(retired_results(node))
    unused = [each.profile for each in node.not_eligible if each.why == NOTHING_READ]
    is_silent = bool(unused) and node.via is None and not parts
    if is_silent:
        parts.append(f"it has no property that {results(unused)} read")
    has_note = is_retired or is_silent
    rank = -1 if unread else 0 if errors else 1 if covered or missed or has_note else 2 if node.eligible else 3
    return NodeReport(node, label(node), joint.join(parts), rank, covered)


def eligible_for(node: NodeVerdict) -> str:
    """Earned results of a node in words, with the reasons against showing them now."""
    return f"eligible for {results(node.eligible)}{lapses_of(node)}"


def lapses_of(node: NodeVerdict) -> str:
    """Reasons against showing earned results now: ", but the event ended on 2019-05-01"; else empty."""
    return f", but {join_words(dict.fromkeys(lapse.text for lapse in node.lapsed))}" if node.lapsed else ""


def retired_results(node: NodeVerdict) -> str:
    return f"no longer shown: {results(node.retired)}"


def _missed(node: NodeVerdict, errors: list[Finding], covered: list[Finding]) -> list[str]:
    """Results missed by errors; without an earned result also results missed by warnings."""
    own = [each.profile for each in node.not_eligible if each.severity == "error"]
    if not node.eligible and node.via is None:
        apart = {finding.profile for finding in covered}
        own += [each.profile for each in node.not_eligible if each.severity == "warning" and each.profile not in apart]
    if not node.not_eligible:
        own = [finding.profile for finding in errors if finding.profile]
    return [name for name in dict.fromkeys(own) if name not in node.eligible]


def _things_to_do(errors: list[Finding]) -> str:
    things = list(dict.fromkeys(map(_thing, errors)))
    number = f"{len(things):,} thing{'s' * (len(things) > 1)} to do"
    return f"{number}: {_enumerated(things)}"


def missed_results(file: FileReport) -> Iterator[str]:
    """Rich results of a page missed by errors, one for each node and profile."""
    nodes = nodes_of(file)
    missed = ((node_number(each), each.profile) for each in file.findings if each.severity == "error")
    for number, profile in dict.fromkeys(missed):
        if profile and number is not None and profile not in nodes[number].eligible:
            yield profile


def _is_covered(finding: Finding, node: NodeVerdict) -> bool:
    """Whether a finding is about the entire node: the verdict then includes the finding."""
    is_whole = (finding.line, finding.column) == (node.line, node.column) and finding.severity == "warning"
    return is_whole and finding.rule in {_MISSED, _RECOMMENDED}


def _advice(finding: Finding) -> str:
    """Covered finding, as a part of a verdict."""
    # The verdict begins with the item: the message's own beginning would name it twice.
    text = finding.message.partition(": ")[2] or finding.message
    if finding.rule == _MISSED:
        return f"not for {results([finding.profile or ''])}: {text}"
    return f"recommended: {_enumerated(text.partition(': ')[2].split(', ') or [text])}"


def _thing(finding: Finding) -> str:
    """Name of the value to change: the property, else the last name of the pointer, else the rule."""
    names = [part for part in finding.pointer.split("/") if part and not part.isdigit() and part != "@graph"]
    # Alternatives stand in a list of things: "offers, review or rating" would be two of them.
    return (finding.property or "").replace(", ", " or ") or (
        names[-1] if names else _RULES_IN_WORDS.get(finding.rule, finding.rule.replace("-", " "))
    )


def _enumerated(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def more_places(cause: CauseReport) -> str:
    """Further places in words: "2 more at 14:3 and 20:3", "187 more places; 30 pages"; empty without any.

    Behind them the further values that the messages quote: "also 'Foo', 'Bar' and 3 more".
    """
    if cause.count == 1:
        return ""
    return "; ".join(filter(None, [_further_places(cause), more_values(cause.values)]))


def values_of(findings: Iterable[Finding]) -> dict[str, None]:
    """Different values that messages quote, the first of each message; the property of a message without any."""
    return {
        value: None
        for finding in findings
        for value in _QUOTED.findall(finding.message)[:1] or [finding.property or ""]
    }


def more_values(values: Iterable[str]) -> str:
    """Values without the first in words: "also 'Foo', 'Bar' and 3 more"; empty without any."""
    others = list(values)[1:]
    named = others if len(others) <= NAMED else [*others[: NAMED - 1], f"{len(others) - NAMED + 1:,} more"]
    return f"also {join_words(named)}" if named else ""


def _further_places(cause: CauseReport) -> str:
    rest = cause.count - 1
    named = [f"{place.line}:{place.column}" for place in cause.places[1:]]
    if cause.pages > 1:
        named = [f"{place.path}:{where}" for place, where in zip(cause.places[1:], named, strict=True)]
    if rest == len(named):
        return f"{rest} more at {join_words(named)}"
    if cause.pages > 1:
        return f"{rest:,} more places; {cause.pages:,} pages"
    return f"{rest:,} more places, at {', '.join(named)} …"


def verdict_lines(made: list[NodeReport]) -> Iterator[str]:
    """A line for each node with something to do, alike ones together; then a line for the nodes that are eligible."""
    alike: dict[tuple[tuple[str, ...], str], list[NodeReport]] = {}
    for each in made:
        if each.rank < 2:
            alike.setdefault((each.node.types, each.text), []).append(each)
    for (_, text), same in list(alike.items())[:_MOST_VERDICTS]:
        yield f"{_named(same)}: {text}"
    if len(alike) > _MOST_VERDICTS:
        yield f"… and {count(len(alike) - _MOST_VERDICTS, 'more item')} with something to do"
    earned: dict[tuple[tuple[str, ...], str], list[NodeReport]] = {}
    for each in made:
        if each.rank == 2:
            earned.setdefault((each.node.eligible, lapses_of(each.node)), []).append(each)
    parts = [f"{_named(same)}, for {results(profiles)}{lapses}" for (profiles, lapses), same in earned.items()]
    if parts:
        yield f"eligible: {'; '.join(parts)}"


def _named(same: list[NodeReport]) -> str:
    """First of alike nodes with its line, and the number of the others."""
    more = f" and {len(same) - 1:,} more" if len(same) > 1 else ""
    return f"{same[0].label}, line {same[0].node.line}{more}"


def result_lines(files: Iterable[FileReport]) -> Iterator[str]:
    """Unreadable scripts of several pages; earned and missed rich results, the most frequent first."""
    earned: Counter[str] = Counter()
    lapsed: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    unread = pages = 0
    for file in files:
        scripts = {each.block for each in file.findings if _is_unread(each) and each.block is not None}
        unread += len(scripts)
        pages += bool(scripts)
        for node in nodes_of(file):
            earned.update(node.eligible)
            if node.lapsed:
                lapsed.update(node.eligible)
        missed.update(missed_results(file))
    if unread:
        yield f"search engines cannot read {count(unread, 'script')} on {count(pages, 'page')}: errors in the JSON"
    for words, counts, past in (("eligible", earned, lapsed), ("not eligible", missed, None)):
        rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
        if rows:
            named = [
                f"{results([name])} ({number:,}{f', {past[name]:,} past' if past and past[name] else ''})"
                for name, number in rows
            ]
            yield f"{words} for {join_words(named)}"


def fold(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Alike findings of a page together, greatest effect first, else in the order of their places."""
    alike: dict[Cause, list[Finding]] = {}
    for finding in findings:
        alike.setdefault(cause_of(finding), []).append(finding)
    return sorted(alike.values(), key=lambda same: (SEVERITIES.index(same[0].severity), _effect(same[0]), -len(same)))


def advice_lines(files: Sequence[FileReport], view: View) -> Iterator[str]:
    """A line for each generator of the pages: the settings from which their findings come, with the sources."""
    pages: Counter[tuple[str, str]] = Counter()
    settings: defaultdict[tuple[str, str], dict[Advice, None]] = defaultdict(dict)
    total = 0
    for file in files:
        total += 1
        if not file.advice:
            continue
        findings = sorted(view.counting(file), key=lambda finding: SEVERITIES.index(finding.severity))
        found = [file.advice[number] for finding in findings for number in finding.advice]
        for key in {(advice.generator, advice.version): None for advice in found}:
            pages[key] += 1
        for advice in found:
            settings[advice.generator, advice.version][advice] = None
    for key, number in pages.most_common(_MOST_GENERATORS):
        who = " ".join(filter(None, key))
        head = "Its structured data comes" if total == 1 else f"The structured data of {count(number, 'page')} comes"
        named = list(settings[key])[:_MOST_SETTINGS]
        sources = ", ".join(dict.fromkeys(advice.url for advice in named))
        yield f"{head} from {who}: {'; '.join(advice.text for advice in named)} ({sources})"


def advice_of(file: FileReport, finding: Finding) -> list[str]:
    """Advice for a finding as sentences."""
    found = ((file.advice[number], file.advice[number].version) for number in finding.advice)
    return [
        f"Its structured data comes from {' '.join(filter(None, (each.generator, version)))}: {each.text} ({each.url})"
        for each, version in found
    ]
