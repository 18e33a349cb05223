"""`waypost registry`: whose a domain is, who says so, and what is wrong with a brand file."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from waypost.cli import main
from waypost.registry import world as worlds
from waypost.registry.world import World, load

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def registry(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str) -> tuple[int, str, str]:
        status = main(["registry", *words])
        return status, *capsys.readouterr()

    return run


def test_the_shipped_registry_is_valid_and_counts_its_publishers(registry: Run) -> None:
    status, out, _ = registry("check", "--json")
    counts = json.loads(out)

    assert (status, counts["errors"]) == (0, [])
    assert counts["brands_with_a_reviewed_domain"] >= 900
    assert counts["reviewed_without_a_source_to_open"] == 0
    by_two = counts["reviewed_by_two_publishers"] + counts["reviewed_by_three_publishers_or_more"]
    assert by_two >= 0.6 * counts["reviewed_domains"]


def test_a_check_counts_places_and_those_with_read_sources(registry: Run) -> None:
    kinds = ("publishers", "redirectors")
    entries = [entry for kind in kinds for entry in load().document(f"places/{kind}.json")[kind]]

    _, out, _ = registry("check", "--json")

    counts = json.loads(out)
    assert counts["places_of_third_parties_and_redirectors"] == len(entries)
    assert counts["places_with_a_source_that_was_read"] == len([entry for entry in entries if entry.get("read")]) > 0


def test_brand_file_that_no_source_carries_is_an_error(registry: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    brand = load().document("brands/p/paypal.json") | {"slug": "acme", "tokens": ["ebay"]}
    brand["closed"] = "https://example.org/the-end-of-acme"
    brand["official_domains"] = [
        {"domain": "acme.test", "role": "payment", "reviewed": "2026-11-23", "sources": ["hand"]},
        {"domain": "ebay.com", "role": "other", "reviewed": "2026-11-23", "sources": ["twofactorauth", "rumour"]},
    ]
    spoiled = World(load().files | {"brands/a/acme.json": json.dumps(brand).encode()})
    monkeypatch.setattr(worlds, "load", lambda: spoiled)

    status, out, _ = registry("check")

    assert status == 1
    assert "error: acme: acme.test: a review takes two publishers, or one and a second kind of evidence" in out
    assert "error: acme: ebay.com: there is no source 'rumour' in sources.json" in out
    assert "error: acme: a business that has ended has no reviewed domain, see https://example.org/" in out
    assert "error: acme: the first reviewed domain is not the principal one" in out
    assert "error: ebay: the domain ebay.com belongs to acme too" in out
    assert "error: ebay: the word ebay belongs to acme too" in out


@pytest.mark.parametrize("name", ["ebay", "eBay", "ebay.com", "https://www.ebay.com/itm/1", "signin.ebay.co.uk"])
def test_a_brand_is_found_by_name_domain_or_url(registry: Run, name: str) -> None:
    status, out, _ = registry("show", name)

    assert status == 0
    assert out.startswith("eBay (ebay), owner ebay\n\nebay.com ")
    assert "https://github.com/2factorauth/twofactorauth/" in out


def test_a_brand_as_json_holds_each_source_in_full(registry: Run) -> None:
    document = json.loads(registry("show", "ebay.com", "--json")[1])

    first = document["domains"][0]
    assert (first["domain"], first["status"], first["role"]) == ("ebay.com", "reviewed", "principal")
    assert {"publisher", "path", "url", "date", "says"} == set(first["sources"][0])
    assert document["domains"][-1]["status"] == "claimed_unreviewed"


@pytest.mark.parametrize("name", ["nobody", "nobody.test", "https://[broken", ""])
def test_an_unknown_name_is_reported_as_unknown(registry: Run, name: str) -> None:
    status, out, errors = registry("show", name)

    assert (status, out) == (1, "")
    assert "no brand is known by the name or domain" in errors
