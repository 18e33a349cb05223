"""Requirements: the entries of a profile or shape, compiled, and their evaluation on a node.

Compiled once; a check evaluates one entry on a scope object and writes into an `Outcome`. The outcome of a nested
shape is lifted into the outcome of the node above it, with the path in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from waypost.formats.placeholders import is_unfilled
from waypost.formats.text import join_words
from waypost.models.page import Node
from waypost.models.profile import Entry
from waypost.validate.profiles.conditions import intents
from waypost.validate.profiles.limits import limits_of
from waypost.validate.profiles.model import EvaluationContext, Gap, Level, Outcome, PathMatch, Test, prefixed
from waypost.validate.profiles.nodes import equals, text_of
from waypost.validate.profiles.paths import NAMED_BY_TEXT, Path
from waypost.validate.profiles.values import OUTSIDE, AcceptedKinds, is_web_url

_ScopeCheck: TypeAlias = Callable[[EvaluationContext, Node, Outcome, Level, int], None]
_FILTER = re.compile(r"\[\w+\]")
_DEEPEST = 10  # shapes inside shapes; comments on comments go on for ever


class Requirements:
    """Checks of a profile or shape. `loses` is taken from the shape; `is_profile` marks the checks of a profile."""

    __slots__ = ("checks", "is_profile", "loses")

    def __init__(self, checks: Iterable[EntryCheck], loses: str | None, is_profile: bool) -> None:
        self.checks = tuple(checks)
        self.loses = loses
        self.is_profile = is_profile

    def evaluate(self, context: EvaluationContext, node: Node, depth: int = 0) -> Outcome:
        """Gaps of a node; remembered, and empty where the node is already being evaluated further up."""
        key = (node, self)
        if depth > _DEEPEST:
            return Outcome()
        # A node may contain itself by reference; the evaluation further up reports its gaps.
        if key in context.outcomes:
            return context.outcomes[key] or Outcome()
        # Marks the node as being evaluated, for the check above.
        context.outcomes[key] = None
        outcome = Outcome()
        for check in self.checks:
            check.evaluate(context, node, outcome, depth)
        context.outcomes[key] = outcome
        return outcome


class Definitions(NamedTuple):
    """Named parts of a consumer's profiles, used by entries."""

    filters: Mapping[str, Test]
    kinds: Callable[[str], AcceptedKinds]
    shape: Callable[[str], Requirements]


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _distance(outcome: Outcome) -> tuple[int, bool]:
    """Sort key of alternatives: few gaps first, and of these a wrong value before a count of 0, which says nothing."""
    return len(outcome.required), any(gap.problem.startswith("0 is below") for gap in outcome.required)


def level_of(entry: Entry, part: Level) -> Level:
    """Cost of a gap: only what a table or the text of the consumer's page requires costs the rich result."""
    if entry.beta:
        return Level.UNCERTAIN
    if part is Level.REQUIRED and (
        entry.row == "recommended" or (entry.severity and not entry.waits) or entry.basis not in ("table", "prose")
    ):
        return Level.SOFT
    return part


