"""The reader: bytes of a page in, its nodes with their places out, whatever syntax they are written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from waypost.extract import microdata, rdfa
from waypost.extract.encoding import Decoded, Doubt, decode
from waypost.extract.join import join
from waypost.extract.jsonld import read_block
from waypost.extract.markup import TooMuchText, Values
from waypost.extract.names import resolve
from waypost.extract.reach import Bytes
from waypost.extract.tree import Element, Tree, is_foreign, is_too_deep, repeated_root, value_span
from waypost.models.page import Node, Page, ReadError, Span, Syntax
from waypost.registry.vocabulary import Vocabulary

__all__ = ["SYNTAXES", "read_data", "read_page"]

# An element is asked for one after the other until something fits: what most of those found have comes first, and
# last what takes longest.
_SELECTORS: Final[dict[str, str]] = {
    "microdata": "[itemprop],[itemscope],[itemtype]",
    "rdfa": "[typeof]",
    "json-ld": 'script[type*="json" i]',
}
SYNTAXES: Final = frozenset(_SELECTORS)
_CANONICAL = 'link[href][rel~="canonical" i]'
_OF_THE_PAGE = f"base[href],noscript,{_CANONICAL}"
_SPEAKS = "[data-waypost-ignore]"
_TYPED = f":is({_SELECTORS['microdata']},{_SELECTORS['rdfa']})"
_JSON_LD = "application/ld+json"
_JSON_LD_ALMOST = re.compile(r"ld.?json|json.?ld", re.IGNORECASE)
_OPENING = "[itemscope],[typeof],[about],[resource]"
_PARTS = 2  # of a page that are tried before it is read as a whole
_VALUES_PER_PAGE = 4  # how often its own size a page's values may be read out
_VALUES_LEAST = 1_000_000
_Read: TypeAlias = Callable[[Page, Tree, Vocabulary, list[Element], Values], dict[Element, Node]]


def read_page(
    data: bytes,
    vocabulary: Vocabulary,
    *,
    path: str = "-",
    url: str | None = None,
    media_type: str | None = None,
    encoding: str | None = None,
    syntaxes: Iterable[str] = SYNTAXES,
    further: Iterable[tuple[int, str]] = (),
) -> Page:
    """Everything typed on an HTML page. Never raises on a page, however broken: faults are `page.read_errors`.

    data        bytes of the file or of the HTTP body.
    url         the address it came from, None if unknown.
    media_type  the HTTP Content-Type, if there was one: its charset counts.
    encoding    a label that overrides what HTTP and the page say (a byte-order mark still wins).
    syntaxes    which of "json-ld", "microdata" and "rdfa" to read.
    further     JSON-LD that stands in no script: (offset in the text, the text there).
    """
    raw = Bytes(data)
    far = raw.reach()
    decoded = decode(data, media_type, encoding, until=far)
    if not decoded.is_ascii_compatible:
        raw, far = Bytes(decoded.text.encode("utf-8", "replace")), None
    refused = repeated_root(raw)
    if refused is not None:
        page = _page(decoded, path, url)
        at = decoded.places.offset(refused) if decoded.is_ascii_compatible else 0
        page.read_errors.append(ReadError("html-repeated-root-tag", Span(at, at + 5)))
        page.has_suppressions = raw.speaks
        return page
    speaks = raw.speaks
    tree, found, decoded = _tree(
        decoded, lambda until: decode(data, media_type, encoding, until=until), raw, far, frozenset(syntaxes)
    )
    del raw  # as long as the page
    page = _page(decoded, path, url)
    page.has_suppressions = speaks or found.speaks
    _address(page, tree, found)
    _Typed(page, tree, vocabulary, found, decoded).read()
    if "json-ld" in found.syntaxes:
        for number, (start, text) in enumerate(further, len(found.numbers)):
            read_block(page, text, start, number, vocabulary)
    if page.nodes:
        page.read_errors.extend(_read_error_of(doubt, decoded) for doubt in decoded.doubts)
    _look_behind_noscript(page, tree, found.noscripts)
    for script in found.mistyped:
        location = tree.location(script)
        written = location.attributes.get("type")
        span = value_span(tree.text, written, "type") if written is not None else location.start_tag
        page.read_errors.append(
            ReadError("jsonld-script-type-misspelled", span, detail={"written": script.attr("type")})
        )
    if len(page.read_errors) > 1:
        page.read_errors.sort(key=lambda read_error: read_error.span)
    join(page)
    return page


def read_data(data: bytes, vocabulary: Vocabulary, *, path: str = "-", url: str | None = None) -> Page:
    """A whole file of JSON-LD, as one block."""
    decoded = decode(data, encoding="utf-8")
    page = _page(decoded, path, url)
    read_block(page, decoded.text, 0, 0, vocabulary)
    page.read_errors.extend(_read_error_of(doubt, decoded) for doubt in decoded.doubts)
    join(page)
    return page


def _page(decoded: Decoded, path: str, url: str | None) -> Page:
    page = Page(path, decoded.all_words, decoded.places)
    page.url = page.base = url
    return page


def _tree(
    decoded: Decoded, again: Callable[[int | None], Decoded], raw: Bytes, far: int | None, syntaxes: frozenset[str]
) -> tuple[Tree, _Found, Decoded]:
    """The tree of as much of a page as matters, what was found in it, and what of the page was decoded for it.

    again  decodes the page up to another byte than `far`, None for all of it.
    """
    for attempt in range(_PARTS):
        if far is None:
            break
        if attempt and decoded.places.is_part:
            decoded = again(far)
        part = _part(decoded, raw, far, syntaxes)
        if isinstance(part, tuple):
            return *part, decoded
        far = part
    raw.let_go()
    if decoded.places.is_part:
        decoded = again(None)
    tree = Tree(decoded.words, decoded.places.tell, decoded.places.at)
    return tree, _Found(tree, syntaxes, names_us=raw.names_us), decoded


def _part(decoded: Decoded, raw: Bytes, far: int, syntaxes: frozenset[str]) -> tuple[Tree, _Found] | int | None:
    """The same of a page's first bytes; where they will not do, how many might, None for all."""
    places = decoded.places
    tree = Tree(decoded.words, places.tell, places.at, until=places.reached(far))
    found = _Found(tree, syntaxes, names_us=raw.names_us)
    open_ = tree.unsettled()
    if open_ is not None:
        return raw.closed(far, *open_) if open_[1] else None
    if any(map(is_foreign, found.numbers)):  # these may end without an end tag, and then last to the page's end
        return None
    says_more = raw.says_more(
        far,
        items=bool(found.typed),
        base=found.base is not None,
        canonical=found.canonical is not None,
        language=tree.root.attr("lang") is not None,
    )
    return None if says_more else (tree, found)


