"""Reader of pages: bytes in, nodes with their locations out, in the same form for JSON-LD, Microdata and RDFa."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from waypost.models.page import Node, Page, ReadError, Span, Syntax
from waypost.reader.elements import SELECTORS, PageElements
from waypost.reader.encoding import decode
from waypost.reader.join import join_nodes
from waypost.reader.json_block import Places
from waypost.reader.jsonld import read_block
from waypost.reader.names import resolve
from waypost.reader.prefix import Source, parse
from waypost.reader.text import EncodingProblem, Text
from waypost.reader.tree import Element, Tree, is_too_deep, value_span
from waypost.registry.vocabulary import Vocabulary

if TYPE_CHECKING:
    from waypost.reader.markup import Values

__all__ = ["SYNTAXES", "Piece", "read_data", "read_page", "read_pieces"]

SYNTAXES: Final = frozenset(SELECTORS)
_OPENING = "[itemscope],[typeof],[about],[resource],[rel],[rev]"
# Nested items repeat the text of their children, so that values may add up to depth times the page; the bound is on the
# sum.
_VALUES_PER_PAGE = 4  # how often its own size a page's values may be read out
_VALUES_LEAST = 1_000_000


class Piece(NamedTuple):
    """JSON-LD outside of scripts: offset in the page's text; `places` for JSON made from code."""

    start: int
    text: str
    places: Places | None = None


_Read: TypeAlias = "Callable[[Page, Tree, Vocabulary, list[Element], Values], Iterable[tuple[Element, Node]]]"


def read_page(
    data: bytes,
    vocabulary: Vocabulary,
    *,
    path: str = "-",
    url: str | None = None,
    media_type: str | None = None,
    encoding: str | None = None,
    syntaxes: Iterable[str] = SYNTAXES,
    further: Iterable[Piece] = (),
) -> Page:
    """Nodes of an HTML page. Never raises on a page, however broken: errors are in `page.read_errors`.

    data        bytes of the file or of the HTTP body.
    url         address of the request, None if unknown.
    media_type  the HTTP Content-Type, if known: its charset counts.
    encoding    label that overrides HTTP and the page (a byte-order mark still wins).
    syntaxes    the ones to read, of "json-ld", "microdata" and "rdfa".
    further     JSON-LD outside scripts.
    """
    text = decode(data, media_type, encoding)
    page = _page(text, path, url)
    # The search for the prefix reads ASCII in the bytes; UTF-16 and ISO-2022-JP are encoded again for it.
    source = Source(data if text.is_ascii_compatible else text.string.encode("utf-8", "replace"))
    # Taken now: `parse` may release the bytes.
    page.has_suppressions = source.has_suppression_comment
    if _has_repeated_root(page, source, text):
        return page
    tree, elements = parse(source, text, frozenset(syntaxes))
    del source  # as large as the page
    page.has_suppressions = page.has_suppressions or elements.has_suppressions
    _set_address(page, tree, elements)
    page.is_html = True
    _PageReader(page, tree, vocabulary, elements).read()
    if "json-ld" in elements.syntaxes:
        # Scripts and further JSON share one numbering, so that a block's number names it in every report.
        for number, piece in enumerate(further, len(elements.scripts)):
            read_block(page, piece.text, piece.start, number, vocabulary, piece.places)
    _add_document_errors(page, tree, text, elements)
    join_nodes(page, vocabulary)
    return page


def read_data(data: bytes, vocabulary: Vocabulary, *, path: str = "-", url: str | None = None) -> Page:
    """Nodes of a file of JSON-LD, read as one block."""
    text = decode(data, encoding="utf-8")
    page = _page(text, path, url)
    read_block(page, text.string, 0, 0, vocabulary)
    page.read_errors.extend(_encoding_error(problem, text) for problem in text.problems)
    join_nodes(page, vocabulary)
    return page


def read_pieces(
    text: Text, pieces: Iterable[Piece], vocabulary: Vocabulary, *, path: str = "-", url: str | None = None
) -> Page:
    """Nodes of code, which has JSON-LD in pieces and no markup."""
    page = _page(text, path, url)
    for number, piece in enumerate(pieces):
        read_block(page, piece.text, piece.start, number, vocabulary, piece.places)
    join_nodes(page, vocabulary)
    return page


def _has_repeated_root(page: Page, source: Source, text: Text) -> bool:
    """Report tags of `html` and `body` that are too many to merge; the page is not parsed then."""
    repeated = source.repeated_root()
    if repeated is None:
        return False
    at = text.offset(repeated) if text.is_ascii_compatible else 0
    page.read_errors.append(ReadError("html-repeated-root-tag", Span(at, at + 5)))
    return True


def _page(text: Text, path: str, url: str | None) -> Page:
    page = Page(path, text.string, text)
    page.url = page.base = url
    return page


def _encoding_error(problem: EncodingProblem, text: Text) -> ReadError:
    at = text.offset(problem.at)
    length = len(problem.label) if problem.rule == "html-encoding-unknown" and problem.at else 1
    return ReadError(problem.rule, Span(at, at + length), "html", None, "", {"label": problem.label})


