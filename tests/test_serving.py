"""The service as a process: what it prints, what the README's quickstart gets, how it ends, what it refuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

from tools import readme_command

ROOT = Path(__file__).parent.parent
WAYPOST = [sys.executable, "-m", "waypost"]
_TRIES, _EVERY_S = 300, 0.1


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    return {**kept, **more}


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
        told = json.loads(line)
        answers(told["site_url"])
        yield process, told
    finally:
        process.kill()
        process.communicate()


def answers(site: str) -> None:
    for _ in range(_TRIES):
        try:
            urllib.request.urlopen(f"{site}/healthz", timeout=5).close()
            return
        except OSError:
            time.sleep(_EVERY_S)
    raise AssertionError("it never answered")


def ask(site: str, key: str, host: str = "shop.example.com") -> tuple[int, dict[str, Any]]:
    body = json.dumps({"url": f"https://{host}/", "intended_action": "payment"}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{site}/v1/agent-safety", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.loads(refused.read())


def test_the_first_run_shows_a_key_once_and_every_run_a_link(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running("--no-build", "--data", str(data)) as (_, told):
        assert set(told) == {
            "site_url", "base_url", "organization", "key", "key_id", "sign_in_url", "data_dir",
        }  # fmt: skip
        assert told["sign_in_url"].startswith(told["site_url"])
        status, decision = ask(told["site_url"], told["key"])
        assert (status, decision["action_allowed"]) == (200, False)
        first = told
    with running("--no-build", "--data", str(data)) as (_, told):
        assert "key" not in told
        assert told["organization"] == first["organization"]
        assert told["sign_in_url"] != first["sign_in_url"]
        assert ask(told["site_url"], first["key"])[0] == 200
    assert data.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_the_quickstart_of_the_readme_works_word_for_word(tmp_path: Path) -> None:
    with running("--no-build", "--data", str(tmp_path / "data")) as (_, told):
        script = readme_command.command("quickstart").replace("http://127.0.0.1:8000", told["site_url"])
        assert told["site_url"] in script
        outputs = []
        for command in filter(None, script.split("\n\n")):
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                capture_output=True,
                cwd=ROOT,
                env=environment(WAYPOST_API_KEY=told["key"]),
                check=True,
            )
            outputs.append(json.loads(done.stdout))
    validated, previewed, decided = outputs
    assert "price-invalid" in {each["rule"] for each in validated["files"][0]["findings"]}
    assert previewed["snippet"]["title"] == "Loma"
    assert (decided["action"], decided["action_allowed"]) == ("payment", False)


def test_a_signal_ends_it_and_nothing_that_was_answered_is_lost(tmp_path: Path) -> None:
    from waypost.service import clock
    from waypost.store import decisions, open_store

    data = tmp_path / "data"
    with running("--no-build", "--data", str(data)) as (process, told):
        ids = [ask(told["site_url"], told["key"])[1]["decision_id"] for _ in range(5)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in {0, -signal.SIGTERM}
    with open_store(data) as store:
        whose = told["organization"]["id"]
        for name in ids:
            assert store.read(lambda db, name=name: decisions.find(db, whose, name, clock())).record.id == name


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_sighup_takes_up_a_new_list_without_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "data"
    listed = tmp_path / "list.txt"
    listed.write_text("bad.example\n")
    with running("--no-build", "--data", str(data)) as (process, told):
        assert ask(told["site_url"], told["key"], "bad.example")[1]["reason_codes"] != ["threat_list_match"]
        subprocess.run(
            [*WAYPOST, "feeds", "add", "ours", str(listed), "--data", str(data)],
            check=True, capture_output=True, env=environment(),
        )  # fmt: skip
        process.send_signal(signal.SIGHUP)
        for _ in range(_TRIES):
            decision = ask(told["site_url"], told["key"], "bad.example")
            if decision[0] == 429 or "threat_list_match" in decision[1]["reason_codes"]:
                break
            time.sleep(_EVERY_S * 5)
        assert decision[1]["reason_codes"] == ["threat_list_match"]


def test_a_taken_port_is_said_to_be_taken(tmp_path: Path) -> None:
    with running("--no-build", "--data", str(tmp_path / "one")) as (_, told):
        port = told["site_url"].rpartition(":")[2]
        done = subprocess.run(
            [*WAYPOST, "up", "--no-build", "--port", port, "--data", str(tmp_path / "two")],
            capture_output=True, text=True, env=environment(), check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert "--port" in done.stderr
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('site_url = "http://waypost.example"', "https"),
        ('host = "0.0.0.0"', "allowed_hosts"),
        ('trusted_proxies = ["0.0.0.0/0"]', "trusts everybody"),
        ('cors_origins = ["*"]', "no origin"),
        ('site_url = "https://waypost.example/below"', "only scheme, host and port"),
    ],
)
def test_unsafe_settings_keep_it_from_serving(tmp_path: Path, settings: str, said: str) -> None:
    data = tmp_path / "data"
    made = [*WAYPOST, "org", "create", "Acme", "--data", str(data)]
    subprocess.run(made, check=True, capture_output=True, env=environment())
    config = tmp_path / "server.toml"
    config.write_text(f'data = "{data}"\n{settings}\n')
    for more in (["--check"], []):
        done = subprocess.run(
            [*WAYPOST, "serve", "--config", str(config), *more],
            capture_output=True, text=True, env=environment(), check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 1
        assert said in done.stdout + done.stderr


def test_safe_settings_hold_and_a_slip_in_the_file_is_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    made = [*WAYPOST, "org", "create", "Acme", "--data", str(data)]
    subprocess.run(made, check=True, capture_output=True, env=environment())
    config = tmp_path / "server.toml"
    config.write_text(f'data = "{data}"\nsite_url = "https://waypost.example"\nallowed_hosts = ["waypost.example"]\n')
    check = [*WAYPOST, "serve", "--check", "--config", str(config)]
    done = subprocess.run(check, capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout) == (0, "all checks hold\n")
    config.write_text("worker = 2\n")
    done = subprocess.run(check, capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 2
    assert "did you mean workers?" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="processes share a socket on POSIX alone")
def test_two_processes_behind_one_port_forget_a_revoked_key_within_a_second(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make = [*WAYPOST, "org", "create", "Acme", "--data", str(data)]
    subprocess.run(make, check=True, capture_output=True, env=environment())
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
        asked = [ask(site, made["key"])[0] for _ in range(100)]
        assert set(asked) == {200, 429}
        assert 60 <= asked.count(200) <= 72
        revoke = [*WAYPOST, "keys", "revoke", made["id"], "--data", str(data)]
        subprocess.run(revoke, check=True, capture_output=True, env=environment())
        time.sleep(1.0)
        assert {ask(site, made["key"])[0] for _ in range(8)} <= {401, 429}
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def test_counters_are_shown_on_a_port_of_their_own_over_all_processes(tmp_path: Path) -> None:
    data, port, admin = tmp_path / "data", _free_port(), _free_port()
    make = [*WAYPOST, "org", "create", "Acme", "--data", str(data)]
    subprocess.run(make, check=True, capture_output=True, env=environment())
    process = subprocess.Popen(
        [*WAYPOST, "serve", "--port", str(port), "--data", str(data), "--workers", "2", "--offline"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment(WAYPOST_SITE_URL=f"http://127.0.0.1:{port}", WAYPOST_ADMIN_PORT=str(admin)),
    )  # fmt: skip
    try:
        answers(f"http://127.0.0.1:{port}")
        for _ in range(10):
            ask(f"http://127.0.0.1:{port}", "wp_live_no_key")
        for _ in range(_TRIES):
            with urllib.request.urlopen(f"http://127.0.0.1:{admin}/metrics", timeout=5) as told:
                text = told.read().decode()
            if 'waypost_problems_total{code="unauthenticated"} 10' in text:
                break
            time.sleep(_EVERY_S)
        assert 'waypost_problems_total{code="unauthenticated"} 10' in text
        assert 'route="/v1/agent-safety"' in text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_settings_that_ship_are_settings() -> None:
    from waypost.api.settings import read_settings

    settings = read_settings(ROOT / "deploy" / "server.toml", {})
    assert settings.site_url == "https://waypost.example"
    assert settings.admin_port == 9600
