"""`waypost feeds`: threat lists on the command line."""

from __future__ import annotations

import json
import os
import time
from functools import partial
from pathlib import Path

import pytest
from tests.command import Run

from waypost.errors import FetchFailed
from waypost.feeds import FOLDER, REGISTRIES, Feeds
from waypost.models.decision import SensitiveUrl
from waypost.net.fetch import Fetched
from waypost.net.rdap import read_bootstrap

ADDRESS = "https://lists.example.com/v1/canary-key/phishing.txt?key=canary"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, data: Path) -> Run:
    monkeypatch.setenv("WAYPOST_DATA", str(data))
    return partial(command, "feeds")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes | int]:
    """What each address answers: a body, or a status alone."""
    answers: dict[str, bytes | int] = {}

    def fetch(url: str, **_: object) -> Fetched:
        if url not in answers:
            raise FetchFailed("lists.example.com did not answer", "timeout")
        answer = answers[url]
        status, body = (200, answer) if isinstance(answer, bytes) else (answer, b"")
        displayed = SensitiveUrl(url, "https://lists.example.com")
        return Fetched(url=displayed, status=status, media_type=None, headers={}, data=body, hops=())

    monkeypatch.setattr("waypost.net.fetch.fetch", fetch)
    return answers


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    path = tmp_path / "blocked.txt"
    path.write_text("evil.test\nother.test\n")
    return path


def matched(data: Path, host: str) -> list[str]:
    with Feeds.load(data / FOLDER) as feeds:
        return [each.feed for each in feeds.matches(host, host)]


def test_a_list_from_a_file_is_added_and_removed(run: Run, data: Path, blocked: Path) -> None:
    added = run("add", "blocked", str(blocked), "--max-age", "12")
    assert (added.status, added.out) == (0, "blocked: 2 hosts (plain)\n")
    assert matched(data, "evil.test") == ["blocked"]

    assert f"old of 12 h  2 hosts  from {blocked}" in run("list").out
    (answer,) = run("list", "--json").json
    assert {name: answer[name] for name in ("name", "format", "hosts", "max_age_s", "stale")} == {
        "name": "blocked", "format": "plain", "hosts": 2, "max_age_s": 43200, "stale": False,
    }  # fmt: skip

    assert run("remove", "blocked").out == "blocked is forgotten\n"
    assert run("list", "--json").json == []


def test_a_list_is_updated_from_its_source(run: Run, data: Path, blocked: Path) -> None:
    run("add", "blocked", str(blocked))
    blocked.write_text("third.test\n")

    assert run("update").out == "blocked: one host (plain)\n"
    assert (matched(data, "evil.test"), matched(data, "third.test")) == ([], ["blocked"])


def test_the_address_of_a_list_is_never_printed(run: Run, data: Path, served: dict[str, bytes | int]) -> None:
    served[ADDRESS] = b"https://evil.test/a\n"
    ran = [run("add", "phishing", ADDRESS), run("list"), run("list", "--json"), run("update", "phishing")]
    served[ADDRESS] = 403
    ran += [run("update", "phishing")]

    assert [each.status for each in ran] == [0, 0, 0, 0, 3]
    assert "canary" not in "".join(each.out + each.err for each in ran)
    assert "https://lists.example.com" in ran[1].out
    assert "https://lists.example.com answered 403; the list of" in ran[-1].err
    assert matched(data, "evil.test") == ["phishing"]


def test_a_failing_list_does_not_stop_other_updates(
    run: Run, data: Path, blocked: Path, served: dict[str, bytes | int]
) -> None:
    served[ADDRESS] = b"evil.test\n"
    run("add", "a-phishing", ADDRESS)
    run("add", "blocked", str(blocked))
    served.clear()
    blocked.write_text("third.test\n")

    ran = run("update")

    assert ran.status == 3
    assert ran.out == "blocked: one host (plain)\n"
    assert ran.err.startswith("waypost: a-phishing: lists.example.com did not answer; the list of ")
    assert matched(data, "evil.test") == ["a-phishing"]


