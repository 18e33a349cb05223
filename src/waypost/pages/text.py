"""Code and Markdown as HTML: Pygments with the classes of our own tokens, CommonMark without HTML."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup, escape

from waypost.errors import RegistryError
from waypost.formats.tables import with_column_names
from waypost.pages.links import Link

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_NAMES = {"sh": "shell", "console": "shell", "js": "javascript", "py": "python", "yml": "yaml", "http": "text"}
_CAPTIONS = {"sh": "Shell", "console": "Terminal", "json": "JSON", "python": "Python", "javascript": "JavaScript",
         "toml": "TOML", "yaml": "YAML", "html": "HTML", "diff": "Diff", "text": "Text", "http": "HTTP"}  # fmt: skip
_ADDRESS = re.compile(r"https?://\S+?(?=[,;.)]*(?:\s|$))")
_JSON_VALUES = (
    r'(?P<k>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<s>"(?:[^"\\]|\\.)*")'
    r"|(?P<n>-?[0-9][0-9.eE+-]*|\b(?:true|false|null)\b)"
)
_JSON_VALUE = re.compile(_JSON_VALUES)
_JSON = re.compile(rf"{_JSON_VALUES}|(?P<p>[{{}}\[\],:]+)")
_HTML = re.compile(
    r"(?P<p><!--.*?-->|<![^>]*>|/?>)|(?P<k></?[A-Za-z][\w:-]*|[\w:-]+(?==\"))"
    r'|(?P<s>"(?:[^"\\]|\\.)*")|(?P<n>-?\b[0-9][0-9.eE+-]*\b)',
    re.DOTALL,
)
# Most code of the site is JSON or HTML, and often invalid on purpose: a regular expression is ten times as fast as a
# lexer, and has no syntax errors.
_FREQUENT = {"json": _JSON, "html": _HTML}
_ESCAPED = {ord(character): str(escape(character)) for character in "&<>\"'"}
_MARKED = re.compile(r"[`*_\[<&\\]")
_TEXTS_OF_SECTION = 6
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


class Piece(NamedTuple):
    """Stretch of code and the class of its token, "" for plain text."""

    text: str
    mark: str


@lru_cache(maxsize=8192)
def coloured(code: str, language: str = "json", marked: tuple[tuple[int, int], ...] = ()) -> Markup:
    """Code as HTML whose tokens carry the classes that `parts.css` colours.

    marked    (start, end) of stretches to put in `<mark>`, in order
    """
    # JSON has no `&` or `<` outside strings, so that escaping first moves no token.
    if language == "json" and not marked:
        safe = code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        # One element for all punctuation, around the others: half as many, which a browser has to lay out.
        return Markup(f'<span class="p">{_JSON_VALUE.sub(_spanned, safe)}</span>')  # noqa: S704 - escaped above
    html: list[str] = []
    at = 0
    bounds = sorted(bound for stretch in marked for bound in stretch)
    for piece in _pieces(code, language):
        next_at = at + len(piece.text)
        near = bounds[bisect_left(bounds, at) : bisect_right(bounds, next_at)] if bounds else ()
        if not near:
            text = piece.text.translate(_ESCAPED)
            html.append(f'<span class="{piece.mark}">{text}</span>' if piece.mark else text)
            at = next_at
            continue
        # A mark may begin or end within a token, which is then cut in two.
        cuts = [bound - at for bound in near if at < bound < next_at]
        for start, end in zip([0, *cuts], [*cuts, len(piece.text)], strict=True):
            # Before the token's own element: `<mark>` goes around it.
            html += ["<mark>" for first, last in marked if first == at + start and last > first]
            text = piece.text[start:end].translate(_ESCAPED)
            html.append(f'<span class="{piece.mark}">{text}</span>' if piece.mark else text)
            html += ["</mark>" for first, last in marked if last == at + end and last > first]
        at = next_at
    return Markup("".join(html))  # noqa: S704 - every text is escaped above


def _spanned(match: re.Match[str]) -> str:
    return f'<span class="{match.lastgroup}">{match[0]}</span>'


def _pieces(code: str, language: str) -> Iterator[Piece]:
    if language in _FREQUENT:
        yield from _matched(code, _FREQUENT[language])
    elif language in ("text", "http", "console"):
        yield Piece(code, "")
    else:
        for token, text in _lexer(_NAMES.get(language, language)).get_tokens(code):
            yield Piece(text, "" if text.isspace() else _class_of(str(token)))


def _matched(code: str, tokens: re.Pattern[str]) -> Iterator[Piece]:
    at = 0
    for match in tokens.finditer(code):
        if match.start() > at:
            yield Piece(code[at : match.start()], "")
        yield Piece(match[0], match.lastgroup or "")
        at = match.end()
    if at < len(code):
        yield Piece(code[at:], "")


def duration(seconds: int) -> str:
    """Seconds in the largest unit that divides them: "5 minutes", "24 hours", "90 seconds"."""
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds and seconds % length == 0:
            return f"{seconds // length} {unit}{'' if seconds == length else 's'}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


@cache
def _lexer(name: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(name, ensurenl=False, stripnl=False)


def _class_of(token: str) -> str:
    """CSS class of a Pygments token: k, s, n, p, gi, gd, or "" for plain text."""
    parts = token.split(".")[1:]
    match parts:
        case ["Generic", "Inserted", *_]:
            return "gi"
        case ["Generic", "Deleted", *_]:
            return "gd"
        case ["Literal", "String", *_]:
            return "s"
        case ["Literal", *_] | ["Keyword", "Constant", *_]:
            return "n"
        case ["Keyword", *_] | ["Name", "Tag" | "Attribute" | "Builtin", *_]:
            return "k"
        case ["Punctuation", *_] | ["Operator", *_] | ["Comment", *_]:
            return "p"
    return ""


class Heading(NamedTuple):
    """Heading of a page, for its table of contents."""

    level: int
    id: str
    text: str


class Section(NamedTuple):
    """Section of a page for the search: heading, and first paragraph or list as plain text."""

    id: str
    heading: str
    text: str


class Written(NamedTuple):
    """Markdown page: first heading, first paragraph as plain text, the rest as HTML, headings, sections."""

    title: str
    lede: str
    body: Markup
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Without HTML, so that a docstring or a message cannot put markup into a page.
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("code_inline", _inline_code)
    return reader


_OPTION = re.compile(r"-[\w-]{1,24}")


def _inline_code(renderer: Any, tokens: Sequence[Any], index: int, options: Any, env: Any) -> str:
    """Code within a line. An option of the command line stays whole: browsers break lines behind its hyphens."""
    if _OPTION.fullmatch(tokens[index].content):
        tokens[index].attrSet("class", "nowrap")
    return str(renderer.code_inline(tokens, index, options, env))


@lru_cache(maxsize=2048)
def prose(text: str) -> Markup:
    """Markdown as HTML, cached: texts recur on several pages and in the next build of a watch."""
    return _rendered(_reader().parse(text.strip()), None)


def _rendered(tokens: Sequence[Any], to: Link | None) -> Markup:
    reader = _reader()
    return Markup(with_column_names(reader.renderer.render(_dressed(tokens, to), reader.options, {})))  # noqa: S704 - HTML is off


@lru_cache(maxsize=4096)
def line(text: str) -> Markup:
    """Line of Markdown as HTML without a paragraph around it."""
    if isinstance(text, Markup):
        return text
    # Most lines have no mark of Markdown: no parser is needed.
    if not _MARKED.search(text):
        return escape(text)
    return Markup(_reader().renderInline(text))  # noqa: S704 - HTML is off


def jointed(code: str) -> Markup:
    """Code such as `official_relationship_verified` that may break at its underscores, on narrow screens."""
    return Markup("_<wbr>").join(code.split("_"))


def documentation(text: str) -> tuple[Markup, Markup]:
    """Docstring without its first line: (body, source), with addresses as links."""
    body, source, cited = text.strip().rpartition("\nSource")
    if not source:
        body, source, cited = ("", "Source", text.strip()[6:]) if text.strip().startswith("Source") else (cited, "", "")
    linked = prose("Source" + _ADDRESS.sub(r"<\g<0>>", cited)) if source else Markup("")
    return prose(body), linked


def written(text: str, name: str, to: Link) -> Written:
    """Page of `site/docs`: `# Title`, an introductory paragraph, the rest. Raises RegistryError."""
    tokens = _reader().parse(text)
    kinds = [token.type for token in tokens[:6]]
    if kinds != ["heading_open", "inline", "heading_close", "paragraph_open", "inline", "paragraph_close"]:
        raise RegistryError(name, "a page begins with `# Title` and a paragraph that says what it is about")
    title, lede = _plain(tokens[1]), _plain(tokens[4])
    rest = tokens[6:]
    headings = tuple(_headings(rest, name))
    sections = tuple(_sections(rest))
    return Written(title, lede, _rendered(rest, to), headings, sections)


def _plain(token: Any) -> str:
    return "".join(child.content if child.type != "softbreak" else " " for child in token.children or ())


def slug(text: str) -> str:
    """HTML id of a heading."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _headings(tokens: Sequence[Any], name: str) -> Iterator[Heading]:
    seen: set[str] = set()
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        level, text = int(token.tag[1]), _plain(inline)
        place = f"{name}:{(token.map or [0])[0] + 1}"
        if level not in (2, 3):
            raise RegistryError(
                place, f"the heading {text!r} has level {level}; below the title there are two and three"
            )
        # A link to the section must lead to one place.
        if slug(text) in seen:
            raise RegistryError(place, f"two headings of the page have the id {slug(text)!r}")
        seen.add(slug(text))
        token.attrSet("id", slug(text))
        yield Heading(level, slug(text), text)


