"""The service as a process: what it prints, what the README's quickstart gets, how it ends, what it refuses."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn")

from tools import readme_command

from waypost.cli import main
from waypost.isolation.lifeline import PARENT

ROOT = Path(__file__).parent.parent
WAYPOST = [sys.executable, "-m", "waypost"]
_TRIES, _EVERY_S = 1200, 0.1


def environment(**more: str) -> dict[str, str]:
    stored = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return {**stored, **more}


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, in a process without settings of waypost in its environment."""
    for name in [name for name in os.environ if name.startswith("WAYPOST_")]:
        monkeypatch.delenv(name)
    return tmp_path


def make_organization(data: Path) -> None:
    assert main(["org", "create", "Acme", "--data", str(data)]) == 0


@contextmanager
def running(*arguments: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """`waypost up --json` as a process, and what it printed."""
    process = subprocess.Popen(
        [*WAYPOST, "up", "--json", "--port", "0", "--offline", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(**variables),
    )
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        started = json.loads(line)
        answers(started["site_url"])
        yield process, started
    finally:
        process.kill()
        process.communicate()


def answers(site: str) -> None:
    for _ in range(_TRIES):
        try:
            urllib.request.urlopen(f"{site}/healthz", timeout=60).close()
            return
        except OSError:
            time.sleep(_EVERY_S)
    raise AssertionError("it never answered")


def send_request(site: str, key: str, host: str = "shop.example.com") -> tuple[int, dict[str, Any]]:
    body = json.dumps({"url": f"https://{host}/", "intended_action": "payment"}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{site}/v1/agent-safety", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as rejected:
        with rejected:
            return rejected.code, json.loads(rejected.read())


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A service on a new folder, for the tests that leave it running, and what it printed."""
    with running("--no-build", "--data", str(tmp_path_factory.mktemp("up") / "data")) as service:
        yield service


def test_first_run_prints_a_key_and_each_a_link(up: tuple[Any, dict[str, Any]]) -> None:
    first = up[1]
    assert set(first) == {
        "site_url", "base_url", "organization", "key", "key_id", "sign_in_url", "data_dir",
    }  # fmt: skip
    assert first["sign_in_url"].startswith(first["site_url"])
    status, decision = send_request(first["site_url"], first["key"])
    assert (status, decision["action_allowed"]) == (200, False)
    data = Path(first["data_dir"])
    with running("--no-build", "--data", str(data)) as (_, started):
        assert "key" not in started
        assert started["organization"] == first["organization"]
        assert started["sign_in_url"] != first["sign_in_url"]
        assert send_request(started["site_url"], first["key"])[0] == 200
    assert data.stat().st_mode & 0o077 == 0


def test_a_start_that_fails_early_makes_no_key(alone: Path) -> None:
    from waypost.store import open_store, organizations

    (alone / "data").mkdir()
    (alone / "data" / "site").write_text("not a folder")

    assert main(["up", "--port", "0", "--offline", "--data", str(alone / "data")]) == 3

    with open_store(alone / "data") as store:
        assert store.read(organizations.find_all) == []


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_each_request_of_the_readme_gets_its_answer(up: tuple[Any, dict[str, Any]]) -> None:
    requests, started = readme_command.requests(), up[1]
    assert {*requests} == {"curl-validate", "curl-snippet", "curl-agent-safety"}

    for name, (command, displayed) in requests.items():
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command.replace("http://127.0.0.1:8000", started["site_url"])],
            capture_output=True,
            cwd=ROOT,
            env=environment(WAYPOST_API_KEY=started["key"]),
            check=True,
        )
        assert readme_command.contains(json.loads(done.stdout), displayed), name


def test_a_signal_ends_it_without_losing_answers(tmp_path: Path) -> None:
    from waypost.service import clock
    from waypost.store import decisions, open_store

    data = tmp_path / "data"
    with running("--no-build", "--data", str(data)) as (process, started):
        ids = [send_request(started["site_url"], started["key"])[1]["decision_id"] for _ in range(5)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    with open_store(data) as store:
        organization = started["organization"]["id"]
        for name in ids:
            assert store.read(lambda db, name=name: decisions.find(db, organization, name, clock())).record.id == name


def status_of(site: str, path: str) -> tuple[int, str | None]:
    """Status of a path, and the `Retry-After` of its answer."""
    try:
        with urllib.request.urlopen(f"{site}{path}", timeout=120) as answer:
            return answer.status, answer.headers["retry-after"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["retry-after"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the child of the service is found in /proc")
def test_the_api_answers_while_the_site_is_built(tmp_path: Path) -> None:
    with running("--data", str(tmp_path / "data"), WAYPOST_LOG="none") as (process, started):
        site = started["site_url"]
        # The builder is stopped, so that the site is incomplete for as long as this takes.
        child = builder_of(process.pid)
        os.kill(child, signal.SIGSTOP)
        try:
            assert send_request(site, started["key"])[0] == 200
            assert status_of(site, "/no/such/page/") == (503, "2")
            assert status_of(site, "/v1/no-such-path")[0] == 404
        finally:
            os.kill(child, signal.SIGCONT)
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
        assert not Path(f"/proc/{child}").exists()


def builder_of(parent: int) -> int:
    """Process that builds the site of a service."""
    for _ in range(_TRIES):
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            if b"spawn_main" in command:
                return int(child)
        time.sleep(_EVERY_S)
    raise AssertionError("no process builds the site")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_sighup_takes_up_a_new_list_without_a_restart(
    up: tuple[subprocess.Popen[str], dict[str, Any]], tmp_path: Path
) -> None:
    process, started = up
    list_file = tmp_path / "list.txt"
    list_file.write_text("bad.example\n")
    assert send_request(started["site_url"], started["key"], "bad.example")[1]["reason_codes"] != ["threat_list_match"]
    assert main(["feeds", "add", "ours", str(list_file), "--data", started["data_dir"]]) == 0
    process.send_signal(signal.SIGHUP)
    for _ in range(_TRIES):
        decision = send_request(started["site_url"], started["key"], "bad.example")
        if decision[0] == 429 or "threat_list_match" in decision[1]["reason_codes"]:
            break
        time.sleep(_EVERY_S * 5)
    assert decision[1]["reason_codes"] == ["threat_list_match"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is told by /proc")
def test_closed_connections_leave_nothing_in_memory(tmp_path: Path) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"

    def memory_after(connections: int) -> int:
        for _ in range(connections):
            assert raw(port, request).startswith(b"HTTP/1.1 200 ")
        status = Path(f"/proc/{process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    with running("--no-build", "--data", str(tmp_path / "data"), WAYPOST_LOG="none") as (process, started):
        port = urlsplit(started["site_url"]).port or 0
        search = urllib.request.Request(f"{started['site_url']}/v1/search?q=shop")
        search.add_header("authorization", f"Bearer {started['key']}")
        urllib.request.urlopen(search, timeout=120).close()  # with an index of 12 MB, which is loaded after the start
        first = memory_after(1000)
        assert memory_after(2000) - first < 8_000, "in KB; uncollected, each connection leaves 8"


def test_a_taken_port_is_reported_as_taken(up: tuple[Any, dict[str, Any]], tmp_path: Path) -> None:
    port = up[1]["site_url"].rpartition(":")[2]
    done = subprocess.run(
        [*WAYPOST, "up", "--no-build", "--port", port, "--data", str(tmp_path / "two")],
        capture_output=True, text=True, env=environment(), check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "--port" in done.stderr
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('site_url = "http://waypost.test"', "https"),
        ('host = "0.0.0.0"', "allowed_hosts"),
        ('host = "192.0.2.7"\nallowed_hosts = ["192.0.2.7"]', "https"),
        ('trusted_proxies = ["0.0.0.0/0"]', "clients within it could choose their address"),
        ('allowed_hosts = ["*"]', "allowed_hosts: '*' has a wildcard"),
        ("port = 8123\nadmin_port = 8123", "admin_port: 8123 is the port of the service"),
        ('cors_origins = ["*"]', "is not an origin"),
        ('site_url = "https://waypost.test/below"', "only scheme, host and port"),
        ('policy = "baselin-2026-12-01"', "policy: there is no policy named 'baselin-2026-12-01'; did you mean"),
    ],
)
def test_unsafe_settings_keep_it_from_serving(
    alone: Path, capsys: pytest.CaptureFixture[str], settings: str, message: str
) -> None:
    make_organization(alone / "data")
    config = alone / "server.toml"
    config.write_text(f'data = "{alone / "data"}"\n{settings}\n')
    for more, status in ((["--check"], 1), ([], 3)):
        assert main(["serve", "--config", str(config), *more]) == status
        started = capsys.readouterr()
        assert message in started.out + started.err


def test_taken_port_of_the_metrics_keeps_it_from_serving(
    alone: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_organization(alone / "data")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("WAYPOST_ADMIN_PORT", str(port))
        for command in (["serve"], ["up", "--no-build"]):
            assert main([*command, "--port", "0", "--data", str(alone / "data")]) == 3
            started = capsys.readouterr().err
            assert f"admin_port: cannot listen on 127.0.0.1 port {port}: address already in use" in started
            assert "serving" not in started


def test_a_misspelled_variable_keeps_it_from_serving(
    alone: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_organization(alone / "data")
    monkeypatch.setenv("WAYPOST_ALLOWEDHOSTS", "waypost.test")
    for command, status in ((["serve", "--check"], 1), (["serve"], 3), (["up", "--no-build"], 2)):
        assert main([*command, "--port", "0", "--data", str(alone / "data")]) == status
        started = capsys.readouterr()
        assert "there is no such variable; did you mean WAYPOST_ALLOWED_HOSTS?" in started.out + started.err


def test_safe_settings_apply_and_typos_are_named(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, config = alone / "data", alone / "server.toml"
    make_organization(data)
    capsys.readouterr()
    config.write_text(f'data = "{data}"\nsite_url = "https://waypost.test"\nallowed_hosts = ["waypost.test"]\n')
    assert main(["serve", "--check", "--config", str(config)]) == 0
    assert capsys.readouterr().out == "all checks hold\n"
    config.write_text("worker = 2\n")
    assert main(["serve", "--check", "--config", str(config)]) == 2
    assert "did you mean workers?" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="processes share a socket on POSIX alone")
def test_two_processes_forget_a_revoked_key_within_a_second(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make_organization(data)
    create = [*WAYPOST, "keys", "create", "--name", "k", "--scopes", "agent", "--data", str(data), "--json"]
    made = json.loads(subprocess.run(create, check=True, capture_output=True, env=environment()).stdout)
    socket_port = _free_port()
    process = subprocess.Popen(
        [*WAYPOST, "serve", "--port", str(socket_port), "--data", str(data), "--workers", "2", "--offline"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment(WAYPOST_SITE_URL=f"http://127.0.0.1:{socket_port}"),
    )  # fmt: skip
    site = f"http://127.0.0.1:{socket_port}"
    try:
        answers(site)
        statuses = [send_request(site, made["key"])[0] for _ in range(100)]
        assert set(statuses) == {200, 429}
        assert 60 <= statuses.count(200) <= 72
        revoke = [*WAYPOST, "keys", "revoke", made["id"], "--data", str(data)]
        subprocess.run(revoke, check=True, capture_output=True, env=environment())
        time.sleep(1.0)
        assert {send_request(site, made["key"])[0] for _ in range(8)} <= {401, 429}
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0


STARTS_LONG = """
import time
from waypost.isolation.lifeline import while_parent_lives
with while_parent_lives():
    print("starting", flush=True)
    time.sleep(20)
    print("started", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the parent's number of a child")
def test_process_that_is_still_starting_ends_with_its_parent() -> None:
    parent = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    process = subprocess.Popen([sys.executable, "-c", parent, STARTS_LONG], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()  # the child runs, with the same standard output

    process.kill()
    process.wait()

    assert process.stdout.read() == "", "the output ends with the child, before the child has started"
    process.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the parent's number of a child")
def test_an_orphaned_process_ends_before_its_first_line() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        dead.wait()
    environment = {**os.environ, PARENT: str(dead.pid)}

    found = subprocess.run([sys.executable, "-c", STARTS_LONG], env=environment, capture_output=True, text=True)

    assert found.returncode == 1
    assert "started" not in found.stdout


def test_a_process_with_a_fork_server_loads_the_same() -> None:
    code = f"import os; os.environ[{PARENT!r}] = str(os.getpid())\n" + STARTS_LONG.replace("sleep(20)", "sleep(0.3)")

    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (found.returncode, found.stdout) == (0, "starting\nstarted\n")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed by /proc")
def test_workers_end_with_their_parent_and_free_the_port(tmp_path: Path) -> None:
    orphans = benchmark("orphans")
    data, port = tmp_path / "data", _free_port()
    make_organization(data)
    process = orphans.start(data, port, 2)
    below = orphans.descendants(process.pid)
    assert len(below) >= 2

    _, _, left = orphans.killed(process, port)

    assert not left
    assert orphans.is_free(port)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed by /proc")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_at_any_moment_ends_the_start(tmp_path: Path, workers: int) -> None:
    """`benchmarks/orphans.py --starting` tries twenty random moments."""
    orphans = benchmark("orphans")
    data, port = tmp_path / "data", _free_port()
    make_organization(data)

    for after_s in (0, 0.3, 0.6, 1, 1.5):
        status, seconds, left = orphans.ended_early(data, port, workers, after_s)
        assert (status, left, orphans.is_free(port)) == (0, set(), True), after_s
        assert seconds < orphans.LONGEST_S, after_s


def test_any_free_port_is_printed_and_in_addresses(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make_organization(data)
    process = subprocess.Popen(
        [*WAYPOST, "serve", "--port", "0", "--data", str(data), "--offline"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    try:
        assert process.stderr
        site, port = re.fullmatch(
            r"waypost: serving (\S+) on 127\.0\.0\.1 port (\d+)\n", process.stderr.readline()
        ).groups()  # type: ignore[union-attr]
        assert site == f"http://127.0.0.1:{port}" != "http://127.0.0.1:0"
        answers(site)
        started = urllib.request.urlopen(f"{site}/.well-known/security.txt", timeout=120).read().decode()
        assert f"Canonical: {site}/.well-known/security.txt" in started
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 0


def benchmark(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_counters_of_all_processes_have_a_separate_port(tmp_path: Path) -> None:
    data, port, admin = tmp_path / "data", _free_port(), _free_port()
    make_organization(data)
    process = subprocess.Popen(
        [*WAYPOST, "serve", "--port", str(port), "--data", str(data), "--workers", "2", "--offline"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment(WAYPOST_SITE_URL=f"http://127.0.0.1:{port}", WAYPOST_ADMIN_PORT=str(admin)),
    )  # fmt: skip
    try:
        answers(f"http://127.0.0.1:{port}")
        for _ in range(10):
            send_request(f"http://127.0.0.1:{port}", "wp_live_no_key")
        for _ in range(_TRIES):
            with urllib.request.urlopen(f"http://127.0.0.1:{admin}/metrics", timeout=60) as started:
                text = started.read().decode()
            if 'waypost_problems_total{code="unauthenticated"} 10' in text:
                break
            time.sleep(_EVERY_S)
        assert 'waypost_problems_total{code="unauthenticated"} 10' in text
        assert 'route="/v1/agent-safety"' in text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


@pytest.mark.skipif(os.name != "posix", reason="processes share a socket on POSIX alone")
def test_processes_of_a_service_record_nothing_of_their_requests(tmp_path: Path) -> None:
    data, log, port, admin = tmp_path / "data", tmp_path / "log", _free_port(), _free_port()
    make_organization(data)
    scopes = "agent,check,domain,search,validate,official"
    create = [*WAYPOST, "keys", "create", "--name", "k", "--scopes", scopes, "--json"]
    made = json.loads(subprocess.run([*create, "--data", str(data)], check=True, capture_output=True).stdout)
    tokens = runpy.run_path(str(ROOT / "tests" / "api" / "canary.py"))["Tokens"](made["key"])
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*WAYPOST, "serve", "--port", str(port), "--data", str(data), "--workers", "2", "--offline"],
            stdout=file, stderr=file,
            env=environment(WAYPOST_SITE_URL=f"http://127.0.0.1:{port}", WAYPOST_ADMIN_PORT=str(admin)),
        )  # fmt: skip
    try:
        answers(f"http://127.0.0.1:{port}")
        started = [raw(port, each) for each in canaries(tokens, made["key"])]
        metrics = urllib.request.urlopen(f"http://127.0.0.1:{admin}/metrics", timeout=60).read().decode()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)

    statuses = [each.split(b" ", 2)[1] for each in started if each]
    assert {b"200", b"400", b"401", b"404", b"405", b"415", b"422", b"431"} <= set(statuses)
    assert log.read_text().count('"event":"request"') >= len(statuses) - 10
    assert "waypost_problems_total" in metrics
    assert tokens.found(tmp_path, metrics) == []


def canaries(tokens: Any, key: str) -> Iterator[bytes]:
    """Requests as bytes, with a word of their own in every place of them, and some that are no HTTP."""
    url, word = tokens.url("shop.example"), tokens["body"]
    whole = {"url": url, "intended_action": "payment"}
    documents = [whole, whole | {tokens["member"]: word}, {"url": word}, whole | {"claimed_brand": word}, [word]]
    bodies = [json.dumps(each).encode() for each in documents] + [word.encode(), f'{{"a": "{word}'.encode()]
    headers = "".join(f"{name}: {value}\r\n" for name, value in tokens.headers().items())
    statuses = f"?{tokens['member']}={tokens['query']}"

    def request(method: str, path: str, body: bytes = b"", more: str = f"Authorization: Bearer {key}\r\n") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}{more}Connection: close\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    sent = f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    documents += [{"data": {"@type": "Product", word: word, "offers": word}}, {"html": f"<p itemscope {word}>{word}"}]
    bodies += [json.dumps(each).encode() for each in documents[-2:]]
    for path in ("/v1/agent-safety", "/v1/check-url", "/v1/agent-safety/batch", "/v1/search", "/api/ai/snippet",
                 "/v1/validate"):  # fmt: skip
        yield from (request("POST", path, body, sent) for body in bodies)
        yield request("POST", path, bodies[0])
        yield request("POST", f"{path}{statuses}", bodies[0], sent)
        yield request("DELETE", f"{path}{statuses}")
    for path in (f"/v1/domain?domain={url.partition('#')[0]}", f"/v1/search?q={word}", f"/v1/official?q={word}",
                 f"/{tokens['path']}{statuses}", f"/v1/domain?domain=shop.example&key={key}",
                 f"/v1/decisions/{tokens['path']}"):  # fmt: skip
        yield request("GET", path)
        yield request("GET", path, more=f"Authorization: Basic {word}\r\n")
    yield f"GET /{tokens['path']} NO HTTP {word}\r\n\r\n".encode()
    yield f"GET /{tokens['path']} HTTP/1.1\r\nHost: {word}\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    yield f"GET /{tokens['path']} HTTP/1.1\r\nHost: x\r\nX: {word * 2000}\r\n\r\n".encode()


def raw(port: int, sent: bytes) -> bytes:
    """Answer to the bytes of a request, until the service closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line, contextlib.suppress(ConnectionError):
        line.sendall(sent)
        return b"".join(iter(lambda: line.recv(65536), b""))
    return b""


def _free_port() -> int:
    return int(benchmark("orphans").free_port())


def test_the_settings_that_ship_are_settings() -> None:
    from waypost.api.settings import read_settings

    settings = read_settings(ROOT / "deploy" / "server.toml", {})
    assert settings.site_url == "https://trust.example.com"
    assert settings.admin_port == 9600


class _Ended:
    """Server process that says that it could not start."""

    exitcode = 3
    process = SimpleNamespace(is_alive=lambda: False)

    def kill(self) -> None: ...

    def join(self) -> None: ...

    def terminate(self) -> None: ...


@pytest.mark.parametrize("has_signal", [False, True])
def test_a_signal_does_not_fail_the_start(monkeypatch: pytest.MonkeyPatch, has_signal: bool) -> None:
    import uvicorn

    from waypost.api.supervisor import Supervisor

    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(Supervisor, "_started", lambda _: _Ended())
    supervisor = Supervisor(uvicorn.Config("", workers=1), [])
    if has_signal:
        monkeypatch.setattr(supervisor.should_exit, "wait", lambda _: True)

    supervisor.run()

    assert supervisor.could_not_start is not has_signal
