"""Findings of built pages name the source line where their literal stands, where there is exactly one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from waypost.cli import main
from waypost.lint import written_in
from waypost.lint.project import Project
from waypost.registry import shared_registry

PRODUCT = """<script type="application/ld+json">
{
  "@context": "https://schema.org",
  "@type": "Product",
  "name": NAME,
  "brand": {"@type": "Brand", "name": "Fernhill"},
  "offers": {
    "@type": "Offer",
    "price": PRICE,
    "priceCurrency": "EURO"
  }
}
</script>
"""
TEMPLATE = PRODUCT.replace("NAME", "{{ .Title }}").replace("PRICE", "{{ .Params.price }}")
PAGE = "<!doctype html><title>x</title>\n" + PRODUCT.replace("NAME", '"Loma kettle"').replace("PRICE", '"64,90"')


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Site of Hugo with a built page."""
    monkeypatch.chdir(tmp_path)
    write("hugo.toml", 'baseURL = "https://shop.example.com/"\n')
    write("layouts/partials/schema.html", TEMPLATE)
    write("content/kettle.md", '---\ntitle: Loma kettle\nprice: "64,90"\n---\n')
    write("public/kettle/index.html", PAGE)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def traced(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, str | None]:
    """Rule -> source of its finding, as "path:line"."""
    capsys.readouterr()
    main(["validate", *argv, "--json"])
    files = json.loads(capsys.readouterr().out)["files"]
    found = [each for file in files for each in file["findings"]]
    places = ((each["rule"], each.get("written_in")) for each in found)
    return {rule: place and f"{place['path']}:{place['line']}" for rule, place in places}


def test_a_literal_of_a_template_and_one_of_the_content(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = traced(capsys, "public")

    assert found["currency-unknown"] == "layouts/partials/schema.html:10"
    assert found["price-invalid"] == "content/kettle.md:3"
    assert found["feature-not-eligible"] == "layouts/partials/schema.html:4"


def test_text_reports_name_the_source_in_words(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["validate", "public"])
    short = capsys.readouterr().out
    main(["validate", "public", "--verbose"])
    whole = capsys.readouterr().out

    assert "write EUR (written in layouts/partials/schema.html:10)" in short
    assert "= written in layouts/partials/schema.html:10" in whole


def test_reports_for_machines_and_pages_have_it(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["validate", "public", "--format", "sarif"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    main(["validate", "public", "--format", "html"])
    page = capsys.readouterr().out

    (currency,) = (each for each in run["results"] if each["ruleId"] == "currency-unknown")
    place = currency["relatedLocations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "layouts/partials/schema.html"
    assert place["region"]["startLine"] == 10
    assert "written in layouts/partials/schema.html:10" in page


def test_of_two_sources_that_are_alike_none_is_named(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("layouts/partials/other.html", TEMPLATE)

    found = traced(capsys, "public")

    assert found["currency-unknown"] is None
    assert found["price-invalid"] == "content/kettle.md:3"


def test_the_source_with_more_of_the_block_is_the_one(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("layouts/partials/other.html", '{"@type": "Offer", "priceCurrency": "EURO", "url": "https://example.com/"}')

    assert traced(capsys, "public")["currency-unknown"] == "layouts/partials/schema.html:10"


def test_code_and_attributes_are_sources_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write("astro.config.mjs", "export default {}\n")
    write(
        "src/components/Product.astro",
        "---\nconst schema = { '@context': 'https://schema.org', '@type': 'Product', name: title,\n"
        "  brand: { '@type': 'Brand', name: 'Fernhill' },\n"
        "  offers: { '@type': 'Offer', price,\n    priceCurrency: 'EURO' } };\n---\n"
        '<script type="application/ld+json" set:html={JSON.stringify(schema)} />\n',
    )
    write("dist/index.html", PAGE)
    write(
        "src/pages/book.astro",
        '<div itemscope itemtype="https://schema.org/Book">\n<b itemprop="name">{title}</b>\n'
        '<i itemprop="numberofPages">{pages}</i></div>\n',
    )
    write(
        "dist/book.html",
        '<!doctype html><div itemscope itemtype="https://schema.org/Book"><b itemprop="name">A</b>'
        '<i itemprop="numberofPages">7</i></div>',
    )

    found = traced(capsys, "dist")

    assert found["currency-unknown"] == "src/components/Product.astro:5"
    assert found["property-wrong-case"] == "src/pages/book.astro:3"


def test_pages_outside_of_an_output_folder_are_left_alone(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("static/kettle.html", PAGE)
    Path("hugo.toml").rename("other.toml")
    write("pages/index.html", PAGE)

    assert set(traced(capsys, "static").values()) == {None}
    assert set(traced(capsys, "public").values()) == {None}, "without a generator nobody knows the sources"


def test_pages_without_findings_read_no_source(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    monkeypatch.setattr(written_in, "_sources", lambda root, _: read.append(root) or [])
    write("public/kettle/index.html", "<!doctype html><p>Nothing")

    main(["validate", "public"])
    assert read == []

    write("public/kettle/index.html", PAGE)
    main(["validate", "public"])
    assert len(read) == 1, "once for all findings"


def test_searches_of_a_run_are_limited(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_in, "MOST_SEARCHES", 0)

    assert set(traced(capsys, "public").values()) == {None}


def test_an_editor_leads_from_the_page_to_its_source(site: Path) -> None:
    pytest.importorskip("pygls", reason="the extra lsp is not installed")
    from waypost.lsp.checked_document import Subject, check_document
    from waypost.lsp.diagnostics import diagnostics
    from waypost.lsp.document import Document

    subject = Subject(Document(PAGE, "utf-16"), str(site / "public/kettle/index.html"), "html")

    found = diagnostics(check_document(Project(shared_registry(), home=site), subject), "file:///a")

    (currency,) = (each for each in found if each.code == "currency-unknown")
    assert currency.related_information is not None
    source = currency.related_information[0]
    assert source.message == "written in layouts/partials/schema.html:10"
    assert source.location.uri == (site / "layouts/partials/schema.html").as_uri()
    assert source.location.range.start.line == 9
