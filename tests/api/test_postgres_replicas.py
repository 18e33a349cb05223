"""Replicas on one database have the same signing keys, lists and registries, and one that differs decides nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.api.conftest import NOW, STORE_KEY, Api
from tests.postgres import VARIABLE

from waypost.api.settings import Settings
from waypost.api.startup_checks import problems_in
from waypost.api.state import open_state
from waypost.cli import main
from waypost.cli._subcommands import on_shared_files
from waypost.models.relationship import Claim
from waypost.receipts import SigningKeys, verify
from waypost.service import shared_files
from waypost.store import cursors, keys, open_store, organizations, relationships
from waypost.store import shared_files as shared
from waypost.store.engines import postgres
from waypost.store.errors import StoreError
from waypost.store.wrapping import KEY_VARIABLE, is_wrapped

pytestmark = pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"without {VARIABLE}: there is no PostgreSQL")

URL = "https://shop.example.com/pay"
REQUEST = {"url": URL, "intended_action": "payment"}
DAY_S = 86_400


@pytest.fixture
def address(new_postgres: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv(KEY_VARIABLE, STORE_KEY)
    with new_postgres() as found:
        yield found


@pytest.fixture
def replica(address: str, tmp_path: Path, registry: Any) -> Iterator[Callable[..., Api]]:
    """Opens another service on the database, with a data folder of its own."""
    opened: list[Api] = []

    def make(folder: Path | None = None) -> Api:
        opened.append(Api(folder or tmp_path / f"replica{len(opened)}", registry, store=address))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def poll(*replicas: Api) -> None:
    for each in replicas:
        assert each.state.shared is not None
        each.state.shared.poll()


def ready(api: Api) -> tuple[int, Any]:
    answer = api.call("GET", "/readyz")
    return answer.status_code, answer.json()


def publish(address: str, tmp_path: Path, *hosts: str) -> None:
    (tmp_path / "hosts.txt").write_text("\n".join(hosts))
    what = "update" if main(["feeds", "list", "--store", address, "--json"]) == 0 and hosts[1:] else "add"
    given = ["phish", str(tmp_path / "hosts.txt")]
    assert main(["feeds", what, *given, "--store", address]) == 0


def test_a_receipt_verifies_by_another_replicas_key_set(replica: Callable[..., Api]) -> None:
    one, other = replica(), replica()
    key, text = one.key("agent")
    receipt = one.call("POST", "/v1/agent-safety", key=text, json=REQUEST | {"include": ["receipt"]}).json()["receipt"]
    jwks = other.call("GET", "/.well-known/jwks.json").json()
    held = verify(receipt, jwks, url=URL, action="payment", audience=key.organization, now=NOW)
    assert held.reason == "action_not_allowed"  # which is read only after the signature and the claims
    assert jwks == one.call("GET", "/.well-known/jwks.json").json()


def test_keys_of_a_data_folder_move_into_the_database(replica: Callable[..., Api], tmp_path: Path) -> None:
    folder = tmp_path / "before"
    known = SigningKeys.open(folder, NOW).jwks(NOW)
    assert replica(folder).state.signing.jwks(NOW) == known == replica().state.signing.jwks(NOW)


def test_rotation_reaches_every_replica_before_the_new_key_signs(replica: Callable[..., Api], address: str) -> None:
    one, other = replica(), replica()
    old = one.state.signing.current(NOW).kid
    assert main(["keys", "rotate-signing", "--store", address]) == 0
    poll(one, other)
    kids = [[key["kid"] for key in each.state.signing.jwks(NOW)["keys"]] for each in (one, other)]
    assert kids[0] == kids[1] == [old, kids[0][1]]
    assert main(["keys", "rotate-signing", "--store", address]) == 1


def test_lost_keys_leave_the_published_ones_for_a_day(
    replica: Callable[..., Api], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from waypost.store.wrapping import new_key

    old = replica().state.signing.current(NOW).kid
    monkeypatch.setenv(KEY_VARIABLE, new_key())
    assert main(["keys", "rotate-signing", "--store", address]) == 3
    assert main(["keys", "rotate-signing", "--store", address, "--lost"]) == 0
    with open_store(address) as store:
        from waypost.receipts.stored_keys import read_keys

        keys = store.read(read_keys)
        assert keys is not None
        assert [bool(key.d) for key in keys.keys] == [False, True]
        assert keys.keys[0].kid == old


def test_a_published_list_counts_at_every_replica(replica: Callable[..., Api], address: str, tmp_path: Path) -> None:
    one, other = replica(), replica()
    _, text = one.key("check")
    other.state.keyring.refresh()

    def found(api: Api, host: str) -> bool:
        answer = api.call(
            "POST", "/v1/check-url", key=text, json={"url": f"https://{host}/", "intended_action": "login"}
        )
        return answer.json()["risk_status"] == "high_risk_signal_observed"

    assert not found(one, "evil.example.org")
    publish(address, tmp_path, "evil.example.org")
    poll(one, other)
    assert [found(each, "evil.example.org") for each in (one, other)] == [True, True]
    versions = [ready(each)[1]["versions"] for each in (one, other)]
    assert versions[0] == versions[1]

    publish(address, tmp_path, "evil.example.org", "worse.example.org", "late.example.org")
    poll(one, other)
    assert [found(each, "worse.example.org") for each in (one, other)] == [True, True]

    assert main(["feeds", "remove", "phish", "--store", address]) == 0
    poll(one, other)
    assert [found(each, "late.example.org") for each in (one, other)] == [False, False]
    assert not list((tmp_path / "replica0" / "feeds").glob("*.feed"))


def test_three_replicas_use_a_release_and_report_its_version(
    replica: Callable[..., Api], address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three = [replica(), replica(), replica()]
    shipped = {each.state.service.world.version for each in three}
    keys, public = str(tmp_path / "keys"), str(tmp_path / "public")
    assert main(["registry", "key", keys]) == main(["registry", "build", public, "--keys", keys]) == 0
    assert main(["registry", "trust", f"{keys}/root.json", "--store", address]) == 0
    assert main(["registry", "update", "--from", public, "--store", address]) == 0

    versions = []
    for at, each in enumerate(three):
        assert [api.state.service.world.version in shipped for api in three].count(False) == at
        poll(each)
        status, answer = ready(each)
        assert status == 200
        versions.append(answer["versions"])
    assert versions[0] == versions[1] == versions[2]
    assert versions[0]["release"] == "1"
    assert versions[0]["brands"] not in shipped

    assert main(["registry", "update", "--from", public, "--store", address]) == 0
    assert main(["registry", "reset", "--store", address]) == 0
    poll(*three)
    assert {each.state.service.world.version for each in three} == shipped
    capsys.readouterr()


def test_of_two_updates_of_a_database_the_later_fails(address: str, tmp_path: Path) -> None:
    keys, public = str(tmp_path / "keys"), str(tmp_path / "public")
    assert main(["registry", "key", keys]) == main(["registry", "build", public, "--keys", keys]) == 0
    assert main(["registry", "trust", f"{keys}/root.json", "--store", address]) == 0

    def update_late() -> None:
        with on_shared_files(address) as folder:
            assert main(["registry", "update", "--from", public, "--store", address]) == 0
            (folder / "registry" / "current").write_bytes(b"an older release")

    with pytest.raises(StoreError, match="published by someone else meanwhile"):
        update_late()

    with open_store(address) as store:
        found = store.read(lambda db: shared.read(db, "registry/current"))
    assert found is not None
    assert found.startswith(b"waypost-registry/1")


def test_an_unpublished_list_of_one_replica_decides_nothing(
    replica: Callable[..., Api], address: str, tmp_path: Path
) -> None:
    one, other = replica(), replica()
    _, text = one.key("agent")
    (tmp_path / "hosts.txt").write_text("evil.example.org\n")
    given = ["--data", str(tmp_path / "replica1")]
    assert main(["feeds", "add", "own", str(tmp_path / "hosts.txt"), *given]) == 0

    poll(one, other)
    assert (ready(one)[0], ready(other)[0]) == (200, 503)
    assert ready(other)[1]["checks"]["shared_files"] is False
    other.state.keyring.refresh()
    assert other.call("POST", "/v1/agent-safety", key=text, json=REQUEST).status_code == 503
    assert one.call("POST", "/v1/agent-safety", key=text, json=REQUEST).status_code == 200

    assert main(["feeds", "publish", "--store", address, *given]) == 0
    poll(one, other)
    assert (ready(one)[0], ready(other)[0]) == (200, 200)
    assert (tmp_path / "replica0" / "feeds" / "own.feed").is_file()


def test_a_replica_with_a_wrong_clock_takes_no_traffic(
    replica: Callable[..., Api], monkeypatch: pytest.MonkeyPatch
) -> None:
    api = replica()
    _, text = api.key("agent")
    ahead = SimpleNamespace(time=lambda: time.time() + 60, monotonic=time.monotonic)
    monkeypatch.setattr(shared_files, "time", ahead)
    poll(api)
    status, report = ready(api)
    assert (status, report["checks"]["clock"]) == (503, False)
    assert 59_000 < report["clock_skew_ms"] < 61_000
    assert api.call("POST", "/v1/agent-safety", key=text, json=REQUEST).status_code == 503


def test_a_replica_that_cannot_fetch_news_becomes_unready(
    replica: Callable[..., Api], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = replica()
    publish(address, tmp_path, "evil.example.org")
    monkeypatch.setattr(shared_files.SharedFiles, "_fetch", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        poll(api)
    assert ready(api)[0] == 200
    monkeypatch.setattr(shared_files, "GRACE_S", 0.0)
    assert ready(api)[0] == 503


def test_secrets_are_wrapped_once_every_replica_can_read_them(replica: Callable[..., Api], address: str) -> None:
    import psycopg

    def is_plain(api: Api) -> bool:
        rows = api.state.store.read(lambda db: db.execute("SELECT url_secret FROM organization").fetchall())
        return not any(is_wrapped(bytes(row[0])) for row in rows)

    with psycopg.connect(address, application_name="waypost"):
        api = replica()
        assert is_plain(api)
    assert api.state.shared is not None
    for _ in range(2400):  # the server takes a moment to end the session
        api.state.shared._wrap_at = float("-inf")
        poll(api)
        if not is_plain(api):
            break
        time.sleep(0.05)
    assert not is_plain(api)
    assert api.state.store.write(cursors.secret) == api.state.cursor_secret


def test_without_a_key_for_the_secrets_nothing_starts(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    with open_store(address) as store:
        store.write(lambda db: organizations.create(db, "Acme", "ann", NOW))
    tmp_path.chmod(0o700)
    settings = Settings(store=address, data=str(tmp_path))
    assert ["store new-key" in problem for problem in problems_in(settings)] == [True]
    with pytest.raises(StoreError, match="can be wrapped"):
        open_state(settings)


class Process:
    """`waypost serve` on a database, with a data folder of its own unless `more` says where else it may keep files."""

    def __init__(self, folder: Path, address: str, port: int, **more: str) -> None:
        folder.mkdir(mode=0o700)
        self.url = f"http://127.0.0.1:{port}"
        known = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
        more = more or {"WAYPOST_DATA": str(folder)}
        more |= {"WAYPOST_STORE": address, KEY_VARIABLE: STORE_KEY, "WAYPOST_LOG": "none",
                 "WAYPOST_REPLICAS": "2", "WAYPOST_SITE_URL": "http://127.0.0.1:9"}  # fmt: skip
        command = [sys.executable, "-m", "waypost", "serve", "--offline", "--port", str(port)]
        self.process = subprocess.Popen(command, env=known | more, cwd=folder)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=120) as answer:
            return json.load(answer)

    def wait_for(self, holds: Callable[[], bool]) -> None:
        for _ in range(1800):
            try:
                if holds():
                    return
            except OSError:
                assert self.process.poll() is None
            time.sleep(0.1)
        raise AssertionError("it did not come about within three minutes")


def test_two_processes_follow_one_database(address: str, tmp_path: Path, free_ports: list[int]) -> None:
    with open_store(address) as store:
        store.write(lambda db: organizations.create(db, "Acme", "ann", NOW))
    one, other = (Process(tmp_path / name, address, port) for name, port in zip("ab", free_ports, strict=True))
    try:
        for each in (one, other):
            each.wait_for(lambda each=each: each.get("/readyz")["status"] == "ready")  # type: ignore[misc]
        jwks = one.get("/.well-known/jwks.json")
        assert jwks == other.get("/.well-known/jwks.json")
        assert not (tmp_path / "a" / "signing-keys.json").exists()

        publish(address, tmp_path, "evil.example.org")
        assert main(["keys", "rotate-signing", "--store", address]) == 0
        newest = str(_version(address))
        for each in (one, other):
            each.wait_for(lambda each=each: each.get("/readyz")["versions"]["shared_files"] == newest)  # type: ignore[misc]
        assert len(one.get("/.well-known/jwks.json")["keys"]) == 2
        assert one.get("/.well-known/jwks.json") == other.get("/.well-known/jwks.json")
        assert one.get("/readyz")["versions"] == other.get("/readyz")["versions"]
        assert (tmp_path / "a" / "feeds" / "phish.feed").read_bytes() == (
            tmp_path / "b" / "feeds" / "phish.feed"
        ).read_bytes()
    finally:
        for each in (one, other):
            each.process.kill()
            each.process.wait()


def test_without_a_data_folder_a_process_removes_its_files(address: str, tmp_path: Path, free_ports: list[int]) -> None:
    with open_store(address) as store:
        store.write(lambda db: organizations.create(db, "Acme", "ann", NOW))
    publish(address, tmp_path, "evil.example.org")
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    temporary.mkdir()

    served = Process(home, address, free_ports[0], HOME=str(home), TMPDIR=str(temporary))
    try:
        served.wait_for(lambda: served.get("/readyz")["status"] == "ready")
        (feed,) = temporary.glob("*/feeds/phish.feed")
        served.process.terminate()
        assert served.process.wait(120) == 0
    finally:
        served.process.kill()

    assert not feed.parent.parent.exists()
    assert not any(home.iterdir())


def _version(address: str) -> int:
    from waypost.store import shared_files as stored

    with open_store(address) as store:
        return stored.version(store.read(stored.find_all))


@pytest.fixture
def free_ports() -> list[int]:
    import socket
    from contextlib import ExitStack, closing

    with ExitStack() as stack:
        sockets = [stack.enter_context(closing(socket.socket())) for _ in range(2)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def test_the_clock_of_the_database_is_read_in_milliseconds(address: str) -> None:
    with open_store(address) as store:
        assert abs(store.read(postgres.clock) - time.time() * 1000) < 5_000


@pytest.fixture
def fail_over(address: str, postgres_server: str) -> Iterator[Callable[[], Callable[[], None]]]:
    """Copies the database; the result puts the copy in its place, as a standby that lacks the newest rows."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    name = str(conninfo_to_dict(address)["dbname"])
    with psycopg.connect(postgres_server, autocommit=True) as admin:

        def run(statement: str) -> None:
            admin.execute(statement)  # type: ignore[arg-type]

        def copy() -> Callable[[], None]:
            run(f'CREATE DATABASE "{name}_standby" TEMPLATE "{name}"')

            def replace() -> None:
                run(f'ALTER DATABASE "{name}" CONNECTION LIMIT 0')
                run(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'")
                run(f'ALTER DATABASE "{name}" RENAME TO "{name}_lost"')
                run(f'ALTER DATABASE "{name}_standby" RENAME TO "{name}"')

            return replace

        yield copy
        for rest in ("standby", "lost"):
            run(f'DROP DATABASE IF EXISTS "{name}_{rest}" WITH (FORCE)')


def claim(domain: str) -> Claim:
    return Claim(
        domain=domain, scope="host", entity="nettle", entity_name="Nettle Works", type="official_payment",
        submitter="ann", origin="ann", source="form",
    )  # fmt: skip


def status(api: Api, key: str) -> str | int:
    """Status of the relationship of URL, or the status of the answer where there was none."""
    answer = api.call("POST", "/v1/agent-safety", key=key, json=REQUEST)
    return str(answer.json()["relationship_status"]) if answer.status_code == 200 else int(answer.status_code)


def until(observe: Callable[[], Any], expected: Any) -> None:
    ends = time.monotonic() + 120
    while observe() != expected and time.monotonic() < ends:
        time.sleep(0.4)
    assert observe() == expected


def test_after_a_failover_with_lost_rows_revocations_still_count(
    replica: Callable[..., Api], address: str, fail_over: Callable[[], Callable[[], None]]
) -> None:
    # The standby gives the numbers of the lost rows again: of keys and reviews, which a replica follows by number.
    first = replica()
    key, text = first.key("agent")
    write = first.state.store.write
    name = write(lambda db: relationships.submit(db, claim("shop.example.com"), NOW)).id
    for person in ("bea", "cem"):
        write(lambda db, person=person: relationships.accept(db, name, person, NOW, "seen"))  # type: ignore[misc]
    first.state.store.close()
    replace = fail_over()

    other = replica()
    _, lost = other.key("agent")
    other.state.store.write(lambda db: relationships.submit(db, claim("else.example.com"), NOW))
    assert status(other, text) == "verified_official"
    assert status(other, lost) == "verified_official"
    replace()
    with open_store(address) as store:
        store.write(lambda db: relationships.revoke(db, name, "dan", NOW, "wrong"))
    until(lambda: status(other, text), "unverified")
    assert status(other, lost) == 401
    with open_store(address) as store:
        store.write(lambda db: keys.revoke(db, key.organization, key.id, "dan", NOW))
    until(lambda: status(other, text), 401)
