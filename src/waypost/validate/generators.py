"""Advice by the generator of a page: the setting or the template from which findings come.

The same in the browser: `site/js/engine/advising.js`. Data: `schemas/generators/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from waypost.formats.patterns import pattern
from waypost.models.finding import Advice, Finding, ItemReport
from waypost.models.generator import Generator, Mark, Setting
from waypost.models.page import Page

_HEAD = 200_000  # characters of a page in which comments and generators are searched
_TAG = 1_000  # characters of a start tag
_MOST_PLACES = 200
_BY_PROFILE = frozenset(
    {
        "required-property-missing",
        "recommended-property-missing",
        "feature-not-eligible",
        "value-unfit",
        "profile-limit",
    }
)
"""Rules whose findings name paths from the item."""
_NAME = pattern(r"[a-z][A-Za-z0-9.]*")
_META = pattern(r"<meta\s[^<>]*?\bname\s*=\s*[\"']?generator\b[^<>]*", re.IGNORECASE)
_CONTENT = pattern(r"\bcontent\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s\"'<>]+))", re.IGNORECASE)
_COMMENT = pattern(r"<!--\s*([^<>]{1,120})")
_CLASS = pattern(r"\sclass\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s\"'<>]+))", re.IGNORECASE)


def advise(
    page: Page, items: Sequence[ItemReport], findings: Iterable[Finding], generators: Sequence[Generator]
) -> list[Advice]:
    """Advice for a page, each once. Findings get the indexes of theirs.

    generators  by precedence
    """
    marks = _Marks(page)
    made: dict[Advice, int] = {}
    for finding in findings:
        # Advice is for findings that someone should act on.
        if finding.severity == "info":
            continue
        types = items[finding.item].types if finding.item is not None else ()
        generator = _generator(finding, types, generators, marks)
        if generator is not None:
            version = marks.version(generator) or ""
            for setting in _settings(finding, types, generator, version):
                advice = Advice(generator=generator.name, version=version, text=setting.text, url=setting.source)
                number = made.setdefault(advice, len(made))
                finding.advice = (*finding.advice, number)
    return list(made)


def _generator(
    finding: Finding, types: Iterable[str], generators: Iterable[Generator], marks: _Marks
) -> Generator | None:
    """Generator of the item with a finding."""
    for generator in generators:
        if finding.syntax not in generator.syntaxes:
            continue
        scripts = [mark for mark in generator.marks if mark.place == "script"]
        # A generator that marks its own scripts is known by the script alone: several may write into one page.
        if scripts:
            if any(re.search(mark.pattern, name) for mark in scripts for name in marks.classes(finding)):
                return generator
        elif _may_write(generator, finding, types) and marks.version(generator) is not None:
            return generator
    return None


def _may_write(generator: Generator, finding: Finding, types: Iterable[str]) -> bool:
    if not generator.types.isdisjoint(types):
        return True
    return any(finding.rule in fix.rules and not fix.types for fix in generator.fixes)


def _settings(finding: Finding, types: Sequence[str], generator: Generator, version: str) -> list[Setting]:
    """Settings that fix a finding: the first for each of its properties; for an error without any, the template."""
    found: dict[Setting, None] = {}
    for path in _paths(finding):
        for setting in generator.fixes:
            if (
                (not setting.rules or finding.rule in setting.rules)
                and (not setting.types or not setting.types.isdisjoint(types))
                and (not setting.properties or path in setting.properties)
                and _is_of_version(setting, version)
            ):
                found[setting] = None
                break
    if not found and finding.severity == "error" and generator.template is not None:
        return [generator.template]
    return list(found)


def _is_of_version(setting: Setting, version: str) -> bool:
    """Has a version of the generator the setting? Without a version it is the newest."""
    if not version:
        return not setting.before
    if setting.since and _numbers(version) < _numbers(setting.since):
        return False
    return not setting.before or _numbers(version) < _numbers(setting.before)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _paths(finding: Finding) -> list[str]:
    """Paths of the properties of a finding from its item, as in author.name; [""] without any."""
    if finding.rule in _BY_PROFILE:
        return _NAME.findall(finding.property or finding.message.rpartition(": ")[2]) or [""]
    names = [part for part in finding.pointer.split("/") if part and not part.isdigit() and part != "@graph"]
    own = (finding.property or "").split(".")
    if names[-len(own) :] != own:
        names += own
    return [".".join(filter(None, names))]


class _Marks:
    """Marks of generators in a page, searched when they are first needed."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._head: str | None = None
        self._found: dict[str, list[str]] = {}
        self._versions: dict[str, str | None] = {}
        self._starts: dict[int, int] | None = None
        self._classes: dict[int, list[str]] = {}

    def version(self, generator: Generator) -> str | None:
        """Version of a generator, "" if the page says none; None without a mark outside of scripts."""
        if generator.name not in self._versions:
            versions = map(self._version, generator.marks)
            self._versions[generator.name] = next((each for each in versions if each is not None), None)
        return self._versions[generator.name]

    def _version(self, mark: Mark) -> str | None:
        if mark.place == "script":
            return None
        if mark.place == "class":
            return "" if self._has_class(mark.pattern) else None
        for text in self._texts(mark.place):
            if match := re.search(mark.pattern, text):
                return (match[1] if match.re.groups else "") or ""
        return None

    def _texts(self, place: str) -> list[str]:
        """Contents of the generator elements, or texts of the comments, before the body."""
        if self._head is None:
            end = self._page.text.find("<body", 0, _HEAD)
            self._head = self._page.text[: end if end >= 0 else _HEAD]
        if place not in self._found:
            if place == "meta":
                tags = (_CONTENT.search(tag) for tag in _generator_tags(self._head))
                self._found[place] = [_value(tag) for tag in tags if tag]
            else:
                self._found[place] = [match[1] for match in _COMMENT.finditer(self._head)]
        return self._found[place]

    def _has_class(self, word: str) -> bool:
        text = self._page.text
        at = text.find(word)
        for _ in range(_MOST_PLACES):
            if at < 0:
                return False
            # The word may stand in text: only inside the class of a start tag it is a mark.
            start = text.rfind("<", max(0, at - _TAG), at)
            if start >= 0 and word in _classes_of(text[start : at + len(word) + 1]):
                return True
            at = text.find(word, at + 1)
        return False

    def classes(self, finding: Finding) -> list[str]:
        """Classes of the JSON-LD script with a finding."""
        if finding.syntax != "json-ld" or finding.block is None:
            return []
        if self._starts is None:
            self._starts = {block.index: block.start for block in self._page.blocks if block.syntax == "json-ld"}  # type: ignore[attr-defined]
        if finding.block not in self._classes:
            end = self._starts.get(finding.block, 0)
            # The block begins behind its start tag.
            start = self._page.text.rfind("<", max(0, end - _TAG), end)
            self._classes[finding.block] = _classes_of(self._page.text[start:end]) if start >= 0 else []
        return self._classes[finding.block]


def _generator_tags(head: str) -> Iterator[str]:
    """Tags of the generators: a word is found much faster than a pattern without letter case."""
    if "ENERATOR" in head:
        found = (match[0] for match in _META.finditer(head))
        yield from (tag for tag in found if "enerator" in tag or "ENERATOR" in tag)
        return
    at, last = head.find("enerator"), -1
    while at >= 0:
        start = head.rfind("<", 0, at)
        if start > last and (match := _META.match(head, start)):
            yield match[0]
        last = max(last, start)
        at = head.find("enerator", at + 1)


def _classes_of(tag: str) -> list[str]:
    match = _CLASS.search(tag)
    return _value(match).split() if match else []


def _value(match: re.Match[str]) -> str:
    return match[1] or match[2] or match[3] or ""
