"""Third parties' addresses by kind, consents for unknown receivers, and owners' functions, at reviewed hosts."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).resolve().parents[1] / "benchmarks" / "third_parties.py"


@pytest.fixture(scope="module")
def benchmark() -> Any:
    spec = importlib.util.spec_from_file_location("third_parties", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["third_parties"] = module
    spec.loader.exec_module(module)
    return module


def test_few_addresses_of_third_parties_and_most_functions_are_allowed(benchmark: Any) -> None:
    document, service = json.loads(benchmark.DEFAULT.read_text("utf-8")), benchmark.open_checks()

    def allowed(urls: list[str]) -> tuple[int, int]:
        found = benchmark.measured(service, urls, ("login",))
        return len(found), sum(made[0].action_allowed for made in found.values())

    others, wrong = allowed([url for urls in document["others"].values() for url in urls])
    consents, passed = allowed(document["consents"])
    own, right = allowed(document["own"])

    assert others >= 450
    assert wrong <= benchmark.MOST_OTHERS * others
    assert consents >= 100
    assert passed <= benchmark.MOST_OTHERS * consents
    assert right >= benchmark.LEAST_OWN * own
