"""`waypost diff`: what a change of a site does to its rich results, cards, entities and findings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command import Run

ORGANIZATION = "https://shop.example.com/#us"


def product(number: int, **changed: Any) -> str:
    data = {
        "@context": "https://schema.org", "@type": "Product", "@id": f"https://shop.example.com/{number}#product",
        "name": f"Kettle {number}", "image": f"https://shop.example.com/{number}.jpg", "description": "It boils.",
        "offers": {"@type": "Offer", "price": "9.90", "priceCurrency": "EUR",
                   "availability": "https://schema.org/InStock", "seller": {"@id": ORGANIZATION}},
    }  # fmt: skip
    return f'<!doctype html>\n<script type="application/ld+json">{json.dumps(data | changed)}</script>\n'


@pytest.fixture
def sites(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int, str], Path]:
    """Two equal builds of a shop; the path of a page of one of them."""
    monkeypatch.chdir(tmp_path)
    for build in ("old", "new"):
        for number in range(10):
            page = tmp_path / build / "shop" / f"{number}.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(product(number))
    return lambda number, build="new": tmp_path / build / "shop" / f"{number}.html"


@pytest.fixture
def diff(command: Run) -> Callable[..., Any]:
    def ran(*argv: str, old: str = "old", new: str = "new") -> Any:
        return command("diff", old, new, "--no-config", "--now", "2026-11-20T12:00:00Z", *argv)

    return ran


def changes(ran: Any) -> list[tuple[str, str, int]]:
    return [(change["kind"], change["what"], change["pages"]) for change in json.loads(ran.out)["changes"]]


def test_equal_builds_have_no_change(sites: Any, diff: Any) -> None:
    ran = diff()

    assert sites
    assert ran.status == 0
    assert ran.out == "10 pages before, 10 after, 10 unchanged; no change\n"


def test_other_white_space_changes_nothing(sites: Any, diff: Any) -> None:
    for number in range(10):
        sites(number).write_text(product(number).replace("<!doctype html>", "<!doctype html>\n<!-- built at noon -->"))

    assert diff().out == "10 pages before, 10 after, 0 unchanged; no change\n"


def test_a_lost_rich_result_fails_the_run(sites: Any, diff: Any) -> None:
    sites(7).write_text("<!doctype html>\n<p>Sold.</p>\n")

    ran = diff("--json")

    assert ran.status == 1
    assert ("lost-eligibility", "google/product-snippet", 1) in changes(ran)
    assert ("gone-entity", "Product 'Kettle 7'", 1) in changes(ran)
    assert json.loads(ran.out)["changes"][0]["places"] == [{"path": "shop/7.html"}]


def test_lost_results_of_a_template_are_one_change(sites: Any, diff: Any) -> None:
    for number in range(10):
        sites(number).write_text("<!doctype html>\n<p>Sold.</p>\n")

    ran = diff()

    assert "merchant listing results: 10 pages in shop/\n  shop/0.html\n" in ran.out
    assert "  and 5 more\n" in ran.out


def test_changed_values_of_cards_do_not_fail(sites: Any, diff: Any) -> None:
    sites(3).write_text(product(3).replace("9.90", "12.50"))

    ran = diff()

    assert ran.status == 0
    assert "Changed values of cards\nprice: 1 page in shop/\n  shop/3.html: €9.90 -> €12.50" in ran.out
    assert diff("--fail-on", "changed-value").status == 1


def test_a_new_error_names_its_place(sites: Any, diff: Any) -> None:
    sites(3).write_text(product(3).replace("9.90", "9,90"))

    ran = diff()

    assert ran.status == 1
    assert "price-invalid at Product /offers/price" in ran.out
    assert "shop/3.html:2" in ran.out


def test_a_fixed_error_is_gone(sites: Any, diff: Any) -> None:
    sites(3, "old").write_text(product(3).replace("9.90", "9,90"))

    ran = diff("--json")

    assert ran.status == 0
    assert {kind for kind, _, _ in changes(ran)} >= {"fixed", "won-eligibility"}


def test_new_pages_of_a_template_have_no_new_findings(sites: Any, diff: Any) -> None:
    for build in ("old", "new"):
        for number in range(10):
            sites(number, build).write_text(product(number).replace("9.90", "9,90"))
    sites(10).write_text(product(10).replace("9.90", "9,90"))

    ran = diff("--json")

    assert ran.status == 0
    assert changes(ran) == [("new-entity", "Product 'Kettle 10'", 1), ("new-page", "", 1)]


def test_an_error_of_new_pages_alone_is_new(sites: Any, diff: Any) -> None:
    sites(10).write_text(product(10).replace("9.90", "9,90"))

    assert diff().status == 1


def test_a_gone_page_is_a_change_of_its_own(sites: Any, diff: Any) -> None:
    sites(9).unlink()

    assert diff().status == 0
    assert diff("--fail-on", "gone-page").status == 1


def test_an_entity_that_stands_on_another_page_is_not_gone(sites: Any, diff: Any) -> None:
    organization = {"@type": "Organization", "@id": ORGANIZATION, "name": "Loma"}
    for build in ("old", "new"):
        for number in (1, 2):
            sites(number, build).write_text(product(number, brand=organization))
    sites(1).write_text(product(1))

    assert "gone-entity" not in {kind for kind, _, _ in changes(diff("--json"))}


def test_saved_reports_are_compared(sites: Any, diff: Any, command: Run) -> None:
    sites(7).write_text(product(7).replace("9.90", "9,90"))
    for build in ("old", "new"):
        report = command("validate", build, "--format", "json", "--no-config", "--fail-on", "never").out
        Path(f"{build}.json").write_text(report.replace(f'"path": "{build}/', '"path": "'))

    ran = diff(old="old.json", new="new.json")

    assert ran.status == 1
    assert "a saved report has no cards" in ran.out
    assert "product snippet results: 1 page in shop/\n  shop/7.html" in ran.out


def test_two_single_pages_are_compared_whatever_their_names(sites: Any, diff: Any) -> None:
    sites(1).write_text(product(1).replace("9.90", "7.00"))

    assert "€9.90 -> €7.00" in diff(old="old/shop/1.html", new="new/shop/1.html").out


@pytest.mark.parametrize(("form", "start"), [("markdown", "## Structured data: "), ("html", "<!doctype html>")])
def test_reports_for_people_escape_text_of_pages(sites: Any, diff: Any, form: str, start: str) -> None:
    sites(3).write_text(product(3, name="<script>alert(1)</script> *x*"))

    out = diff("--format", form).out

    assert out.startswith(start)
    assert "<script>" not in out
    assert "*x*" not in out.replace("\\*x\\*", "") or form == "html"


def test_the_report_is_written_to_a_file(sites: Any, diff: Any) -> None:
    assert sites
    assert diff("--output", "changes.txt").out == ""
    assert "no change" in Path("changes.txt").read_text()


def test_the_nearest_configuration_counts_for_each_page(sites: Any, command: Run) -> None:
    for number in (1, 2):
        sites(number).write_text(product(number, offers={"@type": "Offer", "price": "9,90", "priceCurrency": "EUR"}))
    Path("new/shop/2").mkdir()
    sites(2).rename("new/shop/2/index.html")
    Path("new/shop/2/waypost.toml").write_text('[rules]\nprice-invalid = "off"\n')

    ran = command("diff", "old", "new", "--now", "2026-11-20T12:00:00Z", "--json")

    found = {each["path"] for change in json.loads(ran.out)["changes"] if "price-invalid" in change["what"]
             for each in change["places"]}  # fmt: skip
    assert found == {"shop/1.html"}
    Path("new/waypost.toml").write_text('[rules]\n"price-invalid" = "off"\n')
    assert "price-invalid" not in command("diff", "old", "new", "--json").out


@pytest.mark.parametrize("argv", [("nowhere", "new"), ("old", "missing.json"), ("old", "none-*.html")])
def test_what_cannot_be_read_has_no_comparison(sites: Any, command: Run, argv: tuple[str, ...]) -> None:
    ran = command("diff", *argv)

    assert sites
    assert ran.status == 3
    assert "no such file" in ran.err or "there is no page in it" in ran.err


def test_an_unknown_kind_of_change_names_the_known_ones(sites: Any, command: Run) -> None:
    ran = command("diff", "old", "new", "--fail-on", "all")

    assert sites
    assert ran.status == 2
    assert "there is no change 'all'; there are lost-eligibility, " in ran.err
