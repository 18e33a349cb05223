"""The table of powers: what was measured is on the page, and is what the rules for keys say."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.api.conftest import Api

from waypost.api.endpoint import PUBLIC, SESSION
from waypost.api.table import table

ROOT = Path(__file__).resolve().parents[2]
TRIED = ("dispute", "relationships", "keys", "review")
"""Columns that are tried here; `tools/make_powers.py --check` tries all, in CI."""

# The rules, written out once more: (act, object) -> cell of the one scope that has the power at all.
RULES = {
    "dispute": {
        ("object to", "a live decision of the organization"): "live",
        ("object to", "a decision for a test key"): "test",
        ("read", "its own dispute"): "live",
        ("withdraw", "its own dispute"): "live",
        ("read", "its own dispute about a test decision"): "test",
        ("withdraw", "its own dispute about a test decision"): "test",
        ("read", "another key's dispute"): "live",
        ("read", "the public's dispute"): "live",
    },
    "relationships": {
        ("submit", "a relationship for the organization"): "live",
        ("submit", "a relationship for all"): "live",
        ("read", "a claim for the organization"): "live",
        ("read", "a claim for all, not by the operator"): "live",
    },
    "review": {
        ("list", "the review queue"): "yes",
        **{
            (act, f"a claim for {domain}"): "live"
            for act in ("read for a review", "approve", "reject", "request changes")
            for domain in ("the organization", "all, by the operator")
        },
        ("uphold", "a dispute, by the operator"): "live",
        ("reject", "a dispute, by the operator"): "live",
        ("freeze", "the organization"): "live",
        ("end a freeze", "the organization"): "live",
        ("submit", "a policy, by the operator"): "live",
        ("accept", "a policy, by the operator"): "live",
        ("withdraw", "a policy, by the operator"): "live",
    },
    "keys": {
        ("list", "keys"): "yes",
        ("make", "a live key, no more scopes"): "live",
        ("make", "a test key, no more scopes"): "yes",
        **{
            (act, f"a {environment} key, no more scopes"): cell
            for environment, cell in (("live", "live, lasting"), ("test", "lasting"))
            for act in ("exchange", "end", "delete")
        },
        **{("read", name): "yes" for name in ("a live key, no more scopes", "a test key, no more scopes", "itself")},
        ("read", "a test key with a scope more"): "yes",
        **{(act, "itself"): "yes" for act in ("exchange", "end", "delete")},
    },
}
OF_EVERY_KEY = {
    ("verify", "a receipt"), ("read", "the organization"), ("read what was used", "the organization"),
    ("read the limits", "the organization"), ("read the freeze", "the organization"),
    ("list the policies", "the service"),
}  # fmt: skip


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("make_powers", ROOT / "tools" / "make_powers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_powers"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def measured(tool: Any) -> Any:
    return tool.measured(TRIED)


def cells() -> dict[tuple[str, str], dict[str, str]]:
    """The tables of the page: (act, object) -> column -> cell; what is not there is empty."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    columns: list[str] = []
    for line in (ROOT / "site" / "docs" / "powers.md").read_text("utf-8").splitlines():
        row = [each.strip() for each in line.strip("|").split("|")]
        if row[:2] == ["object", "action"]:
            columns = row[2:]
        elif columns and line.startswith("| "):
            found.setdefault((row[1], row[0]), {}).update(zip(columns, row[2:], strict=True))
    return found


@pytest.mark.parametrize("scope", TRIED)
def test_a_key_may_do_what_the_rules_permit_only(measured: Any, scope: str) -> None:
    done = {(act, name): row[scope] for (name, act), row in measured.items() if row[scope]}

    assert done == RULES[scope] | dict.fromkeys(OF_EVERY_KEY, "yes")


def test_the_page_reports_the_measurements(measured: Any) -> None:
    written = cells()

    for (name, act), row in measured.items():
        assert {column: written.get((act, name), {}).get(column, "") for column in TRIED} == row, (act, name)


def test_labels_and_complete_keys_permit_what_their_scopes_permit(tool: Any) -> None:
    for row in cells().values():
        for label, scopes in tool.LABELS.items():
            if any(row.get(scope) for scope in scopes):
                assert row[label], row


def test_every_endpoint_with_a_key_is_in_the_table(tool: Any) -> None:
    tried = {(act.method, act.path.partition("?")[0]) for act in tool.acts()}
    news = {("GET", "/v1/snippets/news"), ("POST", "/v1/snippets/news")}
    missing = []
    for endpoint in table():
        pattern = re.compile(re.sub(r"{\w+}", "[^/]+", endpoint.path))
        known = any(method == endpoint.method and pattern.fullmatch(path) for method, path in tried | news)
        if endpoint.scopes not in {(PUBLIC,), (SESSION,)} and not known:
            missing.append(f"{endpoint.method} {endpoint.path}")

    assert missing == [], "add acts to tools/make_powers.py and run it"


def test_a_key_that_has_ended_may_do_nothing(api: Api, tool: Any) -> None:
    _, ended = api.key(valid_ms=1)
    api.clock.tick(1)

    for act in tool.acts():
        answer = api.call(act.method, act.path.format(id="none"), key=ended, json=act.body)
        assert answer.status_code == 401, act
        api.clock.tick(7)
