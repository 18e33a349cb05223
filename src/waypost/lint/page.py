"""Report about one page: read, validated, fixed where requested, under the configuration of its folder."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from waypost.config import Config, apply
from waypost.errors import Unreadable
from waypost.formats.file_kinds import is_linked_data
from waypost.formats.source_kinds import Template
from waypost.lint.cache import StampedRead, Validity
from waypost.lint.fixing import FixMode, FixResult, fix_input
from waypost.lint.inputs import Input
from waypost.lint.own_requirements import registry_for
from waypost.lint.page_sources import PageStore, open_page, parse_page
from waypost.models.finding import FileReport, Finding
from waypost.reader.sources import PageSource, with_language
from waypost.registry import Registry, shared_registry

if TYPE_CHECKING:
    from waypost.models.page import Page


class PageOptions(Protocol):
    """Options for a page of a run or of a crawl.

    syntaxes  syntaxes to read; None for no limit.
    template  whether a page is a template; "auto" goes by its name and the configuration.
    """

    @property
    def now(self) -> datetime: ...
    @property
    def config(self) -> Config: ...
    @property
    def profiles(self) -> tuple[str, ...]: ...
    @property
    def syntaxes(self) -> Collection[str] | None: ...
    @property
    def site(self) -> str: ...
    @property
    def template(self) -> Template: ...


class LintOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for every page of a run.

    fix_infos  --fix also fixes information.
    fix_rules  rules and profiles named by --rule; their information is fixed, too.
    caching    record the conditions of a result for the cache.
    with_products  collect the facts of products, for the comparison with feeds.
    """

    now: datetime
    config: Config = Config()
    profiles: tuple[str, ...] = ()
    syntaxes: frozenset[str] | None = None
    secondary: tuple[str, ...] = ()
    site: str = ""
    allow_private: bool = False
    fix_mode: FixMode = ""
    unsafe: bool = False
    fix_infos: bool = False
    fix_rules: frozenset[str] = frozenset()
    caching: bool = False
    with_products: bool = False
    template: Template = "auto"

    def is_fixed(self, finding: Finding) -> bool:
        """Whether --fix is about a finding: information only where it is shown, or its rule is named."""
        return (
            finding.severity != "info"
            or self.fix_infos
            or not self.fix_rules.isdisjoint({finding.rule, finding.profile or ""})
        )


class Result(msgspec.Struct):
    """Outcome for an input.

    file      report; None for a file of a searched folder without a page in it.
    why       reason for an unreadable file of a searched folder.
    facts     facts of the page for comparison with further pages, packed by `facts_of`.
    address   URL of the page, where known.
    validity  conditions under which a cache may return the result.
    """

    file: FileReport | None = None
    why: str = ""
    fixes: FixResult | None = None
    facts: bytes = b""
    address: str | None = None
    validity: Validity | None = None


def profiles_for(where: str, options: PageOptions) -> tuple[str, ...]:
    """Profiles to check in a page: those of the options, else those of the configuration."""
    if options.profiles or not (config := options.config.nearest(where)).parts:
        return options.profiles
    setting = config.for_page(where).profiles
    return setting.value if setting else ()


def config_path(item: Input) -> str:
    """Path by which the configuration knows an input."""
    return item.where if item.kind != "stdin" else item.path


def apply_config(where: str, file: FileReport, options: PageOptions) -> None:
    """Apply the configuration's levels and suppressions for a page to the report, in place."""
    config = options.config.nearest(where)
    if config.parts:
        from waypost.validate.rulebook import former_names

        holding = config.for_page(where)
        if holding.rules or holding.ignore:
            apply(file, holding, former_names())


def validate_input(item: Input, options: LintOptions, store: PageStore) -> Result:
    """Result of an input, before the configuration is applied."""
    # The stamp is taken before the read: a change in between must not be stored under the new stamp.
    read = StampedRead(item.where) if options.caching and item.kind == "file" else None
    try:
        source = open_page(item, options.allow_private)
    except Unreadable as error:
        return Result(None, error.reason) if item.walked else Result(FileReport(path=item.path, error=error.reason))
    if read is not None:
        turns: list[datetime] = []
        result = validate_source(item, source, options, turns)
        # A page on which waypost itself failed is tried again in the next run.
        if result.file is None or result.file.error is None:
            result.validity = read.validity(source.data, options.now, turns)
        return result
    if item.kind == "stdin":
        store[item.path] = source
    return validate_stored(item, source, options, store)


def validate_stored(item: Input, source: PageSource, options: LintOptions, store: PageStore) -> Result:
    result = validate_source(item, source, options)
    if result.fixes and result.fixes.data is not None:
        store[item.path] = source._replace(data=result.fixes.data)
    return result


