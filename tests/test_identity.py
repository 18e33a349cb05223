"""Names that are not decided yet stand in one module; a script sets them everywhere; no report shows them before."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import set_project

from waypost import identity
from waypost.cli import main

ROOT = Path(__file__).parent.parent
DECIDED = ("--owner", "acme", "--repository", "https://git.test/acme/waypost", "--site", "https://docs.acme.org")
PAGE = "examples/site/shop/loma-kettle.html"


UNDECIDED = ("--owner", "some-owner", "--repository", "https://git.invalid/some-owner/waypost", "--site",
             "https://waypost.invalid/")  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A repository of the files that name the project, with reserved names even when this one's are decided."""
    for path in [*set_project.PLACES, "tools/set_project.py"]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    assert run(tmp_path, *UNDECIDED)[0] == 0
    return tmp_path


def run(root: Path, *words: str) -> tuple[int, str]:
    command = [sys.executable, "tools/set_project.py", *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def texts(root: Path) -> dict[str, str]:
    return {path: (root / path).read_text("utf-8") for path in set_project.PLACES}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the files of a checkout are listed by git")
def test_no_other_file_names_owner_repository_or_site() -> None:
    assert run(ROOT, "--check") == (0, "every file has the names of src/waypost/identity.py\n")


def test_the_names_are_set_in_every_file_at_once(copy: Path) -> None:
    before = texts(copy)

    assert run(copy, *DECIDED)[0] == 0

    after = texts(copy)
    assert all(after[path] != before[path] for path in before)
    assert not any(name in text for text in after.values() for name in UNDECIDED[1::2])
    assert 'Homepage = "https://docs.acme.org/"' in after["pyproject.toml"]
    assert run(copy, "--check")[0] == 0


def test_a_dry_run_names_the_files_and_writes_none(copy: Path) -> None:
    before = texts(copy)

    status, output = run(copy, *DECIDED, "--dry-run")

    assert status == 0
    assert {line.removeprefix("would change ") for line in output.splitlines()} == set(before)
    assert texts(copy) == before


def test_a_file_that_names_the_project_elsewhere_is_found(copy: Path) -> None:
    (copy / "notes.md").write_text(f"first\nsee {UNDECIDED[5]}rules/\n", "utf-8")
    subprocess.run(["git", "add", "-A"], cwd=copy, check=True)

    status, output = run(copy, "--check")

    assert status == 1
    assert output.startswith("notes.md:2: ")


def test_a_release_is_rejected_while_a_name_is_reserved(copy: Path) -> None:
    status, output = run(copy, "--check", "--release")

    assert status == 1
    assert output.count("is not decided") == 3


@pytest.mark.parametrize("wrong", [("--site", "docs.acme.org"), ("--repository", "git@host:x"), ("--owner", "a b")])
def test_an_unwritable_name_is_rejected_before_anything_is_written(copy: Path, wrong: tuple[str, str]) -> None:
    before = texts(copy)

    status, output = run(copy, *wrong)

    assert status == 1
    assert output.startswith(wrong[0])
    assert texts(copy) == before


def report(output: str, capsys: pytest.CaptureFixture[str]) -> str:
    main(["validate", PAGE, "--format", output, "--no-cache"])
    return capsys.readouterr().out


@pytest.fixture
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("WAYPOST_SITE", raising=False)


@pytest.mark.usefixtures("in_root", "undecided_names")
@pytest.mark.parametrize("output", ["sarif", "text", "junit", "json", "html"])
def test_no_report_shows_a_reserved_name(
    output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(identity, "SITE", "https://docs.example/")

    printed = report(output, capsys)

    assert "docs.example" not in printed
    assert "informationUri" not in printed


@pytest.mark.usefixtures("in_root")
def test_once_decided_the_findings_link_to_the_site(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(identity, "SITE", "https://docs.acme.org/")

    driver = json.loads(report("sarif", capsys))["runs"][0]["tool"]["driver"]

    assert driver["informationUri"] == "https://docs.acme.org/"
    assert "https://docs.acme.org/rules/price-invalid/" in {rule["helpUri"] for rule in driver["rules"]}


@pytest.mark.usefixtures("in_root", "undecided_names")
def test_without_a_site_a_finding_names_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["validate", PAGE, "--no-cache", "--verbose"])
    output = capsys.readouterr().out

    assert "waypost rules price-invalid" in output
    assert "/rules/price-invalid/" not in output
    assert main(["rules", "price-invalid"]) == 0
