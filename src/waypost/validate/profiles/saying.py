"""What the profiles found, put into findings: one fault is said once, and what is alike is folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from waypost.formats.text import join_words
from waypost.models.finding import SEVERITIES, Severity
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, subject
from waypost.validate.profiles.askers import Asker
from waypost.validate.profiles.engine import Feature
from waypost.validate.profiles.requirements import Fault, Outcome

_MOST_RELATED = 20
_MOST_NAMED = 3
_Key = tuple[object, ...]


class _Group(msgspec.Struct):
    """Drafts that are alike: the first, those that it will name, and how many more there were."""

    first: FindingDraft
    others: list[FindingDraft]
    more: int = 0


class Sayings:
    """Drafts by what they are about. What is alike: the same lack of siblings, the same line about several items."""

    def __init__(self) -> None:
        self._said: dict[_Key, FindingDraft | None] = {}  # None where a group counts it
        self._covered: set[_Key] = set()
        self._alike: dict[_Key, _Group] = {}
        self._lines: dict[str, str] = {}  # many items of one page lack the same

    def drafts(self) -> Iterable[FindingDraft]:
        """Everything said, what is alike among siblings joined to the first of them."""
        for group in self._alike.values():
            first = group.first
            if group.others or group.more:
                first.message += f" (and {len(group.others) + group.more} more like it)"
                first.related = tuple(("the same here", (each.node,)) for each in group.others)
        joined = {id(each) for group in self._alike.values() for each in group.others}
        return (draft for draft in self._said.values() if draft is not None and id(draft) not in joined)

    def _keep(self, key: _Key, draft: FindingDraft, asker: Asker | None = None) -> None:
        known = self._said.get(key)
        if known is not None or key in self._said:
            if known and SEVERITIES.index(draft.severity) < SEVERITIES.index(known.severity):
                known.severity, known.profile, known.message = draft.severity, draft.profile, draft.message
            return
        self._said[key] = draft
        if asker is None or draft.rule == "value-unfit":
            return
        wish = draft.rule == "recommended-property-missing"
        inside = draft.rule == "required-property-missing" and draft.severity == "warning"
        if wish or inside or asker.among is not None:
            siblings = None if wish else asker.among or (asker.node, "")
            alike = (siblings, draft.rule, draft.profile, draft.message, draft.severity)
            group = self._alike.get(alike)
            if group is None:
                self._alike[alike] = _Group(draft, [])
            elif len(group.others) < _MOST_RELATED:
                group.others.append(draft)
            else:
                group.more += 1
                self._said[key] = None

    def required(self, asker: Asker, feature: Feature, outcome: Outcome, severity: Severity) -> None:
        """What keeps a node from a result, each at its place."""
        for fault in _tidy(outcome.required):
            self._fault(asker, feature, fault, severity)

    def soft(self, asker: Asker, feature: Feature, outcome: Outcome) -> None:
        """What costs less than the result, as warnings."""
        lacking = {fault.path for fault in outcome.required}
        for fault in _tidy(outcome.soft):
            if fault.path not in lacking and not _is_below(fault.path, lacking):
                self._fault(asker, feature, fault, "warning")
        for fault in outcome.limits:
            self._fault(asker, feature, fault, "warning")

    def _fault(self, asker: Asker, feature: Feature, fault: Fault, severity: Severity) -> None:
        key = _key(fault)
        if severity != "error" and key in self._covered:
            return
        rule = {"missing": "required-property-missing", "unfit": "value-unfit", "limit": "profile-limit"}[fault.kind]
        if fault.kind == "limit" and fault.severity and severity != "info":
            severity = fault.severity  # type: ignore[assignment]
        message = _message(fault, feature, severity)
        draft = FindingDraft(
            severity=severity,
            rule=rule,
            authority="google",
            profile=feature.name,
            node=fault.node,
            prop=None if fault.kind == "missing" else fault.prop,
            index=fault.at,
            part="node" if fault.kind == "missing" else "value",
            property=_shown(fault.path),
            message=self._lines.setdefault(message, message) if fault.kind == "missing" else message,
            hint=fault.rule if fault.rule and fault.kind == "missing" else None,
        )
        self._keep(key, draft, asker)

    def not_eligible(self, asker: Asker, feature: Feature, outcome: Outcome) -> None:
        """A result that a node misses while it earns another: one line."""
        faults = _tidy(outcome.required)
        if all(_key(fault) in self._said for fault in faults):
            return
        self._covered.update(map(_key, faults))
        missing = list(dict.fromkeys(_shown(fault.path) for fault in faults if fault.kind == "missing"))
        wrong = list(dict.fromkeys(f"{fault.path}: {fault.words}" for fault in faults if fault.kind != "missing"))
        parts = ([f"{', '.join(missing)} missing"] if missing else []) + wrong
        draft = FindingDraft(
            severity="warning",
            rule="feature-not-eligible",
            authority="google",
            profile=feature.name,
            node=asker.node,
            part="node",
            property=missing[0] if len(missing) == 1 else None,
            about=(subject(asker.node),),
            message=f"not eligible for {feature.name}: {'; '.join(parts)}",
        )
        self._keep((asker.node, feature.name), draft, asker)

    def recommended(self, asker: Asker, cases: Sequence[tuple[Feature, Outcome]]) -> None:
        """What is recommended and missing, over all results of a node: one line, and one of what may be wanted."""
        wanted: dict[str, Feature] = {}
        lacking: set[str] = set()
        ordered = cases if len(cases) == 1 else sorted(cases, key=lambda case: not case[0].profile.required)
        for feature, outcome in ordered:
            if outcome.required or outcome.soft:
                lacking |= {fault.path for fault in (*outcome.required, *outcome.soft) if fault.kind == "missing"}
            for path in outcome.wanted:
                wanted.setdefault(path, feature)
        if not (wanted or any(outcome.demanded or outcome.perhaps for _, outcome in cases)):
            return
        told_already = {*lacking, *(each for path in lacking for each in path.split("|"))}
        above = {*told_already, *wanted}
        groups: dict[Severity, list[str]] = {"warning": [], "info": []}
        for path, feature in wanted.items():
            if path not in told_already and not _is_below(path, above):
                groups["warning" if feature.profile.required else "info"].append(path)
        for severity, paths in groups.items():
            if paths:
                self._line(asker, wanted[paths[0]], paths, severity)
        for rule, field in (("required-property-missing", "demanded"), ("recommended-property-missing", "perhaps")):
            for feature, outcome in cases:
                found = getattr(outcome, field)
                told = {p: why for p, why in found.items() if p not in wanted and p not in lacking} if found else None
                if told:
                    self._perhaps(asker, feature, told, rule)

    def _line(self, asker: Asker, feature: Feature, paths: list[str], severity: Severity) -> None:
        shown = [_shown(path) for path in paths]
        line = f"{' and '.join(asker.node.types)}: {len(shown)} recommended missing: {', '.join(shown)}"
        draft = FindingDraft(
            severity=severity,
            rule="recommended-property-missing",
            authority="google",
            profile=feature.name,
            node=asker.node,
            part="node",
            property=shown[0] if len(shown) == 1 else None,
            about=(subject(asker.node), severity),
            message=self._lines.setdefault(line, line),
        )
        self._keep((asker.node, "recommended", severity), draft, asker)

    def _perhaps(self, asker: Asker, feature: Feature, told: dict[str, tuple[str, ...]], rule: str) -> None:
        shown = ", ".join(f"{_shown(p)} ({join_words(why, 'or')})" if why else _shown(p) for p, why in told.items())
        verb = "required" if rule.startswith("required") else "worth adding"
        draft = FindingDraft(
            severity="info",
            rule=rule,
            authority="google",
            profile=feature.name,
            node=asker.node,
            part="node",
            property=_shown(next(iter(told))) if len(told) == 1 else None,
            about=(subject(asker.node), "perhaps"),
            message=f"{' and '.join(asker.node.types)}: {verb} where it holds: {shown}",
        )
        self._keep((asker.node, feature.name, rule), draft, asker)

    def retired(self, node: Node, feature: Feature) -> None:
        """The markup is for a result that is shown no more."""
        profile = feature.profile
        since = f"since {profile.retired_on}" if profile.retired_on else "any more"
        draft = FindingDraft(
            severity="info",
            rule="rich-result-retired",
            authority="google",
            profile=feature.name,
            node=node,
            part="node",
            message=f"{profile.title}: no rich result {since}; the markup is still valid",
        )
        self._keep((node, feature.name), draft)

    def restricted(self, asker: Asker, feature: Feature) -> None:
        """The node earns a result that is not shown to everybody."""
        draft = FindingDraft(
            severity="info",
            rule="rich-result-restricted",
            authority="google",
            profile=feature.name,
            node=asker.node,
            part="node",
            message=f"{feature.profile.title} is not shown to everybody",
            hint=feature.profile.notes,
        )
        self._keep((asker.node, feature.name), draft)


def _key(fault: Fault) -> _Key:
    if fault.kind == "missing":
        return fault.node, fault.ask
    return fault.kind, fault.node, fault.prop, fault.at


def _tidy(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault once, and none about what lies inside something that is itself missing."""
    once = {_key(fault): fault for fault in reversed(list(faults))}
    missing = {fault.path for fault in once.values() if fault.kind == "missing"}
    kept = [fault for fault in once.values() if fault.kind != "missing" or not _is_below(fault.path, missing)]
    return kept[::-1]


def _is_below(path: str, others: Iterable[str]) -> bool:
    """Does another path lead to an object of this one?"""
    if "." not in path:
        return False
    parts = path.partition("|")[0].split(".")
    known = others if isinstance(others, set) else set(others)
    return any(".".join(parts[:n]) in known for n in range(1, len(parts)))


def _message(fault: Fault, feature: Feature, severity: Severity) -> str:
    if fault.kind == "limit":
        return f"{fault.path}: {fault.words}"
    if fault.kind == "unfit":
        costs = f"; {feature.name} requires it" if severity == "error" else ""
        return f"{fault.path}: {fault.words}{costs}"
    what = _shown(fault.path)
    if fault.held:
        what = f"the {what} of the {' and '.join(fault.node.types) or 'holder'}"
    if fault.loses:
        return f"{what} is missing; this costs the {fault.loses}"
    needs = "requires one of them" if "|" in fault.path else "requires it"
    return f"{what} is missing; {feature.name} {needs}"


def _shown(path: str) -> str:
    """a, b or c; of many only the first is named."""
    each = path.split("|")
    return join_words(each, "or") if len(each) <= _MOST_NAMED else f"{each[0]} (or one of {len(each) - 1} others)"
