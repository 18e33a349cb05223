"""The verdict of the profiles: which results a page's items are eligible for, and what keeps them from the others.

What is asked for is data (`schemas/profiles/`). Who asks is settled in `askers`, what an entry finds in
`requirements`; here it is decided how much is said about it:

- A node that earns at least one result is eligible, and each other result it misses is one warning. A node that
  earns none is told as errors what the nearest one needs.
- What nested content lacks is a warning. Missing recommended properties are one line a node.
- Nothing about a restricted result is more than a warning, nothing about a retired one more than information.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from waypost.errors import UnknownRule
from waypost.formats.text import near
from waypost.models.finding import Severity
from waypost.models.page import Node
from waypost.validate.item import FindingDraft, RuleContext
from waypost.validate.profiles.askers import Asker, askers
from waypost.validate.profiles.engine import DATA_VOCABULARY, Engine, Feature, engine
from waypost.validate.profiles.look import Look
from waypost.validate.profiles.requirements import Outcome
from waypost.validate.profiles.saying import Sayings

__all__ = ["Verdict", "judge"]

Earned = tuple[tuple[str, ...], tuple[str, ...], str | None]


class Verdict:
    """What the profiles say about a page.

    drafts  the findings, each about a node of the page.
    """

    def __init__(self, context: RuleContext) -> None:
        self.drafts: list[FindingDraft] = []
        self._scene = context
        self._eligible: dict[Node, tuple[str, ...]] = {}
        self._retired: dict[Node, tuple[str, ...]] = {}
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}  # thousands of items earn the same

    def of(self, root: Node) -> Earned:
        """(results it is eligible for, retired results it is marked up for, its service type) of a root item.

        What its main entity earns is counted with it.
        """
        return self._eligible.get(root, ()), self._retired.get(root, ()), _service_type(self._scene, root)

    def note(self, root: Node, name: str, *, retired: bool = False) -> None:
        noted = self._retired if retired else self._eligible
        names = noted.get(root, ())
        if name not in names:
            names = tuple(sorted((*names, name))) if names else (name,)
            noted[root] = self._names.setdefault(names, names)


class _Case(msgspec.Struct, frozen=True):
    """A feature that looks at a node, and what it found there."""

    feature: Feature
    by: frozenset[str]
    outcome: Outcome
    restricted: bool
    asked: bool

    @property
    def earned(self) -> bool:
        return not self.outcome.required


def judge(context: RuleContext, asked: Sequence[str] = ()) -> Verdict:
    """Judge a page by every profile that its nodes ask for, and by those that are `asked` for by name.

    A profile asked for by name is judged in full: its lacks are errors whatever else the node earns, and it is
    tried on nested and mentioned nodes where nothing else asks for it. UnknownRule for a name that is none.
    """
    verdict = Verdict(context)
    known = engine(context.registry)
    for name in asked:
        if name not in known.features:
            raise UnknownRule(name, near(name, known.features))
    if not context.page.nodes:
        return verdict
    _Court(context, known, frozenset(asked), verdict).sit()
    return verdict


class _Court:
    """One page being judged."""

    def __init__(self, context: RuleContext, known: Engine, asked: frozenset[str], verdict: Verdict) -> None:
        self.look = Look(context)
        self.engine = known
        self.asked = asked
        self.verdict = verdict
        self.today = context.now.date().isoformat()
        self.say = Sayings()

    def sit(self) -> None:
        unmet = set(self.asked)
        for asker in askers(self.look):
            features = self.engine.features_for(asker.node.types)
            if features:
                self._node(asker, features)
                if unmet:
                    unmet.difference_update(feature.name for feature, _ in features)
        for name in sorted(unmet):
            self._everywhere(self.engine.features[name])
        self._old_vocabulary()
        self.verdict.drafts.extend(self.say.drafts())

    def _node(self, asker: Asker, features: Iterable[tuple[Feature, frozenset[str]]]) -> None:
        cases: list[_Case] = []
        for feature, by in features:
            asked = feature.name in self.asked
            if feature.is_conditional:
                self.look.asserting = asked
                applies = feature.applies(self.look, asker.node)
                self.look.asserting = False
                if not applies:
                    continue
            status = feature.status(self.today)
            if status == "retired":
                self._retired(asker, feature, asked)
                continue
            cases.append(_Case(feature, by, feature.judge(self.look, asker.node), status == "restricted", asked))
        if len(cases) == 1:
            self._alone(asker, cases[0])
        elif cases:
            self._weigh(asker, cases)
        self.look.forget()

    def _alone(self, asker: Asker, case: _Case) -> None:
        if not case.earned:
            self._lacks(asker, case)
        elif not asker.nested:
            self.verdict.note(asker.root, case.feature.name)
        self._rest(asker, [case])

    def _weigh(self, asker: Asker, cases: list[_Case]) -> None:
        earned = [case for case in cases if case.earned]
        if not asker.nested:
            for case in earned:
                self.verdict.note(asker.root, case.feature.name)
        excused: list[_Case] = []
        for group in self._unearned(cases, earned):
            nearest, *others = sorted(group, key=_nearness)
            self._lacks(asker, nearest)
            excused += others
            earned.append(nearest)
        excused += [case for case in cases if case not in earned and case not in excused]
        for case in excused:
            if case.asked:
                self._lacks(asker, case)
                earned.append(case)
            elif case.outcome.required:
                self.say.not_eligible(asker, case.feature, case.outcome)
        self._rest(asker, earned)

    def _rest(self, asker: Asker, cases: list[_Case]) -> None:
        """What is left to say about the results that a node earns or is nearest to."""
        for case in cases:
            self.say.soft(asker, case.feature, case.outcome)
            if case.restricted and case.earned:
                self.say.restricted(asker, case.feature)
        told = [case for case in cases if case.earned or not asker.nested]
        self.say.recommended(asker, [(case.feature, case.outcome) for case in told])

    def _unearned(self, cases: list[_Case], earned: list[_Case]) -> list[list[_Case]]:
        """The missed features that no earned one excuses, grouped so that one of a group would do."""
        groups: list[list[_Case]] = []
        for case in cases:
            if case.earned or any(self.engine.excuses(other.by, case.by) for other in earned):
                continue
            for group in groups:
                if self.engine.excuses(group[0].by, case.by) or self.engine.excuses(case.by, group[0].by):
                    group.append(case)
                    break
            else:
                groups.append([case])
        return groups

    def _lacks(self, asker: Asker, case: _Case) -> None:
        mild = case.restricted or (asker.nested and not case.asked)
        severity: Severity = "warning" if mild else "error"
        self.say.required(asker, case.feature, case.outcome, severity)

    def _retired(self, asker: Asker, feature: Feature, asked: bool) -> None:
        if asker.nested and not asked:
            return
        self.verdict.note(asker.root, feature.name, retired=True)
        self.say.retired(asker.node, feature)
        if asked:
            self.say.required(asker, feature, feature.judge(self.look, asker.node), "info")

    def _everywhere(self, feature: Feature) -> None:
        """Try a profile that was asked for by name on nodes that ask for nothing themselves."""
        for node in self.look.page.nodes:
            if node.foreign or node.reference or node.same_as is not None:
                continue
            by = feature.types_in(node.types, self.look.vocabulary)
            if by:
                self._node(Asker(node, node, False, None), [(feature, by)])

    def _old_vocabulary(self) -> None:
        """Things of the vocabulary before schema.org, which nobody else speaks about: the first is enough."""
        feature = self.engine.old_vocabulary
        for node in self.look.page.nodes:
            if node.foreign and feature and any(DATA_VOCABULARY in name.partition("/")[2] for name in node.types):
                self.verdict.note(node, feature.name, retired=True)
                self.say.retired(node, feature)
                return


def _nearness(case: _Case) -> tuple[bool, int, int, int]:
    """What is missing least comes first; of equals, what asks for least."""
    profile = case.feature.profile
    return case.restricted, len(case.outcome.required), len(profile.required), case.feature.rank


def _service_type(context: RuleContext, root: Node) -> str | None:
    """The card of an item, or of what it speaks for: a page for its main entity, a list for its first item."""
    dispatch = context.registry.dispatch
    node: Node | None = root
    for _ in range(5):
        if node is None:
            return None
        found = dispatch.service(node.types)
        if found is not None:
            return found[0]
        delegate = dispatch.delegate(node.types)
        if delegate is None:
            return None
        node = _along(node, delegate.path.split("."))
    return None


def _along(node: Node | None, path: list[str]) -> Node | None:
    """The first object at a path; a list may hold its items without a ListItem around them."""
    for prop in path:
        if node is None:
            return None
        inner = next(node.nodes(prop), None)
        node = node if inner is None and prop == "item" else inner
    return node
