"""Answers of a report, from the tables of a crawl by SQL of DuckDB."""

from __future__ import annotations

import atexit
import gc
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from waypost.crawl.folder import CrawlFolder
from waypost.crawl.shapes import roots_of, templates
from waypost.crawl.tables import empty
from waypost.errors import MissingExtra
from waypost.models.finding import SEVERITIES
from waypost.registry import load

TABLES = ("pages", "items", "findings", "shapes", "facts", "renderings")
_MOST_SHAPES = 20_000
"""Shapes that are compared for templates; pages of rarer shapes count as further templates."""
_MOST_CAUSES, _MOST_TEMPLATES, _MOST_REASONS, _MOST_FIXES = 100, 20, 5, 10
_EXAMPLES = 3
_MOST_PROPERTIES = 8


class Place(msgspec.Struct, frozen=True):
    """Place of a finding, 1-based."""

    path: str
    line: int
    column: int


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Cause of findings, with the number of pages, the share of the pages in question, and examples.

    message   of the first finding. `variants`: number of different messages, which differ in values and names only.
    """

    cause: str
    severity: str
    rule: str
    profile: str | None
    message: str
    hint: str | None
    variants: int
    places: int
    pages: int
    share: float
    blocks: bool
    examples: tuple[Place, ...]


class RichResult(msgspec.Struct, frozen=True, kw_only=True):
    """Rich result: pages with an item that qualifies, pages with an item that misses it, and why."""

    profile: str
    eligible: int
    missed: int
    reasons: tuple[Reason, ...]


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """Pages whose markup has the same shape, except for a few optional properties."""

    name: str
    shape: str
    pages: int
    share: float
    with_errors: int
    eligible: int
    examples: tuple[str, ...]
    reasons: tuple[Reason, ...]


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """Causes to fix together, and the number of pages that gain a rich result; the fixes before count as made.

    only_readable  the pages have scripts that cannot be read: what they would gain is not known before.
    """

    gained: int
    only_readable: bool
    reasons: tuple[Reason, ...]


class ResultChange(msgspec.Struct, frozen=True):
    """Eligible pages of a rich result in the earlier crawl and in this one."""

    profile: str
    before: int
    after: int


class CauseChange(msgspec.Struct, frozen=True):
    """Pages with a cause in the earlier crawl and in this one."""

    cause: str
    severity: str
    rule: str
    message: str
    before: int
    after: int


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Differences from an earlier crawl. Pages are the same by their address.

    lost        pages of both crawls with fewer rich results than before.
    new_errors  causes of errors on more pages than before.
    """

    since: str
    same_rules: bool
    new: int
    gone: int
    changed: int
    unchanged: int
    results: tuple[ResultChange, ...]
    causes: tuple[CauseChange, ...]
    lost: int = 0
    new_errors: int = 0

    @property
    def kinds(self) -> dict[str, int]:
        """Changes that fail a run on request, by name: number of pages or causes."""
        return {
            "lost-eligibility": self.lost, "new-error": self.new_errors, "gone-page": self.gone, "new-page": self.new,
        }  # fmt: skip


class Moment(msgspec.Struct, frozen=True):
    """Point of the time line: day, checked pages, pages with a rich result, pages with errors."""

    day: str
    pages: int
    eligible: int
    with_errors: int


class Totals(msgspec.Struct, frozen=True):
    """Counts of a crawl. `checked`: pages that could be read and checked."""

    pages: int
    checked: int
    items: int
    errors: int
    warnings: int
    infos: int
    with_items: int = 0
    with_errors: int = 0
    eligible: int = 0
    rendered: int = 0
    not_rendered: int = 0
    differ: int = 0


class RenderedTemplate(msgspec.Struct, frozen=True):
    """Rendered pages of a template, and those with items that scripts add, remove or change."""

    name: str
    pages: int
    differ: int


class RenderedPages(msgspec.Struct, frozen=True, kw_only=True):
    """Pages after their scripts, a share of all pages.

    failed   reasons of failures, with the number of pages.
    added, removed, changed  pages with such items.
    gained   pages that are eligible for a rich result after their scripts alone.
    causes   findings about differences.
    """

    share: float
    pages: int
    differ: int
    added: int
    removed: int
    changed: int
    gained: int
    failed: dict[str, int]
    causes: tuple[Reason, ...]
    templates: tuple[RenderedTemplate, ...]


