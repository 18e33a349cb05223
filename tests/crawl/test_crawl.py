"""`waypost crawl`: the findings of `waypost validate`, in tables, whatever a page does to its checking program."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import resource_tracker
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("fastwarc")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

from pyarrow import parquet
from tests.crawl.archives import page, pages, record, write
from tests.crawl.poison import NOTES, absent, poisoned_check

from waypost import __version__
from waypost.cli import main
from waypost.crawl.analysis import connect
from waypost.crawl.checking import check_page
from waypost.crawl.folder import CrawlFolder, Plan
from waypost.crawl.local import Tally, run_units
from waypost.crawl.model import Settings
from waypost.crawl.plan import archive_units, numbered
from waypost.crawl.rows import finding_row, item_row
from waypost.crawl.tables import published
from waypost.crawl.worker import Check
from waypost.models.finding import FileReport, Finding, ItemReport
from waypost.registry import load

NOW = "2026-11-20T00:00:00Z"


def crawl(*arguments: str | Path) -> int:
    return main(["crawl", "--no-config", "-q", *map(str, arguments)])


def rows(folder: Path, query: str) -> list[Any]:
    found: list[Any] = connect(CrawlFolder(str(folder))).execute(query).fetchall()
    return found


def everything(folder: Path) -> dict[str, list[Any]]:
    tables = ("pages", "items", "findings", "shapes")
    return {name: rows(folder, f"SELECT * FROM {name} ORDER BY ALL") for name in tables}


def plan_of(archive: Path, stretch_bytes: int = 1 << 20, **settings: Any) -> Plan:
    units = archive_units(str(archive), archive.name, archive.stat().st_size, stretch_bytes)
    registry = load()
    return Plan(
        tables=1, waypost=__version__, registry=registry.version, started=NOW, sources=(str(archive),),
        settings=Settings(now=datetime(2026, 11, 20, tzinfo=UTC), **settings), units=numbered(units),
    )  # fmt: skip


def run(plan: Plan, out: Path, check: Check = check_page) -> None:
    folder = CrawlFolder(str(out))
    folder.begin(plan)
    units = folder.missing(plan)
    run_units(units, folder, plan, published(load()), workers=2, tally=Tally(units), check=check)


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """File for the paths of the pages that `poisoned_check` checks."""
    monkeypatch.setenv(NOTES, str(tmp_path / "checked"))
    return tmp_path / "checked"


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_it_finds_what_validate_finds(packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = write(tmp_path / ("a.warc.gz" if packed else "a.warc"), pages(12), packed=packed)
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_bytes(page(1, "1,00"))
    (site / "data.json").write_text('{"no": "linked data"}')

    status = crawl(archive, site, "--out", tmp_path / "out", "--stretch", "1k", "--now", NOW)

    main(["validate", "--json", "--no-config", "--now", NOW, str(archive), str(site)])
    report = json.loads(capsys.readouterr().out)
    expected = [
        (file["path"], each["rule"], each["line"], each["column"], each["message"])
        for file in report["files"] for each in file["findings"] if each.get("scope") != "site"
    ]  # fmt: skip
    query = "SELECT path, rule, line, f.column, message FROM findings f JOIN pages USING (page) WHERE f.scope = 'page'"
    assert Counter(rows(tmp_path / "out", query)) == Counter(expected)
    assert rows(tmp_path / "out", "SELECT count(*) FROM pages") == [(13,)]
    assert status == 1


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_pages_of_a_host_are_compared_as_validate_does(
    packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shop(number: int) -> bytes:
        item = {
            "@type": "Organization",
            "@id": "https://example.com/#us",
            "name": "Loma",
            "logo": f"/{number // 2}.png",
        }
        data = json.dumps({"@context": "https://schema.org", **item})
        return f'<script type="application/ld+json">{data}</script>'.encode()

    records = [record(f"https://example.com/{number}", shop(number)) for number in range(3)]
    archive = write(tmp_path / ("a.warc.gz" if packed else "a.warc"), records, packed=packed)

    crawl(archive, "--out", tmp_path / "out", "--now", NOW)

    main(["validate", "--json", "--no-config", "--now", NOW, str(archive)])
    files = json.loads(capsys.readouterr().out)["files"]
    expected = [
        (file["path"], each["rule"], each["line"], each["message"])
        for file in files for each in file["findings"] if each.get("scope") == "site"
    ]  # fmt: skip
    query = "SELECT path, rule, line, message FROM findings JOIN pages USING (page) WHERE scope = 'site'"
    assert rows(tmp_path / "out", query) == expected != []


def test_every_file_has_its_versions_and_published_columns(tmp_path: Path) -> None:
    crawl(write(tmp_path / "a.warc", pages(2), packed=False), "--out", tmp_path / "out", "--now", NOW)

    tables = published(load()).tables
    # Only a crawl with --render has renderings.
    assert not (tmp_path / "out" / "renderings").exists()
    for name in tables.keys() - {"renderings"}:
        schema = parquet.read_schema(tmp_path / "out" / name / "part-000000.parquet")
        assert schema.names == [column.name for column in tables[name].columns]
        assert schema.metadata[b"waypost.version"] == __version__.encode()
        assert schema.metadata[b"waypost.registry"] == load().version.encode()


def test_the_rows_have_the_published_columns_in_order() -> None:
    tables = published(load()).tables
    finding = Finding(
        rule="rule", severity="error", authority="google", message="message", syntax="json-ld", pointer="/pointer",
        start=10, end=20, line=1, column=2, end_line=3, end_column=4, doc_url="", profile="google/recipe",
        property="property", hint="hint", fingerprint="fingerprint", item=5, scope="site",
    )  # fmt: skip
    item = ItemReport(
        types=("Thing",), name="name", id="id", syntax="json-ld", line=1, column=2, service_type="Thing",
        eligible=("google/recipe",), retired=("google/how-to",),
    )  # fmt: skip

    def named(table: str, row: list[Any], source: Any) -> dict[str, Any]:
        """Row by the names of the columns; those that the source has too must be equal."""
        names = [column.name for column in tables[table].columns][1:]
        assert len(names) == len(row)
        for name, value in zip(names, row, strict=True):
            ours = getattr(source, name, value)
            assert value == (list(ours) if isinstance(ours, tuple) else ours) or name in {"item", "fix"}, name
        return dict(zip(names, row, strict=True))

    found = named("items", item_row(7, item, ["google/product"]), item)
    assert (found["item"], found["missed"]) == (7, ["google/product"])
    found = named("findings", finding_row(finding, FileReport(path="x")), finding)
    assert (found["item"], found["fix"], found["blocks"], found["suppressed"]) == (5, None, False, None)
    assert len(found["cause"]) == 16


POISONS = {
    "segfault": ("crashed", "was ended by SIGSEGV"),
    "exit": ("crashed", "ended with status 9"),
    "loop": ("timed_out", "took more than 2 s"),
    "memory": ("out_of_memory", "memory"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are those of Linux")
def test_a_crashing_page_is_a_row_and_others_continue(tmp_path: Path, checked: Path) -> None:
    records = pages(4)
    for name in POISONS:
        records += [record(f"https://example.com/{name}", page(1, more=f"<!--{name}-->")), *pages(1)]
    archive = write(tmp_path / "a.warc.gz", records, packed=True)

    run(plan_of(archive, page_s=2.0), tmp_path / "out", poisoned_check)

    lost = rows(
        tmp_path / "out", "SELECT split_part(url, '/', 4), outcome, error FROM pages WHERE outcome <> 'checked'"
    )
    assert {name: outcome for name, outcome, _ in lost} == {name: outcome for name, (outcome, _) in POISONS.items()}
    assert all(POISONS[name][1] in error for name, _, error in lost)
    assert rows(tmp_path / "out", "SELECT count(*) FROM pages WHERE outcome = 'checked'") == [(8,)]


def test_programs_that_are_killed_from_outside_change_nothing(tmp_path: Path, checked: Path) -> None:
    def archive(name: str, note: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        records = [record(f"https://example.com/{n}", page(n, more=note * (n % 4 == 0))) for n in range(20)]
        return write(folder / "a.warc", records, packed=False)

    run(plan_of(archive("killed", "<!--killed once-->"), 8 << 10), tmp_path / "one", poisoned_check)
    run(plan_of(archive("quiet", "<!--never killed-->"), 8 << 10), tmp_path / "two", poisoned_check)

    assert len(checked.read_text().split()) == 20 + 5 + 20
    columns = "path, outcome, items, errors, warnings, shape"
    one, two = (rows(tmp_path / name, f"SELECT {columns} FROM pages ORDER BY page") for name in ("one", "two"))
    assert one == two


def test_the_same_content_is_checked_once(tmp_path: Path, checked: Path) -> None:
    archive = write(tmp_path / "a.warc", pages(3) * 4, packed=False)

    run(plan_of(archive), tmp_path / "out", poisoned_check)

    assert len(checked.read_text().split()) == 3
    assert rows(tmp_path / "out", "SELECT count(*), count(DISTINCT content) FROM pages") == [(12, 3)]
    assert rows(tmp_path / "out", "SELECT count(*) FROM items") == [(12,)]


def test_a_worker_that_fails_to_start_reports_the_reason(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.warc", pages(1), packed=False)

    with pytest.raises(Exception, match=r"does not start: it failed \(ModuleNotFoundError"):
        run(plan_of(archive), tmp_path / "out", absent)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_killed_and_resumed_crawl_equals_an_undisturbed_one(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.warc.gz", pages(60), packed=True)
    options = [str(archive), "--stretch", "1k", "--now", NOW, "--no-config", "-q", "--workers", "2"]
    assert crawl(*options, "--out", tmp_path / "whole") == 1

    command = [sys.executable, "-m", "waypost", "crawl", *options, "--out", str(tmp_path / "killed")]
    with subprocess.Popen(command) as process:
        until = time.monotonic() + 300
        while not list(tmp_path.glob("killed/pages/*.parquet")) and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
    done = len(list(tmp_path.glob("killed/pages/*.parquet")))
    assert crawl("--out", tmp_path / "killed", "--resume") == 1

    assert 0 < done < len(list(tmp_path.glob("whole/pages/*.parquet")))
    assert everything(tmp_path / "killed") == everything(tmp_path / "whole")


def test_a_truncated_archive_is_reported_with_status_three(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.warc.gz", pages(3, bad_every=100)[1:], packed=True)
    archive.write_bytes(archive.read_bytes()[:-40])

    assert crawl(archive, "--out", tmp_path / "out") == 3
    assert rows(tmp_path / "out", "SELECT outcome, error FROM pages ORDER BY page") == [
        ("checked", None),
        ("unreadable", "the archive breaks off in this record"),
    ]


REJECTED = {
    "there is a crawl": (["{archive}", "--out", "{out}"], "holds a crawl; --resume"),
    "another folder": (["{archive}", "--out", "{full}"], "is not empty"),
    "nothing to resume": (["--resume", "--out", "{full}"], "there is no crawl here"),
    "no source": (["--out", "{new}"], "nothing to crawl"),
    "other sources": (["other.warc", "--resume", "--out", "{out}"], "begun with other sources"),
    "over http": (["https://example.com/a.warc", "--out", "{new}"], "not read over HTTP"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_senseless_options_are_rejected_before_a_page_is_read(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = write(tmp_path / "a.warc", pages(1), packed=False)
    crawl(archive, "--out", tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").touch()
    places = {"archive": archive, **{name: tmp_path / name for name in ("out", "full", "new")}}
    arguments, message = REJECTED[case]

    assert crawl(*(each.format(**places) for each in arguments)) in (2, 3)
    assert message in capsys.readouterr().err


def test_two_versions_never_mix_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl(write(tmp_path / "a.warc", pages(1), packed=False), "--out", tmp_path / "out")
    plan = tmp_path / "out" / "crawl.json"
    plan.write_text(re.sub(r'"waypost": "[^"]+"', '"waypost": "0.0.1"', plan.read_text()))

    assert crawl("--out", tmp_path / "out", "--resume") == 3
    assert "was made by waypost 0.0.1" in capsys.readouterr().err


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = write(tmp_path / "a.warc", pages(12), packed=False)

    status = crawl(archive, "--out", tmp_path / "out", "--stretch", "2k", "--dry-run")

    assert (status, (tmp_path / "out").exists()) == (0, False)
    assert re.match(r"\d+ stretches of 1 archives, 0 MiB\n\d+ units of work into", capsys.readouterr().out)


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body, status = {"/robots.txt": (b"User-agent: *\nDisallow: /private", 200), "/gone": (b"", 404)}.get(
            self.path, (page(1, "1,00"), 200)
        )
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_addresses_are_fetched_by_the_rules_of_validate(site: str, tmp_path: Path) -> None:
    url_file = tmp_path / "urls.txt"
    url_file.write_text("".join(f"{site}/{name}\n" for name in ("a", "private", "gone", "b")))

    assert crawl(url_file, "--out", tmp_path / "out", "--allow-private", "--rate", "0") == 3
    found = rows(tmp_path / "out", "SELECT split_part(path, '/', 4), outcome, status, errors FROM pages ORDER BY page")
    assert found == [
        ("a", "checked", 200, 1), ("private", "not_fetched", None, 0), ("gone", "unreadable", 404, 0),
        ("b", "checked", 200, 1),
    ]  # fmt: skip


def test_a_list_may_not_name_private_addresses(site: str, tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text(f"{site}/a\n")

    assert crawl(tmp_path / "urls.txt", "--out", tmp_path / "out") == 3
    ((outcome, error),) = rows(tmp_path / "out", "SELECT outcome, error FROM pages")
    assert outcome == "not_fetched"
    assert "127.0.0.1" in error


def test_places_of_fsspec_are_read_and_written(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.warc.gz", pages(4), packed=True)
    out = tmp_path / "out"

    assert crawl(f"local://{archive}", "--out", f"local://{out}", "--now", NOW) == 1
    assert rows(out, "SELECT count(*) FROM pages") == [(4,)]
    assert connect(CrawlFolder(f"local://{out}")).execute("SELECT count(*) FROM findings").fetchone()[0] > 0


def test_truncated_read_of_fsspec_is_not_a_finished_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from fsspec.implementations.local import LocalFileSystem

    archive, out = write(tmp_path / "a.warc.gz", pages(4), packed=True), tmp_path / "out"
    send = LocalFileSystem.pipe_file

    def break_off(system: Any, path: str, value: bytes, **more: Any) -> None:
        if "/pages/" not in path:
            send(system, path, value, **more)
            return
        send(system, path, value[:10], **more)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(LocalFileSystem, "pipe_file", break_off)
    assert crawl(archive, "--out", f"local://{out}", "--now", NOW) == 3
    assert "part-000000.parquet cannot be written: no space left on device; what is done" in capsys.readouterr().err
    assert not list((out / "pages").iterdir())
    monkeypatch.undo()
    assert crawl("--out", f"local://{out}", "--resume") == 1
    assert rows(out, "SELECT count(*) FROM pages") == [(4,)]


def test_the_processes_of_a_crawl_end_with_it(tmp_path: Path) -> None:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not children.exists():
        pytest.skip("this system does not list the children of a process")
    resource_tracker.ensure_running()  # of multiprocessing, which ends with this process
    before = set(children.read_text().split())

    crawl(write(tmp_path / "a.warc", pages(2), packed=False), "--out", tmp_path / "out")

    assert set(children.read_text().split()) <= before


@pytest.mark.skipif(sys.platform != "linux", reason="limits on files are those of Linux")
def test_a_full_disk_leaves_only_complete_files(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.warc.gz", pages(40), packed=True)
    command = [sys.executable, "-m", "waypost", "crawl", "--no-config", "--now", NOW, "--out", str(tmp_path / "out")]
    limited = ["bash", "-c", 'ulimit -f 4; exec "$@"', "-", *command, str(archive), "--stretch", "2k"]

    ended = subprocess.run(limited, capture_output=True, text=True)

    assert ended.returncode == 3
    (message,) = ended.stderr.splitlines()
    assert "cannot be written: file too large; what is done stays done: waypost crawl --out" in message
    assert not [*(tmp_path / "out").rglob("*.tmp")]
    assert crawl("--out", tmp_path / "out", "--resume") == 1
    assert crawl(archive, "--stretch", "2k", "--now", NOW, "--out", tmp_path / "whole") == 1
    assert everything(tmp_path / "out") == everything(tmp_path / "whole")


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_a_second_crawl_into_a_folder_waits_its_turn(tmp_path: Path, capsys: Any) -> None:
    archive, out = write(tmp_path / "a.warc.gz", pages(4), packed=True), tmp_path / "out"
    assert crawl(archive, "--out", out, "--now", NOW) == 1
    for part in out.glob("*/*.parquet"):
        part.unlink()
    unfinished = out / "pages" / ".part-000000.parquet.1.tmp"
    unfinished.write_bytes(b"half")

    with CrawlFolder(str(out)).held():
        assert crawl("--out", out, "--resume") == 3
        assert crawl(archive, "--out", out) == 3
        assert capsys.readouterr().err == f"waypost: {out}: another crawl writes here; wait for its end\n" * 2
        # Who only looks disturbs no one.
        assert crawl("--out", out, "--resume", "--dry-run") == 0
        assert unfinished.exists()
    assert crawl("--out", out, "--resume") == 1
    assert not unfinished.exists()
    assert rows(out, "SELECT count(*) FROM pages") == [(4,)]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_an_interrupted_crawl_prints_how_to_resume_without_colours(tmp_path: Path) -> None:
    archive, out = write(tmp_path / "a.warc.gz", pages(400), packed=True), tmp_path / "my crawl"
    command = [sys.executable, "-m", "waypost", "crawl", "--no-config", "--now", NOW, "--out", str(out)]

    with subprocess.Popen(
        [*command, str(archive), "--stretch", "1k", "--workers", "1"], stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        until = time.monotonic() + 300
        while not list(out.glob("pages/*.parquet")) and time.monotonic() < until:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate()

    assert process.returncode == 130
    assert errors.decode() == f"waypost: stopped; what is done stays done: waypost crawl --out '{out}' --resume\n"
    assert crawl("--out", out, "--resume") == 1
    assert rows(out, "SELECT count(*) FROM pages") == [(400,)]
