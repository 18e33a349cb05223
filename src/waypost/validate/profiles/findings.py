"""Gaps as drafts of findings: repeated gaps are dropped. Reports fold alike findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from waypost.formats.text import join_words
from waypost.models.finding import SEVERITIES, Severity, result_name
from waypost.models.page import Node, Span
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.item import FindingDraft, RuleContext, describe
from waypost.validate.profiles.addresses import address_in_id
from waypost.validate.profiles.conditions import intents
from waypost.validate.profiles.gaps import (
    distinct_gaps,
    empty_on_way,
    empty_property,
    empty_texts,
    first_names,
    gap_key,
    gap_message,
    gap_sentence,
    gap_value,
    gaps_in_words,
    innermost,
    inverse_hint,
    is_below,
    is_empty,
    is_never_rated,
    is_of_group,
    is_unrated,
    list_entry,
    need_in_words,
    object_hint,
    path_in_words,
    paths_without_object,
    place_in_words,
    place_of_empty,
    unreported,
)
from waypost.validate.profiles.misspelt import MisspeltByNode
from waypost.validate.profiles.model import Gap, Outcome
from waypost.validate.profiles.nearby import Place, names_at, place_of
from waypost.validate.profiles.profile_set import Feature
from waypost.validate.profiles.subjects import Subject
from waypost.validate.profiles.values import MISSPELT
from waypost.validate.value_kinds import did_you_mean, nearest

_MOST_COMPARED = 200
_ALTERNATIVES = re.compile(r" with |\|")
_STEPS = re.compile(r"[.| ]")
_RULES = {"missing": "required-property-missing", "unfit": "value-unfit", "limit": "profile-limit"}
_MAY_BE_EMPTY = frozenset({"empty", "foreign", "merged"})
"""Signs of pages that may have an empty value: those of foreign and merged nodes give no sign."""
_Key: TypeAlias = tuple[object, ...]


class FindingBuilder:
    """Drafts of the findings of a page, by subject and gap."""

    def __init__(self, context: RuleContext, misspelt: MisspeltByNode) -> None:
        self._context = context
        self._misspelt = misspelt
        self._drafts: dict[_Key, FindingDraft] = {}
        self._covered: set[_Key] = set()
        self._empty_nodes: set[Node] = set()
        self._apart: set[Node] = set()
        self._unknown_by_node: dict[Node, list[tuple[str, frozenset[str]]]] = {}
        self._late_names: dict[Node, frozenset[str]] = {}  # current names of the node's superseded properties
        self._has_empty = not _MAY_BE_EMPTY.isdisjoint(context.nodes_by_sign)
        self._superseded = _superseded(context.registry.vocabulary)
        self._usual_nodes: set[Node] = set()  # with usual names alone
        self._messages: dict[str, str] = {}  # shares one string between the many items with the same gaps

    def drafts(self) -> Iterable[FindingDraft]:
        """Drafts of the page, without those that follow from an item that stands apart from its holder."""
        if not self._apart:
            return self._drafts.values()
        return [
            draft
            for draft in self._drafts.values()
            if not (draft.node in self._apart and draft.property == "itemReviewed" and draft.part == "node")
        ]

    def _add(self, key: _Key, draft: FindingDraft) -> None:
        """Add a draft, or raise the severity of an earlier draft with the same key."""
        known = self._drafts.setdefault(key, draft)
        if SEVERITIES.index(draft.severity) < SEVERITIES.index(known.severity):
            known.severity, known.profile, known.message = draft.severity, draft.profile, draft.message

    def required(self, feature: Feature, outcome: Outcome, severity: Severity, node: Node | None = None) -> None:
        """Report the gaps by which a subject misses the rich result, at the place of the gap.

        node   the subject: if a template left all its texts empty, that is one finding.
        """
        gaps = distinct_gaps(outcome.required)
        if node is not None and severity != "info" and (names := empty_texts(node, gaps)):
            self._add_empty_node(feature, node, names, severity)
            return
        for gap in gaps:
            self._add_gap(feature, gap, severity)

    def _add_empty_node(self, feature: Feature, node: Node, names: list[str], severity: Severity) -> None:
        kind = " and ".join(node.types)
        draft = _about_node(
            node, feature, _RULES["missing"], severity,
            f"the {kind} is empty: {join_words(names)} {'has' if len(names) == 1 else 'have'} no content; "
            f"{result_name(feature.name)} need it",
        )  # fmt: skip
        draft.hint = "fill in its values, or switch this block off in the program that writes it"
        self._context.empty_required.update((node, name) for name in names)
        self._empty_nodes.add(node)
        self._add((node, "empty"), draft)

    def soft(self, feature: Feature, outcome: Outcome) -> None:
        """Report gaps that do not cost the rich result, as warnings."""
        # A gap of a missing object's property follows from the missing object.
        lacking = paths_without_object(outcome.required)
        for gap in distinct_gaps(outcome.soft):
            if gap.path not in lacking and not is_below(gap.path, lacking):
                above = gap.path.partition(".")[0]
                if gap.loses is None and above != gap.path and not outcome.required and gap.severity is None:
                    # The result is earned without the object: it is the object that is not shown.
                    gap = gap._replace(loses=above)
                # What the consumer's own report calls non-critical is shown, and not needed.
                self._add_gap(feature, gap, "warning", verb="show" if gap.severity else "need")
        for gap in outcome.limits:
            is_advised = gap.kind == "unfit" and gap.note is not None and gap.note not in gap.problem
            self._add_gap(feature, gap, "warning", hint=gap.note if is_advised else None, verb="expect")

    def _add_gap(
        self, feature: Feature, gap: Gap, severity: Severity, *, hint: str | None = None, verb: str = "need"
    ) -> None:
        """Report a gap. `verb`: what the rich result does with the property, "need", "expect" or "show"."""
        key = gap_key(gap)
        if gap.problem == MISSPELT:
            if severity == "error":
                self._context.costly_types.add(gap_value(gap))
            return
        # `not_eligible` has named the gap in one sentence.
        if severity != "error" and (key in self._covered or is_never_rated(gap)):
            return
        if gap.severity and (severity == "error" or (gap.kind == "limit" and severity != "info")):
            severity = gap.severity  # type: ignore[assignment]
        place = place_of(self._context, gap) if severity != "info" else None
        if self._add_with_cause(feature, gap, severity, place, verb):
            return
        is_missing = gap.kind == "missing"
        if place and place.apart is not None:
            self._apart.add(place.apart)
        if is_missing:
            hint = (
                object_hint(gap)
                or inverse_hint(gap)
                or (place.hint if place else None)
                or self._subtype_hint(gap, feature)
                or gap.note
            )
        elif gap.kind == "unfit" and severity == "error":
            hint = gap.note if gap.note and gap.note not in gap.problem else None
        draft = FindingDraft(
            severity=severity,
            rule=_RULES[gap.kind],
            authority="google",
            profile=feature.name,
            node=gap.node,
            prop=None if is_missing else gap.prop,
            index=gap.value_index,
            part="node" if is_missing else "value",
            property=path_in_words(gap.path),
            message=self._shared(gap_message(gap, feature, severity, verb)),
            hint=hint,
            related=place.related if place else (),
        )
        self._add(key, draft)

    def _add_with_cause(self, feature: Feature, gap: Gap, severity: Severity, place: Place | None, verb: str) -> bool:
        """Report a gap at what causes it: a name, an attribute or a property without content, a property elsewhere."""
        key = gap_key(gap)
        if misspelt := self._written_wrongly(gap.node, gap.local_path):
            self._add(key, _about_spelling(gap, feature, severity, *misspelt))
        elif severity == "info":
            return False
        elif found := address_in_id(self._context, gap):
            self._context.empty_required.update((found[0], prop) for prop in found[0].props)
            self._add(key, _about_id(gap, feature, severity, *found))
        elif empty := self._empty_property(gap):
            if severity == "warning" and is_unrated(gap):
                self._context.empty_required.add((gap.node, empty))
            elif self._is_lazy(gap.node, empty):
                self._add(key, _about_lazy_image(gap, feature, severity, empty))
            else:
                self._add(key, self._about_empty(gap, feature, severity, empty, verb))
        elif place and place.misplaced:
            self._add_misplaced(gap, feature, severity, place, "value-unfit")
        else:
            return False
        return True

    def _add_misplaced(self, gap: Gap, feature: Feature, severity: Severity, place: Place, rule: str) -> None:
        """Report a gap at the properties that would fill it elsewhere: the collector raises the rule's findings."""
        for place_number, (node, prop) in enumerate(place.misplaced):
            self._context.moved[node, prop] = place.hint
            draft = FindingDraft(
                severity=severity, rule=rule, authority="google", profile=feature.name, node=node, prop=prop,
                part="key", message=f"{path_in_words(gap.path)} is missing; {result_name(feature.name)} need it",
            )  # fmt: skip
            self._add((gap_key(gap), node, prop) if place_number else gap_key(gap), draft)

    def _subtype_hint(self, gap: Gap, feature: Feature) -> str | None:
        """Hint where a property of a type with a result of its own makes clear that the item is of that type."""
        excluded = feature.profile.exclude_types
        if not excluded or gap.path != gap.local_path:
            return None
        properties = self._context.registry.vocabulary.properties
        found: list[tuple[str, str]] = []
        for prop in islice(gap.node.props, _MOST_COMPARED):
            owners = properties[prop].d if prop in properties else ()
            if len(owners) == 1 and owners[0] in excluded:
                found.append((prop, owners[0]))
        if not found:
            return None
        # An object says more than an identifier.
        prop, owner = next((pair for pair in found if any(gap.node.nodes(pair[0]))), found[0])
        return f"{prop} belongs to {owner}: write {owner} as the type"

    def _about_empty(self, gap: Gap, feature: Feature, severity: Severity, prop: str, verb: str) -> FindingDraft:
        """Draft at a property without content that a result needs."""
        cost = (
            f"this costs the {gap.loses}"
            if gap.loses
            else f"{result_name(feature.name)} {verb} {need_in_words(gap, prop)}"
        )
        return self._empty_draft(gap, feature, severity, _RULES["missing"], prop, cost)

    def _empty_draft(
        self, gap: Gap, feature: Feature, severity: Severity, rule: str, prop: str, cost: str
    ) -> FindingDraft:
        """Draft at a property without content, in place of the finding of `empty-value`."""
        from waypost.validate.rules.empty_value import FILL_IN, hint_of

        node, name, below = innermost(gap.node, prop)
        empty_required = self._context.empty_required
        empty_required.update(((gap.node, prop), (node, name)))
        # Alternatives that are empty too have the same cause: offers.price and offers.priceSpecification.price.
        for path in gap.local_path.split("|"):
            holder, _, last = path.rpartition(".")
            for inner in gap.node.nodes(holder):
                if last in inner.props and is_empty(inner, last):
                    empty_required.add((inner, last))
        hint = hint_of(node, name, self._context)
        return FindingDraft(
            severity=severity, rule=rule, authority="waypost" if rule == "empty-value" else "google",
            profile=feature.name, node=node, prop=name, property=path_in_words(gap.path),
            message=self._shared(f"{place_of_empty(gap, prop, below)} is empty; {cost}"),
            hint=hint if hint != FILL_IN else gap.note or "fill it in",
        )  # fmt: skip

    def _empty_property(self, gap: Gap) -> str | None:
        """Property of the node that is there without content, if that is why the path is missing."""
        return empty_property(gap) if self._has_empty or gap.node in self._misspelt else None

    def _written_wrongly(self, node: Node, path: str) -> tuple[str, int | None] | None:
        """(property as written, index) of a property on a missing path that stands there misspelled."""
        if self._has_usual_names(node):
            return None
        if wrong := self._misspelt.get(node):
            for name in _STEPS.split(path):
                if name in wrong:
                    return name, wrong[name]
        names = names_at(node, path)
        for written, near in self._unknown(node):
            if intended := near.intersection(names):
                if hint := did_you_mean(sorted(intended), written):
                    self._context.moved[node, written] = hint
                return written, None
        return None

    def _has_usual_names(self, node: Node) -> bool:
        """Are all properties of a node known, current and spelled right, so that none stands for another one?"""
        if node in self._usual_nodes:
            return True
        names = node.props.keys()
        is_usual = (
            names <= self._context.registry.vocabulary.properties.keys()
            and self._superseded.isdisjoint(names)
            and node not in self._misspelt
        )
        if is_usual:
            self._usual_nodes.add(node)
        return is_usual

    def _unknown(self, node: Node) -> list[tuple[str, frozenset[str]]]:
        """(unknown property of the node, properties probably intended), in the order of reading."""
        if (found := self._unknown_by_node.get(node)) is None:
            vocabulary = self._context.registry.vocabulary
            names = islice(node.props, _MOST_COMPARED)  # a page may have ten thousand wrong names
            unknown = [name for name in names if name not in vocabulary.properties]
            intended = self._context.registry.other_names.intended
            near = ((name, frozenset((*nearest(vocabulary, "properties", name), *intended(name)))) for name in unknown)
            self._unknown_by_node[node] = found = [pair for pair in near if pair[1]]
        return found

    def _stands_otherwise(self, node: Node, path: str) -> bool:
        """Does a property on a path stand there empty or under its former name? Rules of their own report these."""
        names = first_names(path)
        for part in _ALTERNATIVES.split(path):
            if empty := empty_on_way(node, part.split(".")):
                self._context.empty_recommended.add(empty)
                return True
        if (late := self._late_names.get(node)) is None:
            known = self._context.registry.vocabulary.properties
            late = frozenset(name for prop in node.props if prop in known for name in known[prop].s or ())
            self._late_names[node] = late
        return bool(late) and not late.isdisjoint(names)

    def _is_lazy(self, node: Node, prop: str) -> bool:
        """Does the address of a picture stand elsewhere on its tag? `image-lazy-placeholder` reports it."""
        return any((node, prop, index) in self._context.page.lazy_images for index in range(len(node.props[prop])))

    def not_eligible(self, subject: Subject, feature: Feature, outcome: Outcome, *, owed: Sequence[str] = ()) -> None:
        """Report a missed result of a subject with an earned result, as a single finding.

        Of an entry that owes its list only the properties `owed`, the finding is information.
        """
        gaps = [gap for gap in distinct_gaps(outcome.required) if gap.problem != MISSPELT]
        if all(gap_key(gap) in self._drafts for gap in gaps):
            return
        self._covered.update(map(gap_key, gaps))
        if not owed:
            gaps = [gap for gap in gaps if not self._explain_apart(gap, feature)]
        if not gaps:
            return
        missing, parts = gaps_in_words(gaps)
        draft = _about_node(
            subject.node, feature, "feature-not-eligible", "info" if owed else "warning",
            f"{_type_of(subject)}not eligible for {result_name(feature.name)}: {'; '.join(parts)}",
        )  # fmt: skip
        draft.property = missing[0] if len(missing) == 1 else None
        draft.about = (describe(subject.node),)
        if owed:
            draft.hint = f"an entry of a list needs only {join_words(owed)}; the page at its url carries the rest"
        elif place := next(filter(None, (place_of(self._context, gap) for gap in gaps)), None):
            draft.hint, draft.related = place.hint, place.related
        self._add((subject.node, feature.name), draft)

    def nothing_read(self, subject: Subject, feature: Feature) -> None:
        """Report an item without a single property that the result reads, of a profile that requires none."""
        message = f"the {' and '.join(subject.node.types)} has no property that {result_name(feature.name)} read"
        draft = _about_node(subject.node, feature, "feature-not-eligible", "info", message)
        draft.about = (describe(subject.node), "nothing read")
        self._add((subject.node, feature.name), draft)

    def _explain_apart(self, gap: Gap, feature: Feature) -> bool:
        """Report a gap of a missed result at the property that causes it; False for a gap without such a place."""
        if misspelt := self._written_wrongly(gap.node, gap.local_path):
            self._add(gap_key(gap), _about_spelling(gap, feature, "warning", *misspelt, rule="feature-not-eligible"))
        elif gap.kind == "unfit" and not gap.certain:
            self._add((gap.node, feature.name, gap.prop, gap.value_index), _about_value(gap, feature))
        elif (empty := self._empty_property(gap)) and self._is_lazy(gap.node, empty):
            self._add(gap_key(gap), _about_lazy_image(gap, feature, "warning", empty))
        elif empty:
            cost = f"not eligible for {result_name(feature.name)}"
            self._add(gap_key(gap), self._empty_draft(gap, feature, "warning", "empty-value", empty, cost))
        elif (place := place_of(self._context, gap)) and place.misplaced:
            self._add_misplaced(gap, feature, "warning", place, "feature-not-eligible")
        else:
            return False
        return True

    def too_few(self, subject: Subject, feature: Feature, count: int, least: int) -> None:
        """Report a result that is shown for lists only, where the list is too short or missing."""
        there = "there is one" if count == 1 else f"there are {count}"
        message = f"{result_name(feature.name)} are shown only for a list of at least {least} items; here {there}"
        draft = _about_node(subject.node, feature, "profile-limit", "warning", message)
        draft.hint = f"put {least} or more into an ItemList, each as the item of a ListItem"
        self._add((subject.node, feature.name, "list"), draft)

    def recommended(self, subject: Subject, evaluated: Sequence[tuple[Feature, Outcome]]) -> None:
        """Report missing recommended properties of a subject in a single finding, and uncertain properties in a second.

        A path is left out if the path, or a path above, is reported already.
        """
        if subject.node in self._empty_nodes:
            return
        recommended = self._missing_recommended(evaluated)
        lacking = {
            gap.path for _, outcome in evaluated for gap in (*outcome.required, *outcome.soft) if gap.kind == "missing"
        }
        reported = {*lacking, *(part for path in lacking for part in path.split("|"))}
        above = {*reported, *recommended}
        by_severity: dict[Severity, list[str]] = {"warning": [], "info": []}
        for path, feature in recommended.items():
            if path not in reported and not (is_below(path, above) or is_of_group(subject.node, path)):
                by_severity["warning" if feature.profile.required else "info"].append(path)
        for severity, paths in by_severity.items():
            if paths:
                self._add_recommended(subject, recommended[paths[0]], paths, severity)
        for feature, outcome in evaluated:
            uncertain = unreported(outcome.maybe_required, recommended, lacking)
            self._add_uncertain(subject, feature, uncertain, "required-property-missing", "required")
        for feature, outcome in evaluated:
            uncertain = unreported(outcome.maybe_recommended, recommended, lacking)
            self._add_uncertain(subject, feature, uncertain, "recommended-property-missing", "add")

    def _missing_recommended(self, evaluated: Sequence[tuple[Feature, Outcome]]) -> dict[str, Feature]:
        """Missing path -> feature that recommends the path."""
        recommended: dict[str, Feature] = {}
        # Profiles with requirements first: a path that several profiles recommend counts for one of these.
        for feature, outcome in sorted(evaluated, key=lambda pair: not pair[0].profile.required):
            for path, node in outcome.recommended.items():
                is_missing = not self._has_empty and self._has_usual_names(node)
                if is_missing or not (self._written_wrongly(node, path) or self._stands_otherwise(node, path)):
                    recommended.setdefault(path, feature)
        return recommended

    def _add_recommended(self, subject: Subject, feature: Feature, paths: list[str], severity: Severity) -> None:
        names = [list_entry(path) for path in paths]
        number = "1 recommended property is" if len(names) == 1 else f"{len(names)} recommended properties are"
        line = f"{' and '.join(subject.node.types)}: {number} missing: {', '.join(names)}"
        draft = _about_node(subject.node, feature, "recommended-property-missing", severity, self._shared(line))
        draft.property = names[0] if len(names) == 1 else None
        draft.about = (describe(subject.node), severity)
        self._add((subject.node, "recommended", severity), draft)

    def _add_uncertain(
        self, subject: Subject, feature: Feature, paths: dict[str, tuple[str, ...]], rule: str, what: str
    ) -> None:
        """Report paths required or recommended under intents unknown from the markup."""
        if paths and not self._has_usual_names(subject.node):
            paths = {path: why for path, why in paths.items() if not self._written_wrongly(subject.node, path)}
        if not paths:
            return
        names = [
            f"{list_entry(path)} ({' or '.join(intents)})" if intents else list_entry(path)
            for path, intents in paths.items()
        ]
        message = f"{' and '.join(subject.node.types)}: {what} if it applies: {', '.join(names)}"
        draft = _about_node(subject.node, feature, rule, "info", message)
        draft.property = path_in_words(next(iter(paths))) if len(paths) == 1 else None
        draft.about = (describe(subject.node), "perhaps")
        self._add((subject.node, feature.name, rule), draft)

    def retired(self, node: Node, feature: Feature) -> None:
        """Report markup for a rich result that has been retired."""
        profile = feature.profile
        since = f"since {profile.retired_on}" if profile.retired_on else "any more"
        message = f"{profile.title}: no rich result {since}; the markup is still valid"
        self._add((node, feature.name), _about_node(node, feature, "rich-result-retired", "info", message))

    def restricted(self, subject: Subject, feature: Feature) -> None:
        """Report an earned rich result as restricted to some sites."""
        message = f"{feature.profile.title} is shown for some sites or users only"
        draft = _about_node(subject.node, feature, "rich-result-restricted", "info", message)
        draft.hint = feature.profile.notes
        self._add((subject.node, feature.name), draft)

    def supposed(self, subject: Subject, feature: Feature) -> None:
        """Report the condition of an earned rich result that the markup cannot show."""
        words = " and ".join(intents(feature.profile.applies_when))
        message = f"{feature.profile.title} is shown only if {words}"
        draft = _about_node(subject.node, feature, "rich-result-restricted", "info", message)
        draft.hint = feature.profile.notes
        self._add((subject.node, feature.name), draft)

    def _shared(self, message: str) -> str:
        return self._messages.setdefault(message, message)


