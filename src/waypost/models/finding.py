"""Reports, findings and fixes. JSON format: `schemas/api/report.schema.json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

Severity = Literal["error", "warning", "info"]
Authority = Literal["vocabulary", "google", "waypost", "json", "html", "project"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


# `omit_defaults` recognises only `list` and literal defaults. Fields with these factories are written even when empty.
def _empty_list() -> list[Any]:
    return []


def _empty_tuple() -> tuple[str, ...]:
    return ()


class Edit(msgspec.Struct, frozen=True):
    """Replacement of the bytes `start` to `end` (exclusive) by `text`, in the page's encoding."""

    start: int
    end: int
    text: str


class Fix(msgspec.Struct, frozen=True):
    """Fix of a finding. `safe`: the author's intention cannot change."""

    safe: bool
    edits: tuple[Edit, ...]


class Related(msgspec.Struct, frozen=True, omit_defaults=True):
    """Further location of a finding, 1-based. `path` is set for a location in another page."""

    message: str
    line: int
    column: int
    path: str | None = None


class Compared(msgspec.Struct, frozen=True, omit_defaults=True):
    """Value of a property in a source: the markup, the visible page, a feed of products, the page as sent (raw), the
    page after scripts (rendered).

    line, column  of the value, 1-based. `path` is set for a place in another file.
    what          the property in words, where a finding is about several.
    """

    source: Literal["markup", "page", "feed", "raw", "rendered"]
    value: str
    line: int
    column: int
    path: str | None = None
    what: str | None = None


class WrittenIn(msgspec.Struct, frozen=True):
    """Source of a built page: path of the file, from the working folder, and line (1-based) of the literal."""

    path: str
    line: int


class RenderedPlace(msgspec.Struct, frozen=True):
    """Place in the rendered page, as the browser serialises the page: 1-based, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int


class Suppression(msgspec.Struct, frozen=True, omit_defaults=True):
    """Source of a suppression: comment in the page, configuration or baseline; `reason` as given there."""

    kind: Literal["page", "config", "baseline"]
    reason: str | None = None


class Finding(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Error, warning or info about a page, with location, authority and hint.

    `start` and `end` are byte offsets in the file as given, `end` exclusive. Lines and columns are
    1-based, columns in code points (`utf16_*` in UTF-16 units; not part of the JSON report).
    `fingerprint` survives moved lines, changed indentation and reordered keys. `scope` "site": found only by
    comparing pages, and reported at one page. `item`, `verdict` and `advice` are indexes in the page's `items`,
    `verdicts` and `advice`. `node` names the node that the finding is about, as in "Offer 'Spring offer'", where the
    node stands apart from its item, which only refers to it. `compared`: values that differ, of which one is wrong.
    `written_in`: place in the sources of the site's generator, where there is exactly one.
    `page`: the only page with the finding, as sent or after scripts; `rendered`: the place in the latter. Further
    places are always in the file as given: of the same block, of the script behind the block, or the beginning.
    `search_console`: Search Console's sentence about it, where exactly one is known.
    """

    rule: str
    severity: Severity
    authority: Authority
    profile: str | None = None
    message: str
    hint: str | None = None
    search_console: str | None = None
    syntax: str
    block: int | None = None
    pointer: str
    property: str | None = None
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    doc_url: str
    fingerprint: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    compared: tuple[Compared, ...] = ()
    written_in: WrittenIn | None = None
    page: Literal["raw", "rendered"] | None = None
    rendered: RenderedPlace | None = None
    suppression: Suppression | None = None
    scope: Literal["page", "site"] = "page"
    item: int | None = None
    verdict: int | None = None
    node: str | None = None
    advice: tuple[int, ...] = ()
    utf16_column: int = 1
    utf16_end_column: int = 1


_RESULT_WORDS = Path(__file__).resolve().parent.parent / "data" / "result-words.json"


@cache
def words_by_result() -> dict[str, str]:
    """Rich results whose profile's name is not a phrase that people use: name without its consumer -> words."""
    words: dict[str, str] = msgspec.json.decode(_RESULT_WORDS.read_bytes())["words"]
    return words


def result_words(profile: str) -> str:
    """Rich result of a profile in words, without "results": "google/product-snippet" is "product snippet"."""
    consumer, _, name = profile.rpartition("/")
    if consumer not in {"", "google"}:
        return f"{consumer} {name.replace('-', ' ')}"
    return words_by_result().get(name) or name.replace("-", " ")


