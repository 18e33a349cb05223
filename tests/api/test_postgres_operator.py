"""Two replicas as an operator runs them: each kind of evidence counts at both, whichever way it is asked for.

Everything is a process of its own on an empty database: `waypost serve` twice with nothing in the data folders,
`waypost mcp --http` before the second, and the operator's commands. WAYPOST_PYTHON names the Python of another
environment, where a wheel of waypost is installed with the extras `server`, `postgres` and `mcp`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests import postgres

httpx = pytest.importorskip("httpx")

from waypost.models.api_key import SCOPES  # noqa: E402
from waypost.store.wrapping import KEY_VARIABLE, new_key  # noqa: E402

pytestmark = pytest.mark.skipif(
    not os.environ.get(postgres.VARIABLE), reason=f"without {postgres.VARIABLE}: there is no PostgreSQL"
)

PYTHON = os.environ.get("WAYPOST_PYTHON") or sys.executable
PATIENCE_S = 120
ACTION = "payment"
Result = TypeVar("Result")


class Operator:
    """Commands on the machine of the operator, whose environment names the database."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        stored = {name: value for name, value in os.environ.items() if not name.startswith(("WAYPOST_", "XDG_"))}
        self.environment = stored | {"HOME": str(folder), "WAYPOST_STORE": address, "WAYPOST_REPLICAS": "2"}
        self.environment[KEY_VARIABLE] = new_key()

    def start(self, stack: ExitStack, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [PYTHON, "-P", "-m", "waypost", *arguments],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        stack.callback(process.stdout.close)  # type: ignore[union-attr]
        stack.callback(process.wait, PATIENCE_S)
        stack.callback(process.terminate)
        return process

    def run(self, *arguments: str, statuses: tuple[int, ...] = (0,)) -> str:
        command = [PYTHON, "-P", "-m", "waypost", *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            text=True,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode in statuses, done.stdout + done.stderr
        return done.stdout

    def key(self, *scopes: str, organization: str = "Fernhill Gazette") -> str:
        expected = ("--name", "test", "--scopes", ",".join(scopes or SCOPES), "--org", organization)
        return self.run("keys", "create", *expected).strip()

    def review(self, domain: str) -> str:
        """Identifier of a relationship that two people accepted."""
        claim = json.loads(self.run("review", "submit", domain, "--entity", "Fernhill", "--as", "ann", "--json"))
        name = str(claim["relationship_id"])
        for person in ("bea", "cem"):
            self.run("review", "accept", name, "--offline", "--reason", "seen", "--as", person, statuses=(0, 1))
        return name


class Replica:
    """A service, and what it says of a domain by each of its ways."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key

    def call(self, method: str, path: str, *, key: str = "", **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {key or self.key}"} | more.pop("headers", {})
        return httpx.request(method, self.url + path, headers=headers, timeout=PATIENCE_S, trust_env=False, **more)

    def decision(self, domain: str, path: str = "/v1/agent-safety", *, key: str = "") -> Any:
        answer = self.call("POST", path, key=key, json={"url": f"https://{domain}/", "intended_action": ACTION})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def relationships(self, domain: str) -> dict[str, str]:
        """Status of the domain's relationship, by the endpoint that says it."""
        item = {"url": f"https://{domain}/", "intended_action": ACTION}
        batch = self.call("POST", "/v1/agent-safety/batch", json={"items": [item]}).json()["results"][0]
        evaluation = {
            "subject": {"type": "agent", "id": "buyer"},
            "action": {"name": ACTION},
            "resource": {"type": "host", "id": domain},
        }
        one = self.call("POST", "/access/v1/evaluation", json=evaluation).json()["context"]
        several = self.call("POST", "/access/v1/evaluations", json={"evaluations": [evaluation]}).json()["evaluations"]
        return {
            "agent-safety": self.decision(domain)["relationship_status"],
            "check-url": self.decision(domain, "/v1/check-url")["relationship_status"],
            "batch": batch["relationship_status"],
            "evaluation": one["relationship_status"],
            "evaluations": several[0]["context"]["relationship_status"],
            "domain": self.call("GET", "/v1/domain", params={"domain": domain}).json()["relationship_status"],
            "search": self._found("/v1/search", domain)["relationship_status"],
        }

    def _found(self, path: str, domain: str, **more: str) -> Any:
        answer = self.call("GET", path, params={"q": domain} | more)
        assert answer.status_code == 200, answer.text
        found = [hit for hit in answer.json()["results"] if hit["domain"] == domain]
        return found[0] if found else {"relationship_status": "not found"}

    def is_official(self, domain: str) -> bool:
        return "relationship_id" in self._found("/v1/official", domain)


@pytest.fixture(scope="module")
def operator(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    with postgres.database(postgres_server) as address:
        made = Operator(tmp_path_factory.mktemp("operator"), address)
        made.run("org", "create", "Fernhill Gazette")
        made.run("org", "create", "Larchwood Press")
        yield made


@pytest.fixture(scope="module")
def replicas(operator: Operator) -> Iterator[list[Replica]]:
    with ExitStack() as stack:
        made, key = [], operator.key()
        for number in (1, 2):
            folder = operator.folder / f"data{number}"
            folder.mkdir(mode=0o700)
            serve = ("serve", "--offline", "--port", "0", "--data", str(folder))
            (operator.folder / "server.toml").write_text('log = "none"\n[quotas]\nchecks = 100000\nlookups = 100000\n')
            process = operator.start(stack, *serve, "--config", "server.toml")
            assert process.stdout
            line = process.stdout.readline()
            address = re.search(r"http://[\d.]+:\d+", line)
            assert address, line + process.stdout.read()
            made.append(Replica(address.group(), key))
        for each in made:
            until(lambda each=each: answers(each))  # type: ignore[misc]
        yield made


def answers(replica: Replica) -> bool:
    try:
        return bool(replica.call("GET", "/readyz").status_code == 200)
    except httpx.HTTPError:
        return False


def until(holds: Callable[[], Result]) -> Result:
    """First true result. A promise of a second or two is measured in `benchmarks/replicas.py`, and only kept here."""
    ends = time.monotonic() + PATIENCE_S
    while not (result := holds()) and time.monotonic() < ends:
        time.sleep(0.1)
    return result


def versions(replica: Replica) -> Any:
    return replica.call("GET", "/readyz").json()["versions"]


def agree(replicas: list[Replica], observe: Callable[[Replica], Any], expected: Any) -> None:
    """Wait until every replica says the same of what it is asked for."""
    until(lambda: all(observe(each) == expected for each in replicas))
    for number, each in enumerate(replicas):
        assert observe(each) == expected, f"replica {number}"


def everywhere(status: str) -> dict[str, str]:
    names = ("agent-safety", "check-url", "batch", "evaluation", "evaluations", "domain", "search")
    return dict.fromkeys(names, status)


def test_a_review_by_command_counts_at_every_replica(operator: Operator, replicas: list[Replica]) -> None:
    operator.review("reviewed.example.com")

    agree(replicas, lambda each: each.relationships("reviewed.example.com"), everywhere("verified_official"))
    agree(replicas, lambda each: each.is_official("reviewed.example.com"), True)


def test_a_dispute_upheld_at_one_replica_stops_at_both(operator: Operator, replicas: list[Replica]) -> None:
    one, other = replicas
    operator.review("disputed.example.com")
    agree(replicas, lambda each: each.relationships("disputed.example.com"), everywhere("verified_official"))
    path = one.decision("disputed.example.com")["dispute_path"]

    filed = other.call("POST", path, json={"claim": "wrong_risk", "statement": "it was sold"})
    assert filed.status_code == 202, filed.text
    dispute = filed.json()["dispute_id"]
    assert dispute in one.call("GET", "/v1/review-queue").text
    operator.run("disputes", "uphold", dispute, "--reason", "sold", "--as", "bea")

    agree(replicas, lambda each: each.relationships("disputed.example.com"), everywhere("disputed"))
    agree(replicas, lambda each: each.is_official("disputed.example.com"), False)


def test_a_review_revoked_by_a_command_verifies_nothing(operator: Operator, replicas: list[Replica]) -> None:
    name = operator.review("revoked.example.com")
    agree(replicas, lambda each: each.is_official("revoked.example.com"), True)

    operator.run("review", "revoke", name, "--reason", "sold", "--as", "bea")

    agree(
        replicas, lambda each: each.decision("revoked.example.com")["relationship_status"] == "verified_official", False
    )
    agree(replicas, lambda each: each.is_official("revoked.example.com"), False)


def test_a_list_from_one_machine_counts_everywhere_until_removed(operator: Operator, replicas: list[Replica]) -> None:
    def risks(each: Replica) -> set[str]:
        item = {"url": "https://listed.example.org/", "intended_action": ACTION}
        evaluation = {
            "subject": {"type": "agent", "id": "buyer"},
            "action": {"name": ACTION},
            "resource": {"type": "url", "id": item["url"]},
        }
        return {
            each.decision("listed.example.org")["risk_status"],
            each.decision("listed.example.org", "/v1/check-url")["risk_status"],
            each.call("POST", "/v1/agent-safety/batch", json={"items": [item]}).json()["results"][0]["risk_status"],
            each.call("POST", "/access/v1/evaluation", json=evaluation).json()["context"]["risk_status"],
            each.call("GET", "/v1/domain", params={"domain": "listed.example.org"}).json()["risk_status"],
        }

    hosts = operator.folder / "hosts.txt"
    hosts.write_text("listed.example.org\nlate.example.org\n")
    operator.run("feeds", "add", "local", str(hosts))
    agree(replicas, risks, {"high_risk_signal_observed"})
    before = [versions(each) for each in replicas]
    assert before[0] == before[1]

    operator.run("feeds", "remove", "local")
    # A signal that was observed at a host counts until it expires, so nobody asks about this one before.
    until(lambda: all(versions(each) != before[0] for each in replicas))
    agree(replicas, lambda each: each.decision("late.example.org")["risk_status"], "no_high_risk_signal_observed")


def test_a_key_revoked_at_one_replica_is_rejected_everywhere(operator: Operator, replicas: list[Replica]) -> None:
    one, other = replicas
    made = one.call("POST", "/v1/keys", json={"name": "gone", "scopes": ["agent"]}).json()
    other.decision("example.com", key=made["key"])

    assert one.call("POST", f"/v1/keys/{made['id']}/revoke").status_code < 300
    payload = {"url": "https://example.com/", "intended_action": ACTION}
    agree(
        replicas,
        lambda each: each.call("POST", "/v1/agent-safety", key=made["key"], json=payload).status_code,
        401,
    )


def test_what_one_replica_made_the_other_knows_at_once(replicas: list[Replica]) -> None:
    one, other = replicas
    payload = {"url": "https://example.com/", "intended_action": ACTION}
    headers = {"Idempotency-Key": "once"}

    first = one.call("POST", "/v1/agent-safety/batch", json={"items": [payload]}, headers=headers).json()
    again = other.call("POST", "/v1/agent-safety/batch", json={"items": [payload]}, headers=headers).json()
    stored = other.call("GET", f"/v1/decisions/{first['results'][0]['decision_id']}")
    for number in range(3):
        one.call("POST", "/v1/keys", json={"name": f"key {number}", "scopes": ["agent"]})
    page = one.call("GET", "/v1/keys", params={"limit": 2}).json()
    following = other.call("GET", "/v1/keys", params={"limit": 2, "cursor": page["next_cursor"]})

    assert again == first
    assert stored.json()["decision_id"] == first["results"][0]["decision_id"]
    assert following.status_code == 200, following.text


def test_session_of_one_replica_is_valid_at_the_other(operator: Operator, replicas: list[Replica]) -> None:
    one = replicas[0]
    claimed = operator.run("review", "submit", "claimed.example.com", "--entity", "Fernhill", "--as", "ann", "--json")
    link = operator.run("org", "login-link", "--as", "bea", "--site-url", one.url, "--org", "Fernhill Gazette").strip()
    token = link.partition("token=")[2]
    usual = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}

    signed = httpx.post(f"{one.url}/keys/sign-in", data={"token": token}, headers=usual, trust_env=False)
    cookie = signed.headers["set-cookie"].partition(";")[0]
    pages = [
        httpx.get(f"{each.url}/keys/reviews/", headers=usual | {"Cookie": cookie}, trust_env=False) for each in replicas
    ]

    assert [page.status_code for page in pages] == [200, 200]
    assert all(json.loads(claimed)["relationship_id"] in page.text for page in pages)


def test_agents_by_mcp_get_what_the_replicas_know(operator: Operator, replicas: list[Replica]) -> None:
    pytest.importorskip("mcp")
    name = operator.review("tools.example.com")
    agree(replicas, lambda each: each.is_official("tools.example.com"), True)

    with ExitStack() as stack:
        servers = []
        for each in replicas:
            process = operator.start(stack, "mcp", "--http", "--port", "0", "--service", each.url)
            assert process.stdout
            servers.append(process.stdout.readline().split()[1])

        def report(address: str) -> str:
            return str(by_mcp(address, replicas[0].key, "https://tools.example.com/"))

        assert ["verified_official" in report(address) for address in servers] == [True, True]
        operator.run("review", "dispute", name, "--reason", "sold", "--as", "bea")
        until(lambda: all("'disputed'" in report(address) for address in servers))
        assert ["'disputed'" in report(address) for address in servers] == [True, True]

        key = operator.key("agent")
        by_mcp(servers[1], key, "https://tools.example.com/")
        entries = json.loads(operator.run("keys", "list", "--org", "Fernhill Gazette", "--json"))
        operator.run("keys", "revoke", entries["items"][0]["id"])
        until(lambda: "STOP: no decision" in str(by_mcp(servers[1], key, "https://tools.example.com/")))
        assert "STOP: " in str(by_mcp(servers[1], key, "https://tools.example.com/"))


def by_mcp(address: str, key: str, url: str) -> Any:
    """Result of the tool that checks a destination, by a single request of the stateless revision."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    arguments = {"url": url, "intended_action": ACTION}
    params = {"name": "check_destination", "arguments": arguments, "_meta": meta}
    headers = {
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {key}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "check_destination",
    }
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}
    answer = httpx.post(address, json=message, headers=headers, timeout=60, trust_env=False)
    return json.loads(answer.text.split("data: ")[-1])


SNIPPET = {"kind": "schema", "site": {"name": "Acme", "domain": "acme.example"}}


@pytest.mark.parametrize(
    ("source", "method", "path", "body", "quota"),
    [("127.0.0.2", "GET", "/v1/keys", None, 20), ("127.0.0.3", "POST", "/api/ai/snippet", SNIPPET, 30)],
    ids=["failed-auth", "preview"],
)
def test_replicas_do_not_multiply_the_limit_of_an_address(
    replicas: list[Replica], source: str, method: str, path: str, body: Any, quota: int
) -> None:
    headers = {"Authorization": "Bearer wp_live_nothing"} if path == "/v1/keys" else {}

    with httpx.Client(transport=httpx.HTTPTransport(local_address=source), timeout=60, headers=headers) as client:
        answers = [
            client.request(method, replicas[number % 2].url + path, json=body).status_code
            for number in range(2 * quota + 10)
        ]

    assert quota <= len([each for each in answers if each != 429]) <= 1.2 * quota


def test_replicas_do_not_multiply_the_quota_of_a_key(replicas: list[Replica]) -> None:
    request = {"name": "few", "scopes": ["agent"], "limits": {"checks": 40}}
    key = replicas[0].call("POST", "/v1/keys", json=request).json()["key"]
    payload = {"url": "https://example.com/", "intended_action": ACTION}

    answers = [
        replicas[number % 2].call("POST", "/v1/agent-safety", key=key, json=payload).status_code for number in range(90)
    ]

    assert 40 <= answers.count(200) <= 48
    assert set(answers) == {200, 429}


def test_filling_the_workers_of_both_replicas_delays_no_other(operator: Operator, replicas: list[Replica]) -> None:
    keys = [operator.key("validate", organization=name) for name in ("Fernhill Gazette", "Larchwood Press")]
    product = {"@context": "https://schema.org", "@type": "Product", "name": "Lamp", "offers": {"price": "1"}}
    page = "".join(f'<script type="application/ld+json">{json.dumps(product)}</script>' for _ in range(1500))

    def validated(replica: Replica, key: str, content: str) -> tuple[int, float]:
        headers = {"Content-Type": "text/html"}
        answer = replica.call("POST", "/v1/validate", key=key, content=content, headers=headers)
        return answer.status_code, time.monotonic()

    with ThreadPoolExecutor(12) as threads:
        flood = {each.url: [threads.submit(validated, each, keys[0], page) for _ in range(5)] for each in replicas}
        time.sleep(0.3)
        others = [threads.submit(validated, each, keys[1], page[:100_000]) for each in replicas]
        ended = [
            (other.result(), [sent.result() for sent in flood[each.url]])
            for other, each in zip(others, replicas, strict=True)
        ]

    for (status, at), results in ended:
        assert status == 200
        assert {each for each, _ in results} <= {200, 503}
        assert at < max(at for each, at in results if each == 200)


def test_commands_of_the_operator_decide_by_the_database_too(operator: Operator) -> None:
    operator.review("command.example.com")
    hosts = operator.folder / "more.txt"
    hosts.write_text("commanded.example.org\n")
    operator.run("feeds", "add", "more", str(hosts))

    def decided(url: str) -> Any:
        check = ("check", url, "--action", ACTION, "--offline", "--json")
        return json.loads(operator.run(*check, statuses=(0, 1)))

    assert decided("https://command.example.com/")["relationship_status"] == "verified_official"
    assert decided("https://commanded.example.org/")["risk_status"] == "high_risk_signal_observed"
