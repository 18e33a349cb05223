"""A baseline by cause is a ratchet: values may change, pages may be added or renamed, and what is new still counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.command import Run

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas/api/baseline.schema.json").read_text(encoding="utf-8"))
FILE = "waypost-baseline.json"
NUMBER = 40


def product(number: int, price: str = "9,90", **more: Any) -> str:
    """Page of a shop's template, which writes prices with a comma."""
    data = {
        "@context": "https://schema.org", "@type": "Product", "name": f"Kettle {number}", "sku": f"K{number}",
        "image": f"https://shop.example.com/{number}.jpg", "description": "It boils water.",
        "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR",
                   "availability": "https://schema.org/InStock"},
    }  # fmt: skip
    return f'<!doctype html>\n<script type="application/ld+json">{json.dumps(data | more)}</script>\n'


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Folder with the pages of a shop, the working directory."""
    monkeypatch.chdir(tmp_path)
    pages = tmp_path / "public"
    pages.mkdir()
    for number in range(NUMBER):
        (pages / f"{number}.html").write_text(product(number))
    return pages


@pytest.fixture
def run(command: Run, site: Path) -> Callable[..., Any]:
    def validate(*argv: str) -> Any:
        return command("validate", "public", "--baseline", FILE, *argv, "--now", "2026-11-20T12:00:00Z")

    assert site.is_dir()
    assert validate("--write-baseline").status == 0
    return validate


def baseline() -> dict[str, Any]:
    written: dict[str, Any] = json.loads(Path(FILE).read_text(encoding="utf-8"))
    return written


def test_one_template_is_one_entry_per_cause(run: Run) -> None:
    causes = baseline()["causes"]

    jsonschema.Draft202012Validator(SCHEMA).validate(baseline())
    assert baseline()["pages"] == NUMBER
    assert [cause["count"] for cause in causes if cause["rule"] == "price-invalid"] == [NUMBER]
    assert len(causes) < 10
    assert run().status == 0


def test_changed_prices_are_not_new(run: Run, site: Path) -> None:
    for number in range(NUMBER):
        (site / f"{number}.html").write_text(product(number, f"{number},95"))

    assert run().status == 0


def test_renamed_and_further_pages_are_not_new(run: Run, site: Path) -> None:
    site.joinpath("7.html").rename(site / "kettle-7.html")
    for number in range(NUMBER, NUMBER + 10):
        (site / f"{number}.html").write_text(product(number))

    ran = run("--json")

    assert ran.status == 0
    assert json.loads(ran.out)["summary"]["baselined"] > NUMBER


def test_a_new_cause_on_few_pages_is_new(run: Run, site: Path) -> None:
    for number in range(3):
        (site / f"{number}.html").write_text(product(number, gtin13="4006381333932"))

    ran = run("--json", "--fail-on", "warning")

    assert ran.status == 1
    assert json.loads(ran.out)["summary"]["warnings"] == 3


def test_more_places_than_the_share_allows_are_new(run: Run, site: Path) -> None:
    (site / "0.html").write_text(product(0, image="no address here"))
    assert run("--write-baseline").status == 0
    for number in range(4):
        (site / f"{number}.html").write_text(product(number, image="no address here"))

    report = json.loads(run("--json", "--fail-on", "warning").out)

    new = [finding["pointer"] for file in report["files"] for finding in file["findings"]]
    assert len(new) == 3
    assert set(new) == {"/image"}


def test_the_known_place_stays_known_next_to_a_new_one(run: Run, site: Path) -> None:
    for number in range(NUMBER):
        (site / f"{number}.html").write_text(product(number, "9.90"))
    (site / "7.html").write_text(product(7))
    assert run("--write-baseline").status == 0
    (site / "0.html").write_text(product(0, "8,50"))

    report = json.loads(run("--json").out)

    new = [file["path"] for file in report["files"] for each in file["findings"] if each["rule"] == "price-invalid"]
    assert new == ["public/0.html"]


def test_what_is_fixed_is_reported_and_tidied(run: Run, site: Path) -> None:
    for number in range(NUMBER):
        (site / f"{number}.html").write_text(product(number, "9.90"))

    ran = run()
    assert "nothing fits this any more: price-invalid (Product /offers/price: '9,90' is not a plain" in ran.err
    assert f", {NUMBER} times" in ran.err

    written = run("--write-baseline")
    assert "dropped: price-invalid (Product /offers/price: " in written.err
    assert "price-invalid" not in Path(FILE).read_text()


def test_added_causes_are_named_when_written(run: Run, site: Path) -> None:
    (site / "0.html").write_text(product(0, gtin13="4006381333932"))

    assert "added: gtin-check-digit (Product /gtin13: " in run("--write-baseline").err


def test_a_small_part_of_the_site_replaces_no_baseline(run: Run, command: Run) -> None:
    before = Path(FILE).read_bytes()

    ran = command("validate", "public/0.html", "public/1.html", "--write-baseline", FILE)

    assert ran.status == 2
    assert "the baseline is about 40 pages, this run about 2; check all of them" in ran.err
    assert Path(FILE).read_bytes() == before
    assert run().status == 0


def test_a_single_page_of_the_site_has_nothing_new(run: Run, command: Run) -> None:
    ran = command("validate", "public/3.html", "--baseline", FILE)

    assert run().status == ran.status == 0
    assert "fits this any more" not in ran.err


def test_kind_of_a_file_stays_and_can_be_changed(run: Run) -> None:
    assert run("--write-baseline", "--baseline-by", "value").status == 0
    assert baseline()["version"] == 1
    assert run().status == 0

    assert run("--write-baseline").status == 0
    assert baseline()["version"] == 1

    assert run("--write-baseline", "--baseline-by", "cause").status == 0
    assert baseline()["version"] == 2


def test_one_page_has_a_baseline_by_value(command: Run, site: Path) -> None:
    assert command("validate", str(site / "0.html"), "--write-baseline", FILE).status == 0

    assert baseline()["version"] == 1


def test_a_baseline_of_another_version_names_the_known_ones(run: Run) -> None:
    Path(FILE).write_text('{"version": 3}')

    ran = run()

    assert ran.status == 2
    assert "this is a baseline of version 3; this waypost knows the versions 1 and 2" in ran.err


def test_the_first_run_names_the_command(command: Run, site: Path) -> None:
    ran = command("validate", "public")

    assert ran.status == 1
    assert "waypost validate public --baseline waypost-baseline.json --write-baseline" in ran.err
    assert "--write-baseline" not in command("validate", str(site / "0.html")).err
    assert "--write-baseline" not in command("validate", "public", "--quiet").err


def test_a_kind_without_writing_has_no_effect(run: Run) -> None:
    assert "--baseline-by has no effect without --write-baseline" in run("--baseline-by", "cause").err