def result_name(profile: str) -> str:
    """Rich result of a profile in words: "google/product-snippet" is "product snippet results"."""
    return f"{result_words(profile)} results"


_LONGEST_NAME = 60


def label_of(types: Sequence[str], name: str | None) -> str:
    """Item or node in words: Product 'Loma kettle'."""
    words = " and ".join(types) or "item without a type"
    short = name if not name or len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
    return f"{words} '{short}'" if short else words


_INDEX = re.compile(r"/[0-9]+(?=/|\Z)")
_OWN_VALUE = re.compile(r"https?://\S+|[0-9]+")
_OF_AN_OBJECT = frozenset({"property-not-of-type", "unknown-property"})
Cause = tuple[Severity, str, str | None, str, str | None, str]


def without_indexes(pointer: str) -> str:
    """Pointer without the indexes of lists: `/offers/2/price` is `/offers/price`."""
    return _INDEX.sub("", pointer)


def cause_of(finding: Finding) -> Cause:
    """Key that alike findings share: one mistake, often of a template, which may have hundreds of places.

    Alike are findings of one rule, profile, severity and property whose pointers differ in indexes only and whose
    hints (messages, where there is no hint) differ in numbers and addresses only: "write 12.50" and "write 8.00" have
    one cause. Names that do not belong into an object are one cause too, if they have the same hint, or none.
    """
    where = without_indexes(finding.pointer)
    if finding.rule in _OF_AN_OBJECT:
        return finding.severity, finding.rule, finding.profile, where.rpartition("/")[0], None, finding.hint or ""
    advice = _OWN_VALUE.sub("0", finding.hint or finding.message)
    return finding.severity, finding.rule, finding.profile, where, finding.property, advice