class EntryCheck:
    """Compiled entry of a profile or shape."""

    __slots__ = ("_accepted", "_counts_items", "_definitions", "_display_paths", "_each", "_entry", "_evaluate_scope",
                 "_intents", "_level", "_limits", "_missing", "_paths", "_prefer", "_prefix", "_rules_check_values",
                 "_when")  # fmt: skip

    def __init__(self, entry: Entry, part: Level, definitions: Definitions, when: Test | None) -> None:
        self._entry = entry
        self._definitions = definitions
        self._level = level_of(entry, part)
        self._when = when
        self._intents = tuple(intents(entry.when)) or (("trial",) if entry.beta else ())
        self._each = Path(entry.each, definitions.filters) if entry.each else None
        self._prefix = f"{entry.each}." if entry.each else ""
        paths = paths_of(entry)
        self._paths = {path: Path(path, definitions.filters) for path in paths}
        self._missing: dict[str, tuple[bool, str, str]] = {}  # few: the ways in which the entry may be missing
        self._display_paths = {path: self._prefix + _FILTER.sub("", path).removeprefix("^.") for path in paths}
        kinds = {path: entry.values.get(path, entry.value) for path in paths}
        self._accepted = {path: definitions.kinds(kind) for path, kind in kinds.items() if kind}
        self._prefer = definitions.kinds(entry.prefer) if entry.prefer else None
        self._limits = tuple(limits_of(entry))
        self._rules_check_values = not (self._limits or self._prefer) and all(
            accepted.is_plain for accepted in self._accepted.values()
        )
        self._evaluate_scope = self._scope_check()
        self._counts_items = bool(entry.min_items or entry.max_items or entry.unique or entry.includes)

    def _scope_check(self) -> _ScopeCheck:
        if self._entry.absent:
            return self._evaluate_absent
        if self._entry.any_of_groups:
            return self._evaluate_groups
        return self._evaluate_any_of if self._entry.any_of else self._evaluate_path

    def evaluate(self, context: EvaluationContext, node: Node, outcome: Outcome, depth: int) -> None:
        """Check a node, or every object at the end of the path `each`."""
        for scope in (node,) if self._each is None else self._each.objects(context, node):
            level = self._level
            if self._when is not None:
                holds = self._when(context, scope)
                if holds is False:
                    continue
                if holds is None:
                    level = Level.UNCERTAIN
            self._evaluate_scope(context, scope, outcome, level, depth)

    # What an entry requires of a scope object: one path, one of several, one group of several, or absence.

    def _evaluate_path(
        self, context: EvaluationContext, scope: Node, outcome: Outcome, level: Level, depth: int
    ) -> None:
        ((text, path),) = self._paths.items()
        if path.is_simple and not self._counts_items and self._presence_is_enough(level):
            if not path.is_present(context, scope):
                self._add_missing(outcome, level, scope, text)
            return
        matches, lacking = path.find(context, scope)
        for node in lacking:
            self._add_missing(outcome, level, node, text)
        if matches:
            if self._counts_items:
                self._check_counts(context, outcome, level, scope, text, matches)
            self._check_values(context, outcome, level, text, matches, depth)

    def _evaluate_any_of(
        self, context: EvaluationContext, scope: Node, outcome: Outcome, level: Level, depth: int
    ) -> None:
        entry = self._entry
        is_presence_enough = self._presence_is_enough(level) or not (self._accepted or self._limits)
        if level is not Level.REQUIRED and not entry.exclusive and is_presence_enough:
            # No gap could come of the values, and the first that is present is enough.
            if not any(path.is_present(context, scope) for path in self._paths.values()):
                self._add_missing(outcome, level, scope, "|".join(self._paths))
            return
        found = {text: matches for text, path in self._paths.items() if (matches := path.find(context, scope)[0])}
        if not found:
            self._add_missing(outcome, level, scope, "|".join(self._paths))
            return
        if entry.exclusive and len(found) > 1:
            self._add_limit(outcome, level, scope, next(iter(found)), f"only one of {join_words(found)} may be given")
        least = entry.min_items_total
        if least and (total := sum(map(len, found.values()))) < least:
            self._add_limit(
                outcome, level, scope, next(iter(found)), f"it has {_values(total)}, but at least {least} are needed"
            )
        # One value that can be read earns the result; what is wrong with the others, the rules report.
        if self._rules_check_values and any(
            self._is_accepted(context, text, match) for text, matches in found.items() for match in matches
        ):
            return
        self._lift_alternatives(context, outcome, level, found, depth)

    def _lift_alternatives(
        self, context: EvaluationContext, outcome: Outcome, level: Level, found: dict[str, list[PathMatch]], depth: int
    ) -> None:
        """Lift the gaps of alternative values; if no value holds, the gaps of the nearest value as required."""
        tried = []
        for text, matches in found.items():
            for match in matches:
                inner = Outcome()
                self._check_value(context, inner, Level.REQUIRED, text, match, depth)
                tried.append(inner)
        none_holds = all(inner.required for inner in tried)
        if self._entry.some and not none_holds:
            return
        is_required = level is Level.REQUIRED and none_holds
        nearest = min(tried, key=_distance) if is_required else None
        for inner in tried:
            if inner is nearest:
                outcome.lift(inner, "", Level.REQUIRED, None)
            elif level is not Level.UNCERTAIN and not self._entry.some:
                outcome.lift(inner, "", Level.LIMIT if level is Level.LIMIT else Level.SOFT, None)

    def _evaluate_groups(
        self, context: EvaluationContext, scope: Node, outcome: Outcome, level: Level, depth: int
    ) -> None:
        found = {text: path.find(context, scope)[0] for text, path in self._paths.items()}
        groups = self._entry.any_of_groups
        if not any(all(found[text] for text in group) for group in groups):
            # The group of which most is there is the one that the author meant.
            best = max(groups, key=lambda group: sum(bool(found[text]) for text in group) / len(group))
            absent = [text for text in best if not found[text]]
            has_none = len(absent) == len(best)
            alternatives = "|".join(" with ".join(group) for group in groups)
            self._add_missing(outcome, level, scope, alternatives if has_none else " with ".join(absent))
        for text, matches in found.items():
            if matches:
                self._check_values(context, outcome, level, text, matches, depth)

    def _evaluate_absent(self, context: EvaluationContext, scope: Node, outcome: Outcome, level: Level, _: int) -> None:
        ((text, path),) = self._paths.items()
        matches = path.find(context, scope)[0]
        # Without matches the holders do not count, and the nodes of a shape need no record of theirs.
        above = {holder for holder, _ in context.holders(scope)} if matches else set()
        for match in matches:
            if match.value not in above:  # pointing back at the holder is fine
                because = self._entry.rule or "it is not read here"
                self._add_limit(outcome, level, match.node, text, f"it does not belong here: {because}", match)
                return

    # Values at the end of a path.

    def _presence_is_enough(self, level: Level) -> bool:
        """Is the content of the values irrelevant, or checked by code rules?"""
        return level is Level.UNCERTAIN or (level is Level.RECOMMENDED and self._rules_check_values)

    def _check_counts(
        self, context: EvaluationContext, outcome: Outcome, level: Level, scope: Node, text: str,
        matches: list[PathMatch],
    ) -> None:  # fmt: skip
        entry = self._entry
        if entry.unique or entry.includes:
            context.compare_values()
        is_short = entry.min_items is not None and len(matches) < entry.min_items
        outcome.is_short |= is_short and level is Level.REQUIRED
        if is_short and not entry.reported_by:
            problem = f"it has {_values(len(matches))}, but at least {entry.min_items} are needed"
            self._add_limit(outcome, level, scope, text, problem, matches[0])
        if entry.max_items and len(matches) > entry.max_items:
            allowed = "1 is" if entry.max_items == 1 else f"{entry.max_items} are"
            problem = f"it has {_values(len(matches))}, but only {allowed} allowed"
            self._add_limit(outcome, level, scope, text, problem, matches[entry.max_items], can_cost_result=True)
        if entry.unique:
            seen: set[str | None] = set()
            for match in matches:
                if (name := text_of(match.value)) in seen:
                    problem = "it is given twice"
                    self._add_limit(outcome, level, match.node, text, problem, match, can_cost_result=True)
                seen.add(name)
        for literal in entry.includes:
            if not any(equals(match.value, literal) for match in matches):
                self._add_missing(outcome, level, scope, f"{text} {literal}")

    def _check_values(
        self, context: EvaluationContext, outcome: Outcome, level: Level, text: str, matches: list[PathMatch],
        depth: int,
    ) -> None:  # fmt: skip
        if self._presence_is_enough(level):
            return
        # Of several values a single one that is filled in is enough.
        matches = [match for match in matches if not context.test_value(is_unfilled, match)] or matches[:1]
        if not self._entry.some:
            for match in matches:
                self._check_value(context, outcome, level, text, match, depth)
            return
        tried = [Outcome() for _ in matches]
        for match, inner in zip(matches, tried, strict=True):
            self._check_value(context, inner, Level.REQUIRED, text, match, depth)
        nearest = min(tried, key=lambda inner: len(inner.required))
        outcome.lift(nearest, "", level, None)

    def _is_accepted(self, context: EvaluationContext, text: str, match: PathMatch) -> bool:
        accepted = self._accepted.get(text)
        return not context.test_value(is_unfilled, match) and (
            accepted is None or context.fit(accepted, match).mismatch is None
        )

    def _check_value(
        self, context: EvaluationContext, outcome: Outcome, level: Level, text: str, match: PathMatch, depth: int
    ) -> None:
        accepted = self._accepted.get(text)
        path = self._display_paths[text]
        is_mild = level is Level.REQUIRED and self._entry.misfit is not None and not isinstance(match.value, Node)
        if is_mild:
            level = Level.SOFT
        # Where no result depends on it, the rule `placeholder-value` alone reports it.
        if level is Level.REQUIRED and context.test_value(is_unfilled, match):
            self._add_unfit(outcome, level, path, match, "it is a placeholder that was never filled in", certain=False)
            return
        if self._prefer is not None and match.prop not in NAMED_BY_TEXT and context.test_value(is_web_url, match):
            self._add_unfit(outcome, level, path, match, f"it is a URL where {self._prefer.expected} is expected")
            return
        if accepted is not None:
            fit = context.fit(accepted, match)
            if fit.mismatch is not None:
                # A mismatch that may be none is reported only where a result would be lost by it.
                if fit.certain or is_mild or level is Level.REQUIRED:
                    self._add_unfit(outcome, level, path, match, fit.mismatch, certain=fit.certain or is_mild)
                return
            if fit.shape is not None and isinstance(match.value, Node):
                self._evaluate_shape(context, outcome, level, path, match.value, fit.shape, depth)
        for limit in self._limits:
            if problem := context.test_value(limit, match):
                self._add_unfit(outcome, level, path, match, problem)
        if self._prefer is not None and context.fit(self._prefer, match).mismatch is not None:
            problem = f"it is better given as {self._prefer.expected}"
            self._add_unfit(outcome, Level.SOFT, path, match, problem)

    def _evaluate_shape(
        self, context: EvaluationContext, outcome: Outcome, level: Level, path: str, node: Node, name: str, depth: int
    ) -> None:
        """Evaluate a nested node as a shape and lift the gaps."""
        requirements = self._definitions.shape(name)
        if not requirements.checks or (requirements.is_profile and level is not Level.REQUIRED):
            return  # the evaluation of the node by its own profile reports it
        inner = requirements.evaluate(context, node, depth + 1)
        if not requirements.is_profile:
            outcome.lift(inner, f"{path}.", level, requirements.loses)
        else:
            outcome.required += [gap.below(f"{path}.")._replace(by_own_profile=True) for gap in inner.required]

    # Gaps.

    def _add_missing(self, outcome: Outcome, level: Level, node: Node, path: str) -> None:
        entry = self._entry
        if entry.default is not None:
            return
        if (known := self._missing.get(path)) is None:
            known = self._missing[path] = self._names_of_missing(path)
        of_holder, local_path, path = known
        if level is Level.RECOMMENDED:
            outcome.recommend(path, node)
        elif level is Level.UNCERTAIN:
            outcome.suppose(path, self._intents, required=self._level in (Level.REQUIRED, Level.SOFT))
        else:
            gap = Gap("missing", node, path, local_path, note=entry.rule, severity=entry.severity, of_holder=of_holder)
            outcome.add(level, gap)

    def _names_of_missing(self, path: str) -> tuple[bool, str, str]:
        """(whether the holder lacks the path, path from the object of the entry, path from the evaluated node)."""
        of_holder, local_path = path.startswith("^."), _FILTER.sub("", path).removeprefix("^.")
        return of_holder, local_path, local_path if of_holder else prefixed(self._prefix, local_path)

    def _add_unfit(
        self, outcome: Outcome, level: Level, path: str, match: PathMatch, problem: str, *, certain: bool = True
    ) -> None:
        entry = self._entry
        # What is outside the usual scale may have its own under a misspelled name.
        local_path = "bestRating|worstRating" if problem == OUTSIDE else path
        gap = Gap(
            "unfit", match.node, path, local_path, match.prop, match.index, problem, entry.rule, None, certain,
            entry.severity,
        )  # fmt: skip
        outcome.add(level, gap)

    def _add_limit(
        self, outcome: Outcome, level: Level, node: Node, path: str, problem: str, match: PathMatch | None = None,
        *, can_cost_result: bool = False,
    ) -> None:  # fmt: skip
        if level is Level.UNCERTAIN:
            return
        entry = self._entry
        prop, index = (match.prop, match.index) if match else (None, None)
        local_path = _FILTER.sub("", path)
        gap = Gap(
            "limit", node, self._prefix + local_path, local_path, prop, index, problem, entry.rule,
            severity=entry.severity,
        )  # fmt: skip
        outcome.add(Level.REQUIRED if can_cost_result and level is Level.REQUIRED else Level.LIMIT, gap)


def paths_of(entry: Entry) -> list[str]:
    """Paths of an entry as written in the profile, without repetitions."""
    if entry.absent:
        return [entry.absent]
    if entry.path:
        return [entry.path]
    return [*entry.any_of, *dict.fromkeys(sum(entry.any_of_groups, ()))]
