"""Source line in which the literal of a finding on a built page stands.

A generator writes pages from templates, code and content. For a page in the output folder of a project with a known
generator, the sources are searched for the words of the finding: the value, else the property, else the type of the
node. Of several occurrences the occurrence with the most further words of the block around counts; two equal
occurrences have no answer.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from waypost.formats.file_kinds import MARKDOWN, PAGES
from waypost.formats.source_kinds import CODE, COMPONENTS, TEMPLATES
from waypost.lint.project_survey import OUTPUTS, generator_of
from waypost.models.finding import FileReport, Finding, WrittenIn
from waypost.reader.sources import display_path

MOST_FILES: Final = 5_000
MOST_BYTES: Final = 1 << 20
MOST_SEARCHES: Final = 400
"""Limit of searches in a run; later findings have no source. Thousands of pages have few templates."""
_LEVELS: Final = 12
_FOLDERS = tuple(f"{name}/" for name in OUTPUTS)
_DATA = frozenset({".toml", ".json", ".jsonld", ".csv", ".rb", ".py", ".go", ".xml"})
_ENDINGS = tuple({*TEMPLATES, *CODE, *COMPONENTS, *MARKDOWN, *PAGES, *_DATA})
_OTHER_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "vendor", "resources", "coverage", "tests", "test"})
_LOCKS = frozenset({"package-lock.json", "package.json", "tsconfig.json", "composer.lock"})
_MARKS = ("@type", "@context", "itemprop", "itemscope", "typeof=", "ld+json", "itemProp")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ATTRIBUTE = re.compile(
    r"""\b(?:itemprop|itemtype|property|typeof|class|id|content|datetime|href)\s*=\s*["']([^"']+)"""
)
_NEAR, _AROUND = 250, 3_000
_FEWEST, _SHORTEST = 2, 3


class _Words(NamedTuple):
    """Words of a finding: to search for, in order; of the node; of the block; neighbours `before` and `after`."""

    sought: tuple[str, ...]
    node: frozenset[str]
    block: frozenset[str]
    before: str
    after: str


class _Source(NamedTuple):
    """Source of a project: path, text, and whether the text has structured data."""

    path: str
    text: str
    is_marked: bool


class Tracer:
    """Finder of source lines, for the pages of a run or of an editor."""

    def __init__(self) -> None:
        self._roots: dict[str, Path | None] = {}
        self._generators: dict[Path, str | None] = {}
        self._sources: dict[Path, list[_Source]] = {}
        self._known: dict[tuple[Path, _Words], WrittenIn | None] = {}
        self._searches = 0

    def forget(self) -> None:
        """Read the sources again, after a change."""
        self._sources.clear()
        self._known.clear()
        self._searches = 0

    def trace(self, report: FileReport, where: str, data: bytes | None = None) -> None:
        """Set the source lines of findings of a page. `where`: path of the file; `data`: known bytes of the file."""
        findings = [each for each in report.findings if each.scope == "page" and each.end > each.start]
        root = self._root(where) if findings and "://" not in where else None
        if root is None:
            return
        if data is None:
            try:
                data = Path(where).read_bytes()
            except OSError:
                return
        for finding in findings:
            words = _words_of(finding, data)
            if words is not None:
                finding.written_in = self._found(root, words)

    def _found(self, root: Path, words: _Words) -> WrittenIn | None:
        key = root, words
        if key not in self._known:
            if self._searches >= MOST_SEARCHES:
                return None
            self._searches += 1
            if root not in self._sources:
                self._sources[root] = list(_sources(root, self._generators[root] or ""))
            self._known[key] = _place(words, self._sources[root])
        return self._known[key]

    def _root(self, where: str) -> Path | None:
        """Folder of the project of a built page; None for a page outside of output folders."""
        folder = os.path.dirname(os.path.abspath(where))  # noqa: PTH100, PTH120 - called for each page
        if folder not in self._roots:
            self._roots[folder] = self._project_of(Path(folder))
        return self._roots[folder]

    def _project_of(self, folder: Path) -> Path | None:
        for above in folder.parents[:_LEVELS]:
            inner = folder.relative_to(above).as_posix() + "/"
            # Every generator's folder is among these; a project is looked at only where a page lies in one of them.
            if not inner.startswith(_FOLDERS):
                continue
            if above not in self._generators:
                found = generator_of(above)
                self._generators[above] = found.output if found is not None else None
            if self._generators[above] is not None:
                return above
        return None


def _sources(root: Path, output: str) -> Iterator[_Source]:
    """Sources of a project, without built pages and packages."""
    left_out = {root / name for name in (output, *OUTPUTS)}
    count = 0
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name
            for name in folders
            if name not in _OTHER_FOLDERS
            and here / name not in left_out
            and (not name.startswith(".") or name == ".vitepress")
        )
        for name in sorted(files):
            if not name.lower().endswith(_ENDINGS) or name in _LOCKS:
                continue
            count += 1
            if count > MOST_FILES:
                return
            path = here / name
            try:
                if path.stat().st_size <= MOST_BYTES:
                    text = path.read_bytes().decode("utf-8", "replace")
                    yield _Source(str(path), text, any(mark in text for mark in _MARKS))
            except OSError:
                continue


