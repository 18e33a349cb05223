"""A sample of the forms of `benchmarks/values.py`: each wrong value is reported, and no fix loses a digit.

The benchmark tries every form at every path; see there what the forms mean.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "values.py"


@pytest.fixture(scope="module")
def values() -> ModuleType:
    spec = importlib.util.spec_from_file_location("values_in_forms", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["values_in_forms"] = made
    spec.loader.exec_module(made)
    return made


def test_each_form_of_a_value_is_reported_or_right(values: ModuleType) -> None:
    result, _ = values.run(every=61)

    assert result.problems == []
    assert result.counts["forms tried"] > 200
    assert result.counts["repairs tried"] > 50


def test_no_fix_of_a_bare_number_loses_a_digit(values: ModuleType) -> None:
    result = values.Result()

    values.run_bare(result, every=11)

    assert result.problems == []
    assert result.counts["repairs tried"] > 100


def test_ratings_are_checked_in_all_combinations(values: ModuleType) -> None:
    result = values.Result()

    values.run_ratings(result, every=29)

    assert result.problems == []


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this machine")
def test_browser_reports_the_same_forms_with_the_same_fixes(values: ModuleType) -> None:
    result, texts = values.run(every=151)
    texts += values.run_bare(result, every=37) + values.run_ratings(result, every=101)

    values.run_node(result, texts)

    assert result.problems == []
