"""`waypost convert`: the items of Microdata and RDFa are the same in JSON-LD."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command import Run

from waypost.fixes.conversion import to_json_ld
from waypost.reader.plain import plain_objects
from waypost.reader.sources import PageSource, parse_source
from waypost.registry import load

VOCABULARY = load().vocabulary
SHARED = Path(__file__).parent.parent.parent / "shared"
MICRODATA = """<!doctype html>
<html>
<head>
<title>Pie</title>
<meta name="description" itemprop="x" content="kept">
</head>
<body>
<article itemscope itemtype="https://schema.org/Recipe" itemid="https://example.com/pie">
<h1 itemprop="name">Rhubarb &amp; &lt;/script> pie</h1>
<meta itemprop="datePublished" content="2026-05-01">
<a itemprop="url" href="/pie" class="more">more</a>
<div itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ines</b></div>
</article>
</body>
</html>
"""
RDFA = """<!doctype html>
<head><meta property="og:title" content="Kept"></head>
<div vocab="https://schema.org/" typeof="Product">
<span property="name">Kettle</span>
<div property="offers" typeof="Offer"><span property="price" content="9.90">9,90</span></div>
</div>
"""
FOREIGN = (
    '<div itemscope itemtype="https://schema.org/Person"><b itemprop="name">A</b></div>'
    '<div itemscope itemtype="http://xmlns.example.com/Thing"><b itemprop="x">B</b></div>'
)


def items(data: bytes, *syntaxes: str) -> list[str]:
    source = PageSource(data, "html", "https://example.com/", None)
    page = parse_source(source, "-", VOCABULARY, syntaxes or None)
    return sorted(json.dumps(made, sort_keys=True) for _, made in plain_objects(page.roots))


@pytest.mark.parametrize("text", [MICRODATA, RDFA])
def test_the_changed_page_has_the_same_items(text: str) -> None:
    made = to_json_ld(PageSource(text.encode(), "html", "https://example.com/", None), VOCABULARY)

    assert not made.left
    assert items(made.data) == items(text.encode()) != []
    assert items(made.data, "microdata", "rdfa") == []


def test_other_meanings_stay() -> None:
    made = to_json_ld(PageSource(MICRODATA.encode(), "html", None, None), VOCABULARY)
    text = made.data.decode()

    assert '<meta name="description" content="kept">' in text
    assert '<a href="/pie" class="more">more</a>' in text
    assert 'datePublished" content' not in text
    assert text.index("<script") < text.index("</head>")


def test_properties_of_other_vocabularies_stay() -> None:
    made = to_json_ld(PageSource(RDFA.encode(), "html", None, None), VOCABULARY)

    assert '<meta property="og:title" content="Kept">' in made.data.decode()
    assert "<span>9,90</span>" in made.data.decode()


def test_a_text_of_the_page_ends_no_script() -> None:
    made = to_json_ld(PageSource(MICRODATA.encode(), "html", None, None), VOCABULARY)

    assert made.data.count(b"</script>") == 1
    assert b"\\u003c/script> pie" in made.data


def test_a_page_in_another_encoding_stays_in_it() -> None:
    text = MICRODATA.replace("Ines", "Inès").replace("<title>", '<meta charset="windows-1252"><title>')
    data = text.encode("windows-1252")
    made = to_json_ld(PageSource(data, "html", "https://example.com/", None), VOCABULARY)

    assert b"In\\u00e8s" in made.data
    assert items(made.data) == items(data)


def test_one_page_is_printed_as_a_script(command: Run, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(MICRODATA)

    ran = command("convert", str(tmp_path / "a.html"))

    assert ran.status == 0
    assert ran.out.startswith('<script type="application/ld+json">\n{\n  "@context": "https://schema.org",')
    assert (tmp_path / "a.html").read_text() == MICRODATA


def test_files_are_changed_on_request_alone(command: Run, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(MICRODATA)

    displayed = command("convert", str(tmp_path), "--diff", "--base-url", "https://example.com/")
    assert '-<meta itemprop="datePublished" content="2026-05-01">' in displayed.out
    assert page.read_text() == MICRODATA

    assert "1 item converted" in command("convert", str(tmp_path), "--write", "--base-url", "https://example.com/").err
    assert items(page.read_bytes()) == items(MICRODATA.encode())
    assert command("convert", str(tmp_path), "--write").status == 1


def test_items_of_another_vocabulary_keep_the_page_as_it_is(command: Run, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(FOREIGN)

    ran = command("convert", str(page), "--write")

    assert ran.status == 1
    assert "left as it is: 1 item in Microdata of other vocabularies" in ran.err
    assert page.read_text() == FOREIGN


def test_several_pages_need_a_mode(command: Run, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(MICRODATA)

    assert "add --diff" in command("convert", str(tmp_path)).err


CORPORA = [
    path
    for folder in ("eval/pages", "eval/schemaorg-examples", "vectors/microdata-rdf", "vectors/rdfa")
    for path in sorted((SHARED / folder).rglob("*.htm*"))
]


@pytest.mark.skipif(not CORPORA, reason="the corpora are not beside the checkout")
def test_the_items_of_every_corpus_survive() -> None:
    converted = 0
    for path in CORPORA:
        data = path.read_bytes()
        made = to_json_ld(PageSource(data, "html", "https://example.com/", None), VOCABULARY)
        if made.markup is None or made.left:
            assert made.data == data, path
            continue
        converted += 1
        before = items(data, "microdata", "rdfa") + items(data, "json-ld")
        assert items(made.data) == sorted(before), path
    assert converted > 80
