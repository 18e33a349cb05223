"""`waypost validate`: what goes in at each door, what comes out, and the exit status."""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from waypost.cli import main
from waypost.lint import processes
from waypost.lint.inputs import Input

FAULTY = """<!doctype html>
<script type="application/ld+json">
{
  "@context": "https://schema.org",
  "@type": "Event",
  "name": "a fair",
  "startDate": "2026-05-02",
  "endDate": "2025-05-03"
}
</script>
"""
CLEAN = "<!doctype html><title>nothing here</title>\n"
DATA = '{"@context": "https://schema.org", "@type": "Event", "startDate": "2026-05-02", "endDate": "2025-05-03"}\n'
ERROR = "event-ends-before-start"


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self.out)
        return report

    @property
    def paths(self) -> list[str]:
        return [file["path"] for file in self.report["files"]]

    def rules(self, file: int = 0) -> list[str]:
        return [finding["rule"] for finding in self.report["files"][file]["findings"]]


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command line in this process, in a folder of its own and without the caller's environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "WAYPOST_SITE"):
        monkeypatch.delenv(name, raising=False)

    def ran(*argv: str, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main(["validate", *argv])
        return Ran(status, *capsys.readouterr())

    return ran


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., Path]:
    def written(name: str, text: str | bytes = FAULTY) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return written


Page = Callable[..., Path]


def test_an_error_has_its_line_and_ends_with_one(run: Run, page: Page) -> None:
    page("a.html")

    ran = run("--verbose", "a.html")

    assert ran.status == 1
    assert f"warning[{ERROR}]" in ran.out
    assert "a.html:8:14" in ran.out
    assert '8 |   "endDate": "2025-05-03"' in ran.out
    assert ran.err == ""


def test_a_page_without_errors_ends_with_zero(run: Run, page: Page) -> None:
    page("a.html", CLEAN)

    ran = run("a.html")

    assert ran.status == 0
    assert "no structured data in 1 file" in ran.out


def test_an_empty_page_is_not_an_error(run: Run, page: Page) -> None:
    page("a.html", "")

    assert run("a.html").status == 0


@pytest.mark.parametrize(
    ("fail_on", "status"), [("error", 1), ("warning", 1), ("info", 1), ("never", 0)]
)  # fmt: skip
def test_the_threshold_decides_the_exit_status(run: Run, page: Page, fail_on: str, status: int) -> None:
    page("a.html")

    assert run("a.html", "--fail-on", fail_on).status == status


def test_a_warning_fails_only_from_its_threshold_up(run: Run, page: Page) -> None:
    warned = DATA.replace("2025-05-03", "2026-05-03").replace('"Event"', '"Thing", "datecreated": "2026-01-01"')
    page("a.jsonld", warned)

    assert run("a.jsonld", "--json").report["summary"]["errors"] == 0
    assert [run("a.jsonld", "--fail-on", each).status for each in ("error", "warning", "info")] == [0, 1, 1]


@pytest.mark.parametrize("name", ["a.json", "a.jsonld", "a.txt"])
def test_json_is_read_as_data(run: Run, page: Page, name: str) -> None:
    page(name, DATA)

    ran = run(name, "--json")

    assert ERROR in ran.rules()


def test_code_frame_of_data_counts_in_its_own_encoding(run: Run, page: Page) -> None:
    page("a.json", DATA.replace('"startDate"', '"name": "Fête 日",\n"startDate"'))

    assert '"2025-05-03"}' in run("--verbose", "a.json").out


@pytest.mark.parametrize("name", ["a.html.gz", "a.json.gz"])
def test_compressed_files_are_read(run: Run, page: Page, name: str) -> None:
    page(name, gzip.compress((FAULTY if "html" in name else DATA).encode()))

    ran = run(name)

    assert ran.status == 1
    assert "^" in ran.out


def test_a_damaged_compressed_file_is_unreadable(run: Run, page: Page) -> None:
    page("a.html.gz", gzip.compress(FAULTY.encode())[:-12])

    ran = run("a.html.gz", "--json")

    assert ran.status == 3
    assert "damaged" in ran.report["files"][0]["error"]


def test_standard_input_may_be_html_or_json(run: Run) -> None:
    assert ERROR in run("-", "--json", stdin=FAULTY.encode()).rules()
    assert ERROR in run("-", "--json", stdin=b"\xef\xbb\xbf \n" + DATA.encode()).rules()


def test_standard_input_can_have_a_name(run: Run) -> None:
    ran = run("-", "--json", "--stdin-name", "news/a.html", stdin=FAULTY.encode())

    assert ran.paths == ["news/a.html"]


