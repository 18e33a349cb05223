"""Entries of profiles and shapes as checks, and what they find in a node.

Compiled once; a check runs over a scope object and writes into an `Outcome`. What a nested shape finds is lifted
into the outcome of the node above it, with its path in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import IntEnum
from operator import gt, le, lt
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from waypost.formats.numbers import number
from waypost.formats.text import clip, join_words
from waypost.models.page import Node, Value, is_present
from waypost.models.profile import Entry, Shape
from waypost.validate.profiles.conditions import intents
from waypost.validate.profiles.fitting import Kinds, Reads
from waypost.validate.profiles.look import Look, equals, holders, said
from waypost.validate.profiles.paths import Hit, Path, Test

Settled: TypeAlias = Callable[[Mapping[str, list[Value]]], bool]
# Properties that are wished for and not there; or one that has to be present, what settles it, what looks closer.
_Step: TypeAlias = "tuple[tuple[str, ...] | None, str | None, Settled | None, Callable[..., None] | None]"
_FILTER = re.compile(r"\[\w+\]")
_MOST_PLANS, _MOST_NAMES = 1024, 100
_DEEPEST = 10  # shapes inside shapes; comments on comments go on for ever


class Level(IntEnum):
    """What an entry's failure costs."""

    REQUIRED = 0  # the thing itself
    SOFT = 1  # a warning
    WANTED = 2  # a place in the folded line of what is recommended
    PERHAPS = 3  # information: nobody knows whether it is asked for
    LIMIT = 4  # a warning about what should not be so


class Fault(NamedTuple):
    """Something that an entry finds wrong.

    kind     "missing" (node lacks path), "unfit" (the value of prop at a number) or "limit".
    path     as the profile writes it, from the node that is judged; without filters and a leading ^. Where one
             of several would do, they are joined by |.
    ask      the part of it that starts at the object whose entry it is: one lack found on two ways is one.
    words    what is wrong with the value; empty for what is missing.
    loses    what is lost with it, for things that are not the node itself.
    certain  no rule of its own speaks about such a value.
    """

    kind: str
    node: Node
    path: str
    ask: str = ""
    prop: str | None = None
    at: int | None = None
    words: str = ""
    rule: str | None = None
    loses: str | None = None
    certain: bool = True
    severity: str | None = None

    held: bool = False  # it is the holder that lacks it
    own: bool = False  # the thing's own profile says it too

    def below(self, prefix: str, loses: str | None = None) -> Fault:
        return self._replace(path=self.path if self.held else _below(prefix, self.path), loses=self.loses or loses)


def _below(prefix: str, path: str) -> str:
    """Every one of the paths with a prefix."""
    return "|".join([prefix + each for each in path.split("|")]) if "|" in path else prefix + path


_NOTHING: Final[Any] = ()
_NO_PATHS: Final[Any] = MappingProxyType({})


def _more(told: list[Fault], faults: Iterable[Fault]) -> list[Fault]:
    """A list of faults with more at its end; what was `_NOTHING` stays so where there are none."""
    more = told or []
    more.extend(faults)
    return more or told


