"""An audit that was cut, or is gone, is missed: by the signed heads beside the store, and by an anchor elsewhere."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from waypost.models.api_key import SCOPES
from waypost.store import audit, heads, keys, maintenance, open_store, organizations
from waypost.store.errors import StoreError
from waypost.store.folder import NAME

NOW = 1_795_000_000_000
Act = Callable[[Path, str], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with two organizations, closed: the second has four events."""
    made = tmp_path / "data"
    with open_store(made) as store:
        store.write(lambda db: organizations.create(db, "Operator", "ann", NOW))
        acme = store.write(lambda db: organizations.create(db, "Acme", "ann", NOW)).id
        for number in range(3):
            store.write(lambda db, n=number: audit.append(db, acme, NOW, f"key.{n}", "ann", "k"))
    return made


def acme(folder: Path) -> str:
    return max(maintenance.anchor(folder / NAME), key=lambda head: head.events).organization


def by_force(folder: Path, *changes: str) -> None:
    with closing(sqlite3.connect(folder / NAME)) as db:
        db.execute("DROP TRIGGER audit_event_stays")
        for each in changes:
            db.execute(each)
        db.commit()


def problems(folder: Path, anchor: list[heads.Head] | None = None) -> list[str]:
    return [each for each in maintenance.check(folder / NAME, NOW, anchor or ()).problems if "audit" in each]


def test_an_audit_as_it_was_written_is_complete(folder: Path) -> None:
    assert problems(folder, maintenance.anchor(folder / NAME)) == []
    for name in (heads.FILE, heads.KEY_FILE):
        assert (folder / name).stat().st_mode & 0o077 == 0


def test_a_truncated_tail_is_missed_even_after_later_events(folder: Path) -> None:
    organization_id = acme(folder)
    by_force(folder, f"DELETE FROM audit_event WHERE organization = '{organization_id}' AND sequence > 2")

    assert problems(folder) == [f"audit of {organization_id}: 2 events are there, {heads.FILE} counts 4"]
    with open_store(folder) as store:
        for _ in range(4):
            store.write(lambda db: audit.append(db, organization_id, NOW, "key.again", "ann", "k"))
    assert problems(folder) == [f"audit of {organization_id}: event 4 is not the one that {heads.FILE} names"]


def test_organization_without_events_is_missed_without_the_file_too(folder: Path) -> None:
    organization_id = acme(folder)
    by_force(folder, f"DELETE FROM audit_event WHERE organization = '{organization_id}'")

    assert f"audit of {organization_id}: there is no event, not even of its creation" in problems(folder)
    assert f"audit of {organization_id}: 0 events are there, {heads.FILE} counts 4" in problems(folder)
    (folder / heads.FILE).unlink()
    assert any("is missing" in each for each in problems(folder))
    open_store(folder).close()
    assert any("is missing" in each for each in problems(folder)), "opening the store makes no new file"


def test_audit_that_is_gone_with_its_organization_is_missed(folder: Path) -> None:
    organization_id = acme(folder)
    by_force(
        folder,
        f"DELETE FROM audit_event WHERE organization = '{organization_id}'",
        f"DELETE FROM organization WHERE id = '{organization_id}'",
    )

    assert problems(folder) == [f"audit of {organization_id}: 0 events are there, {heads.FILE} counts 4"]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda folder: (folder / heads.FILE).write_text("{}"), "cannot be read"),
        (lambda folder: (folder / heads.FILE).write_text("no JSON"), "cannot be read"),
        (lambda folder: (folder / heads.KEY_FILE).unlink(), "is missing"),
        (lambda folder: (folder / heads.KEY_FILE).write_bytes(b"k" * 32), "was not signed"),
    ],
)
def test_a_file_of_heads_that_was_changed_is_reported(
    folder: Path, change: Callable[[Path], object], found: str
) -> None:
    change(folder)

    (problem,) = problems(folder)
    assert found in problem


def test_head_that_was_written_by_hand_is_not_believed(folder: Path) -> None:
    organization_id = acme(folder)
    by_force(folder, f"DELETE FROM audit_event WHERE organization = '{organization_id}' AND sequence > 2")
    document = json.loads((folder / heads.FILE).read_text())
    with closing(sqlite3.connect(folder / NAME)) as db:
        last = db.execute(
            "SELECT hash FROM audit_event WHERE organization = ? AND sequence = 2", (organization_id,)
        ).fetchone()
    document["heads"] = [
        [organization_id, 2, last[0]] if each[0] == organization_id else each for each in document["heads"]
    ]
    (folder / heads.FILE).write_text(json.dumps(document))

    (problem,) = problems(folder)
    assert "was not signed" in problem


def test_an_external_anchor_finds_missing_events(folder: Path) -> None:
    organization_id = acme(folder)
    anchor = heads.read_anchor("\n".join(map(str, maintenance.anchor(folder / NAME))))
    by_force(folder, f"DELETE FROM audit_event WHERE organization = '{organization_id}' AND sequence > 3")
    with open_store(folder) as store:
        store.write(lambda db: maintenance.trust_audit(db, folder, "ann", NOW))

    assert problems(folder) == []
    assert problems(folder, anchor) == [f"audit of {organization_id}: 3 events are there, the anchor counts 4"]
    with open_store(folder) as store:
        operator = store.read(organizations.first)
        assert operator is not None
        events = store.read(lambda db: audit.events(db, operator.id)).items
    assert [each.type for each in events][-1] == "store.audit_trusted"


def test_a_chain_may_precede_its_head_after_a_crash(folder: Path) -> None:
    before = (folder / heads.FILE).read_bytes()
    organization = acme(folder)
    with open_store(folder) as store:
        store.write(lambda db: audit.append(db, organization, NOW, "key.more", "ann", "k"))
    (folder / heads.FILE).write_bytes(before)

    assert problems(folder) == []
    open_store(folder).close()
    assert (folder / heads.FILE).read_bytes() != before


def test_backup_that_is_restored_has_heads_of_its_own(folder: Path, tmp_path: Path) -> None:
    maintenance.backup(folder, tmp_path / "copy", NOW)
    organization = acme(folder)
    with open_store(folder) as store:
        store.write(lambda db: audit.append(db, organization, NOW, "key.later", "ann", "k"))
    anchor = maintenance.anchor(folder / NAME)

    maintenance.restore(tmp_path / "copy", folder, NOW, force=True)

    assert problems(folder) == []
    assert problems(folder, anchor) == [f"audit of {organization}: 4 events are there, the anchor counts 5"]
    assert (folder / f"{heads.FILE}.before-restore").exists()


def test_work_that_is_undone_leaves_no_head(folder: Path) -> None:
    with open_store(folder) as store:
        operator = store.read(organizations.first)
        assert operator is not None

        def fails(db: sqlite3.Connection) -> None:
            keys.create(db, operator.id, keys.KeyRequest(name="k", scopes=frozenset(SCOPES)), "ann", NOW)
            raise RuntimeError

        with pytest.raises(RuntimeError):
            store.write(fails)
    assert problems(folder) == []
    assert sorted(each.events for each in maintenance.anchor(folder / NAME)) == [1, 4]


@pytest.mark.parametrize("text", ["", "\n", "waypost-audit-1 org", "other org 1 ab", "waypost-audit-1 org -1 ab"])
def test_what_is_not_an_anchor_is_rejected(text: str) -> None:
    with pytest.raises(StoreError, match="anchor"):
        heads.read_anchor(text)
