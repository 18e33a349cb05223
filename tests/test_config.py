"""The configuration: where it is found, what holds for which page and why, and what is wrong with one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import jsonschema
import msgspec
import pytest

from waypost import config_tables as shapes
from waypost.cli import main
from waypost.config_file import ConfigFile
from waypost.formats.globs import matches
from waypost.models.access import FetchTable, OriginTable

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas/api/config.schema.json").read_text(encoding="utf-8"))
BOOK = '{"@context": "https://schema.org", "@type": "Book", "datecreated": "2026-01-01", "description": ""}'


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        output: dict[str, Any] = json.loads(self.out)
        return output

    def rules(self, path: str) -> list[str]:
        (file,) = [file for file in self.report["files"] if file["path"] == path]
        return [each["rule"] for each in file["findings"]]

    def severity(self, path: str, rule: str) -> str:
        (file,) = [file for file in self.report["files"] if file["path"] == path]
        (reported,) = [each["severity"] for each in file["findings"] if each["rule"] == rule]
        return str(reported)


class Run(Protocol):
    def __call__(self, *argv: str, command: str = "validate") -> Ran: ...


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command in a folder of its own that holds `a.jsonld` and `blog/b.jsonld`."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonld", "blog/b.jsonld"):
        write(name, BOOK)

    def ran(*argv: str, command: str = "validate") -> Ran:
        status = main([command, *argv])
        return Ran(status, *capsys.readouterr())

    return ran


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def test_rule_is_turned_off_and_another_gets_another_severity(run: Run) -> None:
    write("waypost.toml", '[rules]\nproperty-wrong-case = "off"\nempty-value = "error"\n')

    ran = run(".", "--json")

    assert "property-wrong-case" not in ran.rules("a.jsonld")
    assert ran.severity("a.jsonld", "empty-value") == "error"
    assert ran.status == 1


def test_the_last_setting_for_some_files_wins(run: Run) -> None:
    write(
        "waypost.toml",
        '[rules]\nempty-value = "error"\n[[overrides]]\nfiles = ["blog/**"]\nrules = {empty-value = "info"}\n'
        '[[overrides]]\nfiles = ["*.jsonld"]\nrules = {property-wrong-case = "info"}\n',
    )

    ran = run(".", "--json")

    assert ran.severity("a.jsonld", "empty-value") == "error"
    assert ran.severity("blog/b.jsonld", "empty-value") == "info"
    assert ran.severity("blog/b.jsonld", "property-wrong-case") == "info"


def test_profiles_are_requested_by_folder(run: Run) -> None:
    product = (
        '{"@context": "https://schema.org", "@type": "Product", "name": "x", '
        '"offers": {"@type": "Offer", "price": 1, "priceCurrency": "EUR"}, '
        '"aggregateRating": {"@type": "AggregateRating", "ratingValue": 4, "reviewCount": 2}}'
    )
    write("a.jsonld", product)
    write("blog/b.jsonld", product)
    write("waypost.toml", '[[overrides]]\nfiles = ["blog/"]\nprofiles = ["google/merchant-listing"]')

    ran = run(".", "--json")

    assert ran.rules("a.jsonld") != ran.rules("blog/b.jsonld")
    assert "required-property-missing" in ran.rules("blog/b.jsonld")
    request_body = run("a.jsonld", "--json", "--profile", "google/merchant-listing")
    assert request_body.rules("a.jsonld") == ran.rules("blog/b.jsonld")


def test_the_file_of_python_projects_serves_too(run: Run) -> None:
    write("pyproject.toml", '[project]\nname = "x"\n[tool.waypost.rules]\nempty-value = "off"\n')

    assert "empty-value" not in run(".", "--json").rules("a.jsonld")


def test_a_python_project_without_our_table_is_passed_over(run: Run) -> None:
    write("waypost.toml", '[rules]\nempty-value = "off"\n')
    write("blog/pyproject.toml", '[project]\nname = "x"\n')

    assert "empty-value" not in run("blog", "--json").rules("blog/b.jsonld")


def test_a_configuration_is_found_above_files_within_the_repository(run: Run) -> None:
    write("waypost.toml", '[rules]\nempty-value = "off"\n')

    assert "empty-value" not in run("blog/b.jsonld", "--json").rules("blog/b.jsonld")
    write("blog/.git/config", "")
    assert "empty-value" in run("blog/b.jsonld", "--json").rules("blog/b.jsonld")


def test_configuration_next_to_the_pages_applies_wherever_waypost_runs(run: Run, tmp_path: Path) -> None:
    write("blog/waypost.toml", '[rules]\nempty-value = "off"\n')

    assert "empty-value" not in run("blog/b.jsonld", "--json").rules("blog/b.jsonld")
    assert "empty-value" in run("a.jsonld", "blog/b.jsonld", "--json").rules("a.jsonld")


def test_what_extends_wins_over_what_it_extends(run: Run) -> None:
    write("shared/base.toml", 'fail-on = "never"\n[rules]\nempty-value = "off"\nproperty-wrong-case = "error"\n')
    write("waypost.toml", 'extends = "shared/base.toml"\n[rules]\nproperty-wrong-case = "info"\n')

    ran = run(".", "--json")

    assert "empty-value" not in ran.rules("a.jsonld")
    assert ran.severity("a.jsonld", "property-wrong-case") == "info"
    assert ran.status == 0


def test_the_command_line_wins_over_the_configuration(run: Run) -> None:
    write("waypost.toml", 'fail-on = "error"\n[rules]\nempty-value = "off"\n')

    ran = run(
        "a.jsonld",
        "--json",
        "--rule",
        "empty-value=warning",
        "--rule",
        "property-wrong-case=off",
        "--fail-on",
        "warning",
    )

    assert "empty-value" in ran.rules("a.jsonld")
    assert "property-wrong-case" not in ran.rules("a.jsonld")
    assert ran.status == 1
    assert "empty-value" in run("a.jsonld", "--json", "--no-config").rules("a.jsonld")


def test_excluded_files_are_checked_when_they_are_named(run: Run) -> None:
    write("waypost.toml", 'exclude = ["blog/"]\n')

    assert [file["path"] for file in run(".", "--json").report["files"]] == ["a.jsonld"]
    assert [file["path"] for file in run("blog/b.jsonld", "--json").report["files"]] == ["blog/b.jsonld"]


def test_what_is_ignored_is_marked_with_its_reason(run: Run) -> None:
    write("waypost.toml", '[[ignore]]\nfiles = ["blog/**"]\nrules = ["empty-value"]\nreason = "an old import"\n')

    result = run(".", "--json", "--show-suppressed").report

    assert [len(file.get("suppressed", [])) for file in result["files"]] == [0, 1]
    assert result["files"][1]["suppressed"][0]["suppression"] == {"kind": "config", "reason": "an old import"}
    assert result["summary"]["suppressed"] == 1
    sarif = json.loads(run(".", "--format", "sarif").out)["runs"][0]["results"]
    assert [each["suppressions"] for each in sarif if each.get("suppressions")] == [
        [{"kind": "external", "justification": "an old import"}]
    ]


def test_a_baseline_in_the_configuration_is_used_and_written(run: Run) -> None:
    write("waypost.toml", 'baseline = "known.json"\nfail-on = "info"\n')
    write("known.json", '{"version": 1, "files": {}}')

    assert run("blog").status == 1
    assert run("blog", "--write-baseline").status == 0
    assert run("blog").status == 0


def test_more_warnings_than_are_allowed_fail(run: Run) -> None:
    warnings = run("a.jsonld", "--json", "--rule", "property-wrong-case=warning").report["summary"]["warnings"]

    def status(most: int) -> int:
        return run("a.jsonld", "--rule", "property-wrong-case=warning", "--max-warnings", str(most)).status

    assert [status(warnings), status(warnings - 1)] == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('profles = ["google/recipe"]', "there is no key 'profles'; did you mean profiles?"),
        ('[[overrides]]\nfile = ["x"]', "there is no key 'file' in overrides[0]; did you mean files?"),
        ('[[ignore]]\nreson = "x"', "there is no key 'reson' in ignore[0]; did you mean reason?"),
        (
            '[rules]\nempty-vale = "off"',
            "rules: there is no rule or profile named 'empty-vale'; did you mean empty-value?",
        ),
        ('[rules]\nempty-value = "of"', "rules: 'of' is not a level; did you mean off?"),
        ('fail-on = "loud"', "fail-on: 'loud' is not a severity; there are error, warning, info, never"),
        ('feeds = ["https://ann:pw@shop.example.com/feed.xml"]', "feeds[0]: a feed is a file; download it"),
        ('exclude = "drafts"', "exclude: write a list, not a string"),
        ("cache = 3", "cache: write true or false or a string, not a whole number"),
        ('[[ignore]]\nfiles = ["x"]', "ignore[0]: reason is missing"),
        ('profiles = ["google/recip"]', "did you mean google/recipe"),
        ("fail-on = 3", "fail-on: write a string, not a whole number"),
        ("max-warnings = -1", "max-warnings: -1 is less than none"),
        ('[[ignore]]\nreason = " "', "ignore[0].reason: say why"),
        ('extends = "waypost.toml"', "extends itself"),
        ('extends = "none.toml"', "no such file"),
        ("this is [not toml", "this is not TOML"),
    ],
)
def test_a_typo_is_reported_with_place_and_likely_name(run: Run, text: str, message: str) -> None:
    write("waypost.toml", text)

    ran = run("a.jsonld")

    assert ran.status == 2
    assert message in ran.err
    assert ".toml" in ran.err


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("empty-value", "write it as NAME=LEVEL"),
        ("empty-value=loud", "'loud' is not a level"),
        ("nothing=off", "nothing"),
    ],
)
def test_a_typo_on_the_command_line_is_reported_too(run: Run, argument: str, message: str) -> None:
    ran = run("a.jsonld", "--rule", argument)

    assert ran.status == 2
    assert message in ran.err


def test_config_reports_each_setting_with_its_source(run: Run) -> None:
    write(
        "waypost.toml",
        'exclude = ["blog/"]\n[rules]\nempty-value = "off"\n'
        '[[overrides]]\nfiles = ["blog/**"]\nrules = {empty-value = "info"}\n'
        '[[ignore]]\nrules = ["google/recipe"]\nreason = "never shown"\n',
    )

    output = run("blog/b.jsonld", command="config").out
    data = json.loads(run("blog/b.jsonld", "--json", command="config").out)

    assert "empty-value: info" in output
    assert "overrides[0] for blog/**)" in output
    assert "ignored: google/recipe: never shown" in output
    assert "left out of a search of folders: exclude has blog/" in output
    assert data["pages"]["blog/b.jsonld"]["rules"]["empty-value"]["level"] == "info"
    assert data["pages"]["blog/b.jsonld"]["excluded"] == "blog/"


def test_config_reports_that_there_is_none(run: Run) -> None:
    Path(".git").mkdir()

    assert run(command="config").out == "no configuration file: the defaults apply\n"


def test_the_schema_is_one_and_its_example_is_read(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    for example in SCHEMA["examples"]:
        jsonschema.Draft202012Validator(SCHEMA).validate(example)
        assert msgspec.convert(example, type=shapes.Tables)


@pytest.mark.parametrize(
    ("part", "struct"),
    [
        (SCHEMA, shapes.Tables),
        (SCHEMA["$defs"]["override"], shapes.Override),
        (SCHEMA["$defs"]["ignore"], shapes.Ignore),
        (SCHEMA["properties"]["vocabulary"], shapes.FurtherNames),
        (SCHEMA["properties"]["site"], shapes.SiteTable),
        (SCHEMA["properties"]["fetch"], FetchTable),
        (SCHEMA["$defs"]["origin"], OriginTable),
    ],
)
def test_the_schema_and_the_reader_know_the_same_keys(part: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    fields = msgspec.structs.fields(struct)

    assert set(part["properties"]) == {field.encode_name for field in fields}
    assert set(part.get("required", ())) == {field.encode_name for field in fields if field.required}


@pytest.mark.parametrize(
    ("path", "glob", "fits"),
    [
        ("a/b.html", "a/*.html", True),
        ("a/b/c.html", "a/*.html", False),
        ("a/b/c.html", "a/**", True),
        ("a/b/c.html", "a/**/c.html", True),
        ("a/c.html", "a/**/c.html", True),
        ("a/b/c.html", "*.html", True),
        ("a/b/c.html", "b", True),
        ("a/b/c.html", "b/", True),
        ("a/b/c.html", "/b", False),
        ("a.html", "?.html", True),
        ("a.html", "[!b].html", True),
        ("b.html", "[!b].html", False),
        ("a.html", "[z-a].html", False),
        ("a+(b).html", "a+(b).html", True),
        ("a*.html", "a\\*.html", True),
        ("ab.html", "a\\*.html", False),
        ("x/y", "**", True),
    ],
)
def test_patterns_of_paths(path: str, glob: str, fits: bool) -> None:
    assert matches(path, glob) is fits


def test_excluded_files_stay_out_on_request_even_if_named(run: Run) -> None:
    write("waypost.toml", 'exclude = ["blog/"]\n')

    assert run("blog/b.jsonld", "--fail-on", "warning").status == 1
    assert run("blog/b.jsonld", "--fail-on", "warning", "--force-exclude").status == 0


def test_a_folder_may_have_thresholds_of_its_own(run: Run) -> None:
    write("waypost.toml", 'fail-on = "error"\n[[overrides]]\nfiles = ["blog/**"]\nfail-on = "warning"\n')

    assert run("a.jsonld").status == 0
    assert run("blog/b.jsonld").status == 1
    assert run(".", "--fail-on", "error").status == 0, "the command line goes before the configuration"
    assert "fail-on: warning" in run("blog/b.jsonld", command="config").out
    junit = run(".", "--format", "junit", "--group-by", "page").out
    assert junit.count("<failure") == junit.partition("blog/b.jsonld")[2].count("<failure") > 0


def test_warnings_of_a_folder_may_be_counted_by_themselves(run: Run) -> None:
    limit = '[[overrides]]\nfiles = ["blog/**"]\nmax-warnings = {}\n'
    write("blog/b.jsonld", BOOK.replace('"datecreated"', '"Headline": "A", "datecreated"'))
    (page,) = run("blog", "--json").report["files"]
    warnings = sum(finding["severity"] == "warning" for finding in page["findings"])
    assert warnings > 1

    for most, status in ((warnings, 0), (warnings - 1, 1)):
        write("waypost.toml", limit.format(most))
        assert run(".").status == status
    write("waypost.toml", f"max-warnings = {warnings}\n{limit.format(warnings)}")
    assert run(".").status == 0, "each of the two is within its own limit"
    write("waypost.toml", limit.format(-1))
    assert "overrides[0].max-warnings: -1 is less than none" in run(".").err


IGNORES = """
[[ignore]]
rules = ["property-wrong-case"]
reason = "it was so"
[[ignore]]
rules = ["offer-expired"]
reason = "it is no more so"
"""


def test_an_unused_ignore_is_a_finding_about_the_configuration(run: Run) -> None:
    write("waypost.toml", IGNORES)

    ran = run(".", "--json")

    (found,) = [file for file in ran.report["files"] if file["path"] == "waypost.toml"]
    (finding,) = found["findings"]
    assert finding["rule"] == "suppression-unused"
    assert finding["severity"] == "warning"
    assert finding["line"] == 5
    assert finding["message"] == "ignore[1] (offer-expired) ignores nothing in the 2 pages that it is about"
    assert "waypost.toml:5:1" in run(".").out


def test_only_a_projects_search_reports_an_unused_ignore(run: Run) -> None:
    write("waypost.toml", IGNORES)
    assert [file["path"] for file in run("a.jsonld", "--json").report["files"]] == ["a.jsonld"]

    write("waypost.toml", f'[rules]\n"suppression-unused" = "off"\n{IGNORES}')
    assert "waypost.toml" not in [file["path"] for file in run(".", "--json").report["files"]]


NEWER = """{"@context": "https://schema.org", "@type": "Thing", "name": "A", "ownField": "b",
 "subjectOf": {"@type": "OwnReport", "name": "C"}}"""


def test_names_beyond_the_release_need_an_entry(run: Run) -> None:
    write("n.jsonld", NEWER)
    assert {"unknown-type", "unknown-property"} <= set(run("n.jsonld", "--json").rules("n.jsonld"))

    write("base.toml", '[vocabulary]\nalso = ["OwnReport"]\n')
    write("waypost.toml", 'extends = "base.toml"\n[vocabulary]\nalso = ["ownField"]\n')

    assert not {"unknown-type", "unknown-property"} & set(run("n.jsonld", "--json").rules("n.jsonld"))
    assert "vocabulary.also: OwnReport, ownField" in run(command="config").out


def test_a_typo_in_the_vocabulary_table_is_reported(run: Run) -> None:
    write("waypost.toml", '[vocabulary]\nalsoo = ["OwnReport"]\n')

    ran = run("a.jsonld")

    assert ran.status == 2
    assert "there is no key 'alsoo' in vocabulary; did you mean also?" in ran.err


@pytest.mark.parametrize(
    "text",
    [
        '[tool.waypost]\nbase-url = "https://example.com/"\n',
        '[ tool . "waypost" ]\nbase-url = "https://example.com/"\n',
        'tool.waypost.base-url = "https://example.com/"\n',
        '["tool"]\nwaypost = { base-url = "https://example.com/" }\n',
        'tool = { waypost = { base-url = "https://example.com/" } }\n',
        '["too\\u006c".waypost]\nbase-url = "https://example.com/"\n',
    ],
)
def test_the_table_is_found_however_it_is_written(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "x"\n{text}' if text[0] == "[" else text)

    assert ConfigFile(tmp_path / "pyproject.toml").table == {"base-url": "https://example.com/"}


def test_a_project_of_other_tools_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "waypost"\n[tool.ruff]\nthis is not TOML')
    code = (
        "import sys\nfrom pathlib import Path\nfrom waypost.config_file import ConfigFile\n"
        f"print(ConfigFile(Path({str(tmp_path / 'pyproject.toml')!r})).table, 'tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "None False\n"
