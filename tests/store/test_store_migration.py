"""A store of the first release, before there were organizations, comes along with everything in it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from waypost.models.relationship import Claim
from waypost.store import audit, maintenance, open_store, organizations, relationships, search
from waypost.store.folder import NAME
from waypost.store.open import MIGRATIONS, numbered, schema_version

NOW = 1_795_000_000_000
_SUBMITTED = (
    "INSERT INTO relationship VALUES (?, '', ?, 'registrable', 'acme', 'Acme', 'official_site', '', '', 'ann',"
    " ?, 'unreviewed', ?, NULL, NULL, '')"
)


@pytest.fixture
def first_release(tmp_path: Path) -> Path:
    """A folder with a store as the first migration alone makes it."""
    step = tmp_path / "migrations" / numbered(MIGRATIONS)[1].name
    step.parent.mkdir()
    shutil.copy(numbered(MIGRATIONS)[1], step)
    folder = tmp_path / "data"
    with open_store(folder, migrations=step.parent) as store:

        def fill(db: sqlite3.Connection) -> None:
            for number in range(3):
                db.execute(_SUBMITTED, (f"rel_{number}", f"a{number}.example", NOW + number, NOW))
            db.execute(
                "UPDATE relationship SET state = 'accepted', reviewed_at = ?, review_expires_at = ? WHERE id = 'rel_1'",
                (NOW, NOW + 86_400_000),
            )

        store.write(fill)
    return folder


def test_its_relationships_are_there_and_found(first_release: Path) -> None:
    with open_store(first_release) as store:
        assert store.read(schema_version) == len(numbered(MIGRATIONS))
        found = store.read(lambda db: search.search(db, "acme", NOW))
        assert [(each.id, each.review_status) for each in found] == [
            ("rel_1", "reviewed"),
            ("rel_0", "unreviewed"),
            ("rel_2", "unreviewed"),
        ]
        assert [each.id for each in store.read(lambda db: search.search(db, "a2", NOW))] == ["rel_2"]


def test_a_backup_stays_next_to_the_file_unchanged(first_release: Path) -> None:
    before = (first_release / NAME).read_bytes()

    open_store(first_release).close()

    (copy,) = first_release.glob(f"{NAME}.before-*")
    assert copy.stat().st_mode & 0o077 == 0
    old = sqlite3.connect(copy)
    assert schema_version(old) == 1
    assert old.execute("SELECT count(*) FROM relationship").fetchone() == (3,)
    old.close()
    assert before != (first_release / NAME).read_bytes()


def test_it_goes_on_from_there(first_release: Path, claim: Callable[..., Claim]) -> None:
    with open_store(first_release) as store:
        operator = store.write(lambda db: organizations.create(db, "Operator", "ann", NOW)).id
        store.write(lambda db: relationships.accept(db, "rel_0", "bea", NOW))
        filed = store.write(lambda db: relationships.submit(db, claim(domain="new.example"), NOW))

        events = store.read(lambda db: audit.events(db, operator)).items
        assert [(each.type, each.subject) for each in events[1:]] == [
            ("relationship.taken_up", "rel_0"),
            ("relationship.accepted", "rel_0"),
            ("relationship.submitted", filed.id),
        ]
        assert store.read(lambda db: search.search(db, "new", NOW))[0].id == filed.id


def test_it_is_read_backed_up_and_restored_in_place(first_release: Path, tmp_path: Path) -> None:
    health = maintenance.check(first_release / NAME, NOW)
    assert (health.version, health.known, health.problems, health.chains) == (1, len(numbered(MIGRATIONS)), (), ())

    maintenance.backup(first_release, tmp_path / "copy", NOW)
    maintenance.restore(tmp_path / "copy", tmp_path / "new", NOW)

    assert maintenance.check(tmp_path / "new" / NAME, NOW).version == 1
    with open_store(tmp_path / "new") as store:
        assert len(store.read(lambda db: relationships.find_many(db))) == 3
    assert maintenance.check(tmp_path / "new" / NAME, NOW).version == len(numbered(MIGRATIONS))