class Outcome:
    """What one set of requirements finds in one node.

    required   faults that cost the thing; soft and limits are warnings.
    wanted     recommended paths that are missing -> the node that lacks them; perhaps likewise, with
               the intents under which they would be wanted; demanded those that would then be required.
    """

    __slots__ = ("demanded", "limits", "perhaps", "required", "soft", "wanted")

    def __init__(self) -> None:
        # There are several outcomes a node, and most of each stays empty: what is empty is shared by all.
        self.required: list[Fault] = _NOTHING
        self.soft: list[Fault] = _NOTHING
        self.limits: list[Fault] = _NOTHING
        self.wanted: dict[str, Node] = _NO_PATHS
        self.perhaps: dict[str, tuple[str, ...]] = _NO_PATHS
        self.demanded: dict[str, tuple[str, ...]] = _NO_PATHS

    @property
    def lacks_only_wishes(self) -> bool:
        return not (self.required or self.soft or self.limits or self.perhaps or self.demanded)

    def add(self, level: Level, fault: Fault) -> None:
        if level is Level.REQUIRED:
            self.required = _more(self.required, (fault,))
        elif level is Level.LIMIT:
            self.limits = _more(self.limits, (fault,))
        else:
            self.soft = _more(self.soft, (fault,))

    def wish(self, path: str, node: Node) -> None:
        """Note a recommended path that a node lacks, once."""
        if self.wanted:
            self.wanted.setdefault(path, node)
        else:
            self.wanted = {path: node}

    def wonder(self, path: str, why: tuple[str, ...], *, demanded: bool) -> None:
        """Note a missing path that would be demanded, or else wanted, under some intents, once."""
        told = (self.demanded if demanded else self.perhaps) or {}
        told.setdefault(path, why)
        if demanded:
            self.demanded = told
        else:
            self.perhaps = told

    def lift(self, inner: Outcome, prefix: str, level: Level, loses: str | None) -> None:
        """Take over what was found in a nested object."""
        if not (inner.wanted or inner.required or inner.soft or inner.limits or inner.perhaps or inner.demanded):
            return
        if inner.required:
            self._lift_required(inner.required, prefix, level, loses)
        if level is Level.PERHAPS:
            return
        if inner.soft:
            self.soft = _more(self.soft, (fault.below(prefix) for fault in inner.soft))
        if inner.limits:
            self.limits = _more(self.limits, (fault.below(prefix) for fault in inner.limits))
        if inner.wanted:
            wanted = self.wanted = self.wanted or {}
            for path, node in inner.wanted.items():
                below = _below(prefix, path) if "|" in path else prefix + path
                if below not in wanted:
                    wanted[below] = node
        for path, why in inner.perhaps.items():
            self.wonder(_below(prefix, path), why, demanded=False)
        for path, why in inner.demanded.items():
            self.wonder(_below(prefix, path), why, demanded=True)

    def _lift_required(self, faults: list[Fault], prefix: str, level: Level, loses: str | None) -> None:
        if level is Level.REQUIRED:
            self.required = _more(self.required, (fault.below(prefix) for fault in faults))
        elif level is not Level.PERHAPS:
            told = (fault for fault in faults if fault.certain and not fault.own)
            self.soft = _more(self.soft, (fault.below(prefix, loses) for fault in told))


class Requirements:
    """The entries of a profile or shape, compiled. `loses` and `is_profile` are those of the shape."""

    __slots__ = ("_plain", "_plans", "checks", "is_profile", "loses")

    def __init__(self, checks: Iterable[Check], loses: str | None, is_profile: bool) -> None:
        self.checks = tuple(checks)
        self._plain = tuple((check.wish, check.lacks, check.settled, check.run) for check in self.checks)
        self._plans: dict[tuple[str, ...], tuple[_Step, ...]] = {}
        self.loses = loses
        self.is_profile = is_profile

    def _plan(self, names: tuple[str, ...]) -> tuple[_Step, ...]:
        """What is left to look at in nodes with these properties; most nodes of a site have those of an earlier one."""
        steps: list[_Step] = []
        for check in self.checks:
            if check.lacks is not None and check.lacks not in names:
                before = (steps.pop()[0] or ()) if steps and steps[-1][0] else ()
                steps.append(((*before, check.lacks), None, None, None))
            elif check.first is None or check.first in names:
                steps.append((None, check.wish, None if check.first else check.settled, check.run))
        plan = tuple(steps)
        if len(self._plans) < _MOST_PLANS and len(names) <= _MOST_NAMES:
            self._plans[names] = plan
        return plan

    def judge(self, look: Look, node: Node, depth: int = 0) -> Outcome:
        """What a node lacks; remembered, and nothing where it is already being judged further up."""
        key = (node, self)
        known = look.outcomes.get(key, look)
        if known is None or depth > _DEEPEST:
            return Outcome()
        if isinstance(known, Outcome):
            return known
        look.outcomes[key] = None
        outcome = Outcome()
        props = node.props
        names = tuple(props)
        for lacks, wish, settled, run in self._plans.get(names) or self._plan(names):
            if lacks is not None:
                if outcome.wanted:
                    for path in lacks:
                        outcome.wanted.setdefault(path, node)
                else:
                    outcome.wanted = dict.fromkeys(lacks, node)
            elif wish is not None:
                if not _has_present(props[wish]):
                    outcome.wish(wish, node)
            elif settled is None or not settled(props):
                run(look, node, outcome, depth)  # type: ignore[misc]
        look.outcomes[key] = outcome
        return outcome

    def is_met(self, props: Mapping[str, list[Value]]) -> bool:
        """Is it seen at a glance that a node with these properties lacks nothing but properties?"""
        for wish, lacks, settled, _ in self._plain:
            if lacks is not None and lacks not in props:
                continue
            if not (_has_present(props[wish]) if wish is not None else settled is not None and settled(props)):
                return False
        return True