class CrawlReport(msgspec.Struct, frozen=True, kw_only=True):
    """Report about a crawl."""

    version: int = 1
    waypost: str
    registry: str
    now: str
    sources: tuple[str, ...]
    missing_units: int
    totals: Totals
    unread: dict[str, int]
    results: tuple[RichResult, ...]
    fixes: tuple[Repair, ...]
    causes: tuple[Reason, ...]
    more_causes: int
    templates: tuple[Template, ...]
    more_templates: int
    timeline: tuple[Moment, ...]
    changes: Changes | None
    rendered: RenderedPages | None = None


def connect(folder: CrawlFolder, prefix: str = "", database: Any = None) -> Any:
    """DuckDB connection with a view for each table of a crawl. Raises MissingExtra, FolderError.

    prefix    in front of the names of the views.
    database  connection to add the views to.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "crawl", "to read the tables of a crawl") from None
    # The command line leaves the garbage collector off to the end; DuckDB then reports what is not yet collected.
    atexit.register(gc.unfreeze)
    folder.plan()
    db = database or duckdb.connect(":memory:")
    if folder.files.file_system is not None:
        db.register_filesystem(folder.files.file_system)
    # Tables of an unfinished unit are left out: its pages file, written last, is missing.
    done = {f"part-{number:06}.parquet" for number in folder.done()} | {"site.parquet"}
    for table in TABLES:
        names = [f"{table}/{name}" for name in folder.files.names(table) if name in done]
        if names:
            db.read_parquet([folder.files.address(name) for name in names]).create_view(f"{prefix}{table}")
        else:
            # An empty view, so that every query runs on a crawl without findings, too.
            db.from_arrow(empty(table, load())).create_view(f"{prefix}{table}")
    return db


_TOTALS = """
WITH site AS (SELECT severity FROM findings WHERE scope = 'site' AND suppressed IS NULL)
SELECT count(*), count(*) FILTER (outcome = 'checked'), coalesce(sum(items), 0),
       coalesce(sum(errors), 0) + (SELECT count(*) FROM site WHERE severity = 'error'),
       coalesce(sum(warnings), 0) + (SELECT count(*) FROM site WHERE severity = 'warning'),
       coalesce(sum(infos), 0) + (SELECT count(*) FROM site WHERE severity = 'info'),
       count(*) FILTER (items > 0), count(*) FILTER (errors > 0), count(*) FILTER (len(eligible) > 0),
       (SELECT count(*) FROM renderings WHERE outcome = 'rendered'),
       (SELECT count(*) FROM renderings WHERE outcome <> 'rendered'),
       (SELECT count(*) FROM renderings WHERE added + removed + changed > 0)
