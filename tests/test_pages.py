"""The site: every finding's link opens, every link leads somewhere, the same registry gives the same bytes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.errors import RegistryFault
from waypost.pages import Built, build
from waypost.pages.check import check_links
from waypost.registry import load
from waypost.validate import validate_page
from waypost.validate.rulebook import rulebook

ROOT = Path(__file__).parent.parent
REGISTRY = load()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("public")
    build(REGISTRY, folder, cases=ROOT / "tests" / "cases")
    return folder


def test_every_finding_of_the_sample_site_opens_a_page(site: Path) -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    links = {
        finding.doc_url
        for page in (ROOT / "examples" / "site").rglob("*.html")
        for finding in validate_page(page.read_bytes(), REGISTRY, now=now).findings
    }

    assert len(links) > 5
    for link in links:
        assert (site / link.strip("/") / "index.html").is_file(), link


@pytest.mark.parametrize("name", sorted(rulebook()))
def test_every_rule_has_a_page_with_its_title(site: Path, name: str) -> None:
    page = (site / "rules" / name / "index.html").read_text("utf-8")

    assert f"<h1><code>{name}</code></h1>" in page
    assert "Source" in page


def test_every_profile_type_and_field_has_a_page(site: Path) -> None:
    assert len(list((site / "profiles" / "google").iterdir())) == len(REGISTRY.below("profiles/google/"))
    assert {p.name for p in (site / "types").iterdir() if p.is_dir()} == {
        mapping["x-standard-type"] for mapping in REGISTRY.mappings.values()
    }
    assert sum(p.is_dir() for p in (site / "model").iterdir()) == 54


def test_every_type_page_draws_a_card_for_a_worked_example(site: Path) -> None:
    for page in (site / "types").glob("*/index.html"):
        assert 'class="card-title"' in page.read_text("utf-8"), page.parent.name


def test_the_registry_is_served_byte_for_byte(site: Path) -> None:
    for path, data in REGISTRY.files.items():
        assert (site / "schemas" / path).read_bytes() == data


def test_a_second_build_writes_nothing(site: Path) -> None:
    again = build(REGISTRY, site, cases=ROOT / "tests" / "cases")

    assert again == Built(pages=again.pages, files=again.files, written=0)


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r'<(?:link|script|img|iframe)[^>]+(?:href|src)="(?:https?:)?//', text), page
        assert "<script" not in text.replace("&lt;script", "")


def test_a_link_that_leads_nowhere_stops_the_build() -> None:
    with pytest.raises(RegistryFault, match="leads nowhere"):
        check_links({"index.html": b'<a href="rules/index.html">Rules</a>'})


def test_a_fragment_without_its_id_stops_the_build() -> None:
    with pytest.raises(RegistryFault, match="names a place"):
        check_links({"index.html": b'<a href="#top">Up</a>'})
