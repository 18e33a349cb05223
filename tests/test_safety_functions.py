"""Owners' functions at brands where third parties publish: only these take a sensitive action.

tests/cases/urls/functions.json   URLs of owners' functions, and of what third parties publish there
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost.registry.functions import functions_of
from waypost.registry.world import load

from .test_safety_links import decided

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "functions.py"
WORLD = load()


@pytest.fixture(scope="module")
def benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("functions_benchmark", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["functions_benchmark"] = module
    spec.loader.exec_module(module)
    return module


def test_third_parties_pages_are_stopped_and_functions_allowed(benchmark: Any) -> None:
    lists = json.loads(benchmark.DEFAULT.read_text())
    found = {name: [benchmark.outcome(url, WORLD) for url in lists[name]] for name in ("own", "others")}
    reviewed = {name: [each for each in results if each != "unreviewed"] for name, results in found.items()}

    assert min(map(len, reviewed.values())) >= 150
    assert reviewed["others"].count("allowed") <= benchmark.MOST_OTHERS * len(reviewed["others"])
    assert reviewed["own"].count("allowed") >= benchmark.LEAST_OWN * len(reviewed["own"])


def test_other_addresses_are_stops_with_a_reason() -> None:
    page = decided("https://www.dropbox.com/business/landing")

    assert page.action_allowed is False
    assert page.relationship_status == "verified_official"
    assert page.reason_codes == ("official_relationship_verified", "not_a_function_of_the_owner")
    assert "page_publisher_unknown" in page.unknowns


def test_a_visit_there_goes_ahead_with_an_unknown() -> None:
    page = decided("https://www.dropbox.com/business/landing", "visit")

    assert (page.action_allowed, page.relationship_status) == (True, "verified_official")
    assert "page_publisher_unknown" in page.unknowns


def test_older_policies_stop_there_too() -> None:
    page = decided("https://www.dropbox.com/business/landing", policy="strict-2026-12-02")

    assert page.action_allowed is False
    assert page.reason_codes == ("published_by_strangers",)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://www.dropbox.com/login", True),
        ("https://www.dropbox.com/de/login", True),
        ("https://www.dropbox.com/%6Cogin", True),
        ("https://www.dropbox.com/LOGIN", True),
        ("https://www.dropbox.com/s/login", False),
        ("https://www.dropbox.com/login/../s/abc", False),
        ("https://www.dropbox.com/login%2F..%2Fs%2Fabc", False),
        ("https://www.dropbox.com/s/abc;/login", False),
        ("https://www.dropbox.com/ann/login", False),
        ("https://www.dropbox.com/login-helper", False),
        ("https://www.dropbox.com/home#@ann", False),
        ("https://login.dropbox.com/anything", True),
        ("https://login.ann.dropbox.com/login", False),
        ("https://ann.dropbox.com/login", False),
        ("https://www.dropbox.com/checkout?merchant=ann", False),
        ("https://www.dropbox.com/?file=abc", False),
        ("https://www.dropbox.com/?utm_source=x", True),
    ],
)
def test_encodings_and_names_like_functions_change_nothing(url: str, allowed: bool) -> None:
    assert decided(url).action_allowed is allowed


def test_brands_without_third_parties_are_decided_as_before() -> None:
    functions, brand = functions_of(WORLD), WORLD.brands["chase"]

    assert not functions.applies(brand)
    assert decided("https://www.chase.com/personal/mortgage").action_allowed is True


def test_every_fact_about_functions_has_its_source() -> None:
    functions = functions_of(WORLD)
    sources = [*functions.platforms.values(), *(each.source for each in functions.functions)]

    assert set(functions.platforms) <= set(WORLD.brands)
    assert [each for each in sources if not each.startswith("https://") and each not in functions.sources] == []