def _has_present(values: list[Value]) -> bool:
    first = values[0] if values else None
    return (first.__class__ is str and first != "" and not first.isspace()) or any(map(is_present, values))


class Maker:
    """What compiling an entry needs to know: filters, kinds and the requirements behind a shape."""

    __slots__ = ("filters", "kinds", "shape", "shapes")

    def __init__(
        self,
        filters: Mapping[str, Test],
        kinds: Callable[[str], Kinds],
        shape: Callable[[str], Requirements],
        shapes: Mapping[str, Shape],
    ) -> None:
        self.filters, self.kinds, self.shape, self.shapes = filters, kinds, shape, shapes


def level_of(entry: Entry, part: Level) -> Level:
    """What a fault of an entry costs: only what a table or the text of the page requires costs the thing itself."""
    if entry.beta:
        return Level.PERHAPS
    if part is Level.REQUIRED and (
        entry.row == "recommended" or entry.severity or entry.basis not in ("table", "prose")
    ):
        return Level.SOFT
    return part


class Check:
    """One entry, compiled.

    wish     the property, where all it asks is that one of the node's own is there at best.
    lacks    the property, where a node without it only lacks something to be wished for.
    first    the property without which there is nothing to say of a node; None where it is not that simple.
    settled  of the properties of a node: True where there is nothing to say; None where that is not told so fast.
    """

    __slots__ = ("_counted", "_each", "_entry", "_fits_well", "_intents", "_kinds", "_level", "_limits", "_maker",
                 "_only", "_paths", "_plain", "_prefer", "_prefix", "_run", "_shown", "_when", "first", "lacks",
                 "settled", "wish")  # fmt: skip

    def __init__(self, entry: Entry, part: Level, maker: Maker, when: Test | None) -> None:
        self._entry = entry
        self._maker = maker
        self._level = level_of(entry, part)
        self._when = when
        self._intents = tuple(intents(entry.when)) or (("trial",) if entry.beta else ())
        self._each = Path(entry.each, maker.filters) if entry.each else None
        self._prefix = f"{entry.each}." if entry.each else ""
        written = [entry.path] if entry.path else [*entry.any_of, *dict.fromkeys(sum(entry.any_of_groups, ()))]
        if entry.absent:
            written = [entry.absent]
        self._paths = {each: Path(each, maker.filters) for each in written}
        kinds = {each: entry.values.get(each, entry.value) for each in written}
        self._kinds = {each: maker.kinds(kind) for each, kind in kinds.items() if kind}
        self._prefer = maker.kinds(entry.prefer) if entry.prefer else None
        self._limits = tuple(_limits(entry))
        self._only = next(iter(self._paths.items()))
        self._shown = {each: self._prefix + _FILTER.sub("", each).removeprefix("^.") for each in written}
        self._plain = not (self._limits or self._prefer) and all(each.is_plain for each in self._kinds.values())
        self._run = self._absent if entry.absent else self._any_of if entry.any_of else self._path
        if entry.any_of_groups:
            self._run = self._any_of_groups
        least = entry.min_items and not entry.reported_by
        self._counted = bool(least or entry.max_items or entry.unique or entry.includes)
        simple = entry.path is not None and self._paths[entry.path].simple
        conditional = entry.each or entry.when or entry.default is not None
        self.lacks = entry.path if simple and not conditional and self._level is Level.WANTED else None
        self.wish = self.lacks if self._plain and not self._counted else None
        self._fits_well = self._made_glance()
        first = self._each.first if self._each else self._paths[entry.absent].first if entry.absent else None
        self.first = first
        if first is not None:
            self.settled: Settled | None = lambda props: first not in props
        else:
            self.settled = None if self._each else self._fits_well

    def _made_glance(self) -> Settled | None:
        """Of the properties of a scope: True where there is nothing to say. None where that is not told so fast."""
        entry = self._entry
        if entry.absent or entry.any_of_groups or entry.exclusive or self._counted or self._prefer:
            return None
        presence = self._says_no_more(self._level)
        one_is_enough = bool(entry.any_of) and (presence or self._plain) and not entry.min_items_total
        if not one_is_enough and (entry.min_items_total or not all(path.simple for path in self._paths.values())):
            return None
        kinds = {} if presence else self._kinds
        simple = [text for text, path in self._paths.items() if path.simple]
        paths = [(text, kinds[text].glance(self._is_silent) if text in kinds else None) for text in simple]
        return _has_fitting(paths, () if presence else self._limits, one_is_enough) if paths else None

    def _is_silent(self, shape: str) -> bool:
        """Has what a shape asks for no say at the level of this entry?"""
        requirements = self._maker.shape(shape)
        return not requirements.checks or (requirements.is_profile and self._level is not Level.REQUIRED)

    def run(self, look: Look, node: Node, outcome: Outcome, depth: int) -> None:
        """Judge a node, or every object that `each` reaches from it."""
        glance = self._fits_well if self._each else None
        for scope in (node,) if self._each is None else look.objects(self._each, node):
            if glance is not None and glance(scope.props):
                continue
            level = self._level
            if self._when is not None:
                holds = self._when(look, scope)
                if holds is False:
                    continue
                if holds is None:
                    level = Level.PERHAPS
            self._run(look, scope, outcome, level, depth)

    def _missing(self, outcome: Outcome, level: Level, node: Node, path: str) -> None:
        entry = self._entry
        if entry.default is not None:
            return
        held, ask = path.startswith("^."), _FILTER.sub("", path).removeprefix("^.")
        path = ask if held else _below(self._prefix, ask)
        if level is Level.WANTED:
            outcome.wish(path, node)
        elif level is Level.PERHAPS:
            outcome.wonder(path, self._intents, demanded=self._level in (Level.REQUIRED, Level.SOFT))
        else:
            outcome.add(level, Fault("missing", node, path, ask, rule=entry.rule, severity=entry.severity, held=held))

    def _path(self, look: Look, scope: Node, outcome: Outcome, level: Level, depth: int) -> None:
        text, path = self._only
        if path.simple and not self._counted and self._says_no_more(level):
            if not path.present(look, scope):
                self._missing(outcome, level, scope, text)
            return
        hits, lacking = path.look(look, scope)
        for node in lacking:
            self._missing(outcome, level, node, text)
        if hits:
            if self._counted:
                self._counts(outcome, level, scope, text, hits)
            self._values(look, outcome, level, text, hits, depth)

    def _says_no_more(self, level: Level) -> bool:
        """Is presence all that counts, because rules speak about the values?"""
        return level is Level.PERHAPS or (level is Level.WANTED and self._plain)

    def _any_of(self, look: Look, scope: Node, outcome: Outcome, level: Level, depth: int) -> None:
        if not self._entry.exclusive and (self._says_no_more(level) or not (self._kinds or self._limits)):
            if not any(path.present(look, scope) for path in self._paths.values()):
                self._missing(outcome, level, scope, "|".join(self._paths))
            return
        found = {text: hits for text, path in self._paths.items() if (hits := path.look(look, scope)[0])}
        if not found:
            self._missing(outcome, level, scope, "|".join(self._paths))
            return
        if self._entry.exclusive and len(found) > 1:
            self._limit(outcome, level, scope, next(iter(found)), f"only one of {join_words(found)} may be given")
        least = self._entry.min_items_total
        if least and (total := sum(map(len, found.values()))) < least:
            self._limit(outcome, level, scope, next(iter(found)), f"{total} given, at least {least}")
        if self._plain and any(self._fits(look, text, hit) for text, hits in found.items() for hit in hits):
            return
        tried = [(text, hit, Outcome()) for text, hits in found.items() for hit in hits]
        for text, hit, each in tried:
            self._value(look, each, Level.REQUIRED, text, hit, depth)
        none_holds = all(each.required for *_, each in tried)
        if self._entry.some and not none_holds:
            return
        lacks = level is Level.REQUIRED and none_holds
        nearest = min(tried, key=lambda one: len(one[2].required))[2] if lacks else None
        for *_, each in tried:
            if each is nearest:
                outcome.lift(each, "", Level.REQUIRED, None)
            elif level is not Level.PERHAPS:
                outcome.lift(each, "", Level.LIMIT if level is Level.LIMIT else Level.SOFT, None)

    def _fits(self, look: Look, text: str, hit: Hit) -> bool:
        kinds = self._kinds.get(text)
        return kinds is None or kinds.fit(look, hit).wrong is None

    def _any_of_groups(self, look: Look, scope: Node, outcome: Outcome, level: Level, depth: int) -> None:
        if self._says_no_more(level):
            for group in self._entry.any_of_groups:
                if all(self._paths[text].present(look, scope) for text in group):
                    return
        found = {text: path.look(look, scope)[0] for text, path in self._paths.items()}
        groups = self._entry.any_of_groups
        if not any(all(found[text] for text in group) for group in groups):
            best = max(groups, key=lambda group: sum(bool(found[text]) for text in group) / len(group))
            absent = [text for text in best if not found[text]]
            nothing = len(absent) == len(best)
            whole = "|".join(" with ".join(group) for group in groups)
            self._missing(outcome, level, scope, whole if nothing else " with ".join(absent))
        for text, hits in found.items():
            if hits:
                self._values(look, outcome, level, text, hits, depth)

    def _absent(self, look: Look, scope: Node, outcome: Outcome, level: Level, _: int) -> None:
        ((text, path),) = self._paths.items()
        above = {holder for holder, _ in holders(scope)}
        hits = path.look(look, scope)[0]
        for hit in [hit for hit in hits if hit.value not in above][:1]:  # pointing back at the holder is fine
            because = self._entry.rule or "it is not read here"
            self._limit(outcome, level, hit.node, text, f"it should not stand here: {because}", hit)

    def _limit(
        self,
        outcome: Outcome,
        level: Level,
        node: Node,
        path: str,
        words: str,
        hit: Hit | None = None,
        *,
        hard: bool = False,
    ) -> None:
        if level is Level.PERHAPS:
            return
        prop, at = (hit.prop, hit.at) if hit else (None, None)
        ask = _FILTER.sub("", path)
        told = self._prefix + ask
        fault = Fault("limit", node, told, ask, prop, at, words, self._entry.rule, severity=self._entry.severity)
        outcome.add(Level.REQUIRED if hard and level is Level.REQUIRED else Level.LIMIT, fault)

    def _counts(self, outcome: Outcome, level: Level, scope: Node, text: str, hits: list[Hit]) -> None:
        entry = self._entry
        if entry.min_items and len(hits) < entry.min_items and not entry.reported_by:
            self._limit(outcome, level, scope, text, f"{len(hits)} given, at least {entry.min_items}", hits[0])
        if entry.max_items and len(hits) > entry.max_items:
            words = f"{len(hits)} given, at most {entry.max_items}"
            self._limit(outcome, level, scope, text, words, hits[entry.max_items], hard=True)
        if entry.unique:
            seen: set[str | None] = set()
            for hit in hits:
                if (name := said(hit.value)) in seen:
                    self._limit(outcome, level, hit.node, text, "it is there twice", hit, hard=True)
                seen.add(name)
        for each in entry.includes:
            if not any(equals(hit.value, each) for hit in hits):
                self._missing(outcome, level, scope, f"{text} {each}")

    def _values(self, look: Look, outcome: Outcome, level: Level, text: str, hits: list[Hit], depth: int) -> None:
        if self._says_no_more(level):
            return
        if not self._entry.some:
            alike: _Alike = {}
            for hit in hits:
                value = hit.value
                if alike and isinstance(value, Node) and value.id is None:
                    asked = alike.get((value.types, *value.props))
                    if asked is not None and asked.is_met(value.props):
                        continue  # the same properties are missing, and each is told once
                self._value(look, outcome, level, text, hit, depth, alike)
            return
        tried = [Outcome() for _ in hits]
        for hit, each in zip(hits, tried, strict=True):
            self._value(look, each, Level.REQUIRED, text, hit, depth)
        best = min(tried, key=lambda one: len(one.required))
        outcome.lift(best, "", level, None)

    def _value(
        self, look: Look, outcome: Outcome, level: Level, text: str, hit: Hit, depth: int, alike: _Alike | None = None
    ) -> None:
        kinds = self._kinds.get(text)
        path = self._shown[text]
        if kinds is not None:
            fit = kinds.fit(look, hit)
            if fit.wrong is not None:
                if fit.closed or level is Level.REQUIRED:
                    self._unfit(outcome, level, path, hit, fit.wrong, fit.closed)
                return
            if fit.shape is not None and isinstance(hit.value, Node):
                self._shape(look, outcome, level, path, hit.value, fit.shape, depth, alike)
        for limit in self._limits:
            if wrong := limit(hit.value):
                self._unfit(outcome, level, path, hit, wrong, True)
        if self._prefer is not None and self._prefer.fit(look, hit).wrong is not None:
            self._unfit(outcome, Level.SOFT, path, hit, f"it is better given as {self._prefer.expected}", True)

    def _unfit(self, outcome: Outcome, level: Level, path: str, hit: Hit, words: str, certain: bool) -> None:
        entry = self._entry
        outcome.add(
            level,
            Fault("unfit", hit.node, path, path, hit.prop, hit.at, words, entry.rule, None, certain, entry.severity),
        )

    def _shape(
        self,
        look: Look,
        outcome: Outcome,
        level: Level,
        path: str,
        node: Node,
        name: str,
        depth: int,
        alike: _Alike | None,
    ) -> None:
        """What a shape asks of a node. `alike` takes those of which only properties were missing."""
        requirements = self._maker.shape(name)
        if not requirements.checks or (requirements.is_profile and level is not Level.REQUIRED):
            return  # a profile's own judgement of the node says it
        inner = requirements.judge(look, node, depth + 1)
        says_more = self._limits or self._prefer is not None
        was_judged = look.outcomes.get((node, requirements)) is inner
        if alike is not None and was_judged and inner.lacks_only_wishes and not says_more:
            alike[(node.types, *node.props)] = requirements
        if not requirements.is_profile:
            outcome.lift(inner, f"{path}.", level, requirements.loses)
        else:
            told = (fault.below(f"{path}.")._replace(own=True) for fault in inner.required)
            outcome.required = _more(outcome.required, told)