def _set_address(page: Page, tree: Tree, elements: PageElements) -> None:
    """Set the page's canonical address, base for relative URLs and language from its markup."""
    written = resolve(elements.base, page.url) if elements.base is not None else ""
    # A `base` that stays relative has nothing to be resolved against (HTML Standard 4.2.3).
    base = written if "://" in written else None
    canonical = resolve(elements.canonical, base or page.url) if elements.canonical is not None else ""
    if "://" in canonical:
        page.url = canonical
        page.base = base or page.base or canonical
    elif base:
        page.base = base
    # The language of the root element is that of the page (HTML Standard 3.2.6.2).
    page.language = tree.root.attr("lang") or None


class _PageReader:
    """Reader of the typed parts of a page, with a reader per syntax, into a list in document order."""

    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, elements: PageElements) -> None:
        self.page = page
        self.tree = tree
        self.vocabulary = vocabulary
        self.elements = elements

    def read(self) -> None:
        """Fill `page.nodes` in document order, all syntaxes together."""
        scripts, typed = self.elements.scripts, self.elements.typed
        if not typed:
            for script, number in scripts.items():
                self._read_script(script, number)
            return
        deep = is_too_deep(typed)
        if deep is not None:
            self.page.read_errors.append(ReadError("html-too-deep", self.tree.location(deep).start_tag))
        made = self._items(typed)
        opening = self.elements.all
        # An RDFa node may begin at an element that the survey did not ask for, by `about`, `resource` or `rel` alone.
        if any(node.block.syntax == "rdfa" for nodes in made.values() for node in nodes):
            opening = self.tree.select(f"{SELECTORS['json-ld']},{_OPENING}")
        for element in opening:
            if element in scripts:
                self._read_script(element, scripts[element])
            elif element in made:
                self.page.nodes.extend(made[element])

    def _read_script(self, script: Element, number: int) -> None:
        start, end = self.tree.script(script)
        read_block(self.page, self.page.source_text(start, end), start, number, self.vocabulary)

    def _items(self, typed: list[Element]) -> dict[Element, list[Node]]:
        """Nodes of Microdata and RDFa, by the element with the node's start tag."""
        # Most pages have JSON-LD alone.
        from waypost.reader import microdata, rdfa
        from waypost.reader.markup import TextLimitExceeded, Values

        values = Values(self.page.base, max(_VALUES_LEAST, _VALUES_PER_PAGE * len(self.tree.text)))
        made: dict[Element, list[Node]] = {}
        readers: tuple[tuple[Syntax, _Read], ...] = (("microdata", microdata.read), ("rdfa", rdfa.read))
        for syntax, read in readers:
            if syntax not in self.elements.syntaxes:
                continue
            try:
                for element, node in read(self.page, self.tree, self.vocabulary, typed, values):
                    made.setdefault(element, []).append(node)
            except TextLimitExceeded as error:
                self._drop(syntax, error.element)
        return made

    def _drop(self, syntax: Syntax, element: Element) -> None:
        """Remove the blocks of a syntax after a limit was exceeded: half a page would give wrong findings."""
        self.page.blocks[:] = [block for block in self.page.blocks if block.syntax != syntax]
        span = self.tree.location(element).start_tag
        self.page.read_errors.append(ReadError("html-values-too-large", span, syntax))


def _add_document_errors(page: Page, tree: Tree, text: Text, elements: PageElements) -> None:
    """Add the errors of the document around the structured data, and sort all errors by place."""
    # Wrong encodings are reported for what they may do to structured data; other pages are not waypost's subject.
    if page.nodes:
        page.read_errors.extend(_encoding_error(problem, text) for problem in text.problems)
    _check_noscripts(page, tree, elements.noscripts)
    _check_script_types(page, tree, elements.mistyped)
    if len(page.read_errors) > 1:
        page.read_errors.sort(key=lambda error: error.span)


def _check_noscripts(page: Page, tree: Tree, noscripts: list[Element]) -> None:
    """Report typed markup that only consumers without scripts see."""
    for element in noscripts:
        text = element.text
        if "itemscope" in text or "itemprop=" in text or "ld+json" in text or "typeof=" in text:
            page.read_errors.append(ReadError("markup-in-noscript", tree.location(element).start_tag))
            return


def _check_script_types(page: Page, tree: Tree, scripts: list[Element]) -> None:
    """Report JSON-LD scripts with a misspelled media type."""
    if not scripts:
        return
    # Imported on use: few pages have such a script, and the decoder takes time to load.
    from waypost.reader.dirtyjson import is_typed_json

    for script in scripts:
        location = tree.location(script)
        attribute = location.attributes.get("type")
        span = value_span(tree.text, attribute, "type") if attribute is not None else location.start_tag
        detail = {"written": script.attr("type"), "safe": is_typed_json(script.text)}
        page.read_errors.append(ReadError("jsonld-script-type-misspelled", span, detail=detail))