def test_a_code_frame_of_standard_input_is_printed(run: Run) -> None:
    assert '"endDate": "2025-05-03"' in run("--verbose", "-", stdin=FAULTY.encode()).out


def test_a_folder_is_walked_in_order_for_visible_pages(run: Run, page: Page) -> None:
    for name in ("b/z.html", "b.html", "a/x.htm", "a/y.XHTML", ".git/c.html", "a/.d.html", "e.css", "f.html.gz"):
        page(name, gzip.compress(b"") if name.endswith("gz") else CLEAN)

    ran = run(".", "--json")

    assert ran.paths == ["a/x.htm", "a/y.XHTML", "b/z.html", "b.html", "f.html.gz"]


def test_other_files_of_a_folder_are_skipped_and_counted(run: Run, page: Page, tmp_path: Path) -> None:
    page("site/a.html", CLEAN)
    page("site/b.html", b"\x89PNG\r\n\x1a\n" + bytes(100))
    page("site/package.json", '{"name": "not linked data"}')
    page("site/data.json", DATA)

    ran = run("site", "--json")

    assert ran.paths == ["site/a.html", "site/data.json"]
    assert ran.report["summary"]["skipped"] == 2
    assert "2 files skipped" in run("site").out


@pytest.mark.parametrize(
    ("text", "is_checked"),
    [
        (DATA, True),
        (f"[{DATA}]", True),
        ('{"@graph": [], "@context": "https://schema.org"}', True),
        ('{"@context": "https://schema.org", "@type": "Thing",}', True),
        ('{"dependencies": {"@types/node": "1"}}', False),
        ('{"examples": [{"@context": "https://schema.org"}]}', False),
        ('["@context"]', False),
        ("[]", False),
        ("[" * 100_000 + '"@type"', False),
    ],
)
def test_of_a_folders_json_only_linked_data_is_checked(run: Run, page: Page, text: str, is_checked: bool) -> None:
    page("site/a.json", text)
    page("site/b.html", CLEAN)

    assert ("site/a.json" in run("site", "--json").paths) is is_checked


def test_json_with_bytes_outside_utf_8_is_validated_too(run: Run, page: Page) -> None:
    page("site/a.json", DATA.encode().replace(b"2026", b"\xff026", 1))

    ran = run("site", "--json")

    assert ran.status in {0, 1}
    assert "site/a.json" in ran.paths


def test_a_name_too_long_for_any_file_is_unreadable(run: Run) -> None:
    ran = run("a" * 5000)

    assert ran.status == 3
    assert "name too long" in ran.out


def test_closed_standard_input_is_unreadable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    ran = run("-")

    assert ran.status == 3
    assert "standard input is closed" in ran.out


def test_closed_standard_output_does_not_crash(page: Page) -> None:
    path = page("a.html")

    done = subprocess.run(["sh", "-c", 'exec "$0" -m waypost validate "$1" >&-', sys.executable, path], stderr=-1)

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("arguments", [["rules"], ["--help"], ["validate", "--help"], ["--version"]])
def test_a_full_disk_is_reported(arguments: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "waypost", *arguments], stdout=full, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (2, b"waypost: cannot write the output: no space left on device\n")


def test_links_in_a_circle_end(run: Run, page: Page, tmp_path: Path) -> None:
    page("site/a.html", CLEAN)
    (tmp_path / "site" / "again").symlink_to(tmp_path / "site", target_is_directory=True)
    (tmp_path / "site" / "gone.html").symlink_to("nowhere.html")

    assert run("site", "--json").paths == ["site/a.html"]


def test_a_pattern_is_expanded_when_the_shell_did_not(run: Run, page: Page) -> None:
    for name in ("p/a.html", "p/q/b.html", "p/c.css"):
        page(name, CLEAN)

    assert run("p/**/*", "--json").paths == ["p/a.html", "p/q/b.html"]


def test_file_with_the_name_of_a_pattern_is_itself(run: Run, page: Page) -> None:
    page("a[1].html", CLEAN)

    assert run("a[1].html", "--json").paths == ["a[1].html"]


def test_what_is_named_twice_is_checked_once(run: Run, page: Page) -> None:
    page("a.html", CLEAN)

    assert run("a.html", ".", "--json").paths == ["a.html"]


@pytest.mark.parametrize("name", ["nowhere", "nothing/*.html"])
def test_a_name_without_anything_behind_it_ends_with_three(run: Run, name: str) -> None:
    ran = run(name)

    assert ran.status == 3
    assert name in ran.out + ran.err


