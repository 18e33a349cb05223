"""Suppressions written in a page: comments and attributes that say which findings to ignore.

    <!-- waypost-ignore RULE, RULE: reason -->          the next element
    <!-- waypost-ignore-start RULE: reason --> ... <!-- waypost-ignore-end -->
    <!-- waypost-ignore-file RULE: reason -->           the page
    <div data-waypost-ignore="RULE: reason">            this element

In code the comments are those of the language, `// waypost-ignore RULE: reason`, and the next member or object is what
they are about.

RULE is a rule's name (a former one too) or a profile's; without any the suppression is about all findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from waypost.formats.patterns import pattern
from waypost.formats.text import join_words, near
from waypost.models.finding import Finding, Suppression
from waypost.models.page import Page, Span
from waypost.reader.extents import Extents
from waypost.validate.item import FindingDraft
from waypost.validate.rulebook import Rule, rules_by_name

_NAME = "waypost-ignore"
_ATTRIBUTE = f"data-{_NAME}"
# Bounded, and never across the end of a comment: a directive cannot reach into the next one.
_COMMENT = pattern(
    r"<!--\s{0,8}waypost-ignore(?P<kind>-start|-end|-file)?(?![\w-])(?P<content>(?:(?!-->).){0,1000})-->", re.DOTALL
)
_CODE_COMMENT = pattern(
    r"(?://|\#|/\*\*?)[ \t]{0,8}waypost-ignore(?P<kind>-start|-end|-file)?(?![\w-])"
    r"(?P<content>(?:(?!\*/)[^\n]){0,1000})(?:\*/)?"
)
MOST = 200
"""Suppressions per page; further suppressions are not read."""


class Directive(msgspec.Struct):
    """Suppression in a page.

    span   the comment, or the attribute's value.
    scope  text covered by the suppression.
    rules  names of rules and profiles; empty for every rule.
    used   names with a suppressed finding; "" for a suppression without names.
    """

    span: Span
    scope: Span
    rules: tuple[str, ...]
    reason: str
    is_comment: bool
    used: set[str] = set()


def suppressed_ranges(page: Page) -> Iterator[tuple[int, int, tuple[str, ...], str]]:
    """(start, end, rules, reason) of every suppression of a page, in bytes of the file."""
    if _has_code(page) or not _is_json(page.text):
        for directive in _directives(page)[0]:
            start, end = _byte_range(page, directive)
            yield start, end, directive.rules, directive.reason


def suppress(
    page: Page, findings: Sequence[Finding], rules: Mapping[str, Rule]
) -> tuple[list[Finding], list[Finding], list[FindingDraft]]:
    """(active findings, suppressed findings, drafts about the suppressions). `rules`: all that there are."""
    has_elements = _has_code(page) or not _is_json(page.text)
    if not has_elements or any(error.rule == "html-repeated-root-tag" for error in page.read_errors):
        return list(findings), [], []  # without a tree there are no elements to suppress
    directives, drafts = _directives(page)
    ranges = [(directive, *_byte_range(page, directive)) for directive in directives]
    active: list[Finding] = []
    suppressed: list[Finding] = []
    for finding in findings:
        first = None
        for directive, start, end in ranges:
            if start <= finding.start < end and (name := _matching_name(directive, finding)) is not None:
                # Each directive around the finding counts as used, or the outer one would be reported as unused.
                directive.used.add(name)
                first = first or directive
        if first is None:
            active.append(finding)
        else:
            finding.suppression = Suppression("page", first.reason or None)
            suppressed.append(finding)
    for directive in directives:
        drafts += _about(directive, rules)
    return active, suppressed, drafts


def _has_code(page: Page) -> bool:
    return page.computed is not None and bool(page.computed.code or page.computed.inside)


def _is_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _byte_range(page: Page, directive: Directive) -> tuple[int, int]:
    """Bytes covered by a directive; at least a single byte, to cover findings at the start."""
    start, end = page.locate.byte_range(directive.scope)
    return start, max(end, start + 1)


def _matching_name(directive: Directive, finding: Finding) -> str | None:
    """Name by which a directive covers a finding, "" for a directive without names; `None` if not covered."""
    if not directive.rules:
        return ""
    rule = rules_by_name().get(finding.rule)
    names = (finding.rule, finding.profile, *(rule.aliases if rule else ()))
    return next((name for name in directive.rules if name in names), None)


def _directives(page: Page) -> tuple[list[Directive], list[FindingDraft]]:
    """Suppressions of a page, and drafts about ends without a start."""
    if page.computed is not None and (code := page.computed.code):
        from waypost.reader.brackets import extent_in_code

        return _in_comments(code, _CODE_COMMENT, partial(extent_in_code, code))
    extents = Extents(page.text)
    directives, drafts = _in_comments(page.text, _COMMENT, extents.after)
    if page.computed is not None and (inside := page.computed.inside):
        from waypost.reader.brackets import extent_in_code

        own, further = _in_comments(inside, _CODE_COMMENT, partial(extent_in_code, inside))
        directives += own
        drafts += further
    for scope, span, content in extents.having(_ATTRIBUTE)[:MOST]:
        directives.append(Directive(span, scope, *_parse(content), is_comment=False))
    return directives, drafts


def _in_comments(
    text: str, comments: re.Pattern[str], after: Callable[[int], Span | None]
) -> tuple[list[Directive], list[FindingDraft]]:
    """Suppressions in comments. `after`: what follows an offset: the next element, or member of an object."""
    directives: list[Directive] = []
    drafts: list[FindingDraft] = []
    open_: list[Directive] = []
    for comment in comments.finditer(text):
        span = Span(*comment.span())
        kind = comment["kind"]
        if kind == "-end":
            if open_:
                # Pairs nest: an end closes the last start.
                start = open_.pop()
                start.scope = Span(start.scope.start, span.start)
            else:
                drafts.append(_unused(span, f"{_NAME}-end ends nothing that was started", is_comment=True))
            continue
        if len(directives) >= MOST:
            break
        if kind == "-file":
            scope = Span(0, len(text))
        elif kind == "-start":
            scope = Span(span.end, len(text))  # until an end is found
        else:
            scope = after(span.end) or Span(span.end, span.end)
        directives.append(Directive(span, scope, *_parse(comment["content"]), is_comment=True))
        if kind == "-start":
            open_.append(directives[-1])
    return directives, drafts


def _parse(content: str) -> tuple[tuple[str, ...], str]:
    """(rules, reason) of a directive."""
    names, _, reason = content.partition(":")
    return tuple(dict.fromkeys(re.split(r"[\s,]+", names.strip().lower()))) if names.strip() else (), reason.strip()


def _about(directive: Directive, rules: Mapping[str, Rule]) -> Iterator[FindingDraft]:
    """Drafts about a directive without a reason, and about names that suppress nothing."""
    if not directive.reason:
        yield FindingDraft(
            rule="suppression-without-reason", authority="waypost", severity="info", span=directive.span,
            message="no reason is given for ignoring this", hint="add one after a colon, as in `rule-name: until May`",
        )  # fmt: skip
    if directive.rules:
        yield from _about_unused_names(directive, rules)
    elif not directive.used:
        yield _unused(directive.span, "there is nothing to ignore here", is_comment=directive.is_comment)


def _about_unused_names(directive: Directive, rules: Mapping[str, Rule]) -> Iterator[FindingDraft]:
    # Rules about several pages: a single page does not show whether the rule has findings.
    unused = [
        name for name in directive.rules
        if name not in directive.used and not (name in rules and rules[name].check_site is not None)
    ]  # fmt: skip
    if not unused:
        return
    unknown = [name for name in unused if name not in rules and "/" not in name]
    if unknown:
        similar = near(unknown[0], rules)
        hint = f"did you mean {join_words(similar, 'or')}?" if similar else "`waypost rules` lists them"
        yield _unused(directive.span, f"there is no rule named {unknown[0]}", hint)
        return
    message = f"{join_words(unused)} {'matches' if len(unused) == 1 else 'match'} no finding here any more"
    if len(unused) == len(directive.rules):
        yield _unused(directive.span, message, is_comment=directive.is_comment)
    else:
        yield _unused(directive.span, message, f"keep {join_words(sorted(directive.used))} alone")


def _unused(span: Span, message: str, hint: str = "remove it", is_comment: bool = False) -> FindingDraft:
    edits = ((span, ""),) if is_comment else ()  # a whole comment can be removed without harm
    return FindingDraft(
        rule="suppression-unused", authority="waypost", severity="warning", span=span, message=message, hint=hint,
        edits=edits,
    )  # fmt: skip