def _words_of(finding: Finding, data: bytes) -> _Words | None:
    """Words to search for; None without a word."""
    text = data[finding.start : finding.end].decode("utf-8", "replace")
    if finding.syntax == "json-ld":
        start, end = _block(data, finding.start)
        return _of_json(finding, text, data[start:end].decode("utf-8", "replace"), data, start)
    low, high = max(finding.start - _AROUND, 0), finding.end + _AROUND
    found = _ATTRIBUTE.findall(data[low:high].decode("utf-8", "replace"))
    around = frozenset(word for words in found for word in words.split() if len(word) >= _SHORTEST)
    near = data[max(finding.start - _NEAR, 0) : finding.end + _NEAR].decode("utf-8", "replace")
    node = frozenset(word for words in _ATTRIBUTE.findall(near) for word in words.split() if len(word) >= _SHORTEST)
    sought = tuple(dict.fromkeys(word for word in (_plain(text), _last(finding.property)) if len(word) >= _SHORTEST))
    return _Words(sought, node - set(sought), around - set(sought), "", "") if sought else None


def _of_json(finding: Finding, text: str, block: str, data: bytes, start: int) -> _Words | None:
    at = len(data[start : finding.start].decode("utf-8", "replace"))
    low, high = _object(block, at)
    strings = [(found.start(), _decoded(found[1])) for found in _STRING.finditer(block)]
    whole = frozenset(word for _, word in strings if len(word) >= _SHORTEST)
    node = frozenset(word for place, word in strings if low <= place < high and len(word) >= _SHORTEST)
    before = [word for place, word in strings if place < at]
    after = [word for place, word in strings if place >= at + len(text)]
    # A finding about a whole object stands at its brace: the object is known by its type.
    types = re.search(r'"@type"\s*:\s*(?:\[\s*)?"([^"]+)"', block[low:high])
    candidates = [_plain(text) if text[:1] not in "{[" else "", _last(finding.property) if text[:1] not in "{[" else ""]
    candidates.append(types[1] if types else "")
    sought = tuple(dict.fromkeys(word for word in candidates if len(word) >= _SHORTEST))
    others = set(sought[:1])
    if not sought:
        return None
    return _Words(
        sought, node - others, whole - others, before[-1] if before else "", after[0] if after else ""
    )  # fmt: skip


def _block(data: bytes, at: int) -> tuple[int, int]:
    """Range of the script around an offset; the whole document outside of scripts."""
    opened = data.rfind(b"<script", 0, at)
    start = data.find(b">", opened) + 1 if opened >= 0 else 0
    end = data.find(b"</script", at)
    return start, end if end >= 0 else len(data)


def _object(block: str, at: int) -> tuple[int, int]:
    """Range of the innermost object around an offset of JSON."""
    stack: list[int] = []
    low, depth = 0, -1
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"?|[{}]', block):
        if depth < 0 and (found.start() > at or (found.start() == at and found[0] != "{")):
            low, depth = (stack[-1] if stack else 0), len(stack)
        if found[0] == "{":
            stack.append(found.start())
        elif found[0] == "}" and stack:
            stack.pop()
            if 0 <= len(stack) < depth:
                return low, found.end()
    return (low if depth >= 0 else stack[-1] if stack else 0), len(block)


def _plain(text: str) -> str:
    """Text of a value or a name without quotes."""
    return _decoded(text[1:-1]) if len(text) > 1 and text[0] == text[-1] == '"' else text.strip()


def _decoded(text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _last(name: str | None) -> str:
    return (name or "").rpartition(".")[2]


def _place(words: _Words, sources: Iterable[_Source]) -> WrittenIn | None:
    """Place of the first word with exactly one best place."""
    for number, word in enumerate(words.sought):
        is_value = number == 0 and word not in words.node and len(words.sought) > 1
        ranked: list[tuple[int, _Source, int]] = []
        pattern = re.compile(rf"(?<![\w@]){re.escape(word)}(?![\w])")
        for source in sources:
            if word not in source.text or not (source.is_marked or is_value):
                continue
            ranked += ((_score(words, source, found.start(), word), source, found.start())
                       for found in pattern.finditer(source.text))  # fmt: skip
        if ranked:
            return _best(ranked)
    return None


def _best(ranked: list[tuple[int, _Source, int]]) -> WrittenIn | None:
    """Place with the most words around; None for several such places, or too few words."""
    most = max(score for score, _, _ in ranked)
    best = {
        (source.path, source.text.count("\n", 0, at) + 1) for score, source, at in ranked if score == most
    }  # fmt: skip
    if len(best) != 1 or most < _FEWEST:
        return None
    ((path, line),) = best
    return WrittenIn(display_path(os.path.relpath(path)), line)


def _score(words: _Words, source: _Source, at: int, word: str) -> int:
    """Number of further words around a place: nearby words of the node count most."""
    low, high = max(at - _NEAR, 0), at + len(word) + _NEAR
    near, around = source.text[low:high], source.text[max(at - _AROUND, 0) : at + _AROUND]
    score = sum(2 for each in words.node if each in near) + sum(1 for each in words.block if each in around)
    before = source.text[max(at - 120, 0) : at]
    score += 3 * (len(words.before) >= _SHORTEST and words.before in before)
    return score + 3 * (len(words.after) >= _SHORTEST and words.after in source.text[at + len(word) : high])
