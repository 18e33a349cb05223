"""Pages with characters beyond U+FFFF are read through stand-ins; nothing of that may be seen."""

from __future__ import annotations

import pytest
import turbohtml

from waypost.extract import read_page
from waypost.extract.encoding import decode
from waypost.extract.narrow import STAND_INS, Narrower, Wide
from waypost.models.page import Node, Page
from waypost.registry import load

VOCABULARY = load().vocabulary
PERSON = '<div itemscope itemtype="https://schema.org/Person">'


def read(markup: str) -> Page:
    return read_page(markup.encode(), VOCABULARY, url="https://example.com/")


def told(page: Page) -> list[object]:
    """All that a page says and where, without the nodes themselves."""
    numbers = {node: number for number, node in enumerate(page.nodes)}
    said: list[object] = [page.url, page.base, page.language, *(repr(read_error) for read_error in page.read_errors)]
    for node in page.nodes:
        said.append((node.types, node.id, node.miscased, page.locate(page.span_of(node))))
        for prop, values in node.props.items():
            for index, value in enumerate(values):
                shown = numbers[value] if isinstance(value, Node) else value
                places = [page.locate(page.span_of(node, prop, index, part)) for part in ("key", "value")]
                said.append((prop, shown, places, node.block.pointer(node, prop, index)))
    return said


MARKUPS = {
    "a text": PERSON + "<b itemprop=name>Ada 😀 and 🎉</b>",
    "an attribute": PERSON + '<meta itemprop=name content="😀😀"><a itemprop=url href="/😀">x</a>',
    "the name of a property": PERSON + "<b itemprop='😀 name 🎉'>x</b>",
    "the name of an attribute": PERSON + "<b 😀=1 itemprop=name 🎉>x</b>",
    "a type": "<div itemscope itemtype='https://schema.org/😀 https://schema.org/person'><b itemprop=name>x</b>",
    "an id": "<div itemscope itemtype=https://schema.org/Person itemid='#😀'><b itemprop=name>x</b>",
    "itemref": "<div itemscope itemtype=https://schema.org/Person itemref='😀 🎉'></div><b id=😀 itemprop=name>x</b>",
    "a clone": PERSON + "<a itemprop=url href=/😀><p>y</a>",
    "a script inside": PERSON + "<b itemprop=name>a 😀<script>🎉</script><br>b</b>",
    "the address": "<html lang=😀><link rel=canonical href='/😀'><base href='/🎉/'>"
    + PERSON
    + "<a itemprop=url href=x>",
    "RDFa": "<div vocab=https://schema.org/ typeof='Person 😀' resource='#🎉'><b property='name 😀'>😀</b></div>"
    "<div vocab=https://schema.org/ typeof=Person><a property=knows href='#🎉'>x</a><i typeof=😀 property=name>",
    "JSON-LD": '😀<script type="application/ld+json">{"@context":"https://schema.org","@type":"Person",'
    '"name":"🎉"}</script>',
    "merged roots": "<body><p>😀<body 😀 itemscope itemtype='https://schema.org/Person'><b itemprop=name>🎉",
    "a reference to a stand-in": PERSON + "<b itemprop=name>😀 &#128;&#x99;</b>",
    "CRLF": "😀\r\n" + PERSON + "\r\n<b itemprop=name>\r\n🎉</b>\r\n",
    "many lines": "<p>😀\n" * 9_000 + PERSON + "<b itemprop=name>🎉</b>",
}


@pytest.mark.parametrize("markup", MARKUPS.values(), ids=MARKUPS.keys())
def test_a_page_says_the_same_whether_it_was_narrowed_or_not(markup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert decode(markup.encode()).narrow is not None
    narrowed = told(read(markup))

    monkeypatch.setattr(Narrower, "narrow", lambda *_: None)

    assert narrowed == told(read(markup))
    assert len(narrowed) > 3


def test_a_stand_in_is_written_nowhere_in_what_was_read() -> None:
    page = read(PERSON + "<b itemprop='name 😀'>😀🎉</b>")

    assert page.nodes[0].props == {"name": ["😀🎉"], "😀": ["😀🎉"]}


@pytest.mark.parametrize("stand_in", STAND_INS)
def test_no_reference_brings_a_stand_in_into_the_tree(stand_in: int) -> None:
    tree = turbohtml.parse(f"<p title='&#{stand_in};'>&#{stand_in};&#x{stand_in:x};")
    paragraph = tree.select("p")[0]

    assert chr(stand_in) not in paragraph.text + (paragraph.attr("title") or "")


@pytest.mark.parametrize(
    "text",
    [
        "Ada, no such character at all…",
        "😀 and a control \x80 as it is",
        "".join(map(chr, range(0x1F600, 0x1F600 + len(STAND_INS) + 1))),
        "😀" + "\xa0" * 20_000,
    ],
    ids=["nothing to replace", "a stand-in in the page", "too many different ones", "too much that may be one"],
)
def test_a_page_that_cannot_be_narrowed_is_read_as_it_is(text: str) -> None:
    markup = f"{PERSON}<b itemprop=name>{text}</b>"

    assert decode(markup.encode()).narrow is None
    assert read(markup).nodes[0].props == {"name": [" ".join(text.split())]}


def test_the_text_of_a_page_is_put_together_only_if_somebody_asks_for_all_of_it() -> None:
    markup = PERSON + "<b itemprop=name>Ada 😀</b>é" * 3000
    words = decode(markup.encode()).words
    at = markup.rindex("😀")
    assert isinstance(words, Wide)
    assert (len(words), words[at - 4 : at + 3]) == (len(markup), "Ada 😀</")
    page = read(markup)
    (person,) = page.roots
    assert page.source_text(*page.span_of(person, "name", 2999)) == "Ada 😀"
    assert "whole" not in vars(words)
    assert words.whole == page.text == markup
