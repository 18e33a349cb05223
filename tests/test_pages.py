"""The site: every finding's link opens, every link leads somewhere, the same files give the same bytes."""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import os
import re
import shutil
import tomllib
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from markupsafe import Markup, escape

from waypost.cli._program import parser
from waypost.errors import RegistryError
from waypost.pages import Settings, build, render
from waypost.pages.cases import cases_of_rule
from waypost.pages.changes import Change, changes, contents, last_release
from waypost.pages.check import SiteError, check, check_structured
from waypost.pages.draft import Draft, Source
from waypost.pages.links import relative_to
from waypost.pages.output import write
from waypost.pages.page_markup import of as structured_of
from waypost.pages.reference import operations, samples_of
from waypost.pages.text import coloured, jointed, prose, written
from waypost.pages.text import line as as_line
from waypost.pages.watch import stamps, watch
from waypost.pages.worked_examples import example_file
from waypost.registry import load
from waypost.registry.world import load as load_world
from waypost.validate import validate_page
from waypost.validate.rulebook import rules_by_name

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
SOURCE = Source(REGISTRY, load_world(), NOW)


@pytest.fixture(scope="module")
def site(built_site: Path) -> Path:
    return built_site


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, str]:
    return {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}


def test_every_finding_of_the_sample_site_opens_a_page(site: Path) -> None:
    links = {
        finding.doc_url
        for page in (ROOT / "examples" / "site").rglob("*.html")
        for finding in validate_page(page.read_bytes(), REGISTRY, now=NOW).findings
    }

    assert len(links) > 5
    for link in links:
        assert (site / link.strip("/") / "index.html").is_file(), link


def test_every_rule_has_a_page_with_source_and_cases(pages: dict[str, str]) -> None:
    for name, rule in rules_by_name().items():
        page = pages[f"rules/{name}/index.html"]
        assert f'<h1>{as_line(rule.title)}</h1><p class="name"><code>{name}</code></p>' in page
        assert "Source" in page, name
        assert 'id="ignore"' in page
        case_page = cases_of_rule(name, SOURCE, "bad")
        assert page.count("<mark>") >= any("<mark>" in case.code for case in case_page), name
        assert ('id="fails"' in page) is bool(case_page)


def test_every_entry_of_the_registry_has_a_page(site: Path) -> None:
    types = {mapping["x-standard-type"] for mapping in REGISTRY.mappings.values()}

    assert {p.parent.name for p in (site / "types").glob("*/index.html")} == types
    assert {p.parent.name for p in (site / "mappings").glob("*/index.html")} == types
    assert len(list((site / "model").glob("*/index.html"))) == len(REGISTRY.unified["properties"])
    assert len(list((site / "profiles" / "google").glob("*/index.html"))) == len(REGISTRY.below("profiles/google/"))


def test_every_type_page_draws_a_worked_example(pages: dict[str, str]) -> None:
    for name in (mapping["x-standard-type"] for mapping in REGISTRY.mappings.values()):
        assert 'class="snip-title"' in pages[f"types/{name}/index.html"], name


def test_the_registry_is_served_byte_for_byte(site: Path) -> None:
    for path, data in REGISTRY.files.items():
        assert (site / "schemas" / path).read_bytes() == data


def test_every_schema_has_a_permanent_address(site: Path) -> None:
    for name in [*REGISTRY.mappings, "Unified"]:
        document = json.loads((site / "schemas" / REGISTRY.version / f"{name}.json").read_text("utf-8"))
        assert document["$id"].endswith(f"/schemas/{REGISTRY.version}/{name}.json")
        assert "../" not in json.dumps(document)


def test_without_its_examples_no_site_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.registry.assets.cases", lambda: tmp_path / "cases")

    with pytest.raises(RegistryError, match="the examples of the site are not there"):
        build(REGISTRY, tmp_path / "public")


def test_a_mapping_without_worked_example_names_its_command(tmp_path: Path) -> None:
    folder = tmp_path / "cases" / "snippets" / "KettleSnippet"

    with pytest.raises(RegistryError, match=r"KettleSnippet/expected\.json: .*tools/make_expected\.py KettleSnippet"):
        example_file(folder, "expected.json")


def test_a_second_build_writes_nothing(site: Path) -> None:
    again = build(REGISTRY, site, settings=Settings(checked=False))

    assert again.written == 0
    assert again.pages > 400


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_manifest_names_every_file_with_its_digest(site: Path) -> None:
    manifest = json.loads((site / "site.manifest.json").read_text("utf-8"))

    entries = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    assert entries == {name: digest for name, digest in digests(site).items() if name != "site.manifest.json"}
    assert manifest["frame"]["registry"] == REGISTRY.version


