"""Runs over many pages: their rows are in temporary files, and reports are the same as of runs in memory."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost import spill
from waypost.cli import main
from waypost.errors import WaypostError
from waypost.lint import inputs as lint_inputs
from waypost.lint import results as lint_results
from waypost.lint.inputs import Input, collect
from waypost.lint.page import Result
from waypost.lint.results import ResultList
from waypost.lint.stored_inputs import StoredInputs
from waypost.models.finding import FileReport
from waypost.report import format_names, html
from waypost.validate import site_comparison

CASES = Path(__file__).parent / "cases" / "rules"


@pytest.fixture
def always_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_inputs, "IN_MEMORY", 0)
    monkeypatch.setattr(lint_results, "IN_MEMORY", 0)
    monkeypatch.setattr(site_comparison, "_MOST_UNPACKED_BYTES", -1)
    monkeypatch.setattr(site_comparison, "_MOST_KNOWN", 1)
    monkeypatch.setattr(html, "_FEW", 1)
    monkeypatch.setattr(spill.in_order, "__defaults__", (2,))


def outputs(capsys: pytest.CaptureFixture[str], folder: Path, *more: str) -> dict[str, str]:
    """Text of each format about a folder."""
    found = {}
    for name in format_names():
        main(
            [
                "validate",
                str(folder),
                "--format",
                name,
                "--no-config",
                "--now",
                "2026-11-20",
                "--show-suppressed",
                *more,
            ]
        )
        found[name] = capsys.readouterr().out
    return found


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Pages of the cases of every rule about a site, and of some other rules, in one folder of folders."""
    for case in sorted(CASES.glob("site-*/bad-*"))[:12]:
        shutil.copytree(case, tmp_path / "site" / case.parent.name / case.name)
    for case in sorted(CASES.glob("p*/*.html"))[:12]:
        shutil.copy(case, tmp_path / "site" / f"{case.parent.name}-{case.name}")
    (tmp_path / "site" / "none.html").write_text("<p>nothing</p>")
    return tmp_path / "site"


def test_reports_are_equal_on_disk_and_in_memory(
    site: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    before = outputs(capsys, site)
    statistics = outputs(capsys, site, "--statistics")["text"]

    request.getfixturevalue("always_on_disk")

    assert isinstance(collect([str(site)], None).inputs, StoredInputs)
    assert outputs(capsys, site) == before
    assert outputs(capsys, site, "--statistics")["text"] == statistics
    found = [finding for file in json.loads(before["json"])["files"] for finding in file["findings"]]
    assert {finding["rule"] for finding in found if finding.get("scope") == "site"} >= {"site-logo-differs"}


def test_pages_of_a_folder_are_sorted_name_by_name(tmp_path: Path) -> None:
    rng = random.Random(4)
    names = ["a", "a-b", "a.html", "b", "B", "index.html", ".hidden", "z.jsonld"]
    for _ in range(60):
        path = tmp_path.joinpath(*rng.choices(names, k=rng.randrange(1, 4)), "p.html")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("<p>")
        except (FileExistsError, NotADirectoryError):
            continue
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    for name in (str(tmp_path), f"{tmp_path}/"):
        found = [item.where for item in collect([name], None).inputs]
        assert found == sorted(found, key=lambda path: path.split(os.sep))  # noqa: PTH206 - pathlib drops the empty name
        assert len(found) == sum(1 for path in tmp_path.rglob("p.html") if ".hidden" not in path.parts)


def test_stored_inputs_are_a_sequence_without_duplicates() -> None:
    some = [Input(f"{number % 7}\udc80.html", "w", "file", None, True, offset=number) for number in range(20)]
    some.append(Input(some[3].path, "https://example.com/", "url"))

    stored = StoredInputs(some)

    assert list(stored) == [*some[:7], some[-1]]
    assert (len(stored), stored[-1], stored[2:4]) == (8, some[-1], some[2:4])
    assert (stored.find(some[3].path), stored.find("3")) == (some[-1], None)
    with pytest.raises(IndexError):
        stored[8]


@pytest.mark.usefixtures("always_on_disk")
def test_stored_results_are_those_that_were_set_last() -> None:
    results = ResultList(4)
    assert results[1] == Result()
    results[2] = Result(FileReport(path="a.html"), facts=b"1", address="https://example.com/")
    results[2] = Result(FileReport(path="b.html"), facts=b"2", address="https://example.com/")
    results[0] = Result(why="it is binary")

    assert [*results] == [Result(why="it is binary"), Result(), results[2], Result()]
    assert [file.path for file in results.files()] == ["b.html"]
    assert ([*results.facts], results.facts[2]) == ([b"", b"", b"2", b""], b"2")
    assert [*results.addresses()] == [(2, "https://example.com/")]


@pytest.mark.parametrize("has_folder", [True, False])
def test_rows_are_sorted_as_in_memory(has_folder: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "has_folder", lambda: has_folder)
    rng = random.Random(1)
    rows = [(rng.random() < 0.5, [rng.randrange(3)], rng.randrange(9), "é") for _ in range(500)]

    assert [*spill.in_order(iter(rows), run=7)] == sorted(rows)


def test_without_a_temporary_folder_there_is_a_message(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    before = outputs(capsys, site)
    request.getfixturevalue("always_on_disk")
    monkeypatch.setattr("waypost.cli.validate.IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "gettempdir", _no_folder)
    spill.has_folder.cache_clear()
    try:
        assert outputs(capsys, site) == before
        main(["validate", str(site), "--no-config", "--format", "json"])
        assert "results stay in memory" in capsys.readouterr().err
    finally:
        spill.has_folder.cache_clear()


def _no_folder() -> str:
    raise FileNotFoundError("no usable temporary directory found")


def test_a_full_disk_is_an_error_with_advice() -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    rows = spill.Rows()
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limit[1]))
        with pytest.raises(WaypostError, match=r"a temporary file cannot be written .*TMPDIR"):
            _fill(rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        rows.close()


def _fill(rows: spill.Rows) -> None:
    for number in range(4_000):
        rows.put(number, bytes(4_000))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_an_interrupted_run_leaves_no_temporary_file(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    # Each report is some 20 kB, so that the rows exceed the cache soon.
    nodes = [{"@type": "Product", "name": f"n{number}", "offers": {"@type": "Offer"}} for number in range(40)]
    data = json.dumps({"@context": "https://schema.org", "@graph": nodes})
    for number in range(300):
        (pages / f"{number}.html").write_text(f'<script type="application/ld+json">{data}</script>')
    (temporary := tmp_path / "temporary").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", "validate", str(pages), "--jobs", "1", "--no-config"],
        env={**os.environ, "TMPDIR": str(temporary)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not any(str(temporary) in name for name in open_files(process.pid)):
        assert process.poll() is None, "it has ended"
        assert time.monotonic() < deadline, "no temporary file"
        time.sleep(0.05)

    process.send_signal(signal.SIGINT)

    assert b"interrupted" in process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert list(temporary.iterdir()) == []


def open_files(process: int) -> Iterator[Any]:
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            yield str(entry.readlink())
        except OSError:
            continue
