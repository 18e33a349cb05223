"""Python interface: check, fix and read pages from code, with results to print and to display in notebooks.

report = waypost.check("public/index.html")
print(report)                         # the report of the command line
[finding.message for finding in report.errors]
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from waypost.config import Config, ConfigError, is_own_file, load, with_own
from waypost.errors import Unreadable
from waypost.formats.source_kinds import Template
from waypost.lint.given import GivenPage, given_page, is_path
from waypost.registry import shared_registry

if TYPE_CHECKING:
    from waypost.fixes import RejectedFix
    from waypost.lint.configurations import Configurations
    from waypost.lint.inputs import Input
    from waypost.models.finding import FileReport, Finding, NodeVerdict, Report
    from waypost.reader.sources import PageSource
    from waypost.registry.own_files import OwnFile

__all__ = ["Checked", "CheckedPages", "Fixed", "Item", "check", "check_pages", "extract", "fix"]

Configuration = str | Path | Literal[False] | None


class Checked:
    """Report about a page. `print` writes the text of the command line; a notebook displays HTML.

    report  members of `files` in `schemas/api/report.schema.json`.
    """

    def __init__(self, report: FileReport, read: Callable[[], PageSource]) -> None:
        self.report = report
        self._read = read

    @property
    def findings(self) -> list[Finding]:
        """Findings in document order, without those suppressed by the page or the configuration."""
        return self.report.findings

    @property
    def errors(self) -> list[Finding]:
        """Findings of severity "error"."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        """Findings of severity "warning"."""
        return [finding for finding in self.findings if finding.severity == "warning"]

    @property
    def verdicts(self) -> list[NodeVerdict]:
        """Rich results by node of the page."""
        return self.report.verdicts

    @property
    def eligible(self) -> frozenset[str]:
        """Profiles with an eligible node on the page, such as "google/recipe"."""
        return frozenset(profile for verdict in self.verdicts for profile in verdict.eligible)

    def render(self, format_name: str = "text", *, verbose: bool = False) -> str:
        """Report in a format of the command line. `verbose` adds information."""
        return _rendered([self.report], format_name, verbose, {self.report.path: self._read})

    def to_dict(self) -> dict[str, Any]:
        """Report as dictionaries and lists, equal to the JSON report."""
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.report))
        return plain

    def __str__(self) -> str:
        return self.render().rstrip()

    def __repr__(self) -> str:
        return f"<Checked {self.report.path!r}: {len(self.errors)} errors, {len(self.warnings)} warnings>"

    def _repr_html_(self) -> str:
        return _framed(self.render("html"))


class CheckedPages(Sequence[Checked]):
    """Reports about pages that were checked together, in order. `print` writes one report about the pages."""

    def __init__(self, pages: Sequence[Checked]) -> None:
        self._pages = pages

    @cached_property
    def report(self) -> Report:
        """Report with a summary, by `schemas/api/report.schema.json`."""
        return _built([page.report for page in self._pages])

    @property
    def findings(self) -> Iterator[tuple[str, Finding]]:
        """(path, finding) in the order of the pages."""
        return ((page.report.path, finding) for page in self._pages for finding in page.findings)

    def render(self, format_name: str = "text", *, verbose: bool = False) -> str:
        """Report about the pages in a format of the command line. `verbose` adds information."""
        sources = {page.report.path: page._read for page in self._pages}  # noqa: SLF001 - the same module
        return _rendered([page.report for page in self._pages], format_name, verbose, sources)

    def __len__(self) -> int:
        return len(self._pages)

    def __getitem__(self, index: Any) -> Any:
        return self._pages[index]

    def __str__(self) -> str:
        return self.render().rstrip()

    def __repr__(self) -> str:
        summary = self.report.summary
        return f"<CheckedPages: {len(self)} pages, {summary.errors} errors, {summary.warnings} warnings>"

    def _repr_html_(self) -> str:
        return _framed(self.render("html"))


class Fixed(NamedTuple):
    """Page after the fixes.

    data      fixed bytes, equal to the original outside the changes.
    fixed     findings of the applied fixes, with positions in the original.
    rejected  harmful fixes, with the reason.
    diff      changes in the format of `diff -u`; empty without changes.
    after     report about the fixed page.
    """

    data: bytes
    fixed: list[Finding]
    rejected: list[RejectedFix]
    diff: str
    after: Checked

    @property
    def text(self) -> str:
        """Fixed page as text."""
        from waypost.lint.texts import source_of

        return source_of(self.after._read()).text  # noqa: SLF001 - the same module

    def __str__(self) -> str:
        return self.diff.rstrip() or "nothing to fix"


class Item(NamedTuple):
    """Item of structured data on a page.

    data    the item as JSON-LD without `@context`; numbers with a fraction are floats.
    syntax  "json-ld", "microdata" or "rdfa"
    line    1-based line of the item's start; `column` counts code points
    """

    types: tuple[str, ...]
    data: dict[str, Any]
    syntax: str
    line: int
    column: int


def check(
    page: Any,
    *,
    url: str | None = None,
    media_type: str | None = None,
    profiles: str | Sequence[str] = (),
    config: Configuration = None,
    template: Template = "auto",
    now: datetime | None = None,
) -> Checked:
    """Check the structured data of a page, with the result of `waypost validate`.

    page        HTML or JSON-LD as text or bytes; a Path, or a file's path as text; dictionaries and lists of JSON-LD;
                an open file; or the response of an HTTP library or of a web framework's test client.
    url         URL of the page, base for links and ids.
    media_type  Content-Type of the page; by default the header of a response.
    profiles    profiles to check in full, such as "google/recipe", or paths of profiles, "./acme/product.json"; a page
                without an item for a profile has the finding `profile-not-found`.
    config      configuration: a path; None: for a file the nearest `waypost.toml`, else none; False: none.
    template    whether the page is a template, whose computed parts are unknown; "auto": by the name of the file and
                `[sources]` of the configuration.
    now         aware time for comparisons with dates; the current time by default.

    Raises errors.Unreadable for a path without a readable page, TypeError for another object, and ValueError for a
    URL, a response with another status than 200, and an unknown profile.
    """
    given = given_page(page, url, media_type)
    names, own = _named(profiles)
    found = with_own(_config(config, given.where), own)
    report = _report(given, _known(names, [found]), found, now, template)
    return Checked(report, lambda: given.source)


def check_pages(
    pages: Iterable[Any],
    *,
    profiles: str | Sequence[str] = (),
    config: Configuration = None,
    template: Template = "auto",
    now: datetime | None = None,
) -> CheckedPages:
    """Check pages together, also for contradictions between pages, such as an `@id` with different facts.

    pages  pages in the forms of `check`; a folder, pattern (`public/**/*.html`) or web archive stands for the pages
           inside.

    The report about an unreadable file has `error`. Further parameters and errors as in `check`.
    """
    from waypost.lint.named_profiles import settle_profiles
    from waypost.lint.page import LintOptions, Result, apply_config, config_path, validate_source
    from waypost.lint.page_sources import PageStore
    from waypost.lint.site_findings import add_site_findings
    from waypost.models.finding import FileReport

    names, own_files = _named(profiles)
    configs = _configurations_of(config, own_files)
    plain = with_own(Config(), own_files)
    known = _known(names, [configs.of_folder("")] if config is not None or own_files else configs.known())
    options = LintOptions(now=now or datetime.now(UTC), profiles=known, template=template)
    inputs: list[Input] = []
    results: list[Result] = []
    readers: list[Callable[[], PageSource]] = []
    with closing(PageStore()) as store:
        for item, read in _inputs(pages, template):
            own = configs.of(item.where) if item.where != "-" or config is not None else plain
            options = msgspec.structs.replace(options, config=own)
            try:
                source = read()
            except Unreadable as error:
                if item.walked:
                    continue
                result = Result(FileReport(path=item.path, error=error.reason))
            else:
                result = validate_source(item, source, options)
                if item.kind != "file":
                    store[item.path] = source
            if result.file is None:
                continue
            apply_config(config_path(item), result.file, options)
            inputs.append(item)
            results.append(result)
            readers.append(read)
        options = msgspec.structs.replace(options, config=configs.together(Path(), (item.where for item in inputs)))
        settle_profiles(inputs, results, options)
        if len(results) > 1:
            add_site_findings(inputs, results, options, store)
    reports = [result.file for result in results if result.file is not None]
    return CheckedPages([Checked(report, read) for report, read in zip(reports, readers, strict=True)])


def fix(
    page: Any,
    *,
    url: str | None = None,
    media_type: str | None = None,
    unsafe: bool = False,
    rules: str | Sequence[str] = (),
    config: Configuration = None,
    template: Template = "auto",
    now: datetime | None = None,
) -> Fixed:
    """Apply the harmless fixes of a page, with the result of `waypost validate --fix`. Writes no file.

    unsafe  apply also fixes based on a guess of the author's intention.
    rules   rules and profiles to fix; by default every rule.

    Further parameters and errors as in `check`.
    """
    from waypost.fixes import broken_blocks, fix_page
    from waypost.fixes.diff import unified_diff
    from waypost.reader.encoding import decode

    given = given_page(page, url, media_type)
    holding, moment = _config(config, given.where), now or datetime.now(UTC)
    source = _as_source(given, template, holding)
    chosen = frozenset([rules] if isinstance(rules, str) else rules)
    # JSON (RFC 8259, section 8.1) and Markdown are UTF-8; HTML states its encoding.
    encoding = None if source.kind == "html" else "utf-8"
    made = fix_page(
        source.data,
        lambda data: _report(given._replace(source=source._replace(data=data)), (), holding, moment),
        broken=lambda data: broken_blocks(data, source.kind, source.media_type, encoding, source.language),
        unsafe=unsafe,
        media_type=source.media_type,
        encoding=encoding,
        only=(lambda finding: not chosen.isdisjoint({finding.rule, finding.profile or ""})) if chosen else None,
    )
    codec = decode(source.data, source.media_type, encoding).codec
    diff = "".join(unified_diff(given.name, source.data, made.changes, codec))
    after = source._replace(data=made.data)
    return Fixed(made.data, made.fixed, made.rejected, diff, Checked(made.report, lambda: after))


def extract(
    page: Any,
    *,
    url: str | None = None,
    media_type: str | None = None,
    syntaxes: Sequence[Literal["json-ld", "microdata", "rdfa"]] = ("json-ld", "microdata", "rdfa"),
    template: Template = "auto",
) -> list[Item]:
    """Items of a page in document order, from JSON-LD, Microdata and RDFa; broken JSON is read as far as possible.

    Parameters and errors as in `check`.
    """
    from waypost.reader.plain import plain_objects
    from waypost.reader.sources import parse_source

    given = given_page(page, url, media_type)
    parsed = parse_source(
        _as_source(given, template, Config()), given.name, shared_registry().vocabulary, frozenset(syntaxes)
    )
    items = [
        Item(node.types, data, node.block.syntax, *parsed.start_position(node))
        for node, data in plain_objects(parsed.roots)
    ]
    parsed.release()
    return items


def _inputs(pages: Iterable[Any], template: Template) -> Iterator[tuple[Input, Callable[[], PageSource]]]:
    """(input, reader of the bytes) by page; names are unique."""
    from waypost.lint.inputs import Input, collect
    from waypost.lint.page_sources import open_page

    taken: dict[str, int] = {}
    for page in [pages] if isinstance(pages, str | bytes | os.PathLike | dict) else pages:
        name = os.fspath(page) if isinstance(page, os.PathLike) else page
        if isinstance(name, str) and (isinstance(page, os.PathLike) or is_path(name) or "*" in name):
            found = collect([name], None, sources=template != "no")
            if found.empty:
                raise Unreadable(name, "there is no page in it")
            for item in found.inputs:
                yield item, partial(open_page, item, allow_private=False)
            continue
        given = given_page(page)
        number = taken[given.name] = taken.get(given.name, 0) + 1
        path = given.name if number == 1 else f"{given.name} ({number})"
        yield Input(path, "-", "stdin", given.source.url), partial(_itself, given.source)


def _itself(source: PageSource) -> PageSource:
    return source


@cache
def _project_configurations() -> Configurations:
    from waypost.lint.configurations import Configurations
    from waypost.validate.rulebook import rule_names

    return Configurations(lambda path: load(path, rule_names(), shared_registry().profile_names))


def _configurations_of(config: Configuration, own: Sequence[OwnFile] = ()) -> Configurations:
    """Configurations of pages, for the argument `config`, with profiles in files. Raises ConfigError."""
    from waypost.lint.configurations import Configurations

    found = _project_configurations()
    if config is not None:
        everywhere = Config() if config is False else found.at(Path(config))
        return Configurations(found.at, everywhere=with_own(everywhere, own))
    found.renew()  # a file may have come or gone since
    if own:
        return Configurations(lambda path: with_own(found.at(path), own), default=with_own(Config(), own))
    return found


def _named(profiles: str | Sequence[str]) -> tuple[tuple[str, ...], list[OwnFile]]:
    """(names of profiles, profiles in files). Raises ConfigError for an unusable file."""
    names, own = [], []
    for name in (profiles,) if isinstance(profiles, str) else profiles:
        if is_own_file(name):
            from waypost.registry.own_files import OwnFileError, read_profile

            try:
                own.append(read_profile(Path(name)))
            except OwnFileError as error:
                raise ConfigError(str(error), error.path, error.line) from None
            name = own[-1].name
        names.append(name)
    return tuple(names), own


def _config(config: Configuration, where: str | None) -> Config:
    """Configuration for a page. Raises ConfigError."""
    configs = _configurations_of(config)
    # A page that is not a file has no folder with a configuration.
    return configs.of(where or "-") if where is not None or config is not None else Config()


def _known(names: tuple[str, ...], configs: Iterable[Config]) -> tuple[str, ...]:
    """Names of profiles. Raises ValueError for an unknown profile."""
    from waypost.lint.names import why_unknown

    own = [each.name for config in configs for each in config.own]
    if why := why_unknown("profile", names, [*shared_registry().profile_names, *own]):
        raise ValueError(why)
    return names


def _as_source(given: GivenPage, template: Template, config: Config) -> PageSource:
    """Page with its language, where it is a template or code."""
    from waypost.reader.sources import with_language

    configured = given.where is not None and config.is_source(given.where)
    return with_language(given.source, given.where or "", template, configured=configured)


def _report(
    given: GivenPage, profiles: tuple[str, ...], config: Config, now: datetime | None, template: Template = "auto"
) -> FileReport:
    from waypost.lint.page import LintOptions, apply_config, check_page

    where = given.where or given.name
    options = LintOptions(now=now or datetime.now(UTC), profiles=profiles, config=config, template=template)
    page, report = check_page(given.source, given.name, where, options)
    page.release()
    apply_config(where, report, options)
    return report


def _built(reports: Sequence[FileReport]) -> Report:
    from waypost.validate import build_report

    return build_report(reports, shared_registry())


def _rendered(
    reports: Sequence[FileReport], format_name: str, verbose: bool, read: Mapping[str, Callable[[], PageSource]]
) -> str:
    from waypost.lint.rule_notes import rule_notes
    from waypost.lint.texts import source_of
    from waypost.report import RuleNote, Source, View, format_names, render

    if format_name not in format_names():
        raise ValueError(f"there is no format {format_name!r}; the formats are {', '.join(format_names())}")

    def source(path: str) -> Source | None:
        try:
            return source_of(read[path]())
        except (KeyError, Unreadable):
            return None

    def notes() -> dict[str, RuleNote]:
        return rule_notes("", _project_configurations().known())

    return render(_built(reports), format_name, View(read=source, rules=notes, verbose=verbose))


def _framed(page: str) -> str:
    """HTML for a notebook: the report in a frame, because the styles must not reach the notebook."""
    return (
        f'<iframe title="waypost report" sandbox="allow-popups" srcdoc="{escape(page)}" '
        'style="width:100%;height:28rem;border:1px solid #8884;border-radius:4px"></iframe>'
    )
