"""The API reference: members by depth, codes as links, recorded answers of a decision."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html import unescape
from types import SimpleNamespace

import pytest

from waypost.pages import Settings, check_destination, recorded_answers, render
from waypost.pages.draft import Source
from waypost.registry import assets, load
from waypost.registry.world import load as load_world
from waypost.service import fixtures

SOURCE = Source(load(), load_world(), datetime(2026, 11, 20, 12, tzinfo=UTC), assets.cases())


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    files, _ = render(SOURCE, Settings(only="api/"))
    return {name: data.decode() for name, data in files.items() if name.endswith(".html")}


def figures(page: str) -> dict[str, str]:
    """Texts of the figures of the page, by the name in their panel."""
    found = re.findall(r'<figure class="codebox" data-lang="(\w+)">.*?<code>(.*?)</code>', page, re.DOTALL)
    return {name: unescape(re.sub(r"<[^>]+>", "", text)) for name, text in found}


def test_members_inside_members_are_folded(pages: dict[str, str]) -> None:
    text = pages["api/check-agent-safety/index.html"]

    assert re.search(r"<details><summary>3 members of <code>payee</code></summary><ul class=\"members\"", text)


def test_codes_lead_to_their_pages(pages: dict[str, str]) -> None:
    text = pages["api/check-agent-safety/index.html"]

    for address in ("reasons/threat_list_match", "unknowns/tls_not_checked", "evidence/registry_review"):
        assert f'href="../../safety/{address}/index.html"' in text


@pytest.mark.parametrize("name", ["check-agent-safety", "check-url"])
def test_an_allow_a_stop_and_an_error_are_recorded(pages: dict[str, str], name: str) -> None:
    answers = figures(pages[f"api/{name}/index.html"])
    allow, stop, error = (json.loads(answers[kind]) for kind in ("Allow", "Stop", "Error"))

    assert (allow["action_allowed"], stop["action_allowed"]) == (True, False)
    assert allow["normalized_domain"] == "allow.test"
    assert stop["reason_codes"][0] == "threat_list_match"
    assert ("evidence_summary" in allow) == (name == "check-url")
    assert (error["code"], error["status"]) == ("not-ready", 503)
    assert "action_allowed" not in error


@pytest.mark.parametrize("name", ["check-agent-safety", "create-key", "search", "read-usage"])
def test_operations_with_a_key_have_a_field_for_it(pages: dict[str, str], name: str) -> None:
    fields = re.findall(r"<input[^>]*data-key[^>]*>", pages[f"api/{name}/index.html"])

    assert len(fields) == 1
    assert " name=" not in fields[0], "a form that is sent without the script would put it in the address"
    assert "password" not in fields[0], "a browser offers to store what is typed as a password"
    assert 'autocomplete="off"' in fields[0]


def test_operations_without_a_key_have_no_field_for_one(pages: dict[str, str]) -> None:
    assert "data-key" not in pages["api/read-schema/index.html"]


@pytest.mark.parametrize("name", ["check-agent-safety", "check-agent-safety-batch", "check-url", "evaluate-access"])
def test_decisions_are_tried_at_a_test_host(pages: dict[str, str], name: str) -> None:
    form = unescape(pages[f"api/{name}/index.html"].partition("<form data-method")[2].partition("</form>")[0])

    assert "https://allow.test/" in form
    assert "shop.example.com" not in form


def test_recorded_decisions_wait_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait races with the machine: two builds would have two answers."""

    async def wait(_: float) -> None:
        raise AssertionError("a recorded decision waits")

    monkeypatch.setattr(fixtures, "asyncio", SimpleNamespace(sleep=wait))
    hosts = json.loads(check_destination.script(SOURCE))["hosts"]

    slow = {piece["type"]: piece["status"] for piece in hosts["slow.test"]["payment"]["decision"]["evidence_summary"]}
    assert slow["automated_network_check"] == "failed"
    assert recorded_answers.answers_to(SOURCE.now, explained=True)