def test_a_folder_without_a_page_is_nothing_to_check(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    ran = run("empty")

    assert ran.status == 3
    assert "nothing to check" in ran.err


def test_a_folder_without_pages_is_nothing_to_check(run: Run, page: Page) -> None:
    page("site/a.html", b"\x89PNG\r\n\x1a\n")

    ran = run("site", "--json")

    assert ran.status == 3
    assert "nothing to check" in ran.err
    assert ran.report["files"] == []
    assert ran.report["summary"]["skipped"] == 1


def test_an_unreadable_file_costs_no_other(run: Run, page: Page) -> None:
    page("a.html")
    page("c.html", bytes(range(256)) * 40)

    ran = run("a.html", "b.html", "c.html", "--json")

    assert ran.status == 3
    assert ERROR in ran.rules(0)
    assert [file.get("error") for file in ran.report["files"]][1:] == [
        "no such file or directory",
        "this is a binary file, not a page",
    ]
    assert "b.html: no such file" in ran.err


def test_page_with_a_control_character_is_still_a_page(run: Run, page: Page) -> None:
    page("a.html", FAULTY.encode().replace(b"a fair", b"a\0fair"))

    assert run("a.html", "--json").status == 1


def test_a_name_that_is_not_text_is_spelled_out(run: Run, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.html")
    try:
        (tmp_path / name).write_text(FAULTY)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes text only")

    assert run(".", "--json").paths == ["caf\\xe9.html"]
    assert '"endDate": "2025-05-03"' in run("--verbose", ".").out


def test_pages_in_other_encodings_show_their_lines(run: Run, page: Page) -> None:
    page("a.html", FAULTY.replace("a fair", "une fête").encode("utf-16"))

    assert '"endDate": "2025-05-03"' in run("--verbose", "a.html").out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((), "nothing to check"),
        (("a.html", "--format", "jsn"), "did you mean json"),
        (("a.html", "--fail-on", "errors"), "did you mean error"),
        (("a.html", "--profile", "google/recipes"), "did you mean google/recipe"),
        (("a.html", "--profile", "recipe"), "did you mean google/recipe"),
        (("a.html", "--profile", "???"), "waypost rules"),
        (("a.html", "--syntax", "jsonld"), "did you mean json-ld"),
        (("a.html", "--verbos"), "did you mean --verbose"),
        (("a.html", "--jobs", "-1"), "-1"),
        (("a.html", "--jobs", "many"), "not a number"),
        (("a.html", "--now", "yesterday"), "2026-11-20T12:00:00Z"),
        (("a.html", "--base-url", "example.com"), "https://example.com/"),
        (("a.html", "--base-url", "http://["), "https://example.com/"),
        (("a.html", "--output", "no/such/folder.txt"), "make it first"),
        (("a.html", "--output", "."), "is a folder"),
    ],
)
def test_wrong_usage_ends_with_two_and_a_suggestion(run: Run, page: Page, argv: tuple[str, ...], message: str) -> None:
    page("a.html")

    ran = run(*argv)

    assert ran.status == 2
    assert message in ran.err
    assert ran.err.startswith("waypost: ")
    assert ran.out == ""


def test_the_clock_is_an_argument(run: Run, page: Page) -> None:
    page(
        "a.jsonld", '{"@context": "https://schema.org", "@type": "JobPosting", "validThrough": "2026-06-30T12:00:00Z"}'
    )

    assert "job-posting-expired" not in run("a.jsonld", "--json", "--now", "2026-06-30T11:00:00Z").rules()
    assert "job-posting-expired" in run("a.jsonld", "--json", "--now", "2026-06-30T13:00:00").rules()


def test_only_the_named_syntaxes_are_read(run: Run, page: Page) -> None:
    page("a.html", FAULTY + '<p itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ada</b></p>')

    def syntaxes(entries: str) -> set[str]:
        return {item["syntax"] for item in run("a.html", "--json", "--syntax", entries).report["files"][0]["items"]}

    assert syntaxes("microdata") == {"microdata"}
    assert syntaxes("json-ld,microdata") == {"json-ld", "microdata"}


def test_other_syntaxes_are_named_on_request_and_not_checked(run: Run, page: Page) -> None:
    pytest.importorskip("extruct", reason="extruct is not installed")
    page("a.html", f'<html><head><meta property="og:title" content="A fair"></head><body>{FAULTY}</body></html>')

    ran = run("a.html", "--json", "--syntax", "opengraph,dublincore")

    found = ran.report["files"][0]["secondary"]
    assert ["og:title", "A fair"] in found["opengraph"][0]["properties"]
    assert set(found) == {"opengraph", "dublincore"}
    assert ERROR in ran.rules()
    assert "opengraph: 1 found" in run("a.html", "--syntax", "opengraph").out