def _read_error_of(doubt: Doubt, decoded: Decoded) -> ReadError:
    at = decoded.places.offset(doubt.at)
    length = len(doubt.label) if doubt.rule == "html-encoding-unknown" and doubt.at else 1
    return ReadError(doubt.rule, Span(at, at + length), "html", None, "", {"label": doubt.label})


class _Found:
    """Every element of a page that concerns us, in document order, from a single `select` over its tree."""

    def __init__(self, tree: Tree, syntaxes: frozenset[str], *, names_us: bool) -> None:
        self.syntaxes = syntaxes
        self.base: str | None = None
        self.canonical: str | None = None
        self.speaks = False
        self.noscripts: list[Element] = []
        self.numbers: dict[Element, int] = {}  # of the scripts
        self.mistyped: list[Element] = []
        self.typed: list[Element] = []
        self.all: list[Element] = []  # scripts and typed
        looked_for = ",".join([*(selector for each, selector in _SELECTORS.items() if each in syntaxes), _OF_THE_PAGE])
        for element in tree.survey(f"{looked_for},{_SPEAKS}" if names_us else looked_for):
            if names_us and element.matches(_SPEAKS):
                self.speaks = True
                if not element.matches(looked_for):
                    continue
            tag = element.tag
            if tag == "script":
                if "json-ld" in syntaxes and _is_jsonld(element):
                    self.numbers[element] = len(self.numbers)
                    self.all.append(element)
                elif _JSON_LD_ALMOST.search(element.attr("type") or "") and '"@context"' in element.text:
                    self.mistyped.append(element)
                continue
            if tag in {"link", "noscript", "base"} and not self._is_typed_too(element, tag):
                continue
            self.typed.append(element)
            self.all.append(element)

    def _is_typed_too(self, element: Element, tag: str) -> bool:
        if tag == "noscript":
            self.noscripts.append(element)
        elif tag == "base" and self.base is None:
            self.base = element.attr("href")
        elif tag == "link" and self.canonical is None and element.matches(_CANONICAL):
            self.canonical = element.attr("href")
        return element.matches(_TYPED)


