"""Checked documents: a version of a document with the report, and the data for requests about the document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from waypost.config import Config
from waypost.errors import Unreadable
from waypost.fixes import Validate, broken_blocks
from waypost.formats.file_kinds import Kind
from waypost.formats.source_kinds import ANY, COMPONENTS, TEMPLATES, source_language
from waypost.lint.own_requirements import registry_for
from waypost.lint.project import UNKNOWN, Project
from waypost.lsp.document import Document
from waypost.models.finding import FileReport, Finding, label_of
from waypost.models.page import Page
from waypost.reader.sources import PageSource, parse_source, with_language
from waypost.reader.templates import json_ranges, mask
from waypost.registry import Registry

MOST_NODES = 2_000
MOST_BYTES = 5 << 20
"""Limit of a document's size. Larger documents are not written by hand; the command line validates them."""

# Language ids of editors -> language in the table of sources; empty for pages.
_LANGUAGES = {
    "html": "", "xhtml": "", "htmldjango": ANY, "django-html": ANY, "jinja": ".jinja", "jinja-html": ".jinja",
    "nunjucks": ".njk", "njk": ".njk", "liquid": ".liquid", "twig": ".twig", "erb": ".erb", "eruby": ".erb",
    "html.erb": ".erb", "ejs": ".ejs", "handlebars": ".hbs", "mustache": ".mustache", "php": ".php",
    "blade": ".blade.php", "gohtml": ".gohtml", "gotmpl": ".gohtml", "html-eex": ".erb", "heex": ".erb", "jsp": ".jsp",
    "razor": ".cshtml", "aspnetcorerazor": ".cshtml", "astro": ".astro", "svelte": ".svelte", "vue": ".vue",
    "mdx": ".mdx", "javascript": ".js", "javascriptreact": ".jsx", "typescript": ".ts", "typescriptreact": ".tsx",
    "yaml": ".yaml",
}  # fmt: skip
_PAGES = (".html", ".htm", ".xhtml")
_DATA_LANGUAGES = frozenset({"json", "jsonc", "jsonld", "json-ld"})
_LINKED_DATA = re.compile(r'"@(?:context|graph|type)"\s*:')


def language_of(name: str, language: str) -> str:
    """Language of a document in the table of sources, by the ending of its name, else by language id."""
    return source_language(name) or _LANGUAGES.get(language.lower(), "")


def kind_of(name: str, language: str) -> Kind | None:
    """Reader for a document, by file extension, else by language id; None for other documents."""
    language, name = language.lower(), name.lower()
    own = language_of(name, language)
    if own in COMPONENTS:
        return "markdown"
    if own:
        return "html" if own in TEMPLATES or own == ANY else "code"
    if language in _LANGUAGES:
        return "html"
    if language in _DATA_LANGUAGES or name.endswith((".jsonld", ".json")):
        return "json"
    if language == "markdown" or name.endswith((".md", ".markdown")):
        return "markdown"
    return "html" if name.endswith(_PAGES) and language in {"", "plaintext", "text"} else None


class OutlineNode(NamedTuple):
    """Node of a document: byte range of the beginning, and number of the parent, -1 for none."""

    label: str
    via: str
    start: int
    end: int
    above: int


class Subject(NamedTuple):
    """Document with path (`UNKNOWN` without a file) and kind."""

    document: Document
    where: str
    kind: Kind


class CheckedDocument:
    """Version of a document with the report.

    registry  with the requirements of the document's configuration.
    validate  changed bytes of this document -> report, for fixes.
    outline   nodes of a source, whose verdicts are unknown.
    source    the document as a page, a template or code.
    note      reason why an unchecked document has no findings, else empty.
    """

    def __init__(
        self, subject: Subject, config: Config, registry: Registry, report: FileReport, validate: Validate,
        source: PageSource, note: str = "", outline: Sequence[OutlineNode] = (),
    ) -> None:  # fmt: skip
        self.document, self.where, self.kind = subject
        self.source = source
        self.config = config
        self.registry = registry
        self.report = report
        self.validate = validate
        self.note = note
        self.outline = outline

    @property
    def findings(self) -> list[Finding]:
        return self.report.findings

    @cached_property
    def masked(self) -> bytes:
        """The document without the computed parts of its markup, of the same length."""
        if not self.source.language:
            return self.document.data
        return mask(self.document.data, is_json=self.kind == "json", language=self.source.language).data

    @cached_property
    def masked_text(self) -> str:
        """Text of the document without the computed parts, of the same length."""
        text = self.masked.decode("utf-8", "replace") if self.source.language else self.document.text
        return text if len(text) == len(self.document.text) else self.document.text

    def is_in_block(self, offset: int) -> bool:
        """Whether a code point stands in JSON-LD of a script or a file of its own."""
        at = self.document.byte(offset)
        return any(low <= at <= high for low, high in self.blocks)

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Byte ranges of JSON-LD in scripts or files of its own."""
        return [] if self.kind == "code" else json_ranges(self.document.data, is_json=self.kind == "json")

    def broken_blocks(self, data: bytes) -> frozenset[int]:
        """Numbers of the scripts that are not strict JSON in changed bytes of this document, without its templates."""
        return broken_blocks(data, self.kind, encoding="utf-8", language=self.source.language)

    def between(self, start: int, end: int) -> list[Finding]:
        """Findings that touch a range of bytes."""
        return [finding for finding in self.findings if finding.start <= end and start <= finding.end]


def check_document(project: Project, subject: Subject) -> CheckedDocument:
    """Validate a document. Raises ConfigError."""
    document, where, kind = subject
    config = project.config(where)
    registry = registry_for(config, project.registry)
    source = PageSource(document.data, kind, None, None, _LANGUAGES.get(document.language.lower(), ""))

    def parse(data: bytes) -> Page:
        return parse_source(source._replace(data=data), where, project.registry.vocabulary, encoding="utf-8")

    def validate(data: bytes) -> FileReport:
        return project.check(parse(data), where, config=config)

    def silent(note: str = "") -> CheckedDocument:
        return CheckedDocument(subject, config, registry, FileReport(path=where), validate, source, note)

    # Editors open much JSON; only what looks like linked data is checked.
    if kind == "json" and not where.lower().endswith(".jsonld") and not _LINKED_DATA.search(document.text):
        return silent()
    if where != UNKNOWN and config.excludes(where):
        return silent()
    if len(document.data) > MOST_BYTES:
        return silent(f"this document is larger than {MOST_BYTES >> 20} MiB; `waypost validate` checks it")
    own = source_language(where)
    try:
        source = with_language(
            source._replace(language=own or source.language), where, configured=config.is_source(where)
        )
    except Unreadable as error:
        return silent(error.reason)
    page = parse(document.data)
    outline = _outline(page) if source.language else []
    report = project.check(page, where, config=config)
    if report.findings and where != UNKNOWN and not source.language:
        project.tracer.trace(report, where, document.data)
    return CheckedDocument(subject, config, registry, report, validate, source, outline=outline)


def _outline(page: Page) -> list[OutlineNode]:
    """Nodes of a page in document order: parents before children."""
    found: list[OutlineNode] = []
    numbers: dict[int, int] = {}
    for node in page.nodes[:MOST_NODES]:
        if not node.types or node.reference:
            continue
        name = node.get("name") or node.get("headline")
        known = name if isinstance(name, str) and name.strip("_ ") else None
        start, end = page.locate.byte_range(node.block.span(node, part="node"))
        above = numbers.get(id(node.parent), -1)
        numbers[id(node)] = len(found)
        found.append(OutlineNode(label_of(node.types, known), node.via or "", start, end, above))
    return found