@pytest.mark.parametrize(
    ("name", "named", "address"),
    [
        ("site/index.html", "site", "https://www.example.com/"),
        ("site/a/index.html", "site", "https://www.example.com/a/"),
        ("site/a/b c.html", "site", "https://www.example.com/a/b%20c.html"),
        ("site/a/b.html", "site/**/*.html", "https://www.example.com/a/b.html"),
        ("site/a/b.html", "site/a/b.html", "https://www.example.com/"),
    ],
)
def test_pages_of_a_folder_have_addresses_below_its_own(
    run: Run, page: Page, name: str, named: str, address: str
) -> None:
    page(
        name,
        '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Thing", "@id": "#x"}</script>',
    )

    ran = run(named, "--json", "--base-url", "https://www.example.com/")

    assert ran.report["files"][0]["items"][0]["id"] == f"{address}#x"


def test_a_report_goes_to_a_file_completely(run: Run, page: Page, tmp_path: Path) -> None:
    page("a.html")
    (tmp_path / "report.json").write_text("an older one")

    ran = run("a.html", "--json", "--output", "report.json")

    assert ran.status == 1
    assert ran.out == ""
    assert "the report is in report.json" in ran.err
    assert ERROR in Ran(0, (tmp_path / "report.json").read_text(), "").rules()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "report.json"]


def test_addresses_of_rules_can_be_those_of_a_site(run: Run, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    page("a.html")
    monkeypatch.setenv("WAYPOST_SITE", "https://waypost.test/")

    found = run("a.html", "--json").report["files"][0]["findings"]

    assert f"https://waypost.test/rules/{ERROR}/" in {finding["doc_url"] for finding in found}


@pytest.mark.parametrize(
    ("environment", "argv", "coloured"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "0"}, (), False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1"}, ("--colour", "never"), False),
    ],
)
def test_colours_follow_the_conventions(
    run: Run,
    page: Page,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    argv: tuple[str, ...],
    coloured: bool,
) -> None:
    page("a.html")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert ("\x1b[" in run("a.html", *argv).out) is coloured


def test_several_processes_report_the_same_as_one(run: Run, page: Page) -> None:
    for number in range(45):
        page(f"site/{number:03}.html", FAULTY if number % 3 else CLEAN)
    page("site/x.html", b"\x89PNG\r\n\x1a\n")

    alone, shared = (run("site", "missing.html", "--json", "--jobs", jobs) for jobs in ("1", "3"))

    assert alone == shared
    assert alone.report["summary"]["files"] == 46


def test_worker_that_dies_costs_one_page_and_names_it(run: Run, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(45):
        page(f"site/{number:03}.html", FAULTY)
    within = processes.validate_input

    def dying(item: Input, *rest: Any) -> Any:
        if item.path in {"site/007.html", "site/030.html"}:
            os.kill(os.getpid(), signal.SIGKILL)
        return within(item, *rest)

    monkeypatch.setattr(processes, "validate_input", dying)
    monkeypatch.setattr(processes, "get_context", lambda _: multiprocessing.get_context("fork"))

    ran = run("site", "--json", "--jobs", "2")

    assert ran.status == 3
    died = {file["path"]: file["error"] for file in ran.report["files"] if "error" in file}
    assert died.keys() == {"site/007.html", "site/030.html"}
    assert "lack of memory" in died["site/007.html"]
    assert sum(ERROR in ran.rules(n) for n in range(45)) == 43


def command(*argv: str, **how: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "waypost", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
    )


def test_a_reader_that_leaves_early_is_not_an_error(page: Page, tmp_path: Path) -> None:
    pages = [str(page(f"site/{number:03}.html", FAULTY)) for number in range(150)]

    with command("validate", *pages, "--json") as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        output = process.stderr.read()

    assert output == b""


def test_an_interrupted_run_reports_it_without_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        @property
        def buffer(self) -> io.BytesIO:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())

    assert run("-") == Ran(130, "", "waypost: interrupted\n")


def test_an_interrupt_reaches_the_processes_too(run: Run, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        page(f"site/{number:03}.html", FAULTY)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("waypost.cli._console.Progress.__call__", interrupted)

    assert run("site", "--jobs", "2", "--output", "report.txt") == Ran(130, "", "waypost: interrupted\n")
    assert not Path("report.txt").exists()


def test_credentials_in_an_address_stay_out_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    main(["validate", "http://anna:secret@127.0.0.1:9/page"])

    output = capsys.readouterr()
    assert "127.0.0.1" in output.out + output.err
    assert "secret" not in output.out + output.err
    assert "anna" not in output.out + output.err
