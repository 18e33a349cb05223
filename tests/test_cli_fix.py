"""`waypost validate --fix` and `--diff`: what is written where, what is refused, and the exit status."""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path

import pytest
from tests.command import Run

FAULTY = """<!doctype html>
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "book", "name": "a &amp;amp; b", "url": "www.example.com"}
</script>
"""
FIXED = FAULTY.replace('"book"', '"Book"').replace("&amp;amp;", "&")


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command in a folder of its own that holds `a.html`."""
    monkeypatch.chdir(tmp_path)
    Path("a.html").write_text(FAULTY, encoding="utf-8")
    return partial(command, "validate")


def page(name: str = "a.html") -> str:
    return Path(name).read_bytes().decode()


def test_fix_fixes_the_file_and_reports_what_is_left(run: Run) -> None:
    ran = run("a.html", "--fix")

    assert page() == FIXED
    assert "type-wrong-case" not in ran.out
    assert "url-without-scheme" in ran.out
    assert "2 findings fixed in 1 file; 1 more with --unsafe-fixes" in ran.err
    assert ran.status == 0


@pytest.mark.parametrize("order", [("--diff", "--fix"), ("--fix", "--dry-run")])
def test_a_diff_writes_nothing_also_next_to_fix(run: Run, order: tuple[str, str]) -> None:
    ran = run("a.html", *order)

    assert page() == FAULTY
    assert ran.out.startswith("--- a.html\n")


def test_no_file_is_fixed_where_the_baseline_is_missing(run: Run) -> None:
    ran = run("a.html", "--fix", "--baseline", "none.json")

    assert ran.status == 2
    assert page() == FAULTY


def test_a_write_protected_file_is_not_replaced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # As an ordinary user; root may write to every file.
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    ran = run("a.html", "--fix")

    assert page() == FAULTY
    assert "a.html: cannot be written: it is write-protected" in ran.err


def test_a_second_run_changes_nothing(run: Run) -> None:
    run("a.html", "--fix")
    before = Path("a.html").stat()

    ran = run("a.html", "--fix")

    assert "nothing fixed" in ran.err
    assert Path("a.html").stat().st_mtime_ns == before.st_mtime_ns
    assert Path("a.html").stat().st_ino == before.st_ino


def test_guessing_fixes_are_made_on_request(run: Run) -> None:
    run("a.html", "--fix", "--unsafe-fixes")

    assert '"https://www.example.com"' in page()


def test_diff_shows_the_change_and_makes_none(run: Run) -> None:
    ran = run("a.html", "--diff")

    assert page() == FAULTY
    assert ran.out.startswith("--- a.html\n+++ a.html\n@@ -1,4 +1,4 @@\n")
    assert '-{"@context": "https://schema.org", "@type": "book"' in ran.out
    assert '+{"@context": "https://schema.org", "@type": "Book"' in ran.out
    assert ran.status == 1


def test_diff_of_nothing_to_fix_is_empty_and_succeeds(run: Run) -> None:
    run("a.html", "--fix")

    ran = run("a.html", "--diff")

    assert ran.out == ""
    assert ran.status == 0


def test_a_diff_and_a_report_go_to_two_places(run: Run) -> None:
    ran = run("a.html", "--diff", "--format", "json", "--output", "report.json")

    assert ran.out.startswith("--- a.html")
    assert "type-wrong-case" in page("report.json")


def test_standard_input_is_fixed_on_its_way_through(run: Run) -> None:
    ran = run("-", "--fix", stdin=FAULTY)

    assert ran.out == FIXED
    assert "2 findings fixed" in ran.err


def test_standard_input_without_errors_goes_through_untouched(run: Run) -> None:
    ran = run("-", "--fix", stdin="<title>x</title>")

    assert ran.out == "<title>x</title>"


def test_standard_input_is_fixed_alone(run: Run) -> None:
    ran = run("-", "a.html", "--fix", stdin=FAULTY)

    assert ran.status == 2
    assert page() == FAULTY


def test_unsafe_alone_is_an_error_of_usage(run: Run) -> None:
    ran = run("a.html", "--unsafe-fixes")

    assert ran.status == 2
    assert "--fix" in ran.err


def test_a_packed_file_is_left_with_a_word(run: Run) -> None:
    Path("b.html.gz").write_bytes(gzip.compress(FAULTY.encode()))

    ran = run("b.html.gz", "--fix")

    assert "b.html.gz: a packed file is not fixed" in ran.err
    assert "type-wrong-case" in ran.out
    assert "b.html.gz" in run("b.html.gz", "--diff").out


def test_the_mode_and_link_of_a_file_stay(run: Run) -> None:
    Path("a.html").chmod(0o640)
    Path("link.html").symlink_to("a.html")

    run("link.html", "--fix")

    assert Path("link.html").is_symlink()
    assert page() == FIXED
    assert Path("a.html").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_cannot_be_replaced_is_reported(run: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        ran = run("a.html", "--fix")
    finally:
        tmp_path.chmod(0o700)

    assert "a.html: cannot be written" in ran.err
    assert "type-wrong-case" in ran.out


def test_a_fixed_file_leaves_nothing_next_to_it(run: Run, tmp_path: Path) -> None:
    run("a.html", "--fix")

    assert [each.name for each in tmp_path.iterdir()] == ["a.html"]


def test_several_processes_fix_as_one_does(run: Run, tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.html").write_text(FAULTY, encoding="utf-8")

    ran = run(".", "--fix", "--jobs", "2", "-q", "--fail-on", "never")

    assert ran.status == 0
    assert all(each.read_text(encoding="utf-8") == FIXED for each in tmp_path.iterdir())


def test_fix_that_is_left_is_reported_with_its_reason(run: Run) -> None:
    Path("b.jsonld").write_text(
        '{"@context": "https://schema.org", "@type": "Offer", "validFrom": "3 May 2027", "validThrough": "2027-05-02"}',
        encoding="utf-8",
    )

    ran = run("b.jsonld", "--fix", "--now", "2026-11-20")

    assert "b.jsonld:1: date-invalid is left: valid-through-before-valid-from would be found" in ran.err


def test_information_is_repaired_only_where_displayed_or_named(run: Run) -> None:
    page = FAULTY.replace("a &amp;amp; b", "a &amp; b")
    for argv, after in (
        ((), "a &amp; b"),
        (("--verbose",), "a & b"),
        (("--rule", "text-with-entities=info"), "a & b"),
        (("--rule", "text-with-entities=warning"), "a & b"),
    ):
        Path("a.html").write_text(page, encoding="utf-8")
        run("a.html", "--fix", *argv)
        assert after in Path("a.html").read_text("utf-8"), argv