def _sections(tokens: Sequence[Any]) -> Iterator[Section]:
    """Sections of level two, with the texts below the heading up to the next one."""
    heading, texts = None, list[str]()
    for token, after in pairwise((*tokens, None)):
        if token.type == "heading_open" and token.tag == "h2":
            if heading:
                yield Section(heading[0], heading[1], " ".join(texts))
            heading, texts = (token.attrs["id"], _plain(after)), []
        # The heading's own text is an inline token, too.
        elif token.type == "inline" and heading and _plain(token) != heading[1] and len(texts) < _TEXTS_OF_SECTION:
            texts.append(_plain(token))
    if heading:
        yield Section(heading[0], heading[1], " ".join(texts))


def _dressed(tokens: Sequence[Any], to: Link | None) -> list[Any]:
    """Markdown tokens with our links, code figures, tables and heading anchors.

    A figure and a table have the name of their section, so that a screen reader shows one from the other.
    """
    dressed = []
    section = ""
    for token, after in pairwise([*tokens, None]):
        for child in token.children or ():
            if child.type == "link_open" and not _ELSEWHERE.match(child.attrs["href"]):
                child.attrSet("href", _site_link(child.attrs["href"], to))
            elif child.type == "link_open":
                # The opened page gets no handle to ours.
                child.attrSet("rel", "noopener")
                if child.info == "auto":  # its text is its address, which print need not repeat
                    child.attrSet("class", "bare")
        if token.type == "fence":
            language, *marks = token.info.split() or ["text"]
            file = next((mark.partition("=")[2] for mark in marks if mark.startswith("file=")), "")
            token.type, token.content = "html_block", str(_figure(token.content.rstrip("\n"), language, section, file))
        elif token.type == "table_open":
            token.attrSet("class", "list")
            # Focusable, so that a table wider than the screen can be scrolled by keyboard (WCAG 2.1.1).
            label = Markup('<div class="wide" tabindex="0" role="group" aria-label="{}">')
            dressed.append(_raw(label.format(f"Table: {section}" if section else "Table")))
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "heading_open" and token.attrs.get("id"):
            section = _plain(after)
            # The link to the section stands in the heading, and is not a part of its name.
            token.attrSet("aria-label", section)
        dressed.append(token)
        if token.type == "table_close":
            dressed.append(_raw("</div>"))
        elif (
            token.type == "inline"
            and dressed[-2:-1]
            and dressed[-2].type == "heading_open"
            and dressed[-2].attrs.get("id")
        ):
            anchor = Markup('<a class="anchor" href="#{}" aria-label="Link to {}">#</a>')
            dressed.append(_raw(anchor.format(dressed[-2].attrs["id"], section)))
    return dressed


def _raw(html: str) -> Any:
    from markdown_it.token import Token

    return Token("html_block", "", 0, content=html)


def _site_link(href: str, to: Link | None) -> str:
    if href.startswith("#") or to is None:
        return href
    if not href.startswith("/"):
        raise RegistryError(
            "site/docs", f"the link {href!r} is neither an address of the site (/rules/) nor one elsewhere"
        )
    return to(href[1:])


def _figure(code: str, language: str, section: str = "", file: str = "") -> Markup:
    """Block of code with a caption and a copy button.

    section     heading above it, which its name for a screen reader ends with
    file        its caption, in place of the language
    """
    caption = file or _CAPTIONS.get(language, language)
    name = f"{caption}, {section}" if section else caption
    return Markup(
        '<figure class="codebox"><figcaption><span>{}</span>'
        '<button class="btn btn-s copy js" type="button">Copy<span class="vh"> {}</span></button></figcaption>'
        '<pre tabindex="0" role="group" aria-label="{}"><code class="language-{}">{}</code></pre></figure>\n'
    ).format(
        caption,
        name,
        name,
        language,
        coloured(code, language),
    )
