"""An old site adopts waypost in two commands; from then on exactly what is new is told, in every format."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from waypost.cli import main
from waypost.report import format_names

ROOT = Path(__file__).parent.parent
SARIF = ROOT.parent / "shared" / "vectors" / "sarif-schema-2.1.0.json"
RULE, PAGE, LINE = "date-not-in-calendar", "site/news/bridge-reopens.html", 17

Places = list[tuple[str, str, int]]
"""(rule, page, line) of every finding that counts"""


def in_json(text: str) -> Places:
    return [
        (each["rule"], file["path"], each["line"]) for file in json.loads(text)["files"] for each in file["findings"]
    ]


def in_ndjson(text: str) -> Places:
    found = [json.loads(line) for line in text.splitlines()]
    return [(each["rule"], each["path"], each["line"]) for each in found if each["kind"] == "finding"]


def in_sarif(text: str) -> Places:
    """As a viewer of code scanning takes it: what is suppressed is closed, what is unchanged is known."""
    results = json.loads(text)["runs"][0]["results"]
    reported = []
    for each in results:
        if each["suppressions"]:
            assert each["baselineState"] == "unchanged"
            continue
        assert each["baselineState"] == "new"
        place = each["locations"][0]["physicalLocation"]
        reported.append((each["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"]))
    return reported


def in_junit(text: str) -> Places:
    root = ET.fromstring(text)
    cases = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert len(cases) == int(root.attrib["failures"])
    return [(case.attrib["name"].split()[0], case.attrib["file"], int(case.attrib["line"])) for case in cases]


def in_github(text: str) -> Places:
    found = re.findall(r"^::(?:error|warning|notice) file=([^,]+),line=(\d+),.*title=([\w-]+) ", text, re.MULTILINE)
    return [(rule, path, int(line)) for path, line, rule in found]


def in_gitlab(text: str) -> Places:
    return [
        (each["check_name"], each["location"]["path"], each["location"]["lines"]["begin"]) for each in json.loads(text)
    ]


def in_text(text: str) -> Places:
    found = re.findall(r"^([^:\n]+):(\d+):\d+: (?:error|warning|info)\[([\w-]+)\]: ", text, re.MULTILINE)
    return [(rule, path, int(line)) for path, line, rule in found]


def in_markdown(text: str) -> Places:
    found = re.findall(r"^\| (?:error|warning|info) \| `([^`]+):(\d+):\d+` \| .* \| `([\w-]+)`", text, re.MULTILINE)
    return [(rule, path, int(line)) for path, line, rule in found]


def in_html(text: str) -> Places:
    reported: Places = []
    for title, section in re.findall(r"<summary><h2>(.*?)</h2>(.*?)</details>", text.replace("<wbr>", ""), re.DOTALL):
        named = re.search(r'<p class="page-name">.*?<code>(.*?)</code></p>', section)
        path = named[1] if named else title
        places = re.findall(r"Line (\d+), column \d+. Rule: <code>([\w-]+)</code>", section)
        reported += [(rule, path, int(line)) for line, rule in places]
    return reported


READERS: dict[str, Callable[[str], Places]] = {
    "text": in_text, "json": in_json, "ndjson": in_ndjson, "sarif": in_sarif, "junit": in_junit, "github": in_github,
    "gitlab": in_gitlab, "html": in_html, "markdown": in_markdown,
}  # fmt: skip


@pytest.fixture
def adopted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A copy of the sample site that has adopted waypost, with its two commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYPOST_SITE", raising=False)
    shutil.copytree(ROOT / "examples" / "site", "site")
    assert main(["validate", "site", "--now", "2026-11-20"]) == 1, "an old site has faults"

    assert main(["validate", "site", "--now", "2026-11-20", "--baseline", "known.json", "--write-baseline"]) == 0
    capsys.readouterr()
    assert main(["validate", "site", "--now", "2026-11-20", "--baseline", "known.json"]) == 0
    assert "nothing new" in capsys.readouterr().out
    return tmp_path


def spoil() -> None:
    """Break one page, and move what is known of it."""
    page = Path(PAGE)
    text = page.read_text("utf-8")
    assert '"datePublished": "2026-11-03T' in text
    text = text.replace('"datePublished": "2026-11-03T', '"datePublished": "2026-11-31T')
    page.write_text(text.replace("\n", "\n\n\n", 1).replace("\n  ", "\n      "), "utf-8")


def test_every_format_has_a_reader_here() -> None:
    assert set(READERS) == set(format_names())


def test_exactly_what_is_new_is_reported_in_every_format(adopted: Path) -> None:
    spoil()
    outputs = [part for name in READERS for part in ("--output", f"{name}=report.{name}")]

    assert (
        main(["validate", "site", "--now", "2026-11-20", "--baseline", "known.json", "--fail-on", "warning", *outputs])
        == 1
    )

    result = {name: read(Path(f"report.{name}").read_text("utf-8")) for name, read in READERS.items()}
    assert result == {name: [(RULE, PAGE, LINE)] for name in READERS}


@pytest.mark.skipif(not SARIF.is_file(), reason="the published schema lies beside the checkout only")
def test_code_scanning_gets_a_valid_file_with_all_marks(adopted: Path) -> None:
    spoil()
    main(["validate", "site", "--now", "2026-11-20", "--baseline", "known.json", "--output", "sarif=report.sarif"])
    log = json.loads(Path("report.sarif").read_text("utf-8"))

    schema = json.loads(SARIF.read_text("utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(log)
    results = log["runs"][0]["results"]
    assert len(results) > 10, "what is known is marked, not dropped"
    assert all(each["partialFingerprints"] for each in results)
