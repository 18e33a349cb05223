"""A project judges its pages one by one, and what it goes by is read again when it has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from waypost.cli import main
from waypost.config import ConfigError
from waypost.lint.project import UNKNOWN, Project
from waypost.reader import read_data
from waypost.registry import Registry, load

FAULTY = b'{"@context": "https://schema.org", "@type": "Book", "Name": "x", "datePublished": "2026-02-31"}'
CASE, DATE = "property-wrong-case", "date-not-in-calendar"


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonld").write_bytes(FAULTY)
    return tmp_path


def write(path: Path, text: str) -> None:
    """Write a file so that its time differs from that before, however coarse the clock of the disk is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    now = path.stat()
    os.utime(path, ns=(now.st_atime_ns, max(now.st_mtime_ns, before + 1_000_000)))


def rules(project: Project, where: str, data: bytes = FAULTY) -> list[str]:
    page = read_data(data, project.registry.vocabulary, path=where)
    return [each.rule for each in project.check(page, where).findings]


def test_the_nearest_configuration_holds_and_is_read_again(registry: Registry, folder: Path) -> None:
    project, where = Project(registry), str(folder / "a.jsonld")
    assert rules(project, where) == [CASE, DATE]

    write(folder / "waypost.toml", f'[rules]\n"{CASE}" = "off"\n')
    assert rules(project, where) == [DATE]

    write(folder / "waypost.toml", f'[rules]\n"{DATE}" = "off"\n')
    assert rules(project, where) == [CASE]

    (folder / "waypost.toml").unlink()
    assert rules(project, where) == [CASE, DATE]


def test_what_a_configuration_extends_is_read_again_too(registry: Registry, folder: Path) -> None:
    project, where = Project(registry), str(folder / "a.jsonld")
    write(folder / "shared.toml", "")
    write(folder / "waypost.toml", 'extends = "shared.toml"\n')
    assert rules(project, where) == [CASE, DATE]

    write(folder / "shared.toml", f'[rules]\n"{CASE}" = "off"\n')

    assert rules(project, where) == [DATE]


def test_error_of_the_configuration_lasts_until_it_is_fixed(registry: Registry, folder: Path) -> None:
    project, where = Project(registry), str(folder / "a.jsonld")
    write(folder / "waypost.toml", '[rules]\n"no-such-rule" = "off"\n')
    for _ in range(2):
        with pytest.raises(
            ConfigError, match=r"waypost\.toml:2: rules: there is no rule or profile named 'no-such-rule'"
        ):
            rules(project, where)

    write(folder / "waypost.toml", "")

    assert rules(project, where) == [CASE, DATE]


def test_what_the_baseline_knows_is_ignored(registry: Registry, folder: Path) -> None:
    project, where = Project(registry), str(folder / "a.jsonld")
    write(folder / "waypost.toml", 'baseline = "known.json"\n')
    assert rules(project, where) == [CASE, DATE], "a baseline that is not there yet knows nothing"

    main(["validate", "a.jsonld", "--write-baseline", "known.json", "-q"])
    assert rules(project, where) == []
    assert rules(project, where, FAULTY.replace(b"}", b', "isbn": "1"}')) == ["isbn-invalid"]

    write(folder / "known.json", "{}")
    with pytest.raises(ConfigError, match=r"known\.json: this is not a baseline"):
        rules(project, where)


def test_a_page_without_a_file_follows_the_projects_configuration(registry: Registry, folder: Path) -> None:
    write(folder / "waypost.toml", f'[rules]\n"{CASE}" = "off"\n')

    assert rules(Project(registry, home=folder), UNKNOWN) == [DATE]
    assert rules(Project(registry, home=folder, use_config=False), UNKNOWN) == [CASE, DATE]
    assert rules(Project(registry, config=folder / "waypost.toml", home=folder.parent), UNKNOWN) == [DATE]