def validate_source(
    item: Input, source: PageSource, options: LintOptions, turns: list[datetime] | None = None
) -> Result:
    """Result of a page. `turns` collects the instants at which findings about dates change."""
    from waypost.validate.site_facts import facts_of

    if item.walked and is_other_data(source, item.path):
        return Result()
    where, result = config_path(item), Result()
    try:
        source = as_source(source, item.path, where, options)
    except Unreadable as error:
        return Result(None, error.reason) if item.walked else Result(FileReport(path=item.path, error=error.reason))

    def check(data: bytes) -> FileReport:
        page, file = _check_source(source._replace(data=data), item.path, where, options, turns)
        # Of a source some values are unknown: nothing of it is compared with other pages.
        if page.computed is None:
            result.facts = facts_of(page, shared_registry().vocabulary, with_products=options.with_products)
            result.address = page.url
        page.release()
        if options.fix_mode:
            apply_config(where, file, options)
        return file

    try:
        file, fixes = check(source.data), None
        if options.fix_mode:
            file, fixes = fix_input(
                item, source, file, check, options.fix_mode, unsafe=options.unsafe, only=options.is_fixed
            )
            if fixes.data is not None:
                source = source._replace(data=fixes.data)
    except Exception as error:  # noqa: BLE001 - an error of ours on one page must not cost the others
        return Result(FileReport(path=item.path, error=f"waypost failed on this page, please report it ({error!r})"))
    if item.walked and is_text_alone(source, file):
        return Result()
    if options.secondary and source.kind == "html":
        file.secondary = _secondary(source, options.secondary)
    result.file, result.fixes = file, fixes
    return result


def check_page(
    source: PageSource, path: str, where: str, options: PageOptions, turns: list[datetime] | None = None
) -> tuple[Page, FileReport]:
    """(page, report before the configuration). `turns` as in `validate_source`."""
    return _check_source(as_source(source, path, where, options), path, where, options, turns)


def _check_source(
    source: PageSource, path: str, where: str, options: PageOptions, turns: list[datetime] | None = None
) -> tuple[Page, FileReport]:
    """(page, report before the configuration) of a source with its language."""
    from waypost.validate import validate_parsed

    page = parse_page(source, path, options.syntaxes)
    config = options.config.nearest(where)
    registry = registry_for(config)
    file = validate_parsed(
        page, registry, now=options.now, profiles=profiles_for(where, options), site=options.site,
        change_times=turns, also=config.also,
    )  # fmt: skip
    if registry.own_consumers and not options.profiles:
        file.findings[:] = without_own_not_found(file.findings, registry)
    if options.syntaxes is not None:
        # A suppression may concern a syntax that was not read, so it cannot be called unused.
        file.findings[:] = [finding for finding in file.findings if finding.rule != "suppression-unused"]
    return page, file


def without_own_not_found(findings: list[Finding], registry: Registry) -> list[Finding]:
    """Findings without those about pages that a project's own profiles are not about."""
    own = registry.own_consumers
    return [
        each for each in findings
        if each.rule != "profile-not-found" or (each.profile or "").partition("/")[0] not in own
    ]  # fmt: skip


def as_source(source: PageSource, name: str, where: str, options: PageOptions) -> PageSource:
    """Page with the language of a template or of code. Raises Unreadable without a needed extra."""
    return with_language(source, name, options.template, configured=options.config.is_source(where))


def is_other_data(source: PageSource, path: str) -> bool:
    """Whether a file is JSON or code without structured data, such as package.json; for files of a search."""
    if source.kind == "code":
        from waypost.reader.code_objects import is_minified, may_hold_objects
        from waypost.reader.jsx_markup import may_hold_markup

        return not (may_hold_objects(source.data) or may_hold_markup(source.data)) or is_minified(source.data)
    return source.kind == "json" and ".jsonld" not in path.lower() and not is_linked_data(source.data)


def is_text_alone(source: PageSource, file: FileReport) -> bool:
    """Whether a file is Markdown or a source without structured data; for files of a search."""
    return (source.kind == "markdown" or bool(source.language)) and not (file.items or file.findings or file.suppressed)


def _secondary(source: PageSource, syntaxes: tuple[str, ...]) -> dict[str, list[Any]]:
    from waypost.reader.secondary import read_secondary

    read = read_secondary(source.data, syntaxes, url=source.url, media_type=source.media_type)
    plain: dict[str, list[Any]] = msgspec.to_builtins(read, enc_hook=str, str_keys=True)
    return plain
