"""Parts of sources: which bytes are code, in which grammar, and which expressions stand in the markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from waypost.formats.source_kinds import ANY, IN_MARKDOWN
from waypost.reader.brackets import closing_bracket
from waypost.reader.templates import Place, blanked

_SCRIPT = re.compile(rb"<script\b([^>]{0,2000})>(.*?)</script", re.DOTALL | re.IGNORECASE)
_STYLE = re.compile(rb"<style\b[^>]{0,2000}>.*?</style", re.DOTALL | re.IGNORECASE)
_LINKED = re.compile(rb"ld\+json|json|x-template", re.IGNORECASE)
_FRONT = re.compile(rb"(?:\xef\xbb\xbf)?\s*---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?=\r?\n|\Z)", re.DOTALL)
# Attributes of Vue whose value is an expression.
_BOUND = re.compile(rb"""(?<=\s)(?:v-bind)?:([\w-]+)\s*=\s*(["'])|(?<=\s)v-[\w:.-]+\s*=\s*(["'])""")
_MUSTACHE = re.compile(rb"\{\{(.*?)\}\}", re.DOTALL)
_BLADE = re.compile(
    rb"\{\{(?!--)(.*?)\}\}|\{!!(.*?)!!\}|@php\b(?!\s*\()(.*?)@endphp|<\?(?:php|=)(.*?)(?:\?>|\Z)", re.DOTALL
)
_BLADE_CALL = re.compile(rb"@(?:json|php)\s*\(")
_WITH_LITERALS = frozenset(
    {".twig", ".njk", ".j2", ".jinja", ".jinja2", ".swig", ".volt", ".tera", ".erb", ".ejs", ".eta", ANY}
)
_TAG = re.compile(rb"\{\{.*?\}\}(?!\})|\{%.*?%\}|<%.*?%>", re.DOTALL)
# Strings, the arrow of a hash, instance variables and symbols as keys.
_RUBY = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|=>|@(?=\w)|:(?=\w+\s*=>)")
_STATEMENT = re.compile(rb"\{\s*[#:/@]\s*(\w*)")
_MDX = re.compile(rb"(?m)^(?:export|import)\b")
_FENCE = re.compile(rb"(?ms)^(```+|~~~+).*?^\1[ \t]*\r?$")


class Code(NamedTuple):
    """Code of a file in one grammar, of the file's length: everything else is blank."""

    data: bytes
    grammar: str


class Regions(NamedTuple):
    """Parts of a source. `expressions`: computed parts of the markup; `data`: the file with code blank."""

    data: bytes
    code: tuple[Code, ...]
    expressions: tuple[Place, ...]


_PLAIN = {
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip


def regions_of(data: bytes, language: str) -> Regions:
    """Parts of a source in a language of the table of sources."""
    if language == IN_MARKDOWN:
        front = _FRONT.match(data)
        return Regions(data, (Code(bytes(_only(data, [front.span(1)])), "yaml"),) if front else (), ())
    if language in {".php", ".phtml", ".ctp"}:
        return Regions(data, (Code(data, "php"),), ())
    if language == ".blade.php":
        return Regions(data, (Code(_php_in_blade(data), "php-only"),), ())
    if language == ".vue":
        return _vue(data)
    if language in {".svelte", ".astro", ".mdx"}:
        return _braces(data, language)
    if language in _WITH_LITERALS:
        return Regions(data, (Code(_literals_in_tags(data, language), "tsx"),), ())
    if language.startswith((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".yaml", ".yml")) and language != ".jsp":
        return Regions(data, (Code(data, _PLAIN.get(language, "tsx")),), ())
    return Regions(data, (), ())


def _literals_in_tags(data: bytes, language: str) -> bytes:
    """Objects inside the tags of a template: those of Twig, Jinja, Ruby and JavaScript are alike."""
    out = bytearray(blanked(data, b" "))
    for found in _TAG.finditer(data):
        if b"@type" not in found[0] and b"@context" not in found[0]:
            continue
        at, stop = found.start() + 2, found.end() - 2
        while at < stop and (bracket := re.compile(rb"[{\[]").search(data, at, stop)):
            end = min(closing_bracket(data, bracket.start()), stop)
            code = data[bracket.start() : end]
            out[bracket.start() : end] = _RUBY.sub(_as_javascript, code) if language == ".erb" else code
            out[bracket.start() - 1], out[end] = ord("("), ord(")")
            at = end + 1
    return bytes(out)


def _as_javascript(found: re.Match[bytes]) -> bytes:
    """Token of Ruby in the notation of JavaScript, of the same length."""
    token = found[0]
    if token == b"=>":
        return b" :"
    return token if token[:1] in b"\"'" else b" " + token[1:]


def _only(data: bytes, ranges: list[tuple[int, int]]) -> bytearray:
    """The data with everything outside the ranges blank."""
    out = bytearray(blanked(data, b" "))
    for start, end in ranges:
        out[start:end] = data[start:end]
    return out


def _as_expression(out: bytearray, data: bytes, start: int, end: int) -> None:
    """Write an expression whose marks stand just outside of a range, as a statement in brackets."""
    out[start:end] = data[start:end]
    out[start - 1], out[end] = ord("("), ord(")")
    if end + 1 < len(out) and out[end + 1] in b" \n":
        out[end + 1] = ord(";")


def _scripts(data: bytes) -> Iterator[tuple[int, int]]:
    """Ranges of the scripts of a component, without JSON-LD and other data."""
    for script in _SCRIPT.finditer(data):
        if not _LINKED.search(script[1]):
            yield script.span(2)


def _vue(data: bytes) -> Regions:
    scripts = list(_scripts(data))
    out = _only(data, scripts)
    markup = bytearray(data)
    for start, end in scripts:
        markup[start:end] = blanked(data[start:end], b" ")
    # The content of a `template` element is apart from the document (HTML Standard 4.12.3); that of a section is not.
    text = bytes(markup)
    for tag in re.finditer(rb"<(/?)template(?=[\s>])", text, re.IGNORECASE):
        markup[tag.start() : tag.end()] = b"<" + tag[1] + b"section "
    expressions = []
    for found in _MUSTACHE.finditer(bytes(markup)):
        expressions.append(Place(*found.span()))
        start, end = found.span(1)
        _as_expression(out, data, start, end)
    for bound in _BOUND.finditer(bytes(markup)):
        quote = bound[2] or bound[3]
        end = data.find(quote, bound.end(), bound.end() + 100_000)
        if end < 0 or _within(bound.start(), scripts):
            continue
        _as_expression(out, data, bound.end(), end)
        # `:content="price"` is the attribute `content` with a value that is computed.
        markup[bound.start() : bound.start(1) if bound[1] else bound.start()] = b" " * (
            bound.start(1) - bound.start() if bound[1] else 0
        )
        markup[bound.end() : end] = blanked(data[bound.end() : end], b"_")
        expressions.append(Place(bound.end(), end))
    return Regions(bytes(markup), (Code(bytes(out), "tsx"),), tuple(sorted(expressions)))


def _braces(data: bytes, language: str) -> Regions:
    """Expressions in braces, the scripts, and the front matter or the exports."""
    ranges = list(_scripts(data)) if language != ".mdx" else list(_exports(data))
    markup = bytearray(data)
    if language == ".astro" and (front := _FRONT.match(data)):
        ranges.append(front.span(1))
        markup[: front.end()] = blanked(data[: front.end()], b" ")
    out = _only(data, ranges)
    for start, end in ranges:
        markup[start:end] = blanked(data[start:end], b" ")
    skipped = [*ranges, *(found.span() for found in _STYLE.finditer(data))]
    if language == ".mdx":
        skipped += [found.span() for found in _FENCE.finditer(data)]
        if front := _FRONT.match(data):
            skipped.append(front.span())
    json = [found.span(2) for found in _SCRIPT.finditer(data) if b"ld+json" in found[1].lower()]
    expressions: list[Place] = []
    at = 0
    while (at := data.find(b"{", at)) >= 0:
        span = next(((low, high) for low, high in skipped if low <= at < high), None)
        if span is not None:
            at = span[1]
            continue
        literal = next(((low, high) for low, high in json if low <= at < high), None)
        if literal is not None and re.match(rb"\{\s*(?:[\"}]|$)", data[at : at + 200]):
            at = literal[1]  # JSON as it is
            continue
        end = closing_bracket(data, at)
        statement = _STATEMENT.match(data, at)
        inner = statement.end() if statement else at + 1
        if statement is None or statement[1] in {b"html", b"const", b"render"}:
            _as_expression(out, data, inner, end - 1)
        has_markup = re.search(rb"<[a-zA-Z][^<]*>", data[at:end]) is not None
        expressions.append(Place(at, end, supplies=statement is not None or has_markup))
        at = end
    return _without_set_scripts(Regions(bytes(markup), (Code(bytes(out), "tsx"),), tuple(expressions)))


def _without_set_scripts(regions: Regions) -> Regions:
    """Regions without scripts that have no end tag, or whose content is set by an attribute."""
    text = bytearray(regions.data)
    for start, end, _ in regions.expressions:
        text[start:end] = blanked(regions.data[start:end], b"_")
    markup = bytearray(regions.data)
    for tag in re.finditer(
        rb"<script\b[^>]*(?:/>|(?:set:html|set:text|dangerouslySetInnerHTML)[^>]*>\s*</script>)", bytes(text)
    ):
        markup[tag.start() : tag.end()] = blanked(regions.data[tag.start() : tag.end()], b" ")
    return regions._replace(data=bytes(markup))


def _exports(data: bytes) -> Iterator[tuple[int, int]]:
    """Ranges of the imports and exports of MDX, each up to a blank line outside of brackets."""
    end = 0
    for found in _MDX.finditer(data):
        if found.start() < end:
            continue
        end = found.end()
        while end < len(data):
            if data[end : end + 1] in {b"{", b"[", b"("}:
                end = closing_bracket(data, end)
            elif re.match(rb"\r?\n[ \t]*\r?\n", data[end : end + 100]):
                break
            else:
                end += 1
        yield found.start(), end


def _php_in_blade(data: bytes) -> bytes:
    out = bytearray(blanked(data, b" "))
    for found in _BLADE.finditer(data):
        number = next(n for n in range(1, 5) if found[n] is not None)
        start, end = found.span(number)
        out[start:end] = data[start:end]
        if end < len(out):
            out[end] = ord(";")
    for call in _BLADE_CALL.finditer(data):
        end = closing_bracket(data, call.end() - 1)
        out[call.end() - 1 : end] = data[call.end() - 1 : end]
        if end < len(out):
            out[end] = ord(";")
    return bytes(out)


def _within(at: int, ranges: list[tuple[int, int]]) -> bool:
    return any(low <= at < high for low, high in ranges)