@lru_cache(maxsize=4)
def _superseded(vocabulary: Vocabulary) -> frozenset[str]:
    """Properties with another one in their place."""
    return frozenset(name for name, term in vocabulary.properties.items() if term.s)


def _about_node(node: Node, feature: Feature, rule: str, severity: Severity, message: str) -> FindingDraft:
    return FindingDraft(
        severity=severity, rule=rule, authority="google", profile=feature.name, node=node, part="node", message=message
    )


def _about_value(gap: Gap, feature: Feature) -> FindingDraft:
    """Draft at a value that a rule explains: the collector adds the missed result to the rule's finding."""
    return FindingDraft(
        severity="warning", rule="feature-not-eligible", authority="google", profile=feature.name, node=gap.node,
        prop=gap.prop, index=gap.value_index, property=gap.path,
        message=f"not eligible for {result_name(feature.name)}: {gap_sentence(gap)}",
    )  # fmt: skip


def _about_lazy_image(gap: Gap, feature: Feature, severity: Severity, prop: str) -> FindingDraft:
    """Draft at a picture without an address: the collector gives its cost to `image-lazy-placeholder`."""
    rule = "value-unfit" if severity == "error" else "feature-not-eligible"
    return FindingDraft(
        severity=severity, rule=rule, authority="google", profile=feature.name, node=gap.node, prop=prop, index=0,
        property=path_in_words(gap.path),
        message=f"{place_in_words(gap, prop)} is empty; {result_name(feature.name)} need it",
    )  # fmt: skip


def _type_of(subject: Subject) -> str:
    """Type of a subject inside of another item, for the front of a message; empty for an item."""
    return f"{' and '.join(subject.node.types)}: " if subject.node.parent is not None else ""


def _about_spelling(
    gap: Gap, feature: Feature, severity: Severity, name: str, index: int | None, *, rule: str = "value-unfit"
) -> FindingDraft:
    """Draft at the name of the property: the collector gives its severity to the finding about the name."""
    return FindingDraft(
        severity=severity, rule=rule, authority="google", profile=feature.name, node=gap.node, prop=name,
        index=index, part="key", message=f"{gap.path} is missing; {result_name(feature.name)} need it",
    )  # fmt: skip


def _about_id(gap: Gap, feature: Feature, severity: Severity, node: Node, name: Span) -> FindingDraft:
    """Draft at an object of Microdata whose address stands in the attribute id."""
    return FindingDraft(
        severity=severity, rule=_RULES["missing"], authority="google", profile=feature.name, node=node, part="node",
        property=path_in_words(gap.path), message=f"{path_in_words(gap.path)} has no address: id is not read as one; "
        f"{result_name(feature.name)} need it",
        hint="write itemid in place of id", edits=((name, "itemid"),),
    )  # fmt: skip
