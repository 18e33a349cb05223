"""Evaluation of a page: the rich results its items are eligible for, and the gaps to further results.

- A node is eligible if it earns a result; every missed result is then a single warning. If the node earns no result,
  the gaps to the nearest result are errors.
- Gaps of nested content are warnings. Missing recommended properties are a single finding per node.
- Findings about a restricted result are at most warnings, findings about a retired result at most information.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from waypost.errors import UnknownRule
from waypost.formats.text import near
from waypost.models.finding import NOTHING_READ, Lapse, NotEligible, Severity
from waypost.models.page import Node, Span, is_present
from waypost.validate.item import FindingDraft, RuleContext
from waypost.validate.profiles.findings import FindingBuilder
from waypost.validate.profiles.gaps import reasons
from waypost.validate.profiles.lapses import lapses
from waypost.validate.profiles.misspelt import MisspeltByNode, hidden_misspelt
from waypost.validate.profiles.model import EvaluationContext, Outcome
from waypost.validate.profiles.nodes import has_content
from waypost.validate.profiles.profile_set import (
    DATA_VOCABULARY,
    Evaluation,
    Feature,
    Features,
    ProfileIndex,
    evaluate_plainly,
    profile_index,
)
from waypost.validate.profiles.shapes import shape_plans
from waypost.validate.profiles.subjects import Subject, subjects
from waypost.validate.spelling import is_type_misspelt

_RATED = frozenset({"aggregateRating", "review", "reviews"})


class Eligibility(msgspec.Struct, frozen=True):
    """Names of the rich results and retired results of a root item, and the item's service type."""

    eligible: tuple[str, ...]
    retired: tuple[str, ...]
    service_type: str | None


class NodeResults(msgspec.Struct):
    """Rich results of a node, in the order of evaluation; the members are those of `NodeVerdict`."""

    root: Node
    via: str | None
    eligible: tuple[str, ...] = ()
    not_eligible: tuple[NotEligible, ...] = ()
    retired: tuple[str, ...] = ()
    lapsed: tuple[Lapse, ...] = ()


