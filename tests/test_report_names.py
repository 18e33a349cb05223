"""Reports name their pages by title, canonical address and file, and look like the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from waypost.cli import main
from waypost.formats.page_name import PageName, name_of
from waypost.reader.page_names import PageNames
from waypost.report._style import DARK, LIGHT, STYLE, page_name

PAGE = """<!doctype html><html><head><!-- <title>Old</title> -->
<title>
  {name} &amp; lid</title><link rel="canonical" href="https://shop.example.com/{slug}"></head><body>
<script type="application/ld+json">{{"@context":"https://schema.org","@type":"Product","@id":"#{slug}","name":"{name}",
"offers":{{"@type":"Offer","price":"12,50","priceCurrency":"EUR"}}}}</script></body></html>
"""
TOKENS = (Path(__file__).parent.parent / "site" / "css" / "tokens.css").read_text("utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    for slug, name in (("kettle", "Kettle"), ("teapot", "Teapot")):
        (folder / f"{slug}.html").write_text(PAGE.format(name=name, slug=slug), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<title>A &lt; B</title>", PageName("A < B")),
        ("<TITLE lang=en>A\n  B</TITLE>", PageName("A B")),
        ("<!-- <title>No</title> --><title>Yes</title>", PageName("Yes")),
        ("<link href=https://a.example.com/x rel=canonical>", PageName("", "https://a.example.com/x")),
        ("<link rel='alternate canonical' href='https://a.example.com/?a=1&amp;b=2'>", PageName("", "https://a.example.com/?a=1&b=2")),
        ("<link rel=canonical href='/relative'><link rel=stylesheet href=https://a.example.com/s>", PageName()),
        ("<link rel=canonical href='javascript:alert(1)'>", PageName()),
        ('{"@type": "Product"}', PageName()),
        ("<title>never closed", PageName()),
    ],
)  # fmt: skip
def test_title_and_canonical_address_are_read_from_source(text: str, name: PageName) -> None:
    assert name_of(text) == name


def test_a_very_long_page_is_named_from_its_head() -> None:
    assert name_of("<title>A</title>" + "<link" * 200_000) == PageName("A")
    assert len(name_of(f"<title>{'x' * 10_000}</title>").title) == 200


def test_markup_in_a_title_stays_text() -> None:
    line = page_name(PageName("<b>", 'https://a.example.com/"><script>'), "p.html")

    assert "<script" not in line


def test_reports_about_pages_name_them(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tmp_path / "before"
    before.mkdir()
    (before / "kettle.html").write_text((site / "kettle.html").read_text("utf-8").replace("12,50", "12.50"), "utf-8")
    monkeypatch.chdir(tmp_path)
    commands = {
        "validate": ["validate", "site", "--fail-on", "never", "--format", "html"],
        "one": ["validate", "site/kettle.html", "--fail-on", "never", "--format", "html"],
        "graph": ["graph", "site", "--format", "html"],
        "diff": ["diff", "before", "site", "--format", "html"],
    }
    for name, command in commands.items():
        out = tmp_path / f"{name}.html"
        main([*command, "--output", str(out)])
        text = out.read_text("utf-8")
        for expected in ("Kettle &amp; lid", 'href="https://shop.example.com/kettle"', "kettle.html"):
            assert expected in text, (name, expected)
        assert STYLE in text, name
        assert 'class="brand"' in text, name


def test_the_report_of_a_crawl_names_its_pages(site: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("jinja2")
    main(["crawl", str(site), "--out", str(tmp_path / "crawl"), "--quiet"])
    main(["report", str(tmp_path / "crawl"), "--output", str(tmp_path / "crawl.html")])

    text = (tmp_path / "crawl.html").read_text("utf-8")

    assert "<b>Kettle &amp; lid</b>" in text
    assert 'href="https://shop.example.com/kettle"' in text
    assert STYLE in text


def test_names_of_addresses_and_missing_files_are_empty(tmp_path: Path) -> None:
    names = PageNames((str(tmp_path),))

    assert names("https://shop.example.com/kettle") == PageName()
    assert names("gone.html") == PageName()
    assert names("\0") == PageName()


def test_reports_have_the_colours_of_the_site() -> None:
    for token, light in LIGHT.items():
        pair = re.search(rf"--{token}:\s+light-dark\((#\w+), (#\w+)\)", TOKENS)
        assert pair is not None, token
        assert (light, DARK[token]) == (pair[1], pair[2]), token