FROM pages"""


def totals(folder: CrawlFolder) -> Totals:
    """Counts of a crawl."""
    return _totals(connect(folder))


def _totals(db: Any) -> Totals:
    return Totals(*map(int, db.execute(_TOTALS).fetchone()))


def query(
    folder: CrawlFolder, sql: str, earlier: Sequence[CrawlFolder] = ()
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """(columns, rows) of a query. The tables of an earlier crawl are `old_pages` and so on. Raises ValueError."""
    import duckdb

    db = connect(folder)
    if earlier:
        connect(earlier[-1], "old_", db)
    try:
        result = db.execute(sql)
        return [column[0] for column in result.description or ()], result.fetchall()
    # The query is the user's: its error is a message, not a crash.
    except duckdb.Error as error:
        raise ValueError(str(error)) from None


def report_of(folder: CrawlFolder, earlier: Sequence[CrawlFolder] = ()) -> CrawlReport:
    """Report about a crawl. `earlier`: crawls for the time line, of which the last is compared."""
    plan = folder.plan()
    db = connect(folder)
    counted = _totals(db)
    _prepare(db)
    causes = _reasons(db, _CAUSES, counted.checked)
    by_cause = {(reason.cause, reason.profile): reason for reason in causes}
    found = _templates(db, counted.checked)
    return CrawlReport(
        waypost=plan.waypost,
        registry=plan.registry,
        now=plan.settings.now.date().isoformat(),
        sources=plan.sources,
        missing_units=len(folder.missing(plan)),
        totals=counted,
        unread={outcome: int(number) for outcome, number in db.execute(_UNREAD).fetchall()},
        results=_results(db),
        fixes=_fixes(db, {cause: reason for (cause, _), reason in by_cause.items()}),
        causes=tuple(sorted(causes, key=_importance)[:_MOST_CAUSES]),
        more_causes=max(0, len(causes) - _MOST_CAUSES),
        templates=tuple(found[:_MOST_TEMPLATES]),
        more_templates=max(0, len(found) - _MOST_TEMPLATES),
        timeline=_timeline(db, folder, earlier),
        changes=_changes(db, folder, earlier[-1]) if earlier else None,
        rendered=_rendered(db, plan.settings.render.share, found) if plan.settings.render else None,
    )


def _importance(reason: Reason) -> tuple[Any, ...]:
    return not reason.blocks, SEVERITIES.index(reason.severity), -reason.pages, -reason.places, reason.cause


_UNREAD = "SELECT outcome, count(*) FROM pages WHERE outcome <> 'checked' GROUP BY outcome ORDER BY 2 DESC, 1"
_KEY = r"""
CREATE TEMP MACRO cause_key(severity, rule, profile, property, message) AS
  substr(md5(concat_ws('|', severity, rule, coalesce(profile, ''), coalesce(property, ''),
    CASE WHEN rule IN ('empty-value', 'microdata-orphan-property') THEN ''
         ELSE trim(regexp_replace(message, '(https?://|[''"(:0-9]).*$', '', 's')) END)), 1, 16)"""
"""Cause in a report: the table's causes, over all places of the markup and all values and names in the message."""
_PREPARE = """
CREATE TEMP TABLE counted AS
SELECT *, row_number() OVER (PARTITION BY cause, page ORDER BY line, "column") = 1 AS is_first_of_page
FROM (
  SELECT f.* REPLACE (cause_key(f.severity, f.rule, f.profile, f.property, f.message) AS cause),
         CASE WHEN p."offset" IS NULL THEN p.path ELSE coalesce(p.url, p.path) END AS path, p.shape, p.missed
  FROM findings f JOIN pages p USING (page)
  WHERE f.suppressed IS NULL AND f.severity <> 'info')"""
_BLOCKING = """
CREATE TEMP TABLE blocking AS
WITH unread AS (SELECT DISTINCT page, cause, missed FROM counted WHERE blocks AND profile IS NULL)
SELECT DISTINCT page, profile, cause FROM counted WHERE blocks AND list_contains(missed, profile)
UNION SELECT page, unnest(CASE WHEN len(missed) = 0 THEN [''] ELSE missed END), cause FROM unread"""
"""Causes that keep a page from a rich result; the result is '' for a script that cannot be read at all."""


def _prepare(db: Any) -> None:
    db.execute(_KEY)
    db.execute(_PREPARE)
    db.execute(_BLOCKING)


_COLUMNS = """
cause, first(severity), first(rule), first(profile), first(property), min_by(message, (page, line, "column")),
min_by(hint, (page, line, "column")), count(DISTINCT message), count(*), count(DISTINCT page), bool_or(blocks),
min_by({'path': path, 'line': line, 'column': "column"}, (page, line, "column"), 3)
  FILTER (is_first_of_page),
histogram(message) FILTER (rule = 'recommended-property-missing')"""
_CAUSES = "SELECT " + _COLUMNS + " FROM counted GROUP BY cause ORDER BY count(DISTINCT page) DESC, cause"  # noqa: S608 - constants
_WHY = (
    f"SELECT {_COLUMNS} FROM counted WHERE blocks AND profile = ? AND list_contains(missed, profile) "  # noqa: S608
    "GROUP BY cause ORDER BY count(DISTINCT page) DESC, cause LIMIT 5"
)
_OF_TEMPLATE = (
    f"SELECT {_COLUMNS} FROM counted JOIN template USING (shape) WHERE leader = ? "  # noqa: S608 - constants
    "GROUP BY cause ORDER BY min(severity), count(DISTINCT page) DESC, cause LIMIT 5"
)