class ItemReport(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Root item of a page, with the rich results for which the markup qualifies.

    `eligible` and `retired` are always present. `name` is what the markup calls the item (name, headline or title).
    """

    types: tuple[str, ...]
    name: str | None = None
    id: str | None = None
    syntax: str
    line: int
    column: int
    service_type: str | None = None
    eligible: tuple[str, ...] = msgspec.field(default_factory=_empty_tuple)
    retired: tuple[str, ...] = msgspec.field(default_factory=_empty_tuple)


NOTHING_READ = "it has none of the properties that they read"
"""Reason for a missed result without required properties."""


class NotEligible(msgspec.Struct, frozen=True):
    """Rich result that a node misses.

    count     different requirements that are not met.
    why       the same in words: "image, name missing".
    severity  of the findings about them: "warning" where another result is earned, or the result is restricted.
    """

    profile: str
    count: int
    why: str
    severity: Severity


class Lapse(msgspec.Struct, frozen=True):
    """Reason why a result that the markup earns is not shown now: an event that is over, a date that is past.

    since  the date as it is written.
    text   the sentence after "but": "the event ended on 2019-05-01".
    """

    kind: Literal["event-over", "job-closed", "price-expired", "video-expired"]
    since: str
    text: str


class NodeVerdict(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Rich results of one node: roots, main entities, content such as a video, and nodes of a graph, each for itself.

    item     index of the root item that holds the node or refers to it.
    pointer  place inside its block, as in a finding.
    via      property of another node that holds the node as content or refers to it; None for a root, a main entity and
             a breadcrumb, which stand for themselves.
    A node without any of the three lists has a type without a rich result of its own.
    """

    types: tuple[str, ...]
    name: str | None = None
    id: str | None = None
    syntax: str
    block: int | None = None
    pointer: str
    line: int
    column: int
    item: int | None = None
    via: str | None = None
    eligible: tuple[str, ...] = msgspec.field(default_factory=_empty_tuple)
    not_eligible: tuple[NotEligible, ...] = ()
    retired: tuple[str, ...] = msgspec.field(default_factory=_empty_tuple)
    lapsed: tuple[Lapse, ...] = ()


class Absence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Verdict about a page without structured data. No error: many pages need none.

    reason  sign of the page that explains it, "none" without one; `text` is the same in words.
    line    of the sign, 1-based.
    """

    reason: str
    text: str | None = None
    hint: str | None = None
    line: int | None = None


class Advice(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Setting or template of a page's generator from which findings come.

    version  as far as the page says it, else ""
    text     goes on after "Its structured data comes from WooCommerce 8: "
    url      source
    """

    generator: str
    version: str = ""
    text: str
    url: str


class Fetch(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Fetch of a page from the web. `status` 0: no answer. `url`: final URL after redirects, if different.

    outcome  fetched, unchanged (304, the cached page is current), disallowed (by robots.txt), refused (not a public
             address or scheme), failed (no complete answer), not_fetched (the run ended before).
    """

    outcome: Literal["fetched", "unchanged", "disallowed", "refused", "failed", "not_fetched"]
    status: int = 0
    url: str | None = None
    attempts: int = 1


class FeedCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of a feed of products that was compared with the pages of a run.

    matched               how rows found their products ("gtin", "mpn", "id", "url") -> number of rows
    rows_without_page     rows whose product is on no page of the run: no error where the run is a part of the site
    products_without_row  products that pages are about and that are in no row
    """

    format: str
    rows: int
    matched: dict[str, int]
    rows_without_page: int
    products_without_row: int
    differing: int
    duplicates: int
    unreadable: int


class ChangedValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """Value changed by scripts. `raw` None: only the rendered page has a value; `rendered` None: only the raw page."""

    property: str
    raw: str | None = None
    rendered: str | None = None


class RenderedChange(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Item with differences between the page as sent and the page after scripts.

    kind    added (exists only after scripts), removed (by scripts), changed.
    line    in the file as given, 1-based; None for an added item. `rendered_line` is in the rendered page.
    script  address, line and column of the script behind the item, as far as the browser knows.
    """

    kind: Literal["added", "removed", "changed"]
    types: tuple[str, ...]
    name: str | None = None
    syntax: str
    line: int | None = None
    rendered_line: int | None = None
    values: tuple[ChangedValue, ...] = ()
    script: str | None = None


class DeniedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Denied request of a page: kind of resource, host, reason, number."""

    kind: str
    host: str
    why: str
    count: int


class Rendering(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Page after scripts. `why`: reason of a failure.

    url       address at the end, after a redirect by a script.
    items, verdicts, absence  of the rendered page, with lines of the rendered page.
    changes   items with differences to the page as sent.
    requests  number of answered requests; `denied` has the rest.
    errors    first errors of scripts.
    """

    outcome: Literal["rendered", "failed"]
    why: str | None = None
    url: str | None = None
    items: list[ItemReport] = []
    verdicts: list[NodeVerdict] = []
    absence: Absence | None = None
    changes: list[RenderedChange] = []
    requests: int = 0
    denied: list[DeniedRequest] = []
    errors: list[str] = []


class FileReport(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Report about one file. `error` instead of findings for an unreadable file.

    `items` and `findings` are always present.
    `absence` is present for a page without structured data.
    `verdicts` names the rich results of each node, root or not, in the order of their places.
    `secondary` lists the items of syntaxes that are not validated, such as Open Graph: syntax -> items.
    `suppressed` are findings that do not count, with their `suppression`.
    `advice` is by the generators of the page; findings refer to it.
    `fetch` is present for a page from the web.
    `feed` is present for a feed of products.
    `unread`: parts with more structured data than the items, as a script.
    `rendering` is present with --render: `absence` is then about the page before and after scripts.
    """

    path: str
    items: list[ItemReport] = msgspec.field(default_factory=_empty_list)
    findings: list[Finding] = msgspec.field(default_factory=_empty_list)
    verdicts: list[NodeVerdict] = []
    absence: Absence | None = None
    suppressed: list[Finding] = []
    advice: list[Advice] = []
    secondary: dict[str, list[Any]] | None = None
    error: str | None = None
    truncated: bool = False
    fetch: Fetch | None = None
    feed: FeedCounts | None = None
    unread: Absence | None = None
    rendering: Rendering | None = None


class Summary(msgspec.Struct, omit_defaults=False, kw_only=True):
    """Counts over all files; `skipped` counts files of a folder walk that are not pages.

    `without_data` counts pages without structured data, `unread` pages with items and an unread part.

    Errors, warnings and infos exclude findings that are `suppressed` (by the page or the configuration) or `baselined`.
    `causes`: severity in the plural -> number of different causes, see `cause_of`; errors, warnings and infos count
    every place. `fetches`: outcome -> number of URLs; empty without pages from the web.
    """

    files: int = 0
    items: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    skipped: int = 0
    without_data: int = 0
    unread: int = 0
    suppressed: int = 0
    baselined: int = 0
    causes: dict[str, int] = {}
    fetches: dict[str, int] = {}


class Report(msgspec.Struct, kw_only=True):
    """Result of a run, equal from the command line and the service. `files` may read a page's report when iterated."""

    version: int = 1
    registry_version: str
    files: Sequence[FileReport]
    summary: Summary
    tool: dict[str, str]
