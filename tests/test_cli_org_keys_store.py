"""`waypost org`, `waypost keys`, `waypost store`: from an empty folder to keys, and to a backup of them."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.command import Run

from waypost.models.api_key import PATTERN, hash_of, is_key
from waypost.store import audit, copy_mark, open_store, sessions
from waypost.store.folder import NAME

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def run(command: Run, data: Path) -> Run:
    return command


@pytest.fixture
def acme(run: Run) -> str:
    return str(run("org", "create", "Acme", "--as", "ann", "--json").json["id"])


def create(run: Run, *more: str) -> Any:
    return run("keys", "create", "--name", "shop", "--as", "ann", "--json", *(more or ("--labels", "Read"))).json


def test_an_organization_is_made_and_printed_once(run: Run) -> None:
    made = run("org", "create", "Acme", "--as", "ann")
    assert made.status == 0
    assert re.fullmatch(r"[0-9a-f-]{36}\n", made.out)

    again = run("org", "create", "ACME", "--as", "ann")
    assert (again.status, again.out) == (1, "")
    assert "there is an organization 'ACME' already" in again.err

    run("org", "create", "Other", "--as", "ann")
    assert [each["name"] for each in run("org", "list", "--json").json] == ["Acme", "Other"]
    assert run("org", "list").out.splitlines()[0].endswith("  Acme")


def test_a_sign_in_link_signs_in(run: Run, acme: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("org", "login-link", "--org", "acme", "--as", "ann", "--site-url", "https://waypost.test/")
    assert result.out.startswith("https://waypost.test/keys/sign-in?token=")
    assert "signs ann in for Acme once, within 15 minutes" in result.err
    assert "--site-url" not in result.err
    token = result.out.strip().partition("token=")[2]
    with open_store(data) as store:
        session, _ = store.write(lambda db: sessions.sign_in(db, token, _now()))
    assert (session.organization.id, session.actor) == (acme, "ann")

    unnamed = run("org", "login-link", "--as", "ann")
    assert unnamed.out.startswith("http://127.0.0.1:8000/keys/")
    assert "the site is taken to be at http://127.0.0.1:8000; add --site-url where it is elsewhere" in unnamed.err
    monkeypatch.setenv("WAYPOST_SITE_URL", "https://elsewhere.example")
    output = run("org", "login-link", "--as", "ann", "--json").json
    assert output["sign_in_url"].startswith("https://elsewhere.example/keys/")
    assert output["organization"] == {"id": acme, "name": "Acme"}
    monkeypatch.setenv("WAYPOST_SITE_URL", "elsewhere")
    assert run("org", "login-link", "--as", "ann").status == 2


def _now() -> int:
    import time

    return int(time.time() * 1000)


def test_key_stands_alone_on_standard_output_and_nowhere_else(run: Run, acme: str, data: Path) -> None:
    made = run("keys", "create", "--org", acme, "--name", "shop", "--labels", "Read,Write", "--as", "ann")

    assert is_key(made.out.removesuffix("\n"))
    assert made.out.strip() not in made.err
    assert "the key is shown only once; it expires on 20" in made.err
    entries = run("keys", "list")
    assert made.out.strip() not in entries.out + run("keys", "list", "--json").out + run("store", "export").out
    assert f"wp_live_...{made.out.strip()[-4:]}" in entries.out
    assert all(made.out.strip().encode() not in each.read_bytes() for each in data.iterdir())


def test_a_made_key_is_printed_in_json(run: Run, acme: str) -> None:
    result = create(
        run, "--labels", "Validate", "--scopes", "audit,domain", "--environment", "test", "--expires-days", "30"
    )

    assert list(result) == ["id", "key", "masked", "scopes", "labels", "environment", "expires_at"]
    assert re.fullmatch(PATTERN, result["key"])
    assert result["key"].startswith("wp_test_")
    assert result["scopes"] == ["domain", "validate", "audit"]
    assert result["labels"] == ["Read 1/4", "Validate"]
    assert result["environment"] == "Test"


def test_keys_are_printed_with_their_state(run: Run, acme: str) -> None:
    one, two = create(run), create(run, "--scopes", "agent,review")
    run("keys", "revoke", one["id"], "--as", "ann")

    items = run("keys", "list", "--json").json["items"]
    assert [each["id"] for each in items] == [two["id"], one["id"]]
    assert items[0] == {
        "id": two["id"],
        "name": "shop",
        "masked": two["masked"],
        "environment": "Live",
        "labels": ["Write 1/4"],
        "scopes": ["agent", "review"],
        "organization": {"id": acme, "name": "Acme"},
        "created_at": items[0]["created_at"],
        "expires_at": two["expires_at"],
    }
    assert "revoked_at" in items[1]
    lines = run("keys", "list").out.splitlines()
    assert re.search(r"active +wp_live_.* Write 1/4, review +never used +until \d{4}-\d\d-\d\d +shop$", lines[0])
    assert re.search(r"revoked +wp_live_.* never used +shop$", lines[1])


def test_a_key_is_exchanged_for_another(run: Run, acme: str) -> None:
    old = create(run)

    new = run("keys", "rotate", old["id"], "--overlap-hours", "0", "--as", "ann", "--json").json

    assert new["key"] != old["key"]
    assert new["scopes"] == old["scopes"]
    items = {each["id"]: each for each in run("keys", "list", "--json").json["items"]}
    assert items[old["id"]]["replaced_by"] == new["id"]
    again = run("keys", "rotate", old["id"], "--as", "ann")
    assert (again.status, again.out) == (1, "")
    assert "is expired; make a new one instead" in again.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("create", "--name", "x"), "give the key rights"),
        (("create", "--name", "x", "--labels", "Reed"), "there is no label 'Reed'; did you mean Read?"),
        (("create", "--name", "x", "--scopes", "root"), "there is no scope 'root' among"),
        (("create", "--name", " ", "--labels", "Read"), "1 to 80 printable characters"),
        (("create", "--name", "x", "--labels", "Read", "--expires-days", "731"), "1 to 730 days"),
        (("create", "--name", "x", "--labels", "Read", "--allow-from", "here"), "not an IP address or network"),
        (("create", "--name", "x", "--labels", "Read", "--org", "Nobody"), "no organization 'Nobody' among Acme"),
        (("create", "--name", "x", "--labels", "Read", "--environment", "staging"), "'staging'"),
        (("rotate", UNKNOWN), "there is no key with this id"),
        (("revoke", UNKNOWN), "there is no key with this id"),
        (("rotate", UNKNOWN, "--overlap-hours", "169"), "0 to 168 hours"),
    ],
)
def test_senseless_options_are_reported_and_nothing_is_made(
    run: Run, acme: str, argv: tuple[str, ...], message: str
) -> None:
    failed = run("keys", *argv)

    assert (failed.status, failed.out) == (2, "")
    assert message in failed.err
    assert run("keys", "list", "--json").json == {"items": []}


def test_where_there_are_several_organizations_one_is_named(run: Run, acme: str) -> None:
    run("org", "create", "Other", "--as", "ann")

    failed = run("keys", "list")

    assert failed.status == 2
    assert "there are Acme and Other; say which" in failed.err
    assert run("keys", "list", "--org", "other").status == 0


def test_without_an_organization_the_first_step_is_explained(run: Run, data: Path) -> None:
    assert "make one with `waypost org create NAME`" in run("keys", "list").err


def test_a_complete_store_is_reported_as_complete(run: Run, acme: str) -> None:
    create(run)

    result = run("store", "check")
    assert result.status == 0
    assert f"audit    {acme}  2 events, whole" in result.out
    assert result.out.endswith("the store is intact\n")
    output = run("store", "check", "--json").json
    assert (output["ok"], output["faults"], output["version"]) == (True, [], output["known_version"])
    assert output["audit"][0] | {"head": ""} == {"organization": acme, "events": 2, "head": "", "ok": True}


def test_a_broken_chain_is_damage(run: Run, acme: str, data: Path) -> None:
    create(run)
    db = sqlite3.connect(data / NAME)
    db.executescript("DROP TRIGGER audit_event_unchanged; UPDATE audit_event SET actor = 'eve' WHERE sequence = 2;")
    db.close()

    result = run("store", "check")

    assert result.status == 1
    assert "event 2: it is not what was written" in result.out
    assert "whole\n" not in result.out
    assert run("store", "check", "--json").json["ok"] is False


def test_a_truncated_audit_is_reported_and_trusted_on_record(run: Run, acme: str, data: Path, tmp_path: Path) -> None:
    anchor = tmp_path / "anchor"
    anchor.write_text(run("store", "anchor").out)
    assert run("store", "check", "--anchor", str(anchor)).status == 0
    db = sqlite3.connect(data / NAME)
    db.execute("DROP TRIGGER audit_event_stays")
    db.execute("DELETE FROM audit_event WHERE number = (SELECT max(number) FROM audit_event)")
    db.commit()
    db.close()

    cut = run("store", "check", "--json")

    assert cut.status == 1
    assert any("audit-heads.json counts" in each for each in cut.json["faults"])
    assert run("store", "trust-audit", "--as", "ann").status == 0
    assert run("store", "check").status == 0
    missed = run("store", "check", "--anchor", str(anchor))
    assert missed.status == 1
    assert "the anchor" in missed.out
    assert run("store", "check", "--anchor", str(tmp_path / "nowhere")).status == 3
    assert [each["events"] for each in run("store", "anchor", "--json").json]


def test_a_missing_or_invalid_store_is_not_made(run: Run, data: Path) -> None:
    assert run("store", "check").status == 3
    assert not data.exists()
    data.mkdir()
    (data / NAME).write_bytes(b"a letter to a friend" * 100)
    failed = run("store", "check")
    assert failed.status == 3
    assert "cannot be read" in failed.err


def test_a_backup_brings_everything_back(run: Run, acme: str, data: Path, tmp_path: Path) -> None:
    create(run)
    before = run("store", "export").out.splitlines()[1:]
    copy = tmp_path / "copy.sqlite3"

    saved = run("store", "backup", str(copy))
    assert saved.status == 0
    assert "2 audit events of 1 organizations" in saved.out
    assert copy.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["copy.sqlite3"]
    run("org", "create", "Later", "--as", "ann")

    failed = run("store", "restore", str(copy))
    assert (failed.status, failed.out) == (3, "")
    assert "--force replaces it" in failed.err
    assert run("store", "restore", str(copy), "--force").status == 0
    assert run("store", "export").out.splitlines()[1:] == before
    assert run("store", "check").status == 0
    assert (data / f"{NAME}.before-restore").exists()


def test_a_backup_goes_into_an_empty_folder_too(run: Run, acme: str, tmp_path: Path) -> None:
    run("store", "backup", str(tmp_path / "copy"))

    assert run("store", "restore", str(tmp_path / "copy"), "--data", str(tmp_path / "new")).status == 0

    assert [each["id"] for each in run("org", "list", "--json", "--data", str(tmp_path / "new")).json] == [acme]
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0 or sys.platform == "win32"


def test_a_backup_replaces_nothing_unrequested_and_leaves_no_half(run: Run, acme: str, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("mine")

    assert run("store", "backup", str(tmp_path / "copy")).status == 3
    assert (tmp_path / "copy").read_text() == "mine"
    assert run("store", "backup", str(tmp_path / "nowhere" / "copy")).status == 3
    assert run("store", "backup", str(tmp_path), "--force").status == 3
    assert run("store", "backup", str(tmp_path / "copy"), "--force").status == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["copy", "data"]


@pytest.mark.parametrize("damage", ["not a store", "changed", "newer"])
def test_a_backup_that_is_not_complete_is_not_restored(
    run: Run, acme: str, data: Path, tmp_path: Path, damage: str
) -> None:
    copy = tmp_path / "copy"
    run("store", "backup", str(copy))
    db = sqlite3.connect(copy)
    if damage == "changed":
        db.executescript("DROP TRIGGER audit_event_unchanged; UPDATE audit_event SET actor = 'eve';")
    elif damage == "newer":
        db.executescript("UPDATE schema_version SET version = 999")
    db.close()
    if damage == "not a store":
        copy.write_bytes(b"SQLite format 3\x00" + b"\x07" * 8000)
    before = (data / NAME).read_bytes()

    failed = run("store", "restore", str(copy), "--force")

    assert failed.status == 3
    assert (data / NAME).read_bytes() == before
    assert run("org", "list", "--json").json[0]["id"] == acme


SERVES = """
import sys
from pathlib import Path
from waypost.store import open_store
with open_store(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.readline()
"""


def test_a_store_in_use_is_backed_up_not_replaced(run: Run, acme: str, data: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVES, str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "open\n"
        assert run("store", "backup", str(tmp_path / "copy")).status == 0
        failed = run("store", "restore", str(tmp_path / "copy"), "--force")
        process.stdin.write("\n")
        process.stdin.flush()
        process.wait(120)

    assert failed.status == 3
    assert "is in use; stop the service first" in failed.err
    assert run("store", "restore", str(tmp_path / "copy"), "--force").status == 0


def test_a_damaged_store_is_replaced_and_saved(run: Run, acme: str, data: Path, tmp_path: Path) -> None:
    run("store", "backup", str(tmp_path / "copy"))
    (data / NAME).write_bytes(b"\x07" * 8000)

    assert run("store", "restore", str(tmp_path / "copy"), "--force").status == 0

    assert run("org", "list", "--json").json[0]["id"] == acme
    assert (data / f"{NAME}.before-restore").read_bytes() == b"\x07" * 8000


def test_an_export_has_one_value_per_line_without_secrets(run: Run, acme: str, data: Path) -> None:
    key = create(run)["key"]
    link = run("org", "login-link", "--as", "ann").out.strip().partition("token=")[2]
    run("review", "submit", "acme.example", "--entity", "Acme", "--as", "ann")
    with open_store(data) as store:
        secret = store.read(lambda db: db.execute("SELECT url_secret FROM organization").fetchone()[0])

    result = run("store", "export").out

    values = [json.loads(line) for line in result.splitlines()]
    assert [each["kind"] for each in values] == [
        "store", "organization", "key", "relationship", "relationship_claim", "relationship_event",
        *["audit_event"] * 4,
    ]  # fmt: skip
    assert values[2]["masked"].endswith(key[-4:])
    for each in (key, hash_of(key).hex(), link, secret.hex(), "url_secret", "sha256"):
        assert each not in result


def test_a_clock_that_is_behind_is_reported_and_forgiven(run: Run, acme: str, data: Path) -> None:
    from waypost.store import audit

    with open_store(data) as store:
        store.write(lambda db: audit.append(db, acme, _now() + 3_600_000, "test.late", "ann", "x"))
    assert "s behind the newest record" in run("store", "check").err
    failed = run("keys", "create", "--name", "x", "--labels", "Read", "--as", "ann")
    assert failed.status == 3
    assert "trust-clock" in failed.err

    assert run("store", "trust-clock", "--as", "ann").status == 0

    assert run("keys", "create", "--name", "x", "--labels", "Read", "--as", "ann").status == 0
    assert run("store", "check").err == ""
    with open_store(data) as store:
        events = store.read(lambda db: audit.events(db, acme)).items
    assert [each.type for each in events][-2:] == ["store.clock_trusted", "key.created"]


@pytest.fixture
def copied(run: Run, acme: str, data: Path) -> Path:
    """Data folder of a store that was copied to a database."""
    mark = copy_mark.Mark(to="postgresql://db.example.com/waypost", at=1_795_000_000_000, token="t")
    with open_store(data) as store:
        store.write(lambda db: copy_mark.put(db, mark))
    return data


@pytest.mark.parametrize(
    "arguments",
    [("keys", "create", "--name", "x", "--labels", "Read"), ("up", "--no-build", "--port", "0"), ("org", "list"),
     ("check", "https://example.com/", "--action", "payment", "--offline"), ("store", "restore", "{}", "--force")],
)  # fmt: skip
def test_a_store_that_was_copied_is_not_used(
    run: Run, copied: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    backup = tmp_path / "backup"
    assert run("store", "backup", str(backup)).status == 0

    done = run(*(argument.format(backup) for argument in arguments))

    assert (done.status, done.out) == (3, "")
    assert "was copied to postgresql://db.example.com/waypost on 2026-11-18" in done.err
    assert f"`waypost store copy --undo --data {copied}`" in done.err


def test_a_service_does_not_start_on_a_copied_store(run: Run, copied: Path) -> None:
    pytest.importorskip("litestar")

    checked, started = run("serve", "--check"), run("serve")

    assert (checked.status, started.status) == (1, 3)
    assert "was copied to postgresql://db.example.com/waypost" in checked.out
    assert "was copied to postgresql://db.example.com/waypost" in started.err


def test_a_copied_store_is_checked_and_exported(run: Run, copied: Path) -> None:
    checked = run("store", "check")

    assert checked.status == 0
    assert "left     copied to postgresql://db.example.com/waypost on 2026-11-18" in checked.out
    assert run("store", "check", "--json").json["copied"].startswith("copied to")
    assert run("store", "export").status == 0


def test_a_copied_store_is_used_again_deliberately(run: Run, copied: Path) -> None:
    undone = run("store", "copy", "--undo", "--as", "ann")

    assert undone.status == 0
    assert undone.out == f"{copied} is in use again; what postgresql://db.example.com/waypost got since is not in it\n"
    assert run("org", "list").status == 0
    with open_store(copied) as store:
        events = list(store.read(audit.all_events))
    assert (events[-1].type, events[-1].actor) == ("store.copy_undone", "ann")
    again = run("store", "copy", "--undo")
    assert (again.status, "is not marked as copied" in again.err) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX")
@pytest.mark.parametrize("arguments", ["store export", "rules", "explain price-invalid", "schema Unified", "org list"])
def test_a_reader_that_has_enough_ends_it_quietly(acme: str, data: Path, arguments: str) -> None:
    piped = f"{{ {sys.executable} -m waypost {arguments}; echo $? >&2; }} | true"

    done = subprocess.run(["sh", "-c", piped], capture_output=True, text=True, check=False)

    assert done.stderr in {"141\n", "0\n"}, "128 + SIGPIPE; 0 where all was written before the reader ended"