def _reasons(db: Any, sql: str, pages: int, *parameters: Any) -> list[Reason]:
    """Causes by a query with `_COLUMNS`; shares are of so many pages."""
    return [
        Reason(
            cause=cause, severity=severity, rule=rule, profile=profile, hint=hint,
            message=_together(missing) or _with_property(message, property_),
            variants=1 if missing else int(variants), places=int(places), pages=int(number),
            share=round(number / pages, 4) if pages else 0.0, blocks=bool(blocks),
            examples=tuple(Place(**each) for each in examples),
        )
        for (cause, severity, rule, profile, property_, message, hint, variants, places, number, blocks, examples,
             missing) in db.execute(sql, list(parameters)).fetchall()
    ]  # fmt: skip


def _with_property(message: str, name: str | None) -> str:
    """Message that names its property, which on a page is seen from the place."""
    return message if not name or name.rpartition(".")[2] in message else f"{name}: {message}"


def _together(messages: dict[str, int] | None) -> str:
    """Message for several about recommended properties of a type; one that only some places lack has its count."""
    # A single message stands as it is.
    if not messages or len(messages) == 1:
        return ""
    counts: Counter[str] = Counter()
    for message, places in messages.items():
        counts.update(dict.fromkeys(message.rpartition(": ")[2].split(", "), places))
    kind = next(iter(messages)).partition(":")[0]
    total = sum(messages.values())
    entries = ", ".join(
        name if places == total else f"{name} (at {places:,} of {total:,})"
        for name, places in counts.most_common(_MOST_PROPERTIES)
    )
    more = f" and {len(counts) - _MOST_PROPERTIES} more" if len(counts) > _MOST_PROPERTIES else ""
    return f"{kind}: recommended properties missing: {entries}{more}"


_RESULTS = """
SELECT profile, count(*) FILTER (kind = 'eligible'), count(*) FILTER (kind = 'missed') FROM (
  SELECT unnest(eligible) AS profile, 'eligible' AS kind FROM pages
  UNION ALL SELECT unnest(missed), 'missed' FROM pages)
GROUP BY profile ORDER BY count(*) DESC, profile"""


def _results(db: Any) -> tuple[RichResult, ...]:
    return tuple(
        RichResult(
            profile=profile,
            eligible=int(eligible),
            missed=int(missed),
            reasons=tuple(_reasons(db, _WHY, int(missed), profile)) if missed else (),
        )
        for profile, eligible, missed in db.execute(_RESULTS).fetchall()
    )


_SHAPES = """
SELECT shape, count(*) AS number, any_value(paths) FROM pages JOIN (
  SELECT shape, any_value(paths) AS paths FROM shapes GROUP BY shape) USING (shape)
GROUP BY shape ORDER BY number DESC, shape LIMIT ?"""
_TEMPLATES = """
SELECT leader, count(*), count(*) FILTER (errors > 0), count(*) FILTER (len(eligible) > 0),
       min_by(CASE WHEN "offset" IS NULL THEN path ELSE coalesce(url, path) END, page, 3)
FROM pages JOIN template USING (shape) GROUP BY leader ORDER BY 2 DESC, 1"""


def _templates(db: Any, checked: int) -> list[Template]:
    # The frequent shapes first, since only so many are compared.
    shapes = {shape: (int(number), paths) for shape, number, paths in db.execute(_SHAPES, [_MOST_SHAPES]).fetchall()}
    leaders = templates(shapes)
    db.execute("CREATE TEMP TABLE template (shape VARCHAR, leader VARCHAR)")
    if leaders:
        db.executemany("INSERT INTO template VALUES (?, ?)", [*leaders.items()])
    names: Counter[str] = Counter()
    found = []
    for rank, (leader, pages, with_errors, eligible, examples) in enumerate(db.execute(_TEMPLATES).fetchall()):
        # Two templates may have equal types and differ in properties.
        name = _name_of(shapes[leader][1])
        names[name] += 1
        reasons = _reasons(db, _OF_TEMPLATE, int(pages), leader) if rank < _MOST_TEMPLATES else []
        found.append(
            Template(
                name=name + (f" ({names[name]})" if names[name] > 1 else ""),
                shape=leader,
                pages=int(pages),
                share=round(pages / checked, 4) if checked else 0.0,
                with_errors=int(with_errors),
                eligible=int(eligible),
                examples=tuple(examples[:_EXAMPLES]),
                reasons=tuple(reasons),
            )
        )
    return found


_SYNTAX_NAMES = {"json-ld": "JSON-LD", "microdata": "Microdata", "rdfa": "RDFa"}


