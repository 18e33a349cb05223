"""Sources of pages: templates and code, by the ending of the name; `language` is the key of the tables here."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from waypost.formats.file_kinds import DATA, MARKDOWN, PAGES, Kind, kind_of
from waypost.formats.patterns import pattern

Template = Literal["auto", "yes", "no"]
"""Whether a file is a template: by its name, always, or never."""

ANY: Final = "template"
"""Language of a template whose engine the name does not tell."""

IN_MARKDOWN: Final = MARKDOWN[0]
"""Language of Markdown, which has YAML before the text."""

TEMPLATES: Final = frozenset(
    {
        ".liquid", ".j2", ".jinja", ".jinja2", ".njk", ".twig", ".erb", ".ejs", ".eta", ".hbs", ".handlebars",
        ".mustache", ".gohtml", ".gotmpl", ".tmpl", ".php", ".phtml", ".ctp", ".blade.php", ".jsp", ".jspf", ".cshtml",
        ".razor", ".astro", ".svelte", ".vue", ".swig", ".volt", ".tera", ".eex",
    }
)  # fmt: skip
"""Endings of markup with parts that a template engine or a framework computes."""

CODE: Final = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".yaml", ".yml"})
"""Endings of code and data without markup of its own."""

COMPONENTS: Final = frozenset({".mdx"})
"""Endings of Markdown with code."""

_FOLDERS = frozenset({"_includes", "_layouts", "layouts", "partials", "_partials", "templates", "views"})
"""Folders in which generators and frameworks keep templates with the endings of pages."""
_BEGINNING = pattern(rb"(?:\xef\xbb\xbf)?\s*(?:\{%|\{\{|<%|<\?(?:php|=)|---[ \t]*\r?\n)")
_MARK = pattern(rb"\{%|\{\{|<%|<\?(?:php|=)")
_STATEMENT = pattern(
    rb"\{%-?\s*(?:if|unless|for|case|block|capture)\b|\{\{[-~]?\s*(?:#\s*\w+|(?:if|range|with|define|block)\s)|<%|<\?(?:php|=)"
)
_END = pattern(rb"\{%-?\s*end|\{\{[-~]?\s*(?:/\s*\w+|end\s*[-~]?\}\})|%>|\?>")
_DOCUMENT = pattern(rb"<(?:!doctype|html|body)\b", re.IGNORECASE)
_BEGINNING_SIZE = 2_000  # bytes
_OUTPUTS = frozenset({"_site", "dist", "public", "out", "build", "www", "htdocs", ".output"})


def source_language(name: str) -> str:
    """Key of a source's ending, as in ".blade.php"; empty for another file."""
    base = name.lower().removesuffix(".gz").rpartition("/")[2]
    for dots in (2, 1):
        ending = "." + ".".join(base.split(".")[-dots:])
        if base.count(".") >= dots and ending in _ALL:
            return ending
    return ""


_ALL = TEMPLATES | CODE | COMPONENTS


def language_of(name: str, choice: Template = "auto", *, configured: bool = False, data: bytes = b"") -> str:
    """Language of a source, empty for output: by the choice, the configuration, then the name.

    configured  the configuration lists the file among its sources.
    data        content: a page that begins with a mark of a template or with front matter is not built, and in a
                folder of templates a mark anywhere counts; so does a statement with its end in a part of a page.
    """
    own = source_language(name)
    if own in CODE:
        return own
    if choice == "no":
        return ""
    if own or choice == "yes" or configured:
        return own or ANY
    lowered = name.lower().removesuffix(".gz")
    # Markdown is never what a server delivers.
    if lowered.endswith(MARKDOWN):
        return IN_MARKDOWN
    if lowered.endswith(PAGES) and _BEGINNING.match(data):
        return ANY
    if lowered.endswith(PAGES) and _is_part_of_template(lowered, data):
        return ANY
    # The folder first: a search through a large page takes longer.
    return ANY if lowered.endswith((*PAGES, *DATA)) and _is_in_templates(lowered) and _MARK.search(data) else ""


def _is_part_of_template(name: str, data: bytes) -> bool:
    """Whether a file is a part of a page, no document of its own, with statements of a template engine.

    No page is built without the frame of a document, and no engine leaves the statements of a part behind.
    """
    # The frame first: most pages begin with it, and a search for marks reads all of a large page.
    if _begins_as_document(data) or _is_in_output(name):
        return False
    if not (b"{%" in data or b"{{" in data or b"<%" in data or b"<?" in data) or _DOCUMENT.search(data):
        return False
    found = _STATEMENT.search(data)
    return found is not None and _END.search(data, found.end()) is not None


def _begins_as_document(data: bytes) -> bool:
    """Whether the frame of a document is near the beginning."""
    found = _DOCUMENT.search(data, 0, _BEGINNING_SIZE)
    # At the very end of the part, a longer name may be cut off.
    return found is not None and found.end() < _BEGINNING_SIZE


def _is_in_output(name: str) -> bool:
    return not _OUTPUTS.isdisjoint(name.replace("\\", "/").split("/")[:-1])


def _is_in_templates(name: str) -> bool:
    folders = name.replace("\\", "/").split("/")[:-1]
    return not _FOLDERS.isdisjoint(folders) and _OUTPUTS.isdisjoint(folders)


def kind_of_source(name: str, data: bytes) -> Kind:
    """Kind of a page or a source by the ending of the name, else by the first character."""
    language = source_language(name)
    if language in CODE:
        return "code"
    if language in TEMPLATES:
        return "html"
    return "markdown" if language in COMPONENTS else kind_of(name, data)


def is_source_name(name: str) -> bool:
    """Whether a search of a folder takes a file as a source: code only where its grammars are installed."""
    language = source_language(name)
    return bool(language) and (language not in CODE or has_grammars())


@cache
def has_grammars() -> bool:
    """Whether the extra `sources` is installed."""
    from importlib.util import find_spec

    return all(find_spec(f"tree_sitter{name}") for name in ("", "_typescript", "_php", "_yaml"))
