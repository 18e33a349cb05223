"""Checked documents: a version of a document with the report, and the data for requests about the document."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from waypost.config import Config
from waypost.fixes import Validate, broken_blocks
from waypost.formats.file_kinds import Kind
from waypost.lint.project import UNKNOWN, Project
from waypost.lsp.document import Document
from waypost.lsp.templates import Masked, blocks_of, mask
from waypost.models.finding import FileReport, Finding
from waypost.reader.sources import PageSource, parse_source

MOST_BYTES = 5 << 20
"""Limit of a document's size. Larger documents are not written by hand; the command line validates them."""

_PAGES = (
    ".html", ".htm", ".xhtml", ".j2", ".jinja", ".jinja2", ".njk", ".liquid", ".twig", ".erb", ".ejs", ".hbs",
    ".mustache", ".php", ".phtml", ".gohtml", ".tmpl",
)  # fmt: skip
_PAGE_LANGUAGES = frozenset(
    {
        "html", "xhtml", "htmldjango", "django-html", "jinja", "jinja-html", "nunjucks", "njk", "liquid", "twig", "erb",
        "eruby", "html.erb", "ejs", "handlebars", "mustache", "php", "blade", "gohtml", "gotmpl", "html-eex", "heex",
    }
)  # fmt: skip
_DATA_LANGUAGES = frozenset({"json", "jsonc", "jsonld", "json-ld"})
_LINKED_DATA = re.compile(r'"@(?:context|graph|type)"\s*:')


def kind_of(name: str, language: str) -> Kind | None:
    """Reader for a document, by language id, else by file extension; None for other documents."""
    language, name = language.lower(), name.lower()
    if language in _PAGE_LANGUAGES:
        return "html"
    if language in _DATA_LANGUAGES or name.endswith((".jsonld", ".json")):
        return "json"
    if language == "markdown" or name.endswith((".md", ".markdown")):
        return "markdown"
    return "html" if name.endswith(_PAGES) and language in {"", "plaintext", "text"} else None


class Subject(NamedTuple):
    """Document with path (`UNKNOWN` without a file) and kind."""

    document: Document
    where: str
    kind: Kind


class CheckedDocument:
    """Version of a document with the report.

    validate  changed bytes of this document -> report, for fixes.
    note      reason why an unchecked document has no findings, else empty.
    """

    def __init__(
        self, subject: Subject, config: Config, report: FileReport, validate: Validate, note: str = ""
    ) -> None:
        self.document, self.where, self.kind = subject
        self.config = config
        self.report = report
        self.validate = validate
        self.note = note

    @property
    def findings(self) -> list[Finding]:
        return self.report.findings

    @cached_property
    def masked(self) -> Masked:
        return mask(self.document.data, is_json=self.kind == "json")

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """Byte ranges of JSON-LD."""
        return blocks_of(self.document.data, is_json=self.kind == "json")

    def broken_blocks(self, data: bytes) -> frozenset[int]:
        """Numbers of the scripts that are not strict JSON in changed bytes of this document, without its templates."""
        return broken_blocks(mask(data, is_json=self.kind == "json").data, self.kind, encoding="utf-8")

    def between(self, start: int, end: int) -> list[Finding]:
        """Findings that touch a range of bytes."""
        return [finding for finding in self.findings if finding.start <= end and start <= finding.end]


def check_document(project: Project, subject: Subject) -> CheckedDocument:
    """Validate a document. Raises ConfigError."""
    document, where, kind = subject
    config = project.config(where)

    def validate(data: bytes) -> FileReport:
        masked = mask(data, is_json=kind == "json")
        source = PageSource(masked.data, kind, None, None)
        page = parse_source(source, where, project.registry.vocabulary, encoding="utf-8")
        if masked.places:
            page.guessed.clear()  # the placeholders are what the recovery guessed about
        return masked.filter(project.check(page, where, config=config))

    def silent(note: str = "") -> CheckedDocument:
        return CheckedDocument(subject, config, FileReport(path=where), validate, note)

    # Editors open much JSON; only what looks like linked data is checked.
    if kind == "json" and not where.lower().endswith(".jsonld") and not _LINKED_DATA.search(document.text):
        return silent()
    if where != UNKNOWN and config.excludes(where):
        return silent()
    if len(document.data) > MOST_BYTES:
        return silent(f"this document is larger than {MOST_BYTES >> 20} MiB; `waypost validate` checks it")
    return CheckedDocument(subject, config, validate(document.data), validate)
