"""Record what the service answers to some two thousand requests, to compare two versions of it byte by byte.

    python tools/record_api.py before.json            in the tree of one version
    python tools/record_api.py after.json             in the tree of the other
    python tools/record_api.py --compare before.json after.json

Every route of `schemas/api/openapi.json` gets the same kinds of requests: without a key, with too few scopes, valid,
with a body that is damaged, of another kind or too large, with other methods, headers and spellings of its path. The
clock stands still; identifiers, keys and signatures are masked. `--compare` exits with 1 where an answer differs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
JSON, FORM, HTML = "application/json", "application/x-www-form-urlencoded", "text/html"
ORIGIN = "https://app.example.com"
ROUTES_EACH = 6
_MASKS = (
    (re.compile(r"wp_(live|test)_[A-Za-z0-9]+"), "KEY"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"[Rr]el_[0-9a-f]{20}"), "REL"),
    (re.compile(r'"(time|dur_ms)":[\d.]+'), '"time":0'),
    (re.compile(r'"(ts|trace_id)":"[^"]+"'), '"ts":0'),
    (re.compile(r"(wp_live_|wp_test_)\.\.\.\w{4}"), r"\1...."),
    (re.compile(r"(?<![\w-])[\w-]{43,}(\.[\w-]+){0,4}(?![\w-])"), "TOKEN"),
    (re.compile(r'"kid":"[^"]+"'), '"kid":"KID"'),
)  # fmt: skip


class Recorder:
    """One service, its keys and what it answered so far, by the name of the request."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        from tests.api.conftest import Api

        from waypost.registry import load

        site = folder / "site"
        (site / "docs").mkdir(parents=True)
        (site / "assets").mkdir()
        for name, text in {"index.html": "<p>home", "docs/index.html": "<p>docs", "404.html": "<p>nothing",
                           "a.txt": "a", "assets/a.css": "a{}"}.items():  # fmt: skip
            (site / name).write_text(text)
        self.api = Api(folder / "data", load(), site=str(site), cors_origins=(ORIGIN,), log="json", **settings)
        self.log = (folder / "log").open("wb+")
        os.dup2(self.log.fileno(), 2)
        self.loop = asyncio.new_event_loop()
        self.answers: dict[str, Any] = {}
        self.count = self.logged = 0

    def send(self, name: str, method: str, path: str, *, key: str = "", body: bytes = b"", **headers: str) -> Any:
        """One request from an address of its own; its answer is recorded under `name` and given back."""
        self.count += 1
        target, _, query = path.partition("?")
        fields = {"host": "127.0.0.1:8000", **({"authorization": f"Bearer {key}"} if key else {})}
        fields |= {field.replace("_", "-"): value for field, value in headers.items()}
        if body:
            fields.setdefault("content-length", str(len(body)))
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
                 "path": target, "raw_path": target.encode(), "query_string": query.encode(), "root_path": "",
                 "headers": [(field.encode(), value.encode("latin-1")) for field, value in fields.items()],
                 "client": (f"10.{self.count >> 8}.{self.count & 255}.7", 4711),
                 "server": ("127.0.0.1", 8000)}  # fmt: skip
        messages: list[Any] = []

        received: list[bytes] = []

        async def receive() -> Any:
            if received:  # the client waits for its answer
                await asyncio.Event().wait()
            received.append(body)
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        self.loop.run_until_complete(self.api.app(scope, receive, send))
        data = b"".join(message.get("body", b"") for message in messages)
        sent = [(field.decode(), value.decode("latin-1")) for field, value in messages[0]["headers"]]
        text = _masked(data.decode("utf-8", "backslashreplace"))
        hidden = text != data.decode("utf-8", "backslashreplace")
        timed = '"time":0' in text
        assert name not in self.answers, name
        self.answers[name] = {
            "status": messages[0]["status"],
            "headers": sorted(
                [
                    field,
                    ""
                    if (field == "etag" and (hidden or "jwks" in path)) or (field == "content-length" and timed)
                    else _masked(value),
                ]
                for field, value in sent
            ),
            "body": text,
            "log": self._log(timed=timed),
        }
        return messages[0]["status"], dict(sent), data

    def _log(self, *, timed: bool) -> str:
        text = _masked((Path(self.log.name)).read_text()[self.logged :])
        self.logged += len((Path(self.log.name)).read_text()[self.logged :])
        return re.sub(r'"bytes_out":\d+', "", text) if timed else text

    def key(self, *scopes: str) -> str:
        return str(self.api.key(*scopes)[1])


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