def _address(page: Page, tree: Tree, found: _Found) -> None:
    """What the page says about itself: its canonical address, what URLs resolve against, its language."""
    written = resolve(found.base, page.url) if found.base is not None else ""
    base = written if "://" in written else None
    named = resolve(found.canonical, base or page.url) if found.canonical is not None else ""
    if "://" in named:
        page.url = named
        page.base = base or page.base or named
    elif base:
        page.base = base
    page.language = tree.root.attr("lang") or None


class _Typed:
    """Reads the typed parts of a page, each syntax by its own reader, into one list in document order."""

    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, found: _Found, decoded: Decoded) -> None:
        self.page = page
        self.decoded = decoded
        self.tree = tree
        self.vocabulary = vocabulary
        self.found = found

    def read(self) -> None:
        """Nodes in document order, whichever syntax each is of."""
        numbers, typed = self.found.numbers, self.found.typed
        if not typed:
            for script, number in numbers.items():
                self._script(script, number)
            return
        deep = is_too_deep(typed)
        if deep is not None:
            self.page.read_errors.append(ReadError("html-too-deep", self.tree.location(deep).start_tag))
        made = self._items(typed)
        opening = self.found.all
        if any(node.block.syntax == "rdfa" for nodes in made.values() for node in nodes):
            opening = self.tree.select(f"{_SELECTORS['json-ld']},{_OPENING}")
        for element in opening:
            if element in numbers:
                self._script(element, numbers[element])
            elif element in made:
                self.page.nodes.extend(made[element])

    def _script(self, script: Element, number: int) -> None:
        start, end = self.tree.script(script)
        read_block(self.page, self.page.source_text(start, end), start, number, self.vocabulary)

    def _items(self, typed: list[Element]) -> dict[Element, list[Node]]:
        """The nodes of Microdata and RDFa by the element that opens each."""
        values = Values(self.page.base, max(_VALUES_LEAST, _VALUES_PER_PAGE * self.decoded.length))
        made: dict[Element, list[Node]] = {}
        readers: tuple[tuple[Syntax, _Read], ...] = (("microdata", microdata.read), ("rdfa", rdfa.read))
        for syntax, read in readers:
            if syntax not in self.found.syntaxes:
                continue
            try:
                for element, node in read(self.page, self.tree, self.vocabulary, typed, values).items():
                    made.setdefault(element, []).append(node)
            except TooMuchText as fault:
                self._too_much(fault.element, syntax)
        return made

    def _too_much(self, element: Element, syntax: Syntax) -> None:
        """Nothing of this syntax is judged where not all of it could be read."""
        self.page.blocks[:] = [block for block in self.page.blocks if block.syntax != syntax]
        span = self.tree.location(element).start_tag
        self.page.read_errors.append(ReadError("html-values-too-large", span, syntax))


def _look_behind_noscript(page: Page, tree: Tree, noscripts: list[Element]) -> None:
    """Typed markup that only consumers without scripts would see."""
    for element in noscripts:
        text = element.text
        if "itemscope" in text or "itemprop=" in text or "ld+json" in text or "typeof=" in text:
            page.read_errors.append(ReadError("markup-in-noscript", tree.location(element).start_tag))
            return


def _is_jsonld(script: Element) -> bool:
    """Is its media type, without parameters and letter case, that of JSON-LD?"""
    written = script.attr("type") or ""
    return written == _JSON_LD or written.partition(";")[0].strip().lower() == _JSON_LD