def test_a_build_removes_its_outdated_files_only(tmp_path: Path) -> None:
    mine = tmp_path / "notes.txt"
    mine.write_text("mine")
    write({"a.html": b"a", "site.manifest.json": b'{"files": {"a.html": {}, "../notes.txt": {}}}'}, tmp_path / "public")

    write({"b.html": b"b", "site.manifest.json": b'{"files": {"b.html": {}}}'}, tmp_path / "public")

    assert sorted(path.name for path in (tmp_path / "public").iterdir()) == ["b.html", "site.manifest.json"]
    assert mine.read_text() == "mine"


def test_a_release_has_compressed_copies_made_once(tmp_path: Path) -> None:
    text = b"<p>" + b"waypost " * 200
    assert write({"a.html": text}, tmp_path, release=True) == 1

    packed = (tmp_path / "a.html.gz").read_bytes()
    os.utime(tmp_path / "a.html.gz", (0, 0))

    assert gzip.decompress(packed) == text
    assert packed[4:8] == b"\0\0\0\0", "no clock in it"
    assert write({"a.html": text}, tmp_path, release=True) == 0
    assert (tmp_path / "a.html.gz").stat().st_mtime == 0


def test_no_page_requests_anything_from_another_host(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        assert not re.search(
            r'<(?:link|script|img|iframe)[^>]+(?:href|src)="(?:https?:)?//', text.replace('rel="canonical"', "")
        ), name


def test_no_page_has_its_own_script_or_style(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        own = re.findall(
            r"<script(?![^>]*\bsrc=)(?![^>]*application/ld\+json)[^>]*>|<style|\sstyle=|\son[a-z]+=", markup(text)
        )
        assert not own, (name, own)


def markup(text: str) -> str:
    """A page's tags, without its texts."""
    return " ".join(re.findall(r"<[^>]*>", text))


def test_every_page_links_icon_stylesheet_and_markdown_copy(pages: dict[str, str], site: Path) -> None:
    for name, text in pages.items():
        assert re.search(r'<link rel="icon" href="[^"]*assets/icon\.[0-9a-f]{10}\.svg"', text), name
        assert re.search(
            r'<link rel="stylesheet" href="[^"]*assets/(?:site|home|results|bench|tools)\.\w{10}\.css"', text
        ), name
        if name != "404.html":
            markdown_page = site / name.replace("index.html", "index.md")
            assert markdown_page.read_text("utf-8").lstrip().startswith("# "), name


def test_code_copy_buttons_and_linked_headings_have_names(pages: dict[str, str]) -> None:
    for address, html in pages.items():
        for code in re.findall(r"<pre [^>]*tabindex[^>]*>", html):
            assert re.search(r'role="group" aria-label="[^"]', code), (address, code)
        for button in re.findall(r'<button [^>]*class="[^"]*\bcopy\b[^>]*>(.*?)</button>', html):
            assert re.fullmatch(r'Copy<span class="vh"> [^<]+</span>', button), (address, button)
    guide = pages["docs/ci/index.html"]
    assert re.search(r'<h2 [^>]*aria-label="In any CI"[^>]*>In any CI<a [^>]*aria-label="Link to In any CI">', guide)
    assert 'aria-label="Terminal, In any CI"' in guide or 'aria-label="Shell, In any CI"' in guide


def test_every_page_has_its_own_title_and_description(pages: dict[str, str]) -> None:
    named: dict[tuple[str, str], list[str]] = {}
    for name, text in pages.items():
        title = re.search(r"<title>(.{2,}?) \| waypost</title>", text)
        about = re.search(r'<meta name="description" content="([^"]{12,})">', text)
        assert title, name
        assert about, name
        named.setdefault((title[1], about[1]), []).append(name)

    assert [names for names in named.values() if len(names) > 1] == []


def test_pages_of_files_for_machines_name_what_is_there(site: Path, pages: dict[str, str]) -> None:
    sitemap = re.findall(r"<loc>http://127\.0\.0\.1:8000/(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8"))
    llms = re.findall(r"\]\((.*?index\.md)\)", (site / "llms.txt").read_text("utf-8"))

    assert {f"{address}index.html" for address in sitemap} == pages.keys() - {"404.html"}
    assert llms
    assert all((site / link).is_file() for link in llms)
    assert (site / "robots.txt").read_text("utf-8").startswith("User-agent: *\nAllow: /\n")
    assert "frame-ancestors 'none'" in (site / "_headers").read_text("utf-8")


def test_a_site_with_an_address_names_it(tmp_path: Path) -> None:
    files, _ = render(
        SOURCE, Settings(base="https://example.org/waypost/", api="https://api.example.org", only="rules/price")
    )

    page = files["rules/price-invalid/index.html"].decode()
    assert '<link rel="canonical" href="https://example.org/waypost/rules/price-invalid/">' in page
    assert "connect-src &#39;self&#39; https://api.example.org" in page
    assert '"item":"https://example.org/waypost/rules/"' in page


def test_an_invalid_address_is_rejected() -> None:
    with pytest.raises(RegistryError, match="ends with /"):
        render(SOURCE, Settings(base="example.org"))


def test_the_search_index_finds_every_page_except_forms(site: Path, pages: dict[str, str]) -> None:
    forms = {f"{operation.address}index.html" for operation in operations() if not operation.for_programs}
    parts = [path.read_text("utf-8") for path in site.glob("assets/search-*.js")]

    folders = [each for part in parts for each in json.loads(part.partition("push(...")[2].rpartition(")")[0])]
    steps = [f"{folder}/{row[0]}/".lstrip("/") for _, folder, _, rows in folders for row in rows if "#" not in row[0]]
    assert {f"{step}index.html" for step in steps} == pages.keys() - {"404.html"} - forms


def test_an_output_that_is_not_a_folder_stops_builds(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file", "utf-8")

    with pytest.raises(SiteError, match=r"taken.*: not a directory; name a folder"):
        build(load(), taken, settings=Settings(only="docs/"))
    assert taken.read_text("utf-8") == "a file"


def page(body: str) -> bytes:
    return f"<!doctype html><main><h1>A</h1>\n{body}</main>".encode()


def test_a_broken_link_stops_the_build_with_its_place() -> None:
    with pytest.raises(SiteError, match=r"index\.html:2: the link 'rules/index\.html' leads nowhere"):
        check({"index.html": page('<a href="rules/index.html">Rules</a>')}, [])


def test_a_fragment_without_its_id_stops_the_build() -> None:
    with pytest.raises(SiteError, match=r"names a place that index\.html does not have"):
        check({"index.html": page('<a href="#top">Up</a>')}, [])


def test_an_id_that_is_there_twice_stops_the_build() -> None:
    with pytest.raises(SiteError, match=r"index\.html:2: the id 'x' is there 2 times"):
        check({"index.html": page('<i id="x"></i><b id="x"></b>')}, [])


def test_missing_pages_and_unreachable_entries_stop_the_build() -> None:
    alone = {"index.html": page(""), "rules/b/index.html": page("")}

    with pytest.raises(SiteError) as raised:
        check(alone, ["rules/a/", "rules/b/"])

    assert raised.value.errors == [
        "rules/a/index.html:1: the registry has an entry for this page, and there is no such page",
        "rules/b/index.html:1: no way leads to this page from home",
    ]


def test_a_misbehaving_example_stops_the_build(tmp_path: Path) -> None:
    folder = tmp_path / "rules" / "price-invalid"
    folder.mkdir(parents=True)
    (folder / "bad-fine.json").write_text('{"@context": "https://schema.org", "@type": "Offer", "price": "64.90"}')

    with pytest.raises(
        RegistryError, match=r"bad-fine\.json: the page of price-invalid shows it as bad, and waypost says nothing"
    ):
        cases_of_rule("price-invalid", replace(SOURCE, cases=tmp_path), "bad")


def test_a_rule_about_several_pages_has_example_sites(pages: dict[str, str]) -> None:
    rules = [name for name, rule in rules_by_name().items() if rule.check_site]
    assert len(rules) >= 6

    for name in rules:
        bad, good = (cases_of_rule(name, SOURCE, kind) for kind in ("bad", "good"))
        page = pages[f"rules/{name}/index.html"]
        assert bad, name
        assert good, name
        for case in bad:
            (found,) = case.findings
            assert found.rule == name
            assert sum("<mark>" in case_page.code for case_page in case.pages) == 1, (name, case.title)
            assert page.count(str(escape(found.message))) >= 1, (name, found.message)
        assert all(len(case.pages) > 1 for case in (*bad, *good))
        assert page.count('class="panel site-case"') == len(bad) + len(good)


def test_a_misbehaving_site_stops_the_build(tmp_path: Path) -> None:
    folder = tmp_path / "rules" / "site-logo-differs"
    shutil.copytree(CASES / "rules" / "site-logo-differs" / "bad-old-logo", folder / "good-old-logo")
    shutil.copytree(CASES / "rules" / "site-logo-differs" / "good-sizes-of-one", folder / "bad-sizes-of-one")
    source = replace(SOURCE, cases=tmp_path)

    with pytest.raises(RegistryError, match=r"good-old-logo: .* shows it as good, and waypost says .* at b\.html"):
        cases_of_rule("site-logo-differs", source, "good")
    with pytest.raises(RegistryError, match=r"bad-sizes-of-one: .* shows it as bad, and waypost says nothing of it"):
        cases_of_rule("site-logo-differs", source, "bad")


def test_a_page_of_the_site_passes_waypost_itself() -> None:
    node = b'{"@context": "https://schema.org", "@type": "Offer", "price": "1,5 EUR"}'
    wrong = b'<!doctype html><head><script type="application/ld+json">' + node + b"</script></head>"

    with pytest.raises(SiteError, match=r"index\.html:1: price-invalid"):
        check_structured({"index.html": wrong}, REGISTRY, "", NOW)


def test_an_error_in_a_template_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.pages import rules

    monkeypatch.setattr(rules, "near_rules", lambda *_: [object()])

    with pytest.raises(
        RegistryError, match=r"^site/templates/parts/parts\.html:\d+: .*no attribute 'name' \(page rules/"
    ):
        render(SOURCE, Settings(only="rules/price-invalid/"))


def test_text_from_outside_is_never_markup() -> None:
    hostile = '</script><img src=x onerror=alert(1)>"\u2028'
    draft = Draft("a/", "a.html", hostile, hostile)

    assert "<" not in structured_of(draft, relative_to("a/index.html"), "")
    assert "<img" not in coloured(hostile)
    assert "<img" not in coloured(hostile, "html")
    assert "<img" not in prose(hostile)


def test_options_stay_on_one_line_and_other_code_breaks() -> None:
    assert '<code class="nowrap">--max-warnings</code>' in prose("Use `--max-warnings`.")
    assert "<code>waypost validate --fix</code>" in as_line("Use `waypost validate --fix`.")


def test_long_code_breaks_at_underscores_outside_markup() -> None:
    assert jointed("dns_timeout<b>") == "dns_<wbr>timeout&lt;b&gt;"


def test_a_guide_begins_with_its_title_and_subject() -> None:
    with pytest.raises(RegistryError, match=r"a\.md: a page begins with"):
        written("Text without a title.", "a.md", relative_to("docs/a/index.html"))


def test_a_guides_links_are_addresses_of_the_site() -> None:
    guide = written("# A\n\nAbout.\n\nSee [rules](/rules/).", "a.md", relative_to("docs/a/index.html"))

    assert 'href="../../rules/index.html"' in guide.body


def test_coloured_json_has_an_element_per_value() -> None:
    code = '{"a": [1, "b:,c", true], "d": {}}'

    html = str(coloured(code))

    assert re.findall('<span class="(.)">([^<]*)', html) == [
        ("p", "{"),
        ("k", '"a"'),
        ("n", "1"),
        ("s", '"b:,c"'),
        ("n", "true"),
        ("k", '"d"'),
    ]
    assert re.sub("<[^>]*>", "", html) == code


def test_a_mark_in_coloured_code_covers_exactly_its_target() -> None:
    code = '{"price": "64,90"}'

    html = coloured(code, "json", ((10, 17),))

    assert '<mark><span class="s">&#34;64,90&#34;</span></mark>' in html
    assert re.sub(r"<[^>]+>", "", html).replace("&#34;", '"') == code


def test_a_watch_rebuilds_and_survives_an_error() -> None:
    built: list[int] = []
    messages: list[str] = []

    def once() -> None:
        built.append(len(built))
        if len(built) == 2:
            raise RegistryError("site/docs/a.md:3", "the link 'x' leads nowhere")

    watch(once, messages.append, iter([False, True, False, True]))

    assert built == [0, 1, 2]
    assert messages == ["site/docs/a.md:3: the link 'x' leads nowhere\n"]


def test_every_input_of_the_site_is_watched() -> None:
    watched = set(stamps())

    for name in (
        "site/css/tokens.css",
        "site/docs/quickstart.md",
        "site/templates/layout.html",
        "schemas/picking.json",
    ):
        assert str(ROOT / name) in watched
    assert str(ROOT / "tests/cases/rules/price-invalid/bad-comma.json") in watched
    assert str(ROOT / "CHANGELOG.md") in watched


def test_guides_name_only_commands_and_options_that_there_are() -> None:
    known = {" ".join(words): options for words, options in commands(parser(), ())}
    named = [
        (path.name, line.split("#")[0])
        for path in (ROOT / "site" / "docs").glob("*.md")
        for line in re.findall(r"(?:^|`)(?:\.venv/bin/)?waypost ([a-z][^`\n]*)", path.read_text("utf-8"), re.MULTILINE)
    ]

    assert len(named) > 20
    for where, line in named:
        words = line.split()
        command = next((name for name in (" ".join(words[:2]), words[0]) if name in known), None)
        assert command, f"{where}: waypost {line}"
        assert set(re.findall(r"(?<= )--[a-z-]+", line)) <= known[command], f"{where}: waypost {line}"


def commands(parser: ArgumentParser, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command and the options it takes."""
    yield above, {name for action in parser._actions for name in action.option_strings}
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, below in action.choices.items():
                yield from commands(below, (*above, name))


def test_the_changelog_follows_each_entry_since_the_last_release(tmp_path: Path) -> None:
    now = contents(SOURCE)
    then = json.loads(json.dumps(now))
    del then["Rules"]["price-invalid"]
    then["Fields"]["image"] = "another"
    then["Rules"]["an-old-one"] = "x"
    for version, entry in (("0.9.0", {}), ("0.10.0", then)):
        release = {"version": version, "date": "2026-11-20", "contents": entry}
        (tmp_path / f"{version}.json").write_text(json.dumps(release))

    version, before = last_release(tmp_path)

    assert version == "0.10.0"
    assert changes(before, now) == [
        Change("Rules", [("price-invalid", "rules/price-invalid/")], [], ["an-old-one"]),
        Change("Fields", [], [("image", "model/image/")], []),
    ]
    assert last_release(tmp_path / "none") is None


def test_the_vocabularys_licence_accompanies_its_terms(built_site: Path) -> None:
    licence = "creativecommons.org/licenses/by-sa/3.0/"
    pages = [built_site / name for name in ("types/index.html", "schemas/index.html", "schemas/vocabulary/NOTICE.md")]
    # A term that no card, profile or rule has a use for.
    scripts = [
        path for path in (built_site / "assets").glob("*.js") if "RadioBroadcastService" in path.read_text("utf-8")
    ]

    assert scripts
    assert not [path.name for path in [*pages, *scripts] if licence not in path.read_text("utf-8")]


def test_a_sample_defines_its_names_and_reads_json_only() -> None:
    for operation in operations():
        samples = {
            language: Markup(re.sub(r"<[^>]+>", "", code)).unescape() for language, code in samples_of(operation)
        }
        python = ast.parse(samples["Python"])
        names = {node.id for node in ast.walk(python) if isinstance(node, ast.Name)}
        imports = {alias.name for node in python.body if isinstance(node, ast.Import) for alias in node.names}

        assert names == imports | {"answer", "print"}, operation.path
        assert (":?}" in samples["curl"]) == ("{" in operation.path)
    (contact,) = (operation for operation in operations() if operation.path.endswith("security.txt"))
    assert "answer.text" in dict(samples_of(contact))["Python"].striptags()


def test_the_page_of_limits_names_counters_and_quantities(pages: dict[str, str]) -> None:
    rows = {}
    for row in re.findall(r"<tr>(.*?)</tr>", pages["api/limits/index.html"], re.DOTALL):
        name, _, _, *rest = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) + [""] * 5
        rows[Markup(name).striptags()] = [Markup(cell).striptags() for cell in rest[:2]]

    assert rows["failed-auth"] == ["address", "Requests to any endpoint whose key is missing or not valid."]
    assert rows["submissions"][0] == "organization"
    assert rows["checks"][1].startswith("Checks; a batch counts each of its items: ")


def test_the_server_guide_uses_its_examples_folders() -> None:
    settings = tomllib.loads((ROOT / "deploy/server.toml").read_text("utf-8"))
    guide = (ROOT / "site/docs/self-host.md").read_text("utf-8")

    assert f"export WAYPOST_DATA={settings['data']}\n" in guide
    assert f"waypost build --output {settings['site']}\n" in guide