def _members(recorder: Recorder) -> dict[str, Any]:
    """The things that paths name, made by requests that are recorded too; and a browser that is signed in."""
    key = recorder.key()

    def post(name: str, path: str, document: Any, **headers: str) -> Any:
        body = json.dumps(document).encode()
        status, sent, data = recorder.send(name, "POST", path, key=key, body=body, content_type=JSON, **headers)
        assert status < 300, (name, status, data)
        return json.loads(data), sent

    from waypost.contract.openapi import expanded

    description = expanded()

    def example(path: str, number: int = 0) -> Any:
        examples = description["paths"][path]["post"]["requestBody"]["content"][JSON]["examples"]
        return list(examples.values())[number]["value"]

    decision, _ = post("made decision", "/v1/agent-safety", example("/v1/agent-safety"))
    name = decision["decision_id"]
    dispute, _ = post("made dispute", f"/v1/decisions/{name}/disputes", example("/v1/decisions/{decision_id}/disputes"))
    relationship, _ = post("made relationship", "/v1/relationships", example("/v1/relationships"))
    snippet, _ = post("made snippet", "/v1/snippets/news", example("/v1/snippets/news"))
    made, _ = post("made key", "/v1/keys", example("/v1/keys"), idempotency_key="first")
    post("made key again", "/v1/keys", example("/v1/keys"), idempotency_key="first")
    _, _, receipt = recorder.send(
        "made receipt", "POST", "/v1/agent-safety", key=key, content_type=JSON,
        body=json.dumps(example("/v1/agent-safety") | {"include": ["receipt"]}).encode(),
    )  # fmt: skip
    ids = {
        "decision_id": name,
        "dispute": dispute.get("dispute_id") or dispute.get("id"),
        "relationship": relationship.get("relationship_id") or relationship.get("id"),
        "snippet": snippet["id"],
        "key": made["id"],
        "receipt": json.loads(receipt).get("receipt", ""),
    }
    ids |= _browser(recorder)
    return ids


def _browser(recorder: Recorder) -> dict[str, str]:
    from waypost.store import sessions

    api = recorder.api
    state = getattr(api, "state", None) or api.running  # named `running` until November 2026
    create = getattr(sessions, "create_link", None) or sessions.link  # type: ignore[attr-defined]
    token = state.store.write(lambda db: create(db, api.acme.id, "ann", api.clock.now))
    recorder.send("sign-in page", "GET", f"/keys/sign-in?token={token}", accept=HTML)
    body = urlencode({"token": token}).encode()
    _, sent, _ = recorder.send(
        "sign in", "POST", "/keys/sign-in", body=body, content_type=FORM, sec_fetch_site="same-origin"
    )
    cookie = sent["set-cookie"].partition(";")[0]
    _, _, page = recorder.send("signed in", "GET", "/keys/new", cookie=cookie, accept=HTML)
    found = re.search(rb'name="csrf" value="([^"]+)"', page)
    assert found
    return {"cookie": cookie, "csrf": found[1].decode()}


_FORMS: dict[str, dict[str, str]] = {
    "/keys/create": {"name": "till", "labels": "Read", "environment": "live", "expires_days": "30"},
    "/keys/review": {"name": "till", "labels": "Write", "environment": "live", "expires_days": "30"},
    "/keys/{id}/rotate": {"overlap": "3600"},
    "/keys/reviews/{id}": {"step": "approve", "reason": "seen"},
}
_QUERIES = {"/v1/domain": "domain=shop.example.com", "/v1/official": "q=acme", "/v1/search": "q=acme"}


def _path(template: str, ids: dict[str, Any]) -> str:
    kind = "snippet" if "snippets" in template else "dispute" if "/disputes/{" in template else "key"
    if "relationships" in template or "review" in template:
        kind = "relationship"
    if "uphold" in template:
        kind = "dispute"
    members = {"decision_id": ids["decision_id"], "id": ids[kind], "kind": "news", "type": "Recipe",
               "version": "0", "file": "finding.schema.json"}  # fmt: skip
    return template.format(**members)