def _name_of(paths: Sequence[str]) -> str:
    """Name of a template for people: the types of the root items, by syntax."""
    by_syntax: dict[str, list[str]] = {}
    for root in sorted(roots_of(paths)):
        syntax, _, types = root.partition(" ")
        by_syntax.setdefault(_SYNTAX_NAMES.get(syntax, syntax), []).append(types.replace("+", " and "))
    return "; ".join(f"{', '.join(types)} in {syntax}" for syntax, types in by_syntax.items())


_RENDERED = """
SELECT count(*) FILTER (r.outcome = 'rendered'), count(*) FILTER (added + removed + changed > 0),
       count(*) FILTER (added > 0), count(*) FILTER (removed > 0), count(*) FILTER (changed > 0),
       count(*) FILTER (len(r.eligible) > 0 AND len(p.eligible) = 0)
FROM renderings r JOIN pages p USING (page)"""
_NOT_RENDERED = "SELECT error, count(*) FROM renderings WHERE outcome <> 'rendered' GROUP BY 1 ORDER BY 2 DESC, 1"
_OF_RENDERED = (
    f'SELECT {_COLUMNS} FROM (SELECT *, row_number() OVER (PARTITION BY cause, page ORDER BY line, "column") = 1 '  # noqa: S608
    "AS is_first_of_page FROM (SELECT f.* REPLACE (cause_key(f.severity, f.rule, f.profile, f.property, f.message) "
    "AS cause), p.path FROM findings f JOIN pages p USING (page) "
    "WHERE f.suppressed IS NULL AND f.rule LIKE 'rendered-%')) "
    "GROUP BY cause ORDER BY count(DISTINCT page) DESC, cause LIMIT 20"
)
_RENDERED_TEMPLATES = """
SELECT leader, count(*), count(*) FILTER (added + removed + changed > 0)
FROM renderings r JOIN pages USING (page) LEFT JOIN template USING (shape) WHERE r.outcome = 'rendered'
GROUP BY leader ORDER BY 3 DESC, 2 DESC, 1 LIMIT 20"""


def _rendered(db: Any, share: float, known: Sequence[Template]) -> RenderedPages:
    pages, differ, added, removed, changed, gained = map(int, db.execute(_RENDERED).fetchone())
    names = {template.shape: template.name for template in known}
    return RenderedPages(
        share=share, pages=pages, differ=differ, added=added, removed=removed, changed=changed, gained=gained,
        failed={reason: int(number) for reason, number in db.execute(_NOT_RENDERED).fetchall()},
        causes=tuple(_reasons(db, _OF_RENDERED, pages)),
        templates=tuple(
            RenderedTemplate(names.get(leader, "no structured data as sent"), int(number), int(differing))
            for leader, number, differing in db.execute(_RENDERED_TEMPLATES).fetchall()
        ),
    )  # fmt: skip


_NEXT_FIX = """
WITH open_sets AS (
  SELECT page, profile, list(cause ORDER BY cause) AS causes FROM blocking
  WHERE NOT list_contains(?, cause) GROUP BY page, profile)
SELECT causes, count(DISTINCT page), bool_and(profile = '') FROM open_sets GROUP BY causes
ORDER BY count(DISTINCT page) DESC, len(causes), causes LIMIT 1"""


def _fixes(db: Any, reasons: dict[str, Reason]) -> tuple[Repair, ...]:
    """The fixes by which most pages become eligible; a fix counts the fixes before as made."""
    fixed: list[str] = []
    found: list[Repair] = []
    while len(found) < _MOST_FIXES:
        # Greedy: each step takes the fix by which most further pages gain, the ones before being made.
        row = db.execute(_NEXT_FIX, [fixed]).fetchone()
        if row is None:
            break
        found.append(
            Repair(gained=int(row[1]), only_readable=bool(row[2]), reasons=tuple(reasons[cause] for cause in row[0]))
        )
        fixed += row[0]
    return tuple(found)


_BY_DAY = """
SELECT left(seen, 10), count(*), count(*) FILTER (len(eligible) > 0), count(*) FILTER (errors > 0)
FROM pages WHERE outcome = 'checked' AND seen IS NOT NULL GROUP BY ALL ORDER BY 1"""
_MOST_DAYS = 60


