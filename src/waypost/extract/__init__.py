"""The reader: bytes of a page in, its nodes with their places out, whatever syntax they are written in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from waypost.extract import microdata, rdfa
from waypost.extract.encoding import Decoded, Doubt, decode
from waypost.extract.join import join
from waypost.extract.jsonld import read_block
from waypost.extract.markup import TooMuchText, Values
from waypost.extract.names import resolve
from waypost.extract.tree import Element, Tree, is_too_deep, repeated_root
from waypost.shapes.page import Node, Page, Span, Syntax, Trouble
from waypost.vocabulary import Vocabulary

__all__ = ["SYNTAXES", "read_data", "read_page"]

_SELECTORS: Final[dict[str, str]] = {
    "json-ld": 'script[type*="ld+json" i]',
    "microdata": "[itemscope],[itemprop],[itemtype]",
    "rdfa": "[typeof]",
}
SYNTAXES: Final = frozenset(_SELECTORS)
_OPENING = "[itemscope],[typeof],[about],[resource]"
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
) -> Page:
    """Everything typed on an HTML page. Never raises on a page, however broken: faults are `page.troubles`.

    data        bytes of the file or of the HTTP body.
    url         the address it came from, None if unknown.
    media_type  the HTTP Content-Type, if there was one: its charset counts.
    encoding    a label that overrides what HTTP and the page say (a byte-order mark still wins).
    syntaxes    which of "json-ld", "microdata" and "rdfa" to read.
    """
    decoded = decode(data, media_type, encoding)
    page = Page(path, decoded.text, decoded.places)
    page.url = page.base = url
    refused = repeated_root(data if decoded.is_ascii_compatible else decoded.text.encode("utf-8", "replace"))
    if refused is not None:
        at = decoded.places.offset(refused) if decoded.is_ascii_compatible else 0
        page.troubles.append(Trouble("html-repeated-root-tag", Span(at, at + 5)))
        return page
    tree = Tree(decoded.text, decoded.places.tell)
    _address(page, tree)
    _Typed(page, tree, vocabulary, frozenset(syntaxes)).read()
    if page.nodes:
        page.troubles.extend(_trouble_of(doubt, decoded) for doubt in decoded.doubts)
    _look_behind_noscript(page, tree)
    if len(page.troubles) > 1:
        page.troubles.sort(key=lambda trouble: trouble.span)
    join(page)
    return page


def read_data(data: bytes, vocabulary: Vocabulary, *, path: str = "-", url: str | None = None) -> Page:
    """A whole file of JSON-LD, as one block."""
    decoded = decode(data, encoding="utf-8")
    page = Page(path, decoded.text, decoded.places)
    page.url = page.base = url
    read_block(page, decoded.text, 0, 0, vocabulary)
    page.troubles.extend(_trouble_of(doubt, decoded) for doubt in decoded.doubts)
    join(page)
    return page


def _trouble_of(doubt: Doubt, decoded: Decoded) -> Trouble:
    at = decoded.places.offset(doubt.at)
    length = len(doubt.label) if doubt.rule == "html-encoding-unknown" and doubt.at else 1
    return Trouble(doubt.rule, Span(at, at + length), "html", None, "", {"label": doubt.label})


def _address(page: Page, tree: Tree) -> None:
    """What the page says about itself: its canonical address, what URLs resolve against, its language."""
    bases = tree.select("base[href]")
    canonical = tree.select('link[rel~="canonical" i][href]')
    written = resolve(bases[0].attr("href") or "", page.url) if bases else ""
    base = written if "://" in written else None
    named = resolve(canonical[0].attr("href") or "", base or page.url) if canonical else ""
    if "://" in named:
        page.url = named
        page.base = base or page.base or named
    elif base:
        page.base = base
    root = tree.select("html")
    page.language = (root[0].attr("lang") or None) if root else None


class _Typed:
    """Reads the typed parts of a page, each syntax by its own reader, into one list in document order."""

    def __init__(self, page: Page, tree: Tree, vocabulary: Vocabulary, syntaxes: frozenset[str]) -> None:
        self.page = page
        self.tree = tree
        self.vocabulary = vocabulary
        self.syntaxes = syntaxes

    def read(self) -> None:
        """One `select` finds everything in document order; each kind of element costs only what it needs."""
        wanted = ",".join(_SELECTORS[syntax] for syntax in _SELECTORS if syntax in self.syntaxes)
        found = self.tree.select(wanted) if wanted else []
        scripts = [element for element in found if element.tag == "script" and _is_jsonld(element)]
        numbers = {script: number for number, script in enumerate(scripts)} if "json-ld" in self.syntaxes else {}
        if len(numbers) == len(found):
            for number, script in enumerate(scripts):
                self._script(script, number)
            return
        typed = [element for element in found if element.tag != "script"]
        deep = is_too_deep(typed)
        if deep is not None:
            self.page.troubles.append(Trouble("html-too-deep", self.tree.location(deep).start_tag))
        made = self._items(typed)
        if any(node.block.syntax == "rdfa" for nodes in made.values() for node in nodes):
            found = self.tree.select(f"{_SELECTORS['json-ld']},{_OPENING}")
        for element in found:
            if element in numbers:
                self._script(element, numbers[element])
            elif element in made:
                self.page.nodes.extend(made[element])

    def _script(self, script: Element, number: int) -> None:
        location = self.tree.location(script)
        start = location.start_tag.end
        end = location.end_tag.start if location.end_tag else len(self.page.text)
        read_block(self.page, self.page.text[start:end], start, number, self.vocabulary)

    def _items(self, typed: list[Element]) -> dict[Element, list[Node]]:
        """The nodes of Microdata and RDFa by the element that opens each."""
        values = Values(self.page.base, max(_VALUES_LEAST, _VALUES_PER_PAGE * len(self.page.text)))
        made: dict[Element, list[Node]] = {}
        readers: tuple[tuple[Syntax, _Read], ...] = (("microdata", microdata.read), ("rdfa", rdfa.read))
        for syntax, read in readers:
            if syntax not in self.syntaxes:
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
        self.page.troubles.append(Trouble("html-values-too-large", span, syntax))


def _look_behind_noscript(page: Page, tree: Tree) -> None:
    """Typed markup that only consumers without scripts would see."""
    for element in tree.select("noscript"):
        text = element.text
        if "itemscope" in text or "itemprop=" in text or "ld+json" in text or "typeof=" in text:
            page.troubles.append(Trouble("markup-in-noscript", tree.location(element).start_tag))
            return


def _is_jsonld(script: Element) -> bool:
    """Is its media type, without parameters and letter case, that of JSON-LD?"""
    return (script.attr("type") or "").partition(";")[0].strip().lower() == "application/ld+json"