def test_a_list_can_be_updated_once_from_a_file(
    run: Run, data: Path, blocked: Path, served: dict[str, bytes | int]
) -> None:
    served[ADDRESS] = b"evil.test\n"
    run("add", "phishing", ADDRESS)

    assert run("update", "phishing", str(blocked)).status == 0
    assert matched(data, "other.test") == ["phishing"]
    assert run("list", "--json").json[0]["source"] == "https://lists.example.com"


def test_a_list_that_is_too_old_is_reported(
    run: Run, data: Path, blocked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add", "blocked", str(blocked), "--max-age", "1")
    later = time.time() + 7200
    monkeypatch.setattr("time.time", lambda: later)

    assert "blocked  stale    2 h old of 1 h" in run("list").out
    assert run("list", "--json").json[0]["stale"] is True


def test_a_damaged_list_is_reported_and_removable(run: Run, data: Path, blocked: Path) -> None:
    run("add", "blocked", str(blocked))
    path = data / FOLDER / "blocked.feed"
    path.write_bytes(path.read_bytes()[:-1])

    assert "damaged" in run("list").out
    assert run("list", "--json").json == [{"name": "blocked", "damaged": True}]
    assert run("update").status == 3
    assert run("remove", "blocked").status == 0


def test_the_table_of_registration_servers_is_fetched_or_read(
    run: Run, data: Path, tmp_path: Path, served: dict[str, bytes | int]
) -> None:
    table = {"services": [[["test", "example"], ["https://rdap.example.com/"]]]}
    file = tmp_path / "dns.json"
    file.write_text(json.dumps(table))

    assert run("update", "rdap").status == 3
    assert run("update", "rdap", str(file)).out == "the registration data of 2 top-level domains can be requested\n"
    file.write_text('{"services": []}')
    assert run("update", "rdap", str(file)).status == 3
    assert read_bootstrap((data / REGISTRIES).read_bytes())["test"] == "https://rdap.example.com/"
    served["https://data.iana.org/rdap/dns.json"] = json.dumps(table).encode()
    assert run("update", "rdap", "--json").json == {"name": "rdap", "suffixes": 2}


@pytest.mark.skipif(os.name == "nt", reason="file modes are POSIX")
def test_the_folder_is_its_owners_alone(run: Run, data: Path, blocked: Path) -> None:
    run("add", "blocked", str(blocked))

    assert {each.stat().st_mode & 0o077 for each in (data, *data.rglob("*"))} == {0}


@pytest.mark.parametrize(
    ("argv", "status", "messages"),
    [
        (["add", "rdap", "x.txt"], 2, "cannot be the name of a feed"),
        (["add", "list", "nowhere.txt"], 3, "nowhere.txt"),
        (["add", "list", "http://lists.example.com/x"], 2, "https or from a file"),
        (["add", "list", "x", "--format", "urlhouse"], 2, "did you mean urlhaus?"),
        (["add", "list", "x", "--max-age", "0"], 2, "give hours"),
        (["update", "nothing"], 2, "there is no feed named 'nothing'"),
        (["remove", "nothing"], 2, "there is no feed named 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_reported(run: Run, argv: list[str], status: int, messages: str) -> None:
    ran = run(*argv)

    assert ran.status == status
    assert messages in ran.err


def test_a_name_is_given_once(run: Run, blocked: Path) -> None:
    run("add", "blocked", str(blocked))

    again = run("add", "blocked", str(blocked))

    assert (again.status, again.err) == (
        2,
        "waypost: there is a feed 'blocked' already; update it, or remove it first\n",
    )


def test_nothing_to_update_is_not_an_error(run: Run) -> None:
    ran = run("update")

    assert (ran.status, ran.out) == (0, "")
    assert "there are no feeds" in ran.err
