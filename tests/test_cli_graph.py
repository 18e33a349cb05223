"""`waypost graph`: the entities of a site, their connections, and what is wrong with them."""

from __future__ import annotations

import json
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.command import Run

from waypost.lint import graph as building
from waypost.report.graph import MOST_DRAWN

HOME = "https://shop.example.com/"
Site = Callable[..., None]


def org(iri: str | None = f"{HOME}#us", **more: Any) -> dict[str, Any]:
    return {"@type": "Organization", **({"@id": iri} if iri else {}), "name": "Loma", "url": HOME, **more}


def article(name: str, publisher: Any) -> dict[str, Any]:
    return {"@type": "Article", "@id": f"{HOME}{name}#article", "headline": f"Story {name}", "publisher": publisher}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Writes pages: name -> nodes, with the canonical address of their name."""
    monkeypatch.chdir(tmp_path)

    def write(**pages: list[dict[str, Any]]) -> None:
        for name, nodes in pages.items():
            address = HOME if name == "index" else f"{HOME}{name}"
            script = json.dumps({"@context": "https://schema.org", "@graph": nodes})
            path = tmp_path / "public" / f"{name}.html"
            path.parent.mkdir(exist_ok=True)
            path.write_text(
                f'<link rel="canonical" href="{address}">\n<script type="application/ld+json">{script}</script>\n'
            )

    return write


def graph(command: Run, *argv: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command("graph", "public", "--json", "--quiet", *argv).out)
    return found


def found(command: Run) -> list[str]:
    """Rules of the findings but for information."""
    return [each["rule"] for each in graph(command)["findings"] if each["severity"] != "info"]


US, OTHER = {"@id": f"{HOME}#us"}, {"@id": "https://agency.example.net/#agency"}
SITES = {
    "two plugins": (
        {"index": [org(), org(f"{HOME}#/schema/organization/1")], "a": [article("a", US)]},
        ["site-organization-split"],
    ),
    "publisher without a description": (
        {"index": [{"@type": "WebSite", "@id": f"{HOME}#site", "name": "Loma"}], "a": [article("a", US)],
         "b": [article("b", US)]},
        ["site-reference-not-found"],
    ),
    "an id of each page": (
        {"a": [org("#organization")], "b": [org("#organization")], "c": [org("#organization")]},
        ["site-organization-split"],
    ),
    "http and https": (
        {"a": [org()], "b": [org("http://shop.example.com/#us")], "c": [org()]},
        ["site-organization-split"],
    ),
    "a slash at the end": (
        {"a": [org(f"{HOME}about")], "b": [org(f"{HOME}about/")]},
        ["site-organization-split"],
    ),
    "language versions": (
        {"en": [org(f"{HOME}en/#us", url=f"{HOME}en/")], "de": [org(f"{HOME}de/#us", url=f"{HOME}de/")]},
        ["site-organization-split"],
    ),
    "a host for tests": (
        {"a": [org("https://staging.shop.example.com/#us")], "b": [article("b", {"@id": "https://staging.shop.example.com/#us"})]},
        ["staging-host"],
    ),
    "an id of another site": (
        {"index": [org(memberOf=OTHER)], "a": [article("a", US)], "b": [article("b", OTHER)]},
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SITES)
def test_each_error_of_a_site_is_found_once(site: Site, command: Run, name: str) -> None:
    pages, expected = SITES[name]
    site(**pages)

    assert found(command) == expected
    assert command("graph", "public").status == int(bool(expected))


def test_an_entity_of_many_pages_is_one(site: Site, command: Run) -> None:
    site(index=[org()], a=[article("a", US)], b=[article("b", US), org()])

    made = graph(command)

    (entity,) = (each for each in made["entities"] if each["id"] == f"{HOME}#us")
    assert (entity["pages"], entity["known_to"], entity["name"]) == (2, 3, "Loma")
    assert [place["path"] for place in entity["places"]] == ["public/b.html", "public/index.html"]
    assert {(edge["source"], edge["prop"], edge["target"]) for edge in made["edges"]} == {
        (f"{HOME}a#article", "publisher", f"{HOME}#us"), (f"{HOME}b#article", "publisher", f"{HOME}#us"),
    }  # fmt: skip


def test_a_path_through_unnamed_nodes_is_one_connection(site: Site, command: Run) -> None:
    offer = {"@type": "Offer", "price": "9", "priceCurrency": "EUR", "seller": US}
    site(index=[org()], a=[{"@type": "Product", "name": "Kettle", "offers": [offer, offer]}])

    assert graph(command)["edges"] == [
        {"source": "Product Kettle", "prop": "offers.seller", "target": f"{HOME}#us", "pages": 1}
    ]


def test_an_entity_without_any_connection_is_information(site: Site, command: Run) -> None:
    site(index=[org()])

    (orphan,) = graph(command)["findings"]

    assert (orphan["rule"], orphan["severity"], orphan["place"]["line"]) == ("orphan", "info", 2)


def test_nodes_that_refer_to_each_other_end(site: Site, command: Run) -> None:
    one, two = f"{HOME}#1", f"{HOME}#2"
    site(index=[
        {"@type": "Person", "@id": one, "name": "Ann", "knows": {"@id": two}},
        {"@type": "Person", "@id": two, "name": "Bea", "knows": [{"@id": one}, {"@id": two}]},
    ])  # fmt: skip

    assert [(edge["source"], edge["target"]) for edge in graph(command)["edges"]] == [(one, two), (two, one)]


HOSTILE = 'L"oma</script>\u202e]]> --> & "'


def test_hostile_names_break_no_format(site: Site, command: Run) -> None:
    site(index=[org(name=HOSTILE)], a=[article("a", US)])

    outputs = {name: command("graph", "public", "--format", name).out for name in
               ("text", "html", "mermaid", "dot", "graphml", "json-ld", "json")}  # fmt: skip

    ET.fromstring(outputs["graphml"].encode())
    assert json.loads(outputs["json-ld"])["@graph"]
    assert outputs["html"].count("</script>") == 1
    assert all("\u202e" not in outputs[name] for name in ("text", "html", "mermaid", "dot", "graphml"))
    assert re.search(r'\["[^"]*"\]$', outputs["mermaid"], re.MULTILINE)


def test_html_takes_nothing_from_elsewhere(site: Site, command: Run) -> None:
    site(index=[org()], a=[article("a", US)])

    output = command("graph", "public", "--format", "html").out

    assert "default-src 'none'" in output
    # A link to a page is followed only when a person clicks on it.
    assert not re.search(r'src=|<link\b|<img\b|url\(|href="(?!#|https://)', output)
    links = set(re.findall(r'href="#(\w+)"', output))
    assert links <= set(re.findall(r'id="(\w+)"', output))


def test_json_ld_has_each_entity_once(site: Site, command: Run) -> None:
    site(index=[org()], a=[article("a", US)], b=[article("b", US)])

    nodes = json.loads(command("graph", "public", "--format", "json-ld").out)["@graph"]

    assert sorted(node["@id"] for node in nodes) == [f"{HOME}#us", f"{HOME}a#article", f"{HOME}b#article"]
    assert {json.dumps(node["publisher"]) for node in nodes if node["@type"] == "Article"} == {json.dumps(US)}


def test_a_large_diagram_counts_what_it_leaves_out(site: Site, command: Run) -> None:
    people = [{"@type": "Person", "@id": f"{HOME}#{number}", "name": f"P {number}"} for number in range(MOST_DRAWN + 7)]
    site(index=people)

    assert "%% 7 more entities are not drawn" in command("graph", "public", "--format", "mermaid").out


def test_entities_beyond_the_limit_are_counted(site: Site, command: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MOST_ENTITIES", 2)
    site(index=[org()], a=[article("a", US)], b=[article("b", US)])

    made = graph(command)

    assert (len(made["entities"]), made["left_out"]) == (2, 1)


def test_an_unreadable_page_is_named(site: Site, command: Run) -> None:
    site(index=[org()])

    ran = command("graph", "public", "absent.html")

    assert ran.status == 3
    assert "absent.html: no such file or directory" in ran.err
    assert command("graph", "absent.html").out == ""


def test_the_sources_of_a_crawl_are_read_again(site: Site, command: Run, tmp_path: Path) -> None:
    site(index=[org()], a=[article("a", US)])
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "crawl.json").write_text(json.dumps({"tables": 1, "sources": ["public"]}))

    assert command("graph", "crawl").out == command("graph", "public").out


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ('{"sources": ["gone.warc.gz"]}', "the crawl has read gone.warc.gz, which is not here"),
        ("{}", "this is not the plan of a crawl"),
    ],
)
def test_a_crawl_without_its_sources_is_an_error(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "crawl.json").write_text(plan)

    ran = command("graph", "crawl")

    assert ran.status == 2
    assert message in ran.err


def test_a_page_on_the_web_is_requested_once(command: Run) -> None:
    script = '<script type="application/ld+json">{"@context": "https://schema.org", "@graph": %s}</script>'
    pages: dict[str, str] = {}
    requested: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested.append(self.path)
            page = pages.get(self.path, "").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    for path, name in (("/a", "us"), ("/b", "organization")):
        pages[path] = script % json.dumps([org(f"{home}#{name}", url=home)])
    try:
        names = [f"http://127.0.0.1:{server.server_port}{path}" for path in pages]
        found = json.loads(command("graph", *names, "--json", "--quiet").out)
    finally:
        server.shutdown()
        server.server_close()

    assert "site-organization-split" in {each["rule"] for each in found["findings"]}
    assert sorted(path for path in requested if path in pages) == ["/a", "/b"]