def _record_route(  # noqa: C901 - a list of cases
    recorder: Recorder, template: str, method: str, operation: dict[str, Any], ids: Any
) -> None:
    name = f"{method} {template}"
    path = _path(template, ids)
    needs = operation["x-waypost-needs"]
    contents = operation.get("requestBody", {}).get("content", {})
    is_session = needs == ["session"]
    query = "?" + _QUERIES[template] if template in _QUERIES and method == "GET" else ""
    good: dict[str, Any] = {"key": "" if needs == ["public"] or is_session else recorder.key()}
    if is_session:
        good |= {"cookie": ids["cookie"], "accept": HTML}
    if is_session and method == "POST":
        fields = {"csrf": ids["csrf"], **_FORMS.get(template, {})}
        good |= {"body": urlencode(fields).encode(), "content_type": FORM, "sec_fetch_site": "same-origin"}
    elif JSON in contents:
        example = next(iter(contents[JSON]["examples"].values()))["value"]
        good |= {"body": json.dumps(example).encode(), "content_type": JSON}

    def send(case: str, verb: str = method, at: str = path + query, **changed: Any) -> None:
        if operation["x-waypost-limit"] in {"submissions", "sign-in"}:
            recorder.api.clock.tick(10)
        if not is_session and needs != ["public"] and "key" not in changed:
            changed["key"] = recorder.key()
        recorder.send(f"{name} | {case}", verb, at, **(good | changed))

    for case, at in _paths(path, query):
        send(case, at=at)
    for verb in ("HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "BREW", "GET", "POST", "DELETE"):
        if verb != method and not (verb == "POST" and is_session):
            send(f"method {verb}", verb)
    for case, changed in _headers():
        send(case, **changed)
    send("no key", key="", cookie="")
    send("unknown key", key="wp_live_0000000000000000000000000000000000000000")
    send("another scheme", key="", authorization="Basic abc")
    send("scope too few", key=recorder.key("search" if "search" not in needs else "audit"))
    if contents:
        for case, changed in _bodies(good.get("body", b"{}"), operation):
            send(case, **changed)
    send("valid", **({} if is_session else {"key": recorder.key()}))
    if any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", ())):
        key = recorder.key()
        for case in ("first", "second"):
            send(f"idempotency {case}", key=key, idempotency_key='"abc"')
        send("idempotency mismatch", key=key, idempotency_key='"abc"', body=good["body"] + b" ")
        send("idempotency bad", key=key, idempotency_key="a b")
    if operation.get("parameters") and any(p["in"] == "query" for p in operation["parameters"]):
        for parameters in ("limit=0", "limit=2", "cursor=zzzz", "limit=1&limit=2", "domain=https://a.example/x",
                           "q=%ff", "q=%00", "flag=none", "since=x", "type=Nope", "token=x"):  # fmt: skip
            send(f"query {parameters}", at=f"{path}?{parameters}")


def _paths(path: str, query: str) -> Iterator[tuple[str, str]]:
    yield "trailing slash", f"{path.rstrip('/')}/{query}"
    yield "no trailing slash", f"{path.rstrip('/')}{query}"
    yield "doubled slash", f"{path.rstrip('/')}//{query}"
    yield "leading double slash", f"/{path}{query}"
    yield "longer path", f"{path.rstrip('/')}/more{query}"
    yield "upper case", f"{path.upper()}{query}"
    yield "unknown parameter", f"{path}?nope=1"
    yield "key in address", f"{path}?api_key=1"
    yield "query damaged", f"{path}?%zz=%ff"
    yield "very long", f"{path}?x={'y' * 9000}"


def _headers() -> Iterator[tuple[str, dict[str, str]]]:
    for accept in ("*/*", "text/html", "application/json", "application/sarif+json", "image/png", "application/*;q=0.1",
                   "text/html;q=0, */*", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
                   "application/json;q=x",
                   "q", "image/png, application/sarif+json;q=0.2, application/json;q=0.1",
                   "application/json;q=0"):  # fmt: skip
        yield f"accept {accept}", {"accept": accept}
    yield "if-none-match any", {"if_none_match": "*"}
    yield "if-none-match other", {"if_none_match": '"abc"'}
    yield "if-modified-since", {"if_modified_since": "Fri, 20 Nov 2099 10:00:00 GMT"}
    yield "origin allowed", {"origin": ORIGIN}
    yield "origin other", {"origin": "https://other.example"}
    yield "request id", {"x_request_id": "abc-1"}
    yield "request id bad", {"x_request_id": "a b"}
    yield "deadline bad", {"waypost_deadline_ms": "x"}
    yield "cross site", {"sec_fetch_site": "cross-site"}
    yield "host odd", {"host": "evil.example:99"}


def _bodies(body: bytes, operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    limit = operation["requestBody"]["x-waypost-max-bytes"]
    for case, data in {
        "empty": b"", "blank": b"  ", "cut off": body[:-1], "not JSON": b"nope", "an array": b"[]", "null": b"null",
        "a number": b"1", "unknown member": body[:-1] + b', "nope": 1}', "twice": b'{"a":1,"a":2}',
        "twice inside": b'{"a":{"b":1,"b":2}}', "deep": b"[" * 100 + b"]" * 100, "cut deep": b"[" * 200000,
        "invalid UTF-8": b'{"url": "\xff"}', "many values": b"[" + b"1," * 30000 + b"1]",
        "integers as floats": b'{"a":1.0}',
        "too large": b" " * (limit + 1), "all of the limit": b" " * limit,
    }.items():  # fmt: skip
        yield f"body {case}", {"body": data}
    for media in ("", "text/plain", "application/json; charset=latin-1", "application/json; charset=utf-8", FORM, HTML,
                  "application/ld+json", "application/x-ndjson", "multipart/form-data; boundary=x", "APPLICATION/JSON",
                  "application/msgpack"):  # fmt: skip
        yield f"content-type {media or 'none'}", {"content_type": media}
    yield "content-encoding", {"content_encoding": "gzip"}
    yield "content-length lies", {"content_length": str(limit * 2)}


def record(folder: Path) -> dict[str, Any]:
    """The answers to all requests, by their names."""
    from waypost.contract.openapi import expanded

    recorder = Recorder(folder / "site")
    description = expanded()
    for path in ("/", "/docs/", "/docs", "/a.txt", "/assets/a.css", "/nope", "/v1", "/v1/", "/v1/nope",
                 "/v1/agent-safety/x", "/api/ai/nope", "/../a.txt", "//a.txt", "/docs//", "/404.html",
                 "/site.manifest.json"):  # fmt: skip
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            recorder.send(f"{method} {path}", method, path)
        recorder.send(f"GET {path} html", "GET", path, accept=HTML)
        recorder.send(f"GET {path} query", "GET", f"{path}?utm=1&key=x")
        recorder.send(f"GET {path} origin", "GET", path, origin=ORIGIN)
    recorder.api.close()
    routes = list(description["paths"].items())
    found = recorder.answers
    # A service for a few routes: each request has a key of its own, and a service with thousands of keys is slow.
    for number in range(0, len(routes), ROUTES_EACH):
        found |= _of_routes(folder / f"routes{number}", routes[number : number + ROUTES_EACH])
    return found | _with_other_settings(folder / "other")


def _of_routes(folder: Path, routes: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    recorder = Recorder(folder)
    ids = _members(recorder)
    last = [(template, methods) for template, methods in routes if template == "/keys/sign-out"]
    for template, methods in [*(route for route in routes if route not in last), *last]:
        recorder.api.clock.tick(61)
        for method, operation in methods.items():
            _record_route(recorder, template, method.upper().removeprefix("X-WAYPOST-"), operation, ids)
    if any(template == "/v1/limits" for template, _ in routes):
        for number in range(70):
            recorder.send(f"many {number}", "GET", "/v1/limits", key=ids.setdefault("busy", recorder.key()))
    recorder.api.close()
    return recorder.answers


def _with_other_settings(folder: Path) -> dict[str, Any]:
    recorder = Recorder(folder, allowed_hosts=("127.0.0.1",), trusted_proxies=("10.0.0.0/8",), legacy_rate_headers=True)
    for path in ("/", "/nope", "/v1/limits", "/v1/agent-safety", "/v1/keys/abc", "/v1/schema", "/keys/", "/v1/nope"):
        for host in ("127.0.0.1", "127.0.0.1:8000", "evil.example", "a b", ""):
            for method in ("GET", "PUT"):
                recorder.send(f"{method} {path} at host {host!r}", method, path, key=recorder.key(), host=host,
                              x_forwarded_for="192.0.2.1, 10.0.0.1")  # fmt: skip
    recorder.api.close()
    return recorder.answers


def compare(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Print what differs; how many answers do."""
    different = 0
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        different += 1
        print(name)
        for part in ("status", "headers", "body", "log"):
            if old is None or new is None or old[part] != new[part]:
                print(f"  {part}\n  - {old and str(old[part])[:1500]}\n  + {new and str(new[part])[:1500]}")
    print(f"{different} of {len(before)} answers differ")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        before, after = (json.loads(file.read_text()) for file in options.files)
        return int(compare(before, after) > 0)
    with tempfile.TemporaryDirectory() as folder:
        answers = record(Path(folder))
    options.files[0].write_text(json.dumps(answers, indent=1, ensure_ascii=False))
    print(f"{len(answers)} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
