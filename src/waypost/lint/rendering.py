"""Pages of a run after scripts: targets for the browser, and the report about both pages together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from waypost.lint.inputs import Input
from waypost.lint.own_requirements import registry_for
from waypost.lint.page import PageOptions, apply_config, check_page, config_path
from waypost.lint.page_sources import PageStore, parse_page
from waypost.models.finding import (
    SEVERITIES,
    Absence,
    ChangedValue,
    DeniedRequest,
    FileReport,
    Finding,
    RenderedChange,
    Rendering,
)
from waypost.models.page import Node, Page, Span
from waypost.reader.archive_answers import ArchiveAnswers
from waypost.reader.sources import PageSource
from waypost.render.folders import ORIGIN, root_of
from waypost.render.model import Rendered, Target, Writer
from waypost.validate.item import name_of
from waypost.validate.rendered import Comparer, ItemPair, compare_rendered, rendered_place

SUFFIX = " (rendered)"
"""End of the name of a rendered page, for the text of the page."""
_NOTHING = "neither the page as it is sent nor the page after its scripts has any"
_MEDIA = "text/html; charset=utf-8"


def is_rendered(source: PageSource) -> bool:
    """Whether a browser can render a source: HTML, neither template nor code."""
    return source.kind == "html" and not source.language


def target_of(item: Input, source: PageSource, searched: Sequence[Path], final_url: str | None = None) -> Target:
    """Page for the browser, with an address.

    searched   folders named by the user, as sites.
    final_url  address of a page from the web after redirects.
    """
    media_type = source.media_type or "text/html"
    if item.kind == "url":
        where = final_url or item.where
        return Target(source.url or where, source.data, media_type, owner=where, obeys=item.from_list)
    if item.kind == "archived":
        archive = _archive(item.where, Path(item.where).stat().st_mtime_ns)
        return Target(item.url or f"{ORIGIN}/", source.data, media_type, archive=archive, offset=item.offset)
    if item.kind != "file":
        return Target(item.url or f"{ORIGIN}/", source.data, media_type)
    path = Path(item.where)
    root = root_of(path, list(searched))
    below = quote(path.resolve().relative_to(root.resolve()).as_posix())
    if item.url is None:
        return Target(f"{ORIGIN}/{below}", source.data, media_type, root=root, base=f"{ORIGIN}/")
    # `/shop/` and `/shop/index.html` are one address.
    for ending in (below, below.removesuffix("index.html"), below.removesuffix("index.htm")):
        if item.url.endswith(f"/{ending}"):
            return Target(item.url, source.data, media_type, root=root, base=item.url.removesuffix(ending))
    return Target(item.url, source.data, media_type, root=path.parent, base=item.url)


@lru_cache(maxsize=1)
def _archive(path: str, changed: int) -> ArchiveAnswers:  # noqa: ARG001 - another time is another archive
    """Answers of an archive, which its pages share."""
    return ArchiveAnswers(path)


def add_rendering(
    item: Input, source: PageSource, file: FileReport, rendered: Rendered, options: PageOptions, store: PageStore | None
) -> None:
    """Add the rendering of a page to the report, in place.

    store  takes the rendered page, under the name with `SUFFIX`.
    """
    denied = [DeniedRequest(kind=each.kind, host=each.host, why=each.why, count=each.count) for each in rendered.denied]
    made = Rendering(
        outcome=rendered.outcome, why=rendered.reason or None, requests=rendered.requests, denied=denied,
        errors=rendered.errors,
    )  # fmt: skip
    file.rendering = made
    if rendered.outcome != "rendered":
        return
    after = PageSource(rendered.html, "html", source.url, _MEDIA)
    if store is not None:
        store[f"{item.path}{SUFFIX}"] = after
    where = config_path(item)
    page, report = check_page(after, item.path, where, options)
    apply_config(where, report, options)
    raw = parse_page(source, item.path, options.syntaxes)
    _Merge(item, file, raw, page, report, rendered, options).merge(made)
    raw.release()
    page.release()


def report_of_rendered(raw: bytes, rendered: bytes, now: datetime, url: str | None = None) -> FileReport:
    """Report about a page as sent and after scripts, both given."""
    from waypost.lint.page import LintOptions

    options = LintOptions(now=now)
    item = Input("page.html", "page.html", "file", url)
    source = PageSource(raw, "html", url, "text/html; charset=utf-8")
    page, file = check_page(source, item.path, item.where, options)
    page.release()
    add_rendering(item, source, file, Rendered(outcome="rendered", html=rendered, url=url or ""), options, None)
    return file


class _Merge:
    """Reports about the page as sent and after scripts, joined."""

    def __init__(
        self, item: Input, file: FileReport, raw: Page, page: Page, report: FileReport, rendered: Rendered,
        options: PageOptions,
    ) -> None:  # fmt: skip
        self.where = config_path(item)
        self.file, self.raw, self.page, self.report = file, raw, page, report
        self.rendered, self.options = rendered, options
        self.pairs = compare_rendered(raw, page)
        self.partners = {pair.rendered: pair.raw for pair in self.pairs if pair.rendered is not None}

    def merge(self, made: Rendering) -> None:
        """Fill the rendering, and put the findings of both pages into the report."""
        file, report = self.file, self.report
        made.items, made.verdicts, made.absence = report.items, report.verdicts, report.absence
        made.changes = [change for pair in self.pairs if (change := self._change(pair)) is not None]
        address = self.rendered.url
        made.url = address if address and not address.startswith(ORIGIN) and address != self.raw.url else None
        if report.absence is None:
            file.absence = None
        elif file.absence is not None:
            file.absence = Absence(reason=report.absence.reason, text=_NOTHING)
        file.unread = None
        registry = registry_for(self.options.config.nearest(self.where))
        comparer = Comparer(self.raw, self.page, registry, self.options.now, self.options.site)
        about = FileReport(path=file.path, findings=[self._placed(*each) for each in comparer.findings(self.pairs)])
        apply_config(self.where, about, self.options)
        file.findings[:] = [*self._together(), *about.findings]
        file.suppressed.extend(about.suppressed)
        file.findings.sort(key=lambda each: (each.start, SEVERITIES.index(each.severity), each.end, each.rule))

    def _placed(self, pair: ItemPair, finding: Finding) -> Finding:
        if pair.raw is None:
            assert pair.rendered is not None
            self._move(finding, pair.rendered)
        elif finding.page is None and pair.rendered is None:
            finding.page = "raw"
        return finding

    def _together(self) -> Iterator[Finding]:
        """Findings of both pages once, then findings of the rendered page alone."""
        waiting: dict[tuple[str | None, ...], list[Finding]] = {}
        for finding in self.report.findings:
            waiting.setdefault(_alike(finding), []).append(finding)
        for finding in self.file.findings:
            if same := waiting.get(_alike(finding)):
                finding.rendered = rendered_place(same.pop(0))
            else:
                finding.page = "raw"
                # Search engines read the page after its scripts, which is right here.
                finding.severity = "info"
            yield finding
        for rest in waiting.values():
            for finding in rest:
                number = finding.item
                self._move(finding, self.page.roots[number] if number is not None else None)
                yield finding

    def _move(self, finding: Finding, item: Node | None) -> None:
        """Give a finding of the rendered page alone a place in the file: of the same item, else of the script."""
        finding.page, finding.rendered = "rendered", rendered_place(finding)
        finding.fix, finding.advice, finding.item, finding.verdict = None, (), None, None
        partner = self.partners.get(item) if item is not None else None
        if partner is not None:
            place = self.raw.locate(self.raw.span_of(partner))
            finding.item = self.raw.roots.index(partner)
        else:
            writer = self._writer(item) if item is not None else None
            place = self.raw.locate(self._span_of(writer))
        for name in ("start", "end", "line", "column", "end_line", "end_column", "utf16_column", "utf16_end_column"):
            setattr(finding, name, getattr(place, name))

    def _span_of(self, writer: Writer | None) -> Span:
        """Line of an inline script; the beginning of the page for an external script."""
        if writer is None or not self._is_own(writer):
            return Span(0, 0)
        start = 0
        for _ in range(writer.line - 1):
            start = self.raw.text.find("\n", start) + 1
            if not start:
                return Span(0, 0)
        end = self.raw.text.find("\n", start)
        return Span(start, len(self.raw.text) if end < 0 else end)

    def _is_own(self, writer: Writer) -> bool:
        return writer.url.partition("#")[0] == (self.rendered.url or "").partition("#")[0]

    def _writer(self, node: Node) -> Writer | None:
        block = node.block
        writers = self.rendered.writers.get(block.syntax, [])
        return writers[block.index] if block.index < len(writers) else None

    def _change(self, pair: ItemPair) -> RenderedChange | None:
        node = pair.rendered or pair.raw
        assert node is not None
        if pair.raw is not None and pair.rendered is not None and not pair.differences:
            return None
        writer = self._writer(pair.rendered) if pair.rendered is not None else None
        return RenderedChange(
            kind="added" if pair.raw is None else "removed" if pair.rendered is None else "changed",
            types=node.types,
            name=name_of(node),
            syntax=node.block.syntax,
            line=self.raw.start_position(pair.raw)[0] if pair.raw is not None else None,
            rendered_line=self.page.start_position(pair.rendered)[0] if pair.rendered is not None else None,
            values=tuple(
                ChangedValue(each.path, each.raw and each.raw.text, each.rendered and each.rendered.text)
                for each in pair.differences
            ),
            script=self._script(writer) if writer is not None else None,
        )

    def _script(self, writer: Writer) -> str:
        """Address of a script; a file of the folder by its path."""
        name = "a script of the page" if self._is_own(writer) else writer.url.removeprefix(f"{ORIGIN}/")
        return f"{name}:{writer.line}:{writer.column}"


def _alike(finding: Finding) -> tuple[str | None, ...]:
    return finding.rule, finding.profile, finding.severity, finding.pointer, finding.property, finding.message