# Types and properties of values -> what was asked of one that lacks nothing but properties.
_Alike: TypeAlias = "dict[tuple[tuple[str, ...] | str, ...], Requirements]"
_Limit: TypeAlias = Callable[[object], str | None]


def _has_fitting(readers: list[tuple[str, Reads | None]], limits: tuple[_Limit, ...], one_is_enough: bool) -> Settled:
    """Do all values of the properties fit at a glance, or one of them, and is there one?"""

    def one(props: Mapping[str, list[Value]]) -> bool:
        for prop, reads in readers:
            for value in props.get(prop, ()):
                if is_present(value) and (reads is None or reads(value)):
                    return True
        return False

    def every(props: Mapping[str, list[Value]]) -> bool:
        found = False
        for prop, reads in readers:
            for value in props.get(prop, ()):
                is_there = not value.isspace() if value.__class__ is str and value else is_present(value)
                if not is_there or (reads is not None and not reads(value)):
                    return False
                for limit in limits:
                    if limit(value):
                        return False
                found = True
        return found

    return one if one_is_enough else every


def _limits(entry: Entry) -> Iterable[_Limit]:
    """The bounds of a single value: each says what is wrong, or None."""
    if entry.equals is not None:
        yield lambda value: None if equals(value, entry.equals) else f"{_shown(value)} is not {_plain(entry.equals)}"  # type: ignore[arg-type]
    if entry.pattern is not None:
        yield _matching(re.compile(entry.pattern), entry.rule or f"it does not match {entry.pattern}")
    for bound, wrong, words in (
        (entry.min, lt, "is below"),
        (entry.max, gt, "is above"),
        (entry.gt, le, "is not above"),
    ):
        if bound is not None:
            yield _bounded(Decimal(str(bound)), wrong, words)
    if entry.max_length is not None:
        most = entry.max_length
        yield lambda v: f"it has {len(v)} characters, {most} at most" if isinstance(v, str) and len(v) > most else None
    if entry.min_length is not None:
        least = entry.min_length
        yield (
            lambda v: (
                f"it has {len(v)} of at least {least} characters" if isinstance(v, str) and len(v) < least else None
            )
        )


def _bounded(bound: Decimal, wrong: Callable[[Any, Any], bool], words: str) -> _Limit:
    whole = int(bound)
    near = whole if whole == bound else bound

    def limit(value: object) -> str | None:
        if value.__class__ is int and not wrong(value, near):  # most are
            return None
        exact = number(value)
        return f"{exact} {words} {bound.normalize():f}" if exact is not None and wrong(exact, bound) else None

    return limit


def _matching(pattern: re.Pattern[str], words: str) -> _Limit:
    def limit(value: object) -> str | None:
        fits = not isinstance(value, str) or pattern.search(value[:2000])
        return None if fits else f"{_shown(value)} does not fit: {words}"

    return limit


def _plain(literal: object) -> str:
    return str(literal).lower() if isinstance(literal, bool) else str(literal)


def _shown(value: object) -> str:
    return "the object" if isinstance(value, Node) else repr(clip(_plain(value)))
