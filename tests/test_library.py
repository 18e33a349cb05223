"""The Python interface: pages in any form that code holds them in, and results that print and display themselves."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

import waypost
from waypost import errors, library
from waypost.cli import main
from waypost.report import format_names

SITE = Path(__file__).parent.parent / "examples" / "site"
KETTLE = SITE / "shop" / "loma-kettle.html"
PRODUCT = {"@context": "https://schema.org", "@type": "Product", "description": "A kettle."}
PAGE = f'<script type="application/ld+json">{json.dumps(PRODUCT)}</script>'
MICRODATA = '<div itemscope itemtype="https://schema.org/Recipe"><b itemprop="name">Pie</b></div>'


def rules(checked: library.Checked) -> list[str]:
    return [finding.rule for finding in checked.findings]


@pytest.mark.parametrize(
    "page",
    [
        PAGE,
        PAGE.encode(),
        bytearray(PAGE.encode()),
        PRODUCT,
        [PRODUCT],
        json.dumps(PRODUCT),
        io.StringIO(PAGE),
        io.BytesIO(PAGE.encode()),
        SimpleNamespace(content=PAGE.encode(), status_code=200, headers={"Content-Type": "text/html"}, url=""),
        SimpleNamespace(data=json.dumps(PRODUCT), headers={"content-type": "application/ld+json"}),
    ],
    ids=lambda page: type(page).__name__,
)
def test_every_form_of_a_page_has_the_same_findings(page: object) -> None:
    assert rules(waypost.check(page)) == rules(waypost.check(PAGE.encode())) != []


def test_a_path_is_read_as_text_and_as_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SITE)
    by_path, by_text = waypost.check(KETTLE), waypost.check("shop/loma-kettle.html")

    assert by_text.report.path == "shop/loma-kettle.html"
    assert rules(by_path) == rules(by_text)
    assert {"json-trailing-comma", "price-invalid"} <= set(rules(by_path))


def test_the_response_of_urllib_is_read() -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/ld+json")
            self.end_headers()
            self.wfile.write(json.dumps(PRODUCT).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.handle_request, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/a") as response:
            checked = waypost.check(response)

    assert "required-property-missing" in rules(checked)
    assert checked.report.path.startswith("http://127.0.0.1")


@pytest.mark.parametrize(
    ("page", "error", "message"),
    [
        ("missing.html", errors.Unreadable, r"missing\.html: no such file"),
        (Path("missing"), errors.Unreadable, "no such file"),
        ("https://example.com/", ValueError, "is a URL; fetch it"),
        (SimpleNamespace(content=b"", status_code=404, headers={}), ValueError, "has the status 404"),
        (7, TypeError, "a page is text, bytes, a Path, a file, a response, or JSON-LD"),
        (None, TypeError, "not NoneType"),
    ],
)
def test_another_object_than_a_page_is_an_error(page: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        waypost.check(page)


def test_an_unknown_profile_is_an_error_with_similar_names() -> None:
    with pytest.raises(ValueError, match="did you mean google/recipe"):
        waypost.check(PAGE, profiles="google/recipes")


def test_a_profile_without_its_item_is_reported() -> None:
    assert "profile-not-found" in rules(waypost.check(PAGE, profiles="google/recipe"))


def test_a_report_prints_as_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(SITE)
    main(["validate", "shop/loma-kettle.html", "--no-config"])

    assert str(waypost.check("shop/loma-kettle.html", config=False)) == capsys.readouterr().out.rstrip()


def test_a_folder_has_the_report_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(SITE)
    main(["validate", ".", "--no-config", "--format", "json"])
    expected = json.loads(capsys.readouterr().out)

    pages = waypost.check_pages(["."], config=False)
    report = json.loads(pages.render("json"))

    assert report["summary"] == expected["summary"]
    assert [file["path"] for file in report["files"]] == [file["path"] for file in expected["files"]]
    assert [file["findings"] for file in report["files"]] == [file["findings"] for file in expected["files"]]


def test_pages_without_files_are_compared_with_each_other() -> None:
    kettle = {"@context": "https://schema.org", "@type": "Product", "@id": "https://example.com/#kettle"}
    pages = waypost.check_pages([kettle | {"sku": "1"}, kettle | {"sku": "2"}])

    assert [page.report.path for page in pages] == ["JSON-LD", "JSON-LD (2)"]
    assert ("JSON-LD (2)", "site-id-conflicting-values") in [(path, finding.rule) for path, finding in pages.findings]


@pytest.mark.parametrize("name", format_names())
def test_every_format_is_written(name: str) -> None:
    assert "price-invalid" in waypost.check(KETTLE).render(name)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="there is no format 'pdf'; the formats are text, "):
        waypost.check(PAGE).render("pdf")


def test_a_notebook_shows_the_report_in_a_frame() -> None:
    displayed = waypost.check('<script type="application/ld+json">{"name": "</iframe><script>"</script>')._repr_html_()

    assert displayed.startswith('<iframe title="waypost report" sandbox="allow-popups" srcdoc="&lt;!doctype html&gt;')
    assert displayed.count("<") == 2  # the frame's own tags


def test_the_nearest_configuration_counts_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "waypost.toml").write_text('[rules]\n"price-invalid" = "off"\n')
    page = tmp_path / "page.html"
    page.write_bytes(KETTLE.read_bytes())

    assert "price-invalid" not in rules(waypost.check(page))
    assert "price-invalid" in rules(waypost.check(page, config=False))
    assert "price-invalid" not in rules(waypost.check(KETTLE, config=tmp_path / "waypost.toml"))


def test_fixed_page_has_its_diff_and_no_such_finding() -> None:
    fixed = library.fix(KETTLE)

    assert b'"price": "64.90"' in fixed.data
    assert fixed.text.encode() == fixed.data
    assert [finding.rule for finding in fixed.fixed] == ["json-trailing-comma", "price-invalid"]
    assert '-    "price": "64,90",' in str(fixed)
    assert not fixed.after.errors
    assert KETTLE.read_bytes() != fixed.data


def test_only_the_named_rules_are_fixed() -> None:
    assert [finding.rule for finding in library.fix(KETTLE, rules="json-trailing-comma").fixed] == [
        "json-trailing-comma"
    ]


def test_items_of_each_syntax_are_json_ld() -> None:
    rdfa = '<div vocab="https://schema.org/" typeof="Person"><i property="name">Ada</i></div>'
    items = library.extract(PAGE + MICRODATA + rdfa)

    assert [(item.syntax, item.data["@type"]) for item in items] == [
        ("json-ld", "Product"), ("microdata", "Recipe"), ("rdfa", "Person"),
    ]  # fmt: skip
    assert items[1].data == {"@type": "Recipe", "name": "Pie"}
    assert [item.types for item in library.extract(PAGE + MICRODATA, syntaxes=["microdata"])] == [("Recipe",)]


def test_nodes_that_hold_each_other_are_written_once() -> None:
    graph = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "WebPage", "@id": "https://example.com/", "about": {"@id": "https://example.com/#us"}},
            {"@type": "Organization", "@id": "https://example.com/#us", "url": {"@id": "https://example.com/"}},
        ],
    }
    (page,) = library.extract(graph)

    assert page.data["about"]["url"] == {"@id": "https://example.com/"}


def test_a_long_chain_of_references_is_cut_into_objects() -> None:
    chain = [
        {"@type": "Person", "@id": f"https://example.com/{n}", "knows": {"@id": f"https://example.com/{n + 1}"}}
        for n in range(3_000)
    ]
    items = library.extract({"@context": "https://schema.org", "@graph": chain})

    found = json.dumps([item.data for item in items])
    assert all(f'"@type": "Person", "@id": "https://example.com/{n}"' in found for n in (0, 1, 64, 65, 1_000, 2_999))


def test_json_is_read_as_json_by_its_media_type() -> None:
    report = waypost.validate_page(json.dumps(PRODUCT).encode(), media_type="application/ld+json; charset=utf-8")

    assert [item.types for item in report.items] == [("Product",)]


def test_text_in_place_of_bytes_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"validate_page takes bytes, not str; `waypost\.check` takes other forms"):
        waypost.validate_page(PAGE)  # type: ignore[arg-type]


def test_the_module_lists_its_public_names_alone() -> None:
    assert dir(waypost) == sorted([*waypost.__all__, "__version__"])
    assert all(getattr(waypost, name) is not None for name in waypost.__all__)


def test_the_module_loads_without_its_parts() -> None:
    code = "import sys, waypost; dir(waypost); print([n for n in sys.modules if n.startswith('waypost.')])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
