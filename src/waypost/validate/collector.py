"""Collector of findings: completes drafts with location, pointer, fingerprint and fix, and drops repetitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from waypost.models.finding import (
    SEVERITIES,
    Authority,
    Compared,
    Edit,
    Finding,
    Fix,
    Related,
    Severity,
    label_of,
    result_name,
)
from waypost.models.page import Node, Page, ReadError, Span
from waypost.registry.report_sentences import sentence_of
from waypost.validate.fingerprints import Fingerprints
from waypost.validate.item import FindingDraft, RuleContext, is_between_tags, name_of
from waypost.validate.rulebook import Rule, rules_of

MOST_FINDINGS = 10_000
_INDEXES = re.compile(r"(?:/[0-9]+)+\Z")  # a key belongs to all the values of its list
_MOST_STEPS = 200
_PLACEHOLDER = "placeholder-value"
_BY_PROFILE = frozenset({"value-unfit", "feature-not-eligible"})
_READ_ALL_THE_SAME = frozenset({"json-duplicate-key"})
_NO_VALUE = frozenset({"json-template-left", "json-not-a-number"})
_Key: TypeAlias = tuple[Any, ...]


class _Source(NamedTuple):
    """Place of a finding in the markup."""

    span: Span
    syntax: str
    block: int | None
    pointer: str


_HIDING = frozenset({"html-attribute-unclosed"})
_MEANINGLESS = frozenset({"jsonld-context-missing", "rdfa-vocab-missing"})
_MISSING = frozenset({"required-property-missing", "recommended-property-missing"})


class FindingCollector:
    """Findings of a page without repetitions, at most `MOST_FINDINGS`. `truncated`: further findings were dropped."""

    def __init__(self, context: RuleContext, site: str, verdicts: Mapping[Node, int] | None = None) -> None:
        self.truncated = False
        self._unread_blocks: set[tuple[str, int]] = set()
        self._unread_types: set[Span] = set()
        self._context = context
        self._page = context.page
        self._rules = rules_of(context.registry)
        self._site = site.rstrip("/")
        self._findings: dict[_Key, Finding] = {}
        self._keys_by_span: dict[Span, list[_Key]] = {}
        self._unknown_types: dict[Span, _Key] = {}
        self._fingerprints = Fingerprints(context.page)
        self._items = {node: number for number, node in enumerate(context.page.roots)}
        self._verdicts = verdicts or {}
        self._first_items: dict[int, int] | None = None  # of each script
        # Placeholders of templates, `NaN`, `undefined`: a value that is none is reported once, whatever it costs.
        self._left_templates = {
            span
            for error in context.page.read_errors
            if error.rule in _NO_VALUE
            or (error.rule == "json-literal-case" and error.detail.get("correction") == "null")
            for span in (error.span, *(span for _, span in error.related))
        }

        self._without_vocab = {error.span for error in context.page.read_errors if error.rule == "rdfa-vocab-missing"}
        # What follows from an error met while reading: a type without itemscope makes a text of an object.
        self._causes: dict[tuple[str, Span], ReadError] = {
            effect: error for error in context.page.read_errors for effect in error.detail.get("effects", ())
        }
        # Items in which an attribute without a closing quote hides markup, and those whose names have no meaning.
        self._hidden = _blocks(context.page, _HIDING)
        self._meaningless = _blocks(context.page, _MEANINGLESS)
        self._costs: dict[tuple[str, Span], str] = {}  # rule and place of such an error -> profile that it costs

    def collect(self, drafts: Iterable[FindingDraft]) -> list[Finding]:
        """Add drafts and return the findings."""
        for draft in drafts:
            self.add(draft)
        return self.findings()

    def add(self, draft: FindingDraft, rule: Rule | None = None) -> None:
        """Complete a draft of `rule` and store the finding, unless an equal or overriding finding exists."""
        name = draft.rule or (rule.name if rule else "")
        source = self._source(draft)
        if self._page.guessed and self._is_guessed(draft, source):
            return
        if (self._hidden or self._meaningless) and draft.read_error is None:
            block = (source.syntax, source.block)
            # Without a meaning nothing of the item is read: what it lacks is not yet known.
            if block in self._hidden or (block in self._meaningless and name in _MISSING):
                return
        if draft.read_error is None and self._follows(draft, source.span):
            return
        if self._causes and (cause := self._cause(name, draft, source.span)):
            if draft.profile and draft.severity == "error":
                self._costs.setdefault((cause.rule, cause.span), draft.profile)
            return
        # Not by property: `itemprop="dateCreated datePublished"` gives one value to several, which is one thing to do.
        key = (name, source.span, draft.profile, draft.message)
        if key in self._findings or self._is_overridden(name, draft, source.span):
            return
        if len(self._findings) >= MOST_FINDINGS:
            self.truncated = True
            return
        if draft.prop is not None:
            self._keys_by_span.setdefault(source.span, []).append(key)
        if name == "unknown-type":
            self._unknown_types[source.span] = key
        self._findings[key] = self._finding(name, rule, draft, source)
        self._note_unread(name, draft, source)

    def _follows(self, draft: FindingDraft, span: Span) -> bool:
        """Does a finding follow from another: a rest of a template, a type without vocab, a value reported as empty?"""
        if span in self._left_templates:
            return True
        if draft.profile is None:
            return (draft.node, draft.prop) in self._context.empty_required
        return bool(self._without_vocab) and self._has_no_vocab(draft.node)

    def _has_no_vocab(self, node: Node | None) -> bool:
        """Is a node, or one that holds it, RDFa whose type no vocabulary defines?"""
        for _ in range(_MOST_STEPS):
            if node is None or node.block.syntax != "rdfa":
                return False
            if self._page.span_of(node, None, None, "type") in self._without_vocab:
                return True
            node = node.parent
        return False

    def _note_unread(self, name: str, draft: FindingDraft, source: _Source) -> None:
        # A repeated key is an error about a lost value, but consumers read the script all the same.
        if draft.read_error is None or draft.severity != "error" or name in _READ_ALL_THE_SAME:
            return
        if source.block is None:
            self._unread_types.add(source.span)
        else:
            self._unread_blocks.add((source.syntax, source.block))

    def _is_guessed(self, draft: FindingDraft, source: _Source) -> bool:
        """Is a finding about a script that was guessed, and so perhaps about nothing that was written?"""
        guessed = self._page.guessed
        is_inside = source.syntax == "json-ld" and source.block is not None and source.block in guessed
        return is_inside and draft.read_error is not guessed[source.block or 0]

    def _cause(self, name: str, draft: FindingDraft, span: Span) -> ReadError | None:
        """Error met while reading of which a finding is an effect."""
        if draft.read_error is not None or draft.prop is None:
            return None
        return self._causes.get((name if draft.part == "key" else "", span))

    def is_unread(self, node: Node) -> bool:
        """Does an error keep consumers from reading the node: in its script as a whole, or in the name of its type?"""
        if (node.block.syntax, node.block.index) in self._unread_blocks:
            return True
        return bool(self._unread_types) and self._page.span_of(node, None, None, "type") in self._unread_types

    def _finding(self, name: str, rule: Rule | None, draft: FindingDraft, source: _Source) -> Finding:
        location = self._page.locate(source.span)
        by_profile = draft.profile is not None and self._rules[name].engine == "profiles"
        page_name = f"profiles/{draft.profile}" if by_profile else f"rules/{name}"
        error = draft.read_error
        edits = draft.edits or (error.edits if error else ())
        related = draft.related or (error.related if error else ())
        item = self._item(draft.node) if error is None else self._item_of_error(error, source)
        return Finding(
            rule=name,
            severity=draft.severity,
            authority=self._authority(draft, rule),
            profile=draft.profile,
            message=draft.message,
            hint=draft.hint,
            syntax=source.syntax,
            block=source.block,
            pointer=source.pointer,
            property=draft.property or draft.prop,
            start=location.start,
            end=location.end,
            line=location.line,
            column=location.column,
            end_line=location.end_line,
            end_column=location.end_column,
            utf16_column=location.utf16_column,
            utf16_end_column=location.utf16_end_column,
            doc_url=f"{self._site}/{page_name}/",
            fingerprint=self._fingerprints.of(name, draft, source.pointer, source.span, source.syntax),
            fix=_fix(edits, draft.safe and not self._is_in_broken_block(source), self._page, source.syntax),
            related=tuple(self._related(message, where) for message, where in related),
            compared=tuple(self._compared(*each) for each in draft.compared),
            item=item,
            verdict=self._verdict(draft.node) if error is None else self._verdict_of_item(item),
            node=self._node_apart(draft.node) if error is None else None,
        )

    def _authority(self, draft: FindingDraft, rule: Rule | None) -> Authority:
        """Authority behind a finding: a profile of a project is the project's word."""
        authority = draft.authority or (rule.authority if rule else "google")
        own = self._context.registry.own_consumers
        is_own = bool(own) and draft.profile is not None and draft.profile.partition("/")[0] in own
        return "project" if authority == "google" and is_own else authority

    def _item_of_error(self, error: ReadError, source: _Source) -> int | None:
        """Index of the item that a read error is about."""
        return self._item(error.detail["owner"]) if "owner" in error.detail else self._first_item(source)

    def _first_item(self, source: _Source) -> int | None:
        """Index of the first item of a script; None for other markup, and where names and types were guessed."""
        if source.syntax != "json-ld" or source.block in self._page.guessed:
            return None
        if self._first_items is None:
            roots = [
                (node.block.index, number) for node, number in self._items.items() if node.block.syntax == "json-ld"
            ]
            # Reversed, so that the first item of each script is the one that stays.
            self._first_items = dict(reversed(roots))
        return self._first_items.get(source.block if source.block is not None else -1)

    def _item(self, node: Node | None) -> int | None:
        """Index of the item that holds a node or refers to it."""
        # Holders may form a circle through references.
        for _ in range(_MOST_STEPS):
            if node is None or node in self._items:
                break
            node = node.same_as or node.parent or (node.referrers[0][0] if node.referrers else None)
        return self._items.get(node) if node is not None else None

    def item_of(self, node: Node) -> int | None:
        """Index of the item that holds a node or refers to it."""
        return self._item(node)

    def _verdict(self, node: Node | None) -> int | None:
        """Index of the verdict about the nearest node that holds a node or refers to it."""
        for _ in range(_MOST_STEPS):
            if node is None or node in self._verdicts:
                break
            node = node.same_as or node.parent or (node.referrers[0][0] if node.referrers else None)
        return self._verdicts.get(node) if node is not None else None

    def _verdict_of_item(self, item: int | None) -> int | None:
        return self._verdicts.get(self._page.roots[item]) if item is not None else None

    def _node_apart(self, node: Node | None) -> str | None:
        """Name of the node that stands apart from its item and holds a node; None for what stands in its item."""
        for _ in range(_MOST_STEPS):
            if node is None or node in self._items:
                return None
            if node.same_as is None and (node.parent is None or node.block.is_apart(node)):
                return label_of(node.types, name_of(node))
            node = node.same_as or node.parent
        return None

    def _source(self, draft: FindingDraft) -> _Source:
        if draft.read_error is not None:
            error = draft.read_error
            return _Source(error.span, error.syntax, error.block, error.pointer)
        node = draft.node
        if node is None:
            return _Source(draft.span or Span(0, 0), "html", None, "")
        span = draft.span or self._page.span_of(node, draft.prop, draft.index, draft.part)
        home, prop, index = self._page.source_of(node, draft.prop, draft.index)
        syntax = home.block.syntax
        pointer = home.block.pointer(home, prop if prop in home.props else None, index)
        if draft.part == "key" and syntax == "json-ld":
            pointer = _INDEXES.sub("", pointer)
        return _Source(span, syntax, home.block.index, pointer)

    def _is_in_broken_block(self, source: _Source) -> bool:
        """Is the finding about a script that stays broken after the safe fixes? None of its fixes is safe then."""
        return source.syntax == "json-ld" and source.block in self._page.broken_blocks

    def _is_overridden(self, name: str, draft: FindingDraft, span: Span) -> bool:
        """Is a value unfit for a profile already reported by a rule? The rule's finding gets the higher severity."""
        if name not in _BY_PROFILE or (draft.prop is None and name == "feature-not-eligible"):
            return False
        if name == "value-unfit" and (value := self._of_unknown_type(draft)) is not None:
            if draft.severity == "error":
                self._raise_unknown_type(value)
            return True
        keys = [key for key in self._keys_by_span.get(span, ()) if self._findings[key].severity != "info"]
        if name == "feature-not-eligible":
            if keys:
                known = self._findings[keys[0]]
                # An error is one for the sake of another result, which is named first.
                names = [known.profile, draft.profile] if known.severity == "error" else [draft.profile]
                results = " and ".join(result_name(name) for name in names if name)
                message = f"{known.message}; not eligible for {results}"
                self._findings[keys[0]] = msgspec.structs.replace(
                    known, message=message, profile=known.profile or draft.profile
                )
            return bool(keys)
        if keys and draft.severity == "error" and all(self._findings[key].severity != "error" for key in keys):
            raised = msgspec.structs.replace(self._findings[keys[0]], severity="error", profile=draft.profile)
            self._findings[keys[0]] = raised
        return bool(keys)

    def _of_unknown_type(self, draft: FindingDraft) -> Node | None:
        """Node of unknown types only that is the value of a draft; unknown-type reports the types."""
        if draft.node is None or draft.prop is None or draft.part == "key":
            return None
        value = draft.node.props[draft.prop][draft.index or 0]
        known = self._context.registry.vocabulary.types
        is_unknown = isinstance(value, Node) and value.types and not any(name in known for name in value.types)
        return value if is_unknown and isinstance(value, Node) else None

    def _raise_unknown_type(self, value: Node) -> None:
        """Make an error of the finding about a type, where a rich result needs the value."""
        if key := self._unknown_types.get(self._page.span_of(value, None, None, "type")):
            self._set_severity(key, "error")

    def _set_severity(self, key: _Key, severity: Severity) -> None:
        self._findings[key] = msgspec.structs.replace(self._findings[key], severity=severity)

    def _related(self, message: str, where: Any) -> Related:
        span = where if isinstance(where, Span) else self._page.span_of(*where)
        line, column = self._page.locate.line_and_column(span.start)
        return Related(message=message, line=line, column=column)

    def _compared(self, source: Literal["markup", "page", "feed"], value: str, span: Span) -> Compared:
        line, column = self._page.locate.line_and_column(span.start)
        return Compared(source=source, value=value, line=line, column=column)

    def findings(self) -> list[Finding]:
        """Findings in document order."""
        for keys in self._keys_by_span.values():
            if len(keys) > 1:
                self._drop_about_placeholder(keys)
        if self._costs:
            self._add_costs()
        return sorted(map(self._with_sentence, self._findings.values()), key=document_order)

    def _with_sentence(self, finding: Finding) -> Finding:
        """Finding with the sentence of the consumer's own report; last, because a finding may get a profile late."""
        sentence = sentence_of(self._context.registry, finding.rule, finding.profile, finding.property)
        return finding if sentence is None else msgspec.structs.replace(finding, search_console=sentence)

    def _add_costs(self) -> None:
        """Make errors of the findings whose effects cost a rich result."""
        for key, finding in self._findings.items():
            profile = self._costs.get(key[:2])
            if profile is not None:
                message = f"{finding.message}; {result_name(profile)} need it"
                self._findings[key] = msgspec.structs.replace(
                    finding, severity="error", profile=profile, message=message
                )

    def _drop_about_placeholder(self, keys: list[_Key]) -> None:
        """Drop further findings about a placeholder value. The highest severity stays."""
        placeholder = next((key for key in keys if key[0] == _PLACEHOLDER), None)
        others = [key for key in keys if key[0] != _PLACEHOLDER]
        if placeholder is None or not others:
            return
        dropped = [self._findings.pop(key) for key in others]
        known = self._findings[placeholder]
        severities = [known.severity, *(finding.severity for finding in dropped)]
        missed = [(each.profile, words) for each in dropped if (words := _missed_result(each))]
        cost = f"; not eligible for {' and '.join(words for _, words in missed)}" if missed else ""
        self._findings[placeholder] = msgspec.structs.replace(
            known,
            severity=min(severities, key=SEVERITIES.index),
            message=known.message + cost,
            profile=known.profile or (missed[0][0] if missed else None),
        )


