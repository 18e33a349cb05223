"""Comparison of two builds, archives, addresses or saved reports of a site, page by page.

Pages that are equal to the byte are not parsed. Pages are paired by their path below each folder, or in their URL.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

from waypost.baseline.causes import Key, key_of
from waypost.errors import NothingToShow, Unreadable
from waypost.lint.inputs import Input, collect, is_folder
from waypost.lint.page import LintOptions, apply_config, check_page, config_path, is_other_data
from waypost.lint.page_sources import open_page
from waypost.models.comparison import CHANGE_KINDS, Change, ChangeKind, Comparison, Place
from waypost.models.finding import FileReport, label_of
from waypost.models.page import Node, Page
from waypost.models.snippet import Snippet
from waypost.reader.sources import without_credentials

if TYPE_CHECKING:
    from waypost.net.access import Access

PLACES = 5
"""Pages that a change names."""
Progress = Callable[[int], None]


class _Facts(NamedTuple):
    """What is compared of a page.

    results   profile -> number of eligible nodes
    causes    (severity, cause) -> (number of findings, message and line of the first)
    card      slot of the card -> text; None where the card is unknown
    entities  id -> types and name
    """

    results: Counter[str]
    causes: dict[tuple[str, Key], tuple[int, str, int]]
    card: dict[str, str] | None
    entities: dict[str, str]
    error: str | None = None


class Side:
    """Pages of one state. Raises Unreadable for a name without pages.

    name     folder, file, pattern, archive, URL, or JSON report of an earlier run
    options  options with the configurations of the pages
    access   user agent and secrets for a URL
    """

    def __init__(self, name: str, options: LintOptions, access: Access | None = None) -> None:
        self.name = without_credentials(name)
        self.options, self.access = options, access
        self._reports = _saved_reports(name)
        self.has_cards = self._reports is None
        self._inputs: dict[str, Input] = {}
        if self._reports is None:
            found = collect([name], None, gitignore=False)
            if not found.inputs:
                raise Unreadable(name, "there is no page in it")
            self._inputs = {_key(name, item): item for item in found.inputs}
            for item in found.inputs:
                if item.kind == "file" and not item.walked and not Path(item.where).exists():
                    raise Unreadable(name, "no such file or directory")
        self.paths = list(self._inputs if self._reports is None else self._reports)
        self.is_single = len(self.paths) == 1 and not is_folder(name)

    @property
    def inputs(self) -> list[Input]:
        """Pages to read; none for the report of an earlier run."""
        return list(self._inputs.values())

    def bytes_of(self, path: str) -> bytes | None:
        """Bytes of a page; None where there are none to read."""
        item = self._inputs.get(path)
        if item is None or item.kind not in {"file", "archived"}:
            return None
        try:
            return open_page(item, allow_private=False).data
        except Unreadable:
            return None

    def facts(self, path: str) -> _Facts:
        """Facts of a page; an error in place of them where it cannot be read."""
        if self._reports is not None:
            report = self._reports[path]
            return _facts_of(report, None, {item.id: label_of(item.types, None) for item in report.items if item.id})
        item = self._inputs[path]
        try:
            source = open_page(item, allow_private=False, access=self.access)
        except Unreadable as error:
            # Files that are no pages are passed over in a folder, as in a run.
            return _facts_of(FileReport(path=path, error=None if item.walked else error.reason), {}, {})
        if item.walked and is_other_data(source, item.path):
            return _facts_of(FileReport(path=path), {}, {})
        page, report = check_page(source, path, config_path(item), self.options)
        apply_config(config_path(item), report, self.options)
        card, entities = _card(page, self.options), _entities(page)
        page.release()
        return _facts_of(report, card, entities)


def compare(old: Side, new: Side, progress: Progress = lambda _: None) -> Comparison:
    """Changes from `old` to `new`. `progress` is called with the number of pages done."""
    found = _Changes()
    pairs = _pairs(old, new)
    same: list[str] = []
    gone_ids: dict[str, tuple[str, str]] = {}
    new_ids: dict[str, tuple[str, str]] = {}
    known_causes: set[tuple[str, Key]] = set()
    fresh: dict[str, _Facts] = {}
    for number, (path, (earlier, later)) in enumerate(pairs.items(), 1):
        progress(number)
        if earlier is not None and later is not None and _is_same(old, earlier, new, later):
            same.append(later)
            continue
        then = old.facts(earlier) if earlier is not None else None
        now = new.facts(later) if later is not None else None
        gone_ids |= {key: (label, path) for key, label in (then.entities if then else {}).items()}
        new_ids |= {key: (label, path) for key, label in (now.entities if now else {}).items()}
        known_causes.update(then.causes if then else ())
        if then is not None and now is not None:
            found.between(path, then, now)
        elif now is not None:
            found.add("new-page", "", path, Place(path))
            fresh[path] = now
        else:
            found.add("gone-page", "", path, Place(path))
    _add_findings_of_new_pages(found, fresh, known_causes, new, same)
    _add_entities(found, gone_ids, new_ids, _bytes_of(new, same))
    notes = [] if old.has_cards and new.has_cards else ["a saved report has no cards: their values are not compared"]
    return Comparison(old.name, new.name, len(old.paths), len(new.paths), len(same), found.in_order(), tuple(notes))


class _Changes:
    """Alike changes together, by kind, subject and folder."""

    def __init__(self) -> None:
        self._places: dict[tuple[ChangeKind, str, str], list[Place]] = defaultdict(list)
        self._pages: Counter[tuple[ChangeKind, str, str]] = Counter()
        self._texts: dict[tuple[ChangeKind, str, str], str] = {}
        self._last: dict[tuple[ChangeKind, str, str], str] = {}

    def add(self, kind: ChangeKind, what: str, path: str, place: Place, text: str = "") -> None:
        key = kind, what, path.rpartition("/")[0]
        if self._last.get(key) == path:
            return  # one page, however often it has the change
        self._last[key] = path
        self._pages[key] += 1
        self._texts.setdefault(key, text)
        if len(self._places[key]) < PLACES:
            self._places[key].append(place)

    def between(self, path: str, then: _Facts, now: _Facts) -> None:
        """Add the changes of a page."""
        if error := now.error or then.error:
            self.add("unreadable", error, path, Place(path))
            return
        for profile in sorted({*then.results, *now.results}):
            kind: ChangeKind = "lost-eligibility" if now.results[profile] < then.results[profile] else "won-eligibility"
            if now.results[profile] != then.results[profile]:
                self.add(kind, profile, path, Place(path))
        self._findings(path, then, now)
        if then.card is not None and now.card is not None:
            for slot in dict.fromkeys([*then.card, *now.card]):
                if (old := then.card.get(slot)) != (new := now.card.get(slot)):
                    self.add("changed-value", slot, path, Place(path, old, new))

    def _findings(self, path: str, then: _Facts, now: _Facts) -> None:
        for cause in dict.fromkeys([*then.causes, *now.causes]):
            old, new = then.causes.get(cause, (0, "", 0)), now.causes.get(cause, (0, "", 0))
            if new[0] > old[0]:
                self.new_finding(cause, path, new)
            elif not new[0] and cause[0] != "info":
                self.add("fixed", _cause_in_words(cause[1]), path, Place(path), old[1])

    def new_finding(self, cause: tuple[str, Key], path: str, found: tuple[int, str, int]) -> None:
        kind: ChangeKind = "new-error" if cause[0] == "error" else "new-warning"
        if cause[0] != "info":
            self.add(kind, _cause_in_words(cause[1]), path, Place(path, line=found[2] or None), found[1])

    def in_order(self) -> tuple[Change, ...]:
        made = [Change(*key, pages, tuple(self._places[key]), self._texts[key]) for key, pages in self._pages.items()]
        return tuple(
            sorted(made, key=lambda each: (CHANGE_KINDS.index(each.kind), -each.pages, each.what, each.folder))
        )


def _add_findings_of_new_pages(
    found: _Changes, fresh: Mapping[str, _Facts], known: set[tuple[str, Key]], new: Side, same: Iterable[str]
) -> None:
    """Add findings of new pages whose cause no page had before: twenty new products have what their template has."""
    unknown = {cause for facts in fresh.values() for cause in facts.causes if cause[0] != "info"} - known
    for path in same:
        if not unknown:
            break
        unknown -= new.facts(path).causes.keys()
    for path, facts in fresh.items():
        for cause, value in facts.causes.items():
            if cause in unknown:
                found.new_finding(cause, path, value)


def _add_entities(
    found: _Changes,
    gone: Mapping[str, tuple[str, str]],
    new: Mapping[str, tuple[str, str]],
    unchanged: Callable[[], Iterator[bytes]],
) -> None:
    """Add the entities, by their ids, that only one state has. An id that stands on an unchanged page has both."""
    rest = {key: key.rpartition("/")[2].encode() for key in gone.keys() ^ new.keys()}
    for data in unchanged() if rest else ():
        rest = {key: end for key, end in rest.items() if not end or end not in data}
    for key in rest:
        kind: ChangeKind = "gone-entity" if key in gone else "new-entity"
        label, path = gone.get(key) or new[key]
        found.add(kind, label, path, Place(path, *((key, None) if kind == "gone-entity" else (None, key))))


def _bytes_of(side: Side, paths: Iterable[str]) -> Callable[[], Iterator[bytes]]:
    return lambda: (data for data in map(side.bytes_of, paths) if data is not None)


def _pairs(old: Side, new: Side) -> dict[str, tuple[str | None, str | None]]:
    """Path for reports -> (path in the old state, path in the new one). Two single pages are a pair under any names."""
    if old.is_single and new.is_single:
        return {new.paths[0]: (old.paths[0], new.paths[0])}
    before, after = frozenset(old.paths), frozenset(new.paths)
    return {
        path: (path if path in before else None, path if path in after else None)
        for path in dict.fromkeys([*old.paths, *new.paths])
    }


def _is_same(old: Side, earlier: str, new: Side, later: str) -> bool:
    before = old.bytes_of(earlier)
    return before is not None and before == new.bytes_of(later)


def _key(name: str, item: Input) -> str:
    """Path of a page below its folder, or in its URL."""
    address = item.url if item.kind == "archived" else item.where if item.kind == "url" else None
    if address:
        parts = urlsplit(address)
        return (parts.path.strip("/") or "index") + (f"?{parts.query}" if parts.query else "")
    prefix = name.rstrip("/").removeprefix("./")
    return item.path.removeprefix(f"{prefix}/") if prefix not in {"", "."} else item.path


def _saved_reports(name: str) -> dict[str, FileReport] | None:
    """Reports of a file of `waypost validate --format json`; None for another name."""
    if not name.endswith(".json") or is_folder(name):
        return None
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - a name of any kind
            saved = msgspec.json.decode(file.read(), type=_Saved)
    except OSError as error:
        raise Unreadable(name, (error.strerror or str(error)).lower()) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # JSON-LD
    return {file.path: file for file in saved.files}


class _Saved(msgspec.Struct):
    registry_version: str
    files: list[FileReport]


def _facts_of(report: FileReport, card: dict[str, str] | None, entities: dict[str, str]) -> _Facts:
    results = Counter(profile for verdict in report.verdicts for profile in verdict.eligible)
    if not report.verdicts:
        results.update(profile for item in report.items for profile in item.eligible)
    causes: dict[tuple[str, Key], tuple[int, str, int]] = {}
    for finding in report.findings:
        key = finding.severity, key_of(finding, report)
        number, message, line = causes.get(key, (0, finding.message, finding.line))
        causes[key] = number + 1, message, line
    return _Facts(results, causes, card, entities, report.error)


def _card(page: Page, options: LintOptions) -> dict[str, str]:
    """Texts of the card of a page's main item, by slot."""
    from waypost.preview import make_snippet

    try:
        snippet = make_snippet(page, now=options.now).snippet
    except (NothingToShow, Unreadable):
        return {}
    return {slot: text for slot, text in _slots(snippet) if text}


def _slots(snippet: Snippet) -> Iterator[tuple[str, str | None]]:
    yield "title", snippet.title
    yield "byline", snippet.byline
    yield "date", snippet.date
    yield "price", snippet.price.text if snippet.price else None
    yield "rating", snippet.rating.text if snippet.rating else None
    yield "image", snippet.image.url if snippet.image else None
    for fact in snippet.facts:
        yield fact.label, fact.value


def _entities(page: Page) -> dict[str, str]:
    """Entities that a page describes: id -> types and name. References to entities elsewhere are not among them."""
    return {
        node.id: label_of(node.types, _name(node))
        for node in page.nodes
        if node.id and not node.reference and not node.foreign and node.types
    }


def _name(node: Node) -> str | None:
    name = node.get("name")
    return str(name) if isinstance(name, str) else None


def _cause_in_words(key: Key) -> str:
    rule, profile, types, pointer = key
    where = " ".join(part for part in (" and ".join(types), pointer) if part)
    return " ".join(part for part in (rule, where and f"at {where}", profile and f"({profile})") if part)
