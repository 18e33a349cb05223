"""What a page itself says not to tell: words in comments and attributes, and what became of each.

    <!-- waypost-ignore RULE, RULE: reason -->          the next element
    <!-- waypost-ignore-start RULE: reason --> ... <!-- waypost-ignore-end -->
    <!-- waypost-ignore-file RULE: reason -->           the page
    <div data-waypost-ignore="RULE: reason">            this element

RULE is a rule's name (a former one too) or a profile's; without any the word is about all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from waypost.extract.extents import Extents
from waypost.formats.patterns import pattern
from waypost.formats.text import join_words, near
from waypost.models.finding import Finding, Suppression
from waypost.models.page import Page, Span
from waypost.validate.item import FindingDraft
from waypost.validate.rulebook import rules_by_name

_WORD = "waypost-ignore"
_ATTRIBUTE = f"data-{_WORD}"
_COMMENT = pattern(
    r"<!--\s{0,8}waypost-ignore(?P<kind>-start|-end|-file)?(?![\w-])(?P<said>(?:(?!-->).){0,1000})-->", re.DOTALL
)
MOST = 200
"""Words of a page that are heeded."""


class Word(msgspec.Struct):
    """One word of the page: the places it is about, the rules (none: all), why, and what of it was of use.

    place  where it is written: the whole comment, or the attribute's value.
    used   the rules for which it kept something back ("" for a word about all).
    """

    place: Span
    scope: Span
    rules: tuple[str, ...]
    reason: str
    is_comment: bool
    used: set[str] = set()


def words_of(page: Page) -> Iterator[tuple[int, int, tuple[str, ...], str]]:
    """(start, end, rules, reason) of every word of a page that hushes something, in bytes of the file."""
    if page.text.lstrip()[:1] not in ("{", "["):
        for word in _words(page.text)[0]:
            scope = page.locate(word.scope)
            yield scope.start, max(scope.end, scope.start + 1), word.rules, word.reason


def split(page: Page, findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding], list[FindingDraft]]:
    """(what is told, what is kept back, what is to be said about the words themselves)"""
    text = page.text
    if text.lstrip()[:1] in ("{", "["):
        return list(findings), [], []
    if any(read_error.rule == "html-repeated-root-tag" for read_error in page.read_errors):
        return list(findings), [], []  # of such a page no tree is built
    words, drafts = _words(text)
    told: list[Finding] = []
    kept_back: list[Finding] = []
    starts = [page.locate(word.scope) for word in words]
    for finding in findings:
        word = None
        for each, scope in zip(words, starts, strict=True):
            if (
                scope.start <= finding.start < max(scope.end, scope.start + 1)
                and (name := _name(each, finding)) is not None
            ):
                each.used.add(name)
                word = word or each
        if word is None:
            told.append(finding)
        else:
            finding.suppression = Suppression("page", word.reason or None)
            kept_back.append(finding)
    for word in words:
        drafts += _about(word)
    return told, kept_back, drafts


def _name(word: Word, finding: Finding) -> str | None:
    """Under which of its names a word is about a finding; "" for a word about all."""
    if not word.rules:
        return ""
    aliases = rules_by_name()[finding.rule].aliases if finding.rule in rules_by_name() else ()
    return next((name for name in word.rules if name in (finding.rule, finding.profile, *aliases)), None)


def _words(text: str) -> tuple[list[Word], list[FindingDraft]]:
    """Every word of a page in order, and what is wrong with how they stand."""
    words: list[Word] = []
    drafts: list[FindingDraft] = []
    open_: list[Word] = []
    extents = Extents(text)
    for comment in _COMMENT.finditer(text):
        place = Span(*comment.span())
        if comment["kind"] == "-end":
            if open_:
                start = open_.pop()
                start.scope = Span(start.scope.start, place.start)
            else:
                drafts.append(_unused(place, f"{_WORD}-end ends nothing that was started", comment=True))
            continue
        if len(words) >= MOST:
            break
        rules, reason = _read(comment["said"])
        if comment["kind"] == "-file":
            scope = Span(0, len(text))
        elif comment["kind"] == "-start":
            scope = Span(place.end, len(text))
        else:
            scope = extents.after(place.end) or Span(place.end, place.end)
        word = Word(place, scope, rules, reason, is_comment=True)
        words.append(word)
        if comment["kind"] == "-start":
            open_.append(word)
    for scope, place, said in extents.having(_ATTRIBUTE)[:MOST]:
        rules, reason = _read(said)
        words.append(Word(place, scope, rules, reason, is_comment=False))
    return words, drafts


def _read(said: str) -> tuple[tuple[str, ...], str]:
    """(the rules, the reason) of a word."""
    names, _, reason = said.partition(":")
    return tuple(dict.fromkeys(re.split(r"[\s,]+", names.strip().lower()))) if names.strip() else (), reason.strip()


def _about(word: Word) -> Iterator[FindingDraft]:
    if not word.reason:
        yield FindingDraft(
            rule="suppression-without-reason", authority="waypost", severity="info", span=word.place,
            message="nothing says why this is put up with", hint="add it behind a colon, as in `rule-name: until May`",
        )  # fmt: skip
    if not word.rules:
        if not word.used:
            yield _unused(word.place, "there is nothing here to put up with", comment=word.is_comment)
        return
    if not (useless := [name for name in word.rules if name not in word.used and not _is_of_site(name)]):
        return
    unknown = [name for name in useless if name not in rules_by_name() and "/" not in name]
    if unknown:
        meant = near(unknown[0], rules_by_name())
        hint = f"did you mean {join_words(meant, 'or')}?" if meant else "`waypost rules` lists them"
        yield _unused(word.place, f"there is no rule named {unknown[0]}", hint)
    elif len(useless) == len(word.rules):
        yield _unused(
            word.place, f"{join_words(useless)} {_finds(useless)} nothing here any more", comment=word.is_comment
        )
    else:
        yield _unused(
            word.place,
            f"{join_words(useless)} {_finds(useless)} nothing here any more",
            f"keep {join_words(sorted(word.used))} alone",
        )


def _is_of_site(name: str) -> bool:
    """A rule about all pages together: whether it finds something cannot be known on one."""
    return name in rules_by_name() and rules_by_name()[name].check_site is not None


def _finds(names: Sequence[str]) -> str:
    return "finds" if len(names) == 1 else "find"


def _unused(place: Span, message: str, hint: str = "take it away", comment: bool = False) -> FindingDraft:
    """Whole comments that are of no use can be taken away without harm."""
    edits = ((place, ""),) if comment else ()
    return FindingDraft(
        rule="suppression-unused", authority="waypost", severity="warning", span=place, message=message, hint=hint,
        edits=edits,
    )  # fmt: skip
