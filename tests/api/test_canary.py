"""Nothing of a request but what is on a list is ever kept: no path, query, credentials, header, body or key."""

from __future__ import annotations

import base64
import json
import runpy
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx")

from waypost.api.limits import POLICIES  # noqa: E402
from waypost.api.table import table  # noqa: E402

Tokens = runpy.run_path(str(Path(__file__).with_name("canary.py")))["Tokens"]
STORED = {"submissions", "keys", "validate"}
"""Policies of endpoints that are there to keep what they are sent: their bodies are not searched for here."""


@pytest.mark.parametrize(
    "written",
    [
        lambda word: word.encode(),
        lambda word: word.upper().encode(),
        lambda word: json.dumps({"url": f"https://x.test/?a={word}"}).encode(),
        lambda word: word.encode("utf-16-le"),
        lambda word: word.encode().hex().encode(),
        lambda word: base64.b64encode(f"https://x.test/{word}?b".encode()),
        lambda word: base64.urlsafe_b64encode(f"ab{word}".encode()),
        lambda word: base64.urlsafe_b64encode(f"a{word}c".encode()),
    ],
)
def test_a_word_is_found_however_it_is_written(tmp_path: Path, written: Callable[[str], bytes]):
    tokens = Tokens()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.log").write_bytes(b"before " + written(tokens["query"]) + b" after")

    assert [name for name, _ in tokens.found(tmp_path)] == ["query"]
    assert tokens.found("nothing", b"here") == []


def test_word_is_found_in_a_database_and_its_log(tmp_path: Path):
    tokens = Tokens("wp_live_abc")
    with closing(sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t (a, b)")
        db.execute("INSERT INTO t VALUES (?, ?)", ("x" * 4070 + tokens["path"], b"wp_live_abc"))

        found = {(name, Path(where.split(" ")[0]).name) for name, where in tokens.found(tmp_path)}

    assert {("path", "a.sqlite3"), ("key", "a.sqlite3"), ("key", "a.sqlite3-wal")} <= found


def bodies(tokens: Any, url: str) -> list[tuple[str, bytes]]:
    """(media type, body): what a caller might send, rightly and wrongly."""
    word = tokens["body"]
    whole = {"url": url, "intended_action": "payment"}
    page = f'<div itemscope itemtype="https://schema.org/Book"><b itemprop="{word}">{word}</b></div>'
    documents: list[Any] = [
        whole,
        whole | {"include": ["evidence_summary", "policy_version"], "claimed_brand": word, "audience": word},
        whole | {"intended_action": word},
        whole | {tokens["member"]: word},
        {"url": word},
        {"items": [whole, {"url": word}], "semantic": word},
        {"items": [whole, whole | {"intended_action": "login"}]},
        {"query": word, "limit": word},
        {"html": page, "base_url": url.replace("#", "%23").replace("@", "%40")},
        {"data": {"@type": word, "url": url}},
        {"kind": "schema", "site": {"name": word, "domain": "shop.example"}},
        {"receipt": word},
        [word],
        word,
    ]
    texts = [json.dumps(each).encode() for each in documents]
    broken = [f'{{"url": "{word}'.encode(), f'{{"a": "{word}", "a": 1}}'.encode(), word.encode() + b"\xff"]
    pages = [(media, page.encode()) for media in ("text/html", "text/plain", word)]
    return [*(("application/json", each) for each in (*texts, *broken)), *pages]


def test_the_api_stores_nothing_of_a_request(
    open_api: Callable[..., Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    api = open_api(log="json", legacy_rate_headers=True)
    wide = {each.name: 1_000_000 for each in POLICIES if each.counts == "key"}
    _, text = api.key(limits=wide)
    _, test_text = api.key(environment="test", limits=wide)
    tokens = Tokens(text)
    tokens.words["test key"] = test_text
    headers = tokens.headers()
    requests: list[tuple[str, str, dict[str, str], bytes]] = []

    def send_request(method: str, path: str, key: str = "", body: bytes = b"", **more: str) -> None:
        sent = {name.replace("_", "-"): value for name, value in more.items()}
        requests.append((method, path, headers | ({"authorization": f"Bearer {key}"} if key else {}) | sent, body))

    for endpoint in table():
        filled = endpoint.path
        for member in endpoint.members:
            filled = filled.replace(f"{{{member}}}", tokens["path"])
        for key in ("", text, test_text):
            send_request(endpoint.method, filled, key)
            send_request(endpoint.method, f"{filled}?{tokens['member']}={tokens['query']}", key)
            send_request(endpoint.method, f"{filled}?q={tokens['query']}&limit={tokens['query']}", key)
            send_request("DELETE", f"{filled}/{tokens['path']}?{tokens['member']}", key)
        for key in ("", text):
            send_request(endpoint.method, f"{filled}?key={text}", key)
            send_request(endpoint.method, f"{filled}?q=%77p_{text[3:]}", key)
            send_request("GET", f"{filled}/{text}", key)
        if endpoint.body is None or endpoint.limit in STORED:
            continue
        for host, key in (("shop.example", text), ("allow.test", test_text), ("error.test", test_text)):
            for media, body in bodies(tokens, tokens.url(host)):
                send_request(endpoint.method, filled, key, body, content_type=media)
    send_request("GET", f"/{tokens['path']}?a={tokens['query']}")
    send_request("POST", "/v1/agent-safety", authorization=f"Basic {tokens['body']}")

    async def answers() -> list[Any]:
        transport = httpx.ASGITransport(app=api.app, client=("192.0.2.7", 4711))
        found = []
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            for method, path, sent, body in requests:
                api.clock.tick(4)  # so that no limit for addresses hides what comes behind it
                found.append(await client.request(method, path, headers=sent, content=body))
        await api.state.limits.settle(api.clock.now)
        return found

    answered = api._loop.run_until_complete(answers())
    kinds = {each.status_code for each in answered}
    messages = [each.text + str(each.headers) for each in answered if each.status_code >= 400]
    captured = capfd.readouterr()
    assert {200, 400, 401, 404, 405, 415, 422, 503} <= kinds
    assert captured.err.count('"event":"request"') > 500
    assert tokens.found(tmp_path, captured.out, captured.err, api.state.metrics.text()) == []
    # A problem may name the member or parameter that nobody knows, to whoever sent it; nothing else of the request.
    assert {name for name, _ in tokens.found(*messages)} <= {"member"}