class ProfileResults:
    """Results of the profiles on a page.

    drafts   findings about nodes of the page.
    by_node  results of each node that was evaluated.
    """

    def __init__(self, rule_context: RuleContext) -> None:
        self.drafts: list[FindingDraft] = []
        self.by_node: dict[Node, NodeResults] = {}
        self._reasons: dict[NotEligible, NotEligible] = {}  # shares one object between thousands of nodes
        self._rule_context = rule_context
        self._eligible: dict[Node, tuple[str, ...]] = {}
        self._retired: dict[Node, tuple[str, ...]] = {}
        self._missed: set[tuple[Node, str]] = set()
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}  # shares one tuple between thousands of items

    def of(self, root: Node) -> Eligibility:
        """Results of a root item, including the results of the main entity."""
        service_type = self._rule_context.registry.service_types.of_item(root)
        eligible = self._eligible.get(root, ())
        if self._missed:
            eligible = tuple(name for name in eligible if (root, name) not in self._missed)
        return Eligibility(eligible, self._retired.get(root, ()), service_type)

    def note(self, subject: Subject) -> NodeResults:
        """Results of a subject's node."""
        results = self.by_node.get(subject.node)
        if results is None:
            results = self.by_node[subject.node] = NodeResults(subject.root, subject.via)
        return results

    def note_earned(self, subject: Subject, name: str) -> None:
        """Record a rich result that a node earns."""
        results = self.note(subject)
        results.eligible = self._shared((*results.eligible, name))

    def note_retired(self, subject: Subject, name: str) -> None:
        """Record a rich result that is shown no longer, for which a node was made."""
        results = self.note(subject)
        results.retired = self._shared((*results.retired, name))

    def note_missed(self, subject: Subject, missed: NotEligible) -> None:
        """Record a rich result that a node misses."""
        results = self.note(subject)
        others = (each for each in results.not_eligible if each.profile != missed.profile)
        results.not_eligible = (*others, self._reasons.setdefault(missed, missed))

    def _shared(self, names: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(sorted(set(names)))
        return self._names.setdefault(names, names)

    def miss(self, root: Node, name: str) -> None:
        """Record that an item of a root, as one of a list, misses a result by an error."""
        self._missed.add((root, name))

    def add(self, root: Node, name: str, *, retired: bool = False) -> None:
        """Record a result for which a root item is eligible, or a retired result in the markup."""
        by_node = self._retired if retired else self._eligible
        names = by_node.get(root, ())
        if name not in names:
            by_node[root] = self._shared((*names, name))


class Candidate(msgspec.Struct, frozen=True):
    """Feature applied to a node, with the outcome.

    types        types of the profile by which the feature applies.
    is_supposed  the markup does not show whether the consumer considers the node at all.
    """

    feature: Feature
    types: frozenset[str]
    outcome: Outcome
    is_restricted: bool
    is_requested: bool
    is_supposed: bool = False

    @property
    def is_earned(self) -> bool:
        return not self.outcome.required


def evaluate_profiles(rule_context: RuleContext, requested: Sequence[str] = ()) -> ProfileResults:
    """Evaluate the profiles for the nodes of a page, and the profiles requested by name.

    A requested profile is evaluated in full: gaps are errors even if the node earns another result, and nested and
    mentioned nodes are tried if the profile applies to no subject. Raises UnknownRule for an unknown name.
    """
    results = ProfileResults(rule_context)
    index = profile_index(rule_context.registry)
    for name in requested:
        if name not in index.features:
            raise UnknownRule(name, near(name, index.features))
    not_found = set(requested)
    if rule_context.page.nodes:
        with hidden_misspelt(rule_context) as misspelt:
            evaluator = ProfileEvaluator(rule_context, index, frozenset(requested), results, misspelt)
            evaluator.run()
            not_found = evaluator.not_found
    results.drafts.extend(map(_not_found, sorted(not_found)))
    return results


def _not_found(name: str) -> FindingDraft:
    return FindingDraft(
        rule="profile-not-found",
        severity="error",
        authority="waypost",
        span=Span(0, 0),
        profile=name,
        message=f"this page has no item for {name}",
        hint="check that the markup is on the page, or name another profile",
    )


class ProfileEvaluator:
    """Evaluation of one page."""

    def __init__(
        self, rule_context: RuleContext, index: ProfileIndex, requested: frozenset[str], results: ProfileResults,
        misspelt: MisspeltByNode,
    ) -> None:  # fmt: skip
        self._context = EvaluationContext(rule_context)
        self._are_a = self._context.are_a
        self._index = index
        self._plans = shape_plans(rule_context.registry)
        self._requested = requested
        self._own = frozenset(name for name in requested if index.features[name].is_own)
        self._results = results
        self._today = rule_context.now.date().isoformat()
        self._builder = FindingBuilder(rule_context, misspelt)
        self._tried: set[Node] = set()
        self._found: set[str] = set()  # requested profiles of which a subject was evaluated
        self._inapplicable: list[tuple[Subject, Feature, frozenset[str]]] = []  # by the condition of such a profile
        self.not_found: set[str] = set()

    def run(self) -> None:
        unmet = set(self._requested)
        for subject in subjects(self._context):
            features = self._index.features_for(subject.node.types, self._own)
            if not subject.is_nested:
                self._results.note(subject)  # also where the type has no rich result of its own
            if features.pairs:
                self._evaluate_subject(subject, features)
        self._assert_conditions(self._inapplicable)
        unmet = self.not_found = unmet - self._found - {feature.name for _, feature, _ in self._inapplicable}
        for name in sorted(unmet):
            self._inapplicable.clear()
            self._try_everywhere(self._index.features[name])
            self._assert_conditions(self._inapplicable)
        self._report_old_vocabulary()
        for node, results in self._results.by_node.items():
            if results.eligible:
                results.lapsed = lapses(self._context.rule_context, node, results.eligible)
        self._results.drafts.extend(self._builder.drafts())

    def _assert_conditions(self, inapplicable: Iterable[tuple[Subject, Feature, frozenset[str]]]) -> None:
        """Evaluate requested profiles whose condition no item meets: the name of a profile asserts the condition."""
        for subject, feature, types in list(inapplicable):
            if feature.name not in self._found:
                self._evaluate_subject(subject, Features([(feature, types)]), asserted=True)

    def _evaluate_subject(self, subject: Subject, features: Features, *, asserted: bool = False) -> None:
        candidates: list[Candidate] = []
        for feature, types, status, applies, is_considered, outcome in self._evaluations(subject, features, asserted):
            is_requested = feature.name in self._requested and not subject.is_linked
            if not is_considered:
                if is_requested:
                    self._inapplicable.append((subject, feature, types))
                continue
            if is_requested and not asserted:
                self._found.add(feature.name)
            if outcome is None:
                self._report_retired(subject, feature, is_requested)
                continue
            if not applies and (outcome.required or outcome.is_short):
                continue  # what the caller may not even have intended
            self._tried.add(subject.node)
            candidates.append(Candidate(feature, types, outcome, status == "restricted", is_requested, not applies))
        is_promising = any(not (candidate.is_restricted or candidate.is_supposed) for candidate in candidates)
        if is_promising and not (subject.is_nested or subject.is_linked) and is_type_misspelt(subject.node):
            self._context.rule_context.costly_types.add(subject.node)
        own = [candidate for candidate in candidates if candidate.feature.is_own]
        others = [candidate for candidate in candidates if not candidate.feature.is_own] if own else candidates
        if subject.is_linked:
            self._report_linked(subject, others)
        else:
            self._report(subject, self._without_summaries(subject, others))
            # No result of a search engine excuses what a project requires, and the other way round.
            for candidate in own:
                self._report(subject, [candidate])
        self._context.forget()

    def _evaluations(self, subject: Subject, features: Features, asserted: bool) -> list[Evaluation]:
        requested = frozenset() if subject.is_linked else self._requested
        if subject.is_nested and not is_present(subject.node):
            # A type alone says nothing, as `empty-value` reports.
            features = Features(pair for pair in features.pairs if pair[0].name in requested)
        if requested or asserted:
            return evaluate_plainly(self._context, subject.node, features, self._today, requested, asserted=asserted)
        return self._plans.evaluate(self._context, subject.node, features, self._today)

    def _without_summaries(self, subject: Subject, candidates: list[Candidate]) -> list[Candidate]:
        """Leave out the results that an entry of a list owes the page at its URL, and report what the list requires."""
        feature = self._index.summary_of(subject) if subject.siblings else None
        if feature is None:
            return candidates
        owed = feature.owed_by_entries
        excused = [
            candidate for candidate in candidates
            if not (candidate.is_earned or candidate.is_requested)
            and candidate.feature.required_names.isdisjoint(subject.node.props.keys() - owed)
        ]  # fmt: skip
        if excused:
            holder, _ = subject.siblings or (subject.node, "")
            missed = Outcome()
            missed.required = [
                gap for gap in feature.evaluate(self._context, holder).required if gap.node is subject.node
            ]
            self._builder.required(feature, missed, "warning")
        for candidate in excused:
            self._note_missed(subject, candidate, "info")
            self._builder.not_eligible(subject, candidate.feature, candidate.outcome, owed=tuple(sorted(owed)))
        return [candidate for candidate in candidates if candidate not in excused]

    def _report(self, subject: Subject, candidates: list[Candidate]) -> None:
        """Report the results of a subject: earned, nearest of each unexcused group, excused."""
        earned = [candidate for candidate in candidates if candidate.is_earned]
        # What another result lacks says more.
        is_alone = not subject.is_nested and all(each.is_earned and not each.is_supposed for each in candidates)
        for candidate in earned:
            name = candidate.feature.name
            if not candidate.outcome.is_short and self._counts_for_root(subject, candidate.feature):
                self._results.add(subject.root, name)
                if subject.is_nested:
                    self._results.note_earned(Subject(subject.root, subject.root), name)
            if self._counts_for_node(subject, candidate):
                self._results.note_earned(subject, name)
            elif candidate.outcome.is_short and not candidate.is_supposed:
                self._note_missed(subject, candidate, "warning")
            elif is_alone and not (self._has_unknown(subject.node) or is_identified(subject.node, candidate.feature)):
                self._results.note_missed(subject, NotEligible(name, 1, NOTHING_READ, "info"))
                self._builder.nothing_read(subject, candidate.feature)
        supposed = [candidate for candidate in earned if candidate.is_supposed]
        earned = [candidate for candidate in earned if not candidate.is_supposed]
        reported = list(earned)
        excused: list[Candidate] = []
        for group in self._unexcused_groups(candidates, earned):
            nearest, *others = sorted(group, key=_distance)
            self._report_required(subject, nearest)
            excused += others
            reported.append(nearest)
        known = (*reported, *excused, *supposed)
        excused += [candidate for candidate in candidates if candidate not in known]
        for candidate in excused:
            if candidate.is_requested:
                self._report_required(subject, candidate)
                reported.append(candidate)
            elif candidate.outcome.required:
                self._note_missed(subject, candidate, "warning")
                self._builder.not_eligible(subject, candidate.feature, candidate.outcome)
        self._report_rest(subject, reported)
        for candidate in supposed:
            self._builder.supposed(subject, candidate.feature)

    def _report_linked(self, subject: Subject, candidates: list[Candidate]) -> None:
        """Report the results of a node that a subject refers to: earned, or missed by a warning."""
        for candidate in candidates:
            if self._counts_for_node(subject, candidate):
                self._results.note_earned(subject, candidate.feature.name)
            elif candidate.outcome.is_short and candidate.is_earned:
                self._note_missed(subject, candidate, "warning")
            elif candidate.outcome.required:
                self._note_missed(subject, candidate, "warning")
                self._builder.not_eligible(subject, candidate.feature, candidate.outcome)

    def _counts_for_node(self, subject: Subject, candidate: Candidate) -> bool:
        """Does a node earn a result itself? Ratings and reviews inside an item are part of the item's results."""
        if not candidate.is_earned or candidate.outcome.is_short or is_type_misspelt(subject.node):
            return False
        if subject.is_nested and subject.via in _RATED:
            return False
        is_enough = subject.is_nested or self._is_long_enough(subject, candidate.feature)
        return is_enough and has_content(subject.node) and is_identified(subject.node, candidate.feature)

    def _note_missed(self, subject: Subject, candidate: Candidate, severity: Severity) -> None:
        if subject.is_nested and subject.via in _RATED:
            holder, _ = subject.siblings or (subject.root, "")
            reviewable = candidate.feature.reviewable_types
            if holder is not subject.root or holder in self._tried or not self._are_a(holder.types, reviewable):
                return
            subject = Subject(holder, holder)
        number, why = reasons(candidate.outcome)
        self._results.note_missed(subject, NotEligible(candidate.feature.name, number, why, severity))

    def _has_unknown(self, node: Node) -> bool:
        """Has a node a property that is not in the vocabulary, and may be a misspelled one?"""
        return any(name not in self._context.vocabulary.properties for name in node.props)

    def _counts_for_root(self, subject: Subject, feature: Feature) -> bool:
        """Is a result that a subject earns a result of the root item?

        Of content, ratings and reviews are: the stars of an item whose type has no result of its own, as of a Book. An
        item without a single value earns nothing.
        """
        if is_type_misspelt(subject.node) or is_type_misspelt(subject.root):
            return False
        if not subject.is_nested:
            is_enough = self._is_long_enough(subject, feature) and has_content(subject.node)
            return is_enough and is_identified(subject.node, feature)
        holder, via = subject.siblings or (None, "")
        return (
            via in _RATED and holder is subject.root and holder not in self._tried
            and self._are_a(holder.types, feature.reviewable_types)
        )  # fmt: skip

    def _is_long_enough(self, subject: Subject, feature: Feature) -> bool:
        """Does the list around a subject have as many items as the profile requires?"""
        least = feature.profile.list_min_items
        if least is None:
            return True
        holder, _ = subject.siblings or (None, "")
        count = len(list(holder.nodes("itemListElement"))) if holder is not None else 1
        if count < least:
            self._builder.too_few(subject, feature, count, least)
        return count >= least

    def _unexcused_groups(self, candidates: list[Candidate], earned: list[Candidate]) -> list[list[Candidate]]:
        """Missed results without excuse by an earned result, in groups of alternatives."""
        excuses = self._index.excuses
        groups: list[list[Candidate]] = []
        for candidate in candidates:
            if candidate.is_earned or any(excuses(other.types, candidate.types) for other in earned):
                continue
            for group in groups:
                if excuses(group[0].types, candidate.types) or excuses(candidate.types, group[0].types):
                    group.append(candidate)
                    break
            else:
                groups.append([candidate])
        return groups

    def _report_rest(self, subject: Subject, candidates: list[Candidate]) -> None:
        """Report warnings, restrictions and recommendations of the results that a subject earns or is nearest to."""
        for candidate in candidates:
            self._builder.soft(candidate.feature, candidate.outcome)
            if candidate.is_restricted and candidate.is_earned:
                self._builder.restricted(subject, candidate.feature)
        recommending = [candidate for candidate in candidates if candidate.is_earned or not subject.is_nested]
        self._builder.recommended(subject, [(candidate.feature, candidate.outcome) for candidate in recommending])

    def _report_required(self, subject: Subject, candidate: Candidate) -> None:
        is_mild = candidate.is_restricted or (subject.is_nested and not candidate.is_requested)
        severity: Severity = "warning" if is_mild else "error"
        if not (is_mild or subject.is_nested):
            self._results.miss(subject.root, candidate.feature.name)
        self._note_missed(subject, candidate, severity)
        self._builder.required(candidate.feature, candidate.outcome, severity, subject.node)

    def _report_retired(self, subject: Subject, feature: Feature, is_requested: bool) -> None:
        if subject.is_linked:
            self._results.note_retired(subject, feature.name)
        if subject.is_linked or (subject.is_nested and not is_requested):
            return
        self._results.add(subject.root, feature.name, retired=True)
        self._results.note_retired(subject, feature.name)
        self._builder.retired(subject.node, feature)
        if is_requested:
            self._builder.required(feature, feature.evaluate(self._context, subject.node), "info")

    def _try_everywhere(self, feature: Feature) -> None:
        """Evaluate a requested profile on nodes that are not subjects."""
        for node in self._context.page.nodes:
            if node.foreign or node.reference or node.same_as is not None:
                continue
            types = feature.types_in(node.types, self._context.vocabulary)
            if types:
                self.not_found.discard(feature.name)
                self._evaluate_subject(Subject(node, node), Features([(feature, types)]))

    def _report_old_vocabulary(self) -> None:
        """Report the first node of data-vocabulary.org, the vocabulary before schema.org."""
        feature = self._index.old_vocabulary
        for node in self._context.page.nodes:
            if node.foreign and feature and any(DATA_VOCABULARY in name.partition("/")[2] for name in node.types):
                self._results.add(node, feature.name, retired=True)
                self._results.note_retired(Subject(node, node), feature.name)
                self._builder.retired(node, feature)
                self.not_found.discard(feature.name)
                return


def _distance(candidate: Candidate) -> tuple[bool, int, int, int]:
    """Sort key: fewest gaps first; of equals, the profile with fewest requirements."""
    profile = candidate.feature.profile
    return (
        candidate.is_restricted, len(candidate.outcome.required), len(profile.required), candidate.feature.rank,
    )  # fmt: skip


def is_identified(node: Node, feature: Feature) -> bool:
    """Does a node say what it is, where its profile requires nothing?"""
    names = feature.profile.identified_by or feature.optional_names
    return not names or any(node.get(name) is not None for name in names)