def _timeline(db: Any, folder: CrawlFolder, earlier: Sequence[CrawlFolder]) -> tuple[Moment, ...]:
    """A point for each crawl; without earlier ones, for each day of the archive's records."""
    if earlier:
        moments = []
        for each in [*earlier, folder]:
            counts = totals(each)
            day = each.plan().settings.now.date().isoformat()
            moments.append(Moment(day, counts.checked, counts.eligible, counts.with_errors))
        # By day, whatever the order of the arguments.
        return tuple(sorted(moments, key=lambda moment: moment.day))
    days = [Moment(day, int(pages), int(good), int(bad)) for day, pages, good, bad in db.execute(_BY_DAY).fetchall()]
    # A single day is not a time line.
    return tuple(days[-_MOST_DAYS:]) if len(days) > 1 else ()


_PAGES_CHANGED = """
WITH fresh AS (SELECT coalesce(url, path) AS address, min(content) AS content FROM pages GROUP BY 1),
     old AS (SELECT coalesce(url, path) AS address, min(content) AS content FROM old_pages GROUP BY 1)
SELECT count(*) FILTER (o.address IS NULL), count(*) FILTER (n.address IS NULL),
       count(*) FILTER (n.address = o.address AND n.content IS DISTINCT FROM o.content),
       count(*) FILTER (n.address = o.address AND n.content IS NOT DISTINCT FROM o.content)
FROM fresh n FULL JOIN old o ON n.address = o.address"""
_RESULTS_CHANGED = """
SELECT profile, count(*) FILTER (is_old), count(*) FILTER (NOT is_old) FROM (
  SELECT unnest(eligible) AS profile, false AS is_old FROM pages
  UNION ALL SELECT unnest(eligible), true FROM old_pages)
GROUP BY profile ORDER BY profile"""
_PAGES_LOST = """
WITH fresh AS (SELECT coalesce(url, path) AS address, any_value(eligible) AS eligible FROM pages GROUP BY 1),
     old AS (SELECT coalesce(url, path) AS address, any_value(eligible) AS eligible FROM old_pages GROUP BY 1)
SELECT count(*) FROM fresh n JOIN old o ON n.address = o.address
WHERE NOT list_has_all(n.eligible, o.eligible)"""
_BY_CAUSE = """
SELECT cause, any_value(severity), any_value(rule), min(message), count(DISTINCT page) FILTER (is_old),
       count(DISTINCT page) FILTER (NOT is_old) FROM (
  SELECT cause, severity, rule, message, page, false AS is_old FROM counted
  UNION ALL SELECT cause_key(severity, rule, profile, property, message), severity, rule, message, page, true
  FROM old_findings
  WHERE suppressed IS NULL AND severity <> 'info')
GROUP BY cause
"""
_NEW_ERRORS = f"""
SELECT count(*) FROM ({_BY_CAUSE}
HAVING count(DISTINCT page) FILTER (NOT is_old) > count(DISTINCT page) FILTER (is_old)
   AND any_value(severity) = 'error')"""  # noqa: S608 - of constants
_CAUSES_CHANGED = f"""{_BY_CAUSE}
HAVING count(DISTINCT page) FILTER (is_old) <> count(DISTINCT page) FILTER (NOT is_old)
ORDER BY abs(count(DISTINCT page) FILTER (is_old) - count(DISTINCT page) FILTER (NOT is_old)) DESC,
         any_value(severity), cause LIMIT 20"""


def _changes(db: Any, folder: CrawlFolder, earlier: CrawlFolder) -> Changes:
    # In the same connection, as the queries join both crawls.
    connect(earlier, "old_", db)
    old, new = earlier.plan(), folder.plan()
    fresh, gone, changed, unchanged = map(int, db.execute(_PAGES_CHANGED).fetchone())
    return Changes(
        since=old.settings.now.date().isoformat(),
        same_rules=(old.waypost, old.registry) == (new.waypost, new.registry),
        new=fresh,
        gone=gone,
        changed=changed,
        unchanged=unchanged,
        results=tuple(ResultChange(*row) for row in db.execute(_RESULTS_CHANGED).fetchall()),
        causes=tuple(CauseChange(*row) for row in db.execute(_CAUSES_CHANGED).fetchall()),
        lost=int(db.execute(_PAGES_LOST).fetchone()[0]),
        new_errors=int(db.execute(_NEW_ERRORS).fetchone()[0]),
    )