def _missed_result(finding: Finding) -> str:
    """Result that a finding about a value calls missed, in words; empty if none."""
    if finding.rule == "feature-not-eligible" and finding.profile:
        return result_name(finding.profile)
    return finding.message.partition("; not eligible for ")[2]


def _blocks(page: Page, rules: frozenset[str]) -> set[tuple[str, int | None]]:
    """Scripts and items with a read error of certain rules."""
    found = (error for error in page.read_errors if error.rule in rules and error.block is not None)
    return {(error.syntax, error.block) for error in found}


def document_order(finding: Finding) -> tuple[int, int, int, str]:
    """Sort key: by start, then severity, end and rule."""
    return finding.start, SEVERITIES.index(finding.severity), finding.end, finding.rule


def _fix(edits: Sequence[tuple[Span, str]], safe: bool, page: Page, syntax: str) -> Fix | None:
    """Fix of edits; unsafe if text for people changes, `None` if the text contains elements."""
    if not edits:
        return None
    for span, _ in edits:
        if span.start < span.end and is_between_tags(page, span, syntax):
            # A replacement would remove the elements with the text.
            if "<" in page.source_text(*span):
                return None
            safe = False
    ranges = ((*page.locate.byte_range(span), text) for span, text in edits)
    return Fix(safe=safe, edits=tuple(Edit(start=start, end=end, text=text) for start, end, text in ranges))
