"""`waypost validate --baseline`: what is known is marked and does not count, wherever it has moved to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.command import Ran, Run

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas/api/baseline.schema.json").read_text(encoding="utf-8"))
FAULTY = """<!doctype html>
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Event", "name": "a fair", "startDate": "2027-05-02",
"endDate": "2025-05-03"}
</script>
"""
OTHERWISE = """<!doctype html>
<title>lines above</title>

<script type="application/ld+json">
{
  "name": "a fair",
  "endDate": "2025-05-03",
  "startDate": "2027-05-02",
  "@type": "Event",
  "@context": "https:\\/\\/schema.org"
}
</script>
"""
FILE = "waypost-baseline.json"


@pytest.fixture
def run(command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command in a folder of its own that holds `site/a.html` and `site/b.html`."""
    monkeypatch.chdir(tmp_path)
    for name in ("site/a.html", "site/b.html"):
        write(name, FAULTY)

    def by_value(*argv: str) -> Ran:
        is_writing = "--write-baseline" in argv
        return command("validate", *argv, "--now", "2026-11-20", *["--baseline-by", "value"] * is_writing)

    return by_value


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def baseline() -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(Path(FILE).read_text(encoding="utf-8"))
    return answer


def test_two_commands_adopt_an_old_site(run: Run) -> None:
    assert run("site").status == 1

    wrote = run("site", "--baseline", FILE, "--write-baseline")
    again = run("site", "--baseline", FILE)

    assert wrote.status == 0
    assert "findings of 2 files written to the baseline" in wrote.err
    assert again.status == 0
    assert "nothing new in 2 files" in again.out
    assert "in the baseline" in again.out


def test_a_baseline_fits_its_schema_and_is_sorted(run: Run) -> None:
    run("site", "--write-baseline", FILE)

    jsonschema.Draft202012Validator(SCHEMA).validate(baseline())
    assert list(baseline()["files"]) == ["site/a.html", "site/b.html"]
    rules = [each["rule"] for each in baseline()["files"]["site/a.html"]]
    assert rules == sorted(rules)


def test_the_schema_is_one_and_its_example_fits() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    for example in SCHEMA["examples"]:
        jsonschema.Draft202012Validator(SCHEMA).validate(example)


def test_a_baseline_is_the_same_whenever_it_is_written(run: Run) -> None:
    run("site", "--write-baseline", FILE)
    first = Path(FILE).read_bytes()

    run("site", "--baseline", FILE, "--write-baseline", "--jobs", "2")

    assert Path(FILE).read_bytes() == first


def test_moved_lines_layout_and_key_order_are_not_new(run: Run) -> None:
    run("site", "--write-baseline", FILE)
    write("site/a.html", OTHERWISE)

    ran = run("site", "--baseline", FILE, "--fail-on", "info")

    assert ran.status == 0, ran.out
    assert "gone" not in ran.err


def test_one_broken_page_is_exactly_what_is_reported(run: Run) -> None:
    run("site", "--write-baseline", FILE)
    write("site/b.html", FAULTY.replace('"name"', '"nam": "x", "name"'))

    report = json.loads(run("site", "--baseline", FILE, "--json").out)

    found = [(file["path"], each["rule"]) for file in report["files"] for each in file["findings"]]
    assert found == [("site/b.html", "unknown-property")]
    assert report["summary"]["baselined"] > 4


def test_one_more_of_what_is_known_is_new(run: Run) -> None:
    one = FAULTY.replace('"name"', '"nam": "x", "name"')
    write("site/a.html", one)
    run("site", "--write-baseline", FILE)
    write("site/a.html", one + one)

    report = json.loads(run("site/a.html", "--baseline", FILE, "--json").out)

    assert "unknown-property" in [each["rule"] for each in report["files"][0]["findings"]]


def test_what_is_gone_is_reported_and_fails_nothing(run: Run) -> None:
    run("site", "--write-baseline", FILE)
    write("site/a.html", FAULTY.replace("2025-05-03", "2027-05-03"))

    ran = run("site", "--baseline", FILE)

    assert ran.status == 0
    assert "site/a.html fits this any more: event-ends-before-start" in ran.err
    assert "2 findings of the baseline are gone" in ran.err


def test_unchecked_pages_are_neither_gone_nor_lost(run: Run) -> None:
    run("site", "--write-baseline", FILE)
    before = baseline()

    ran = run("site/a.html", "--baseline", FILE, "--write-baseline")

    assert "gone" not in ran.err
    assert baseline() == before
    Path("site/b.html").unlink()
    run("site/a.html", "--baseline", FILE, "--write-baseline")
    assert list(baseline()["files"]) == ["site/a.html"]


def test_a_baseline_holds_wherever_waypost_runs(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run("site", "--write-baseline", FILE)
    monkeypatch.chdir(tmp_path / "site")

    assert run(".", "--baseline", f"../{FILE}").status == 0
    assert run(str(tmp_path), "--baseline", f"../{FILE}").status == 0


def test_sarif_has_all_of_it_marked(run: Run) -> None:
    run("site", "--write-baseline", FILE)

    log = json.loads(run("site", "--baseline", FILE, "--format", "sarif").out)

    results = log["runs"][0]["results"]
    assert sum(each["occurrenceCount"] for each in results) > 4
    assert {each["baselineState"] for each in results} == {"unchanged"}
    assert all(each["suppressions"] for each in results)


def test_known_findings_are_printed_on_request(run: Run) -> None:
    run("site", "--write-baseline", FILE)

    ran = run("site", "--baseline", FILE, "--show-suppressed")

    assert "event-ends-before-start" in ran.out
    assert "not counted: it is in the baseline" in ran.out
    assert ran.status == 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--baseline", "none.json"), "there is no such file"),
        (("--baseline", "site/a.html"), "this is not a baseline"),
        (("--write-baseline", "site/a.html"), "this is not a baseline"),
        (("--baseline", "later.json"), "version 3"),
        (("--write-baseline", ""), "name the file"),
    ],
)
def test_an_invalid_baseline_is_neither_used_nor_overwritten(run: Run, argv: tuple[str, ...], message: str) -> None:
    write("later.json", '{"version": 3, "files": {}}')

    ran = run("site", *argv)

    assert ran.status == 2
    assert message in ran.err
    assert Path("site/a.html").read_text(encoding="utf-8") == FAULTY
