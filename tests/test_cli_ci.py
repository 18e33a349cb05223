"""What a team asks of the command line: several reports at once, only what a change touches, what git ignores."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

from waypost.cli import main

FAULTY = '{"@context": "https://schema.org", "@type": "Book", "datecreated": "2026-01-01", "description": ""}'


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def files(self) -> dict[str, list[str]]:
        """Path -> the rules that found something."""
        report: dict[str, Any] = json.loads(self.out)
        return {file["path"]: [each["rule"] for each in file["findings"]] for file in report["files"]}


class Run(Protocol):
    def __call__(self, *argv: str) -> Ran: ...


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "WAYPOST_SITE"):
        monkeypatch.delenv(name, raising=False)

    def ran(*argv: str) -> Ran:
        status = main(["validate", *argv])
        return Ran(status, *capsys.readouterr())

    return ran


def write(name: str, text: str = FAULTY) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def test_several_reports_are_written_at_once(run: Run) -> None:
    write("a.jsonld")

    ran = run("a.jsonld", "--output", "sarif=a.sarif", "--output", "junit=a.xml", "--output", "html=a.html")

    assert "property-wrong-case" in ran.out, "standard output still has the text"
    assert json.loads(Path("a.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert ET.parse("a.xml").getroot().tag == "testsuites"
    assert Path("a.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_file_without_a_format_replaces_standard_output(run: Run) -> None:
    write("a.jsonld")

    ran = run("a.jsonld", "--json", "--output", "a.json", "--output", "gitlab=b.json")

    assert ran.out == ""
    assert "the report is in a.json and b.json" in ran.err
    assert json.loads(Path("a.json").read_text(encoding="utf-8"))["version"] == 1


@pytest.mark.parametrize("argv", [("--output", "report"), ("--output", "report.xyz", "--format", "text")])
def test_a_file_is_text_by_default(run: Run, argv: tuple[str, ...]) -> None:
    write("a.jsonld")

    run("a.jsonld", *argv)

    assert (
        Path(argv[1])
        .read_text(encoding="utf-8")
        .startswith("1 warning in 1 file; 1 item (1 of information only: --verbose shows it)\na.jsonld:")
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--output", "a.txt", "--output", "b.txt"), "say in which format"),
        (("--output", "json=a.txt", "--output", "sarif=a.txt"), "two reports"),
        (("--output", "json=no/such/a.txt"), "make it first"),
        (("--output", "sarfi=a.sarif"), "there is no format 'sarfi'; did you mean sarif?"),
        (("--output", "yaml=a.yml"), "there is no format 'yaml'; there are text, "),
        (("--output", "report.xyz"), "no format has the ending '.xyz'; there are .sarif, .sarif.json, "),
    ],
)
def test_reports_that_cannot_be_distinguished_are_rejected(run: Run, argv: tuple[str, ...], message: str) -> None:
    write("a.jsonld")

    ran = run("a.jsonld", *argv)

    assert ran.status == 2
    assert message in ran.err


def test_statistics_count_by_rule(run: Run) -> None:
    write("a.jsonld")
    write("b.jsonld")

    ran = run(".", "--statistics")

    assert "      2 error   property-wrong-case (2 files; --fix fixes 2)\n" in ran.out or (
        "      2 warning property-wrong-case (2 files; --fix fixes 2)\n" in ran.out
    )
    assert "-->" not in ran.out


def test_html_shows_the_line_with_its_place_marked(run: Run) -> None:
    write("a<b>.jsonld", FAULTY.replace(", ", ",\n"))

    output = run("a<b>.jsonld", "--format", "html").out

    assert "<h2>a&lt;b&gt;.jsonld</h2>" in output
    assert "<mark>&quot;datecreated&quot;</mark>: &quot;2026-01-01&quot;," in output


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.json", "json"), ("a.sarif", "sarif"), ("a.SARIF.json", "sarif"), ("a.ndjson", "ndjson"), ("a.xml", "junit"),
     ("a.html", "html"), ("a.md", "markdown"), ("a.txt", "text"), ("a.log", "text"), ("./a=b.json", "json")],
)  # fmt: skip
def test_the_ending_of_the_file_chooses_the_format(run: Run, name: str, form: str) -> None:
    write("page.jsonld")

    run("page.jsonld", "--output", name)

    assert Path(name).read_text("utf-8") == run("page.jsonld", "--format", form).out


def test_a_format_that_is_named_goes_before_the_ending(run: Run) -> None:
    write("page.jsonld")

    run("page.jsonld", "--format", "gitlab", "--output", "a.json")

    assert Path("a.json").read_text("utf-8") == run("page.jsonld", "--format", "gitlab").out


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed here")


def git(*argv: str) -> None:
    settings = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *settings, *argv], check=True, capture_output=True)


@pytest.fixture
def repository(run: Run) -> Run:
    """A repository with `a.jsonld`, `b.jsonld` and `c.jsonld.gz` committed."""
    write("a.jsonld")
    write("b.jsonld")
    Path("c.jsonld.gz").write_bytes(gzip.compress(FAULTY.encode()))
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    return run


@needs_git
def test_since_leaves_out_what_has_not_changed(repository: Run) -> None:
    ran = repository(".", "--since", "HEAD")

    assert ran.status == 0
    assert ran.out == ""


@needs_git
def test_since_counts_only_new_findings_of_changed_pages(repository: Run) -> None:
    write("a.jsonld", FAULTY.replace(", ", ",\n  ").replace('"description"', '"nam": "x", "description"'))

    ran = repository(".", "--since", "HEAD", "--json")

    assert ran.files == {"a.jsonld": ["unknown-property"]}
    assert json.loads(ran.out)["summary"]["baselined"] > 1


@needs_git
def test_since_sees_new_moved_and_packed_pages(repository: Run) -> None:
    write("new.jsonld")
    git("mv", "b.jsonld", "moved.jsonld")
    packed = FAULTY.replace('"description"', '"nam": "x", "description"')
    Path("c.jsonld.gz").write_bytes(gzip.compress(packed.encode()))

    ran = repository(".", "--since", "HEAD", "--json")

    assert ran.files["moved.jsonld"] == []
    assert ran.files["c.jsonld.gz"] == ["unknown-property"]
    assert "property-wrong-case" in ran.files["new.jsonld"]
    assert "a.jsonld" not in ran.files


@needs_git
def test_since_checks_built_pages_that_git_ignores(repository: Run) -> None:
    Path(".gitignore").write_text("public/\n", encoding="utf-8")
    git("add", ".gitignore")
    git("commit", "-q", "-m", "built pages are ignored")
    write("public/built.jsonld")

    ran = repository("public", "--since", "HEAD", "--json")

    assert "property-wrong-case" in ran.files["public/built.jsonld"]


@needs_git
@pytest.mark.parametrize(("kind", "entries"), [("value", "files"), ("cause", "causes")])
def test_since_with_a_baseline_loses_no_entry(repository: Run, kind: str, entries: str) -> None:
    repository(".", "--baseline", "known.json", "--write-baseline", "--baseline-by", kind)
    before = json.loads(Path("known.json").read_text("utf-8"))
    write("a.jsonld", FAULTY.replace(", ", ",\n  ").replace('"description"', '"nam": "x", "description"'))

    ran = repository(".", "--since", "HEAD", "--baseline", "known.json")
    assert "fits this any more" not in ran.err
    assert ran.status == 0
    assert "unknown-property" in ran.out

    repository(".", "--since", "HEAD", "--baseline", "known.json", "--write-baseline")
    after = json.loads(Path("known.json").read_text("utf-8"))
    assert len(after[entries]) >= len(before[entries])
    if kind == "value":
        known = {entry["fingerprint"] for entry in after["files"]["a.jsonld"]}
        assert known > {entry["fingerprint"] for entry in before["files"]["a.jsonld"]}


@needs_git
@pytest.mark.parametrize("ref", ["nothing", "--output=x", "HEAD:a.jsonld"])
def test_since_an_unknown_revision_is_an_error_of_usage(repository: Run, ref: str) -> None:
    ran = repository(".", f"--since={ref}")

    assert ran.status == 2
    assert "--since" in ran.err
    assert not Path("x").exists()


def test_since_outside_a_repository_is_an_error_of_usage(run: Run, tmp_path: Path) -> None:
    write("a.jsonld")

    ran = run("a.jsonld", "--since", "HEAD")

    assert ran.status == 2
    assert "--since" in ran.err


@needs_git
def test_what_git_ignores_is_left_out_of_a_search(repository: Run) -> None:
    write("drafts/d.jsonld")
    write("site/x.draft.jsonld")
    write("site/kept.draft.jsonld")
    write("site/build/e.jsonld")
    write(".gitignore", "# ours\n/drafts/\n*.draft.jsonld\n!kept.draft.jsonld\n")
    write("site/.gitignore", "build\n")

    found = repository(".", "--json").files
    output = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.jsonld*"], capture_output=True, text=True, check=True
    ).stdout.split()

    assert sorted(found) == sorted(output)
    assert "drafts/d.jsonld" in repository(".", "--json", "--no-gitignore").files


@needs_git
@pytest.mark.parametrize(
    "lines",
    [
        "/site/*\n!/site/deep/",
        "site/**\n!site/a.jsonld",
        "*\n!*/\n!*.jsonld\ndeep/",
        "[!s]*\n!/dr?fts",
        "[[:alpha:]].jsonld",
        "[z-a]\ndeep\\ 2/",
        "/s**e\n**/deep 2/**",
        "site/**/a.jsonld\n!**/deep/more/a.jsonld",
        "\\#a.jsonld\n#a.jsonld\n\\!a.jsonld  ",
    ],
)
def test_lines_of_gitignore_have_gits_meaning(repository: Run, lines: str) -> None:
    for folder in ("", "drafts/", "site/", "site/deep/", "site/deep/more/", "site/deep 2/"):
        for name in ("a.jsonld", "ab.jsonld", "#a.jsonld", "!a.jsonld"):
            write(f"{folder}{name}")
    write(".gitignore", lines + "\n")

    found = repository(".", "--json").files
    output = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", "*.jsonld"], capture_output=True, text=True, check=True
    ).stdout.split("\0")

    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    assert sorted({*found} - {*tracked}) == sorted({*output} - {"", *tracked})


@needs_git
def test_an_ignored_folder_that_is_named_is_searched(repository: Run) -> None:
    write("public/d.jsonld")
    write("public/skip/e.jsonld")
    write(".gitignore", "public/\n")
    write("public/.gitignore", "skip\n")

    assert list(repository("public", "--json").files) == ["public/d.jsonld"]
    assert "public/d.jsonld" not in repository(".", "--json").files


def test_outside_a_repository_nothing_is_ignored(run: Run) -> None:
    write("a.jsonld")
    write(".gitignore", "*.jsonld\n")

    assert list(run(".", "--json").files) == ["a.jsonld"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--stdin-name", "x.html"), "--stdin-name has no effect: standard input, -, is not among the inputs"),
        (("--modified-since", "7d"), "--modified-since has no effect without --sitemap"),
        (("--ignore-robots",), "--ignore-robots has no effect"),
        (("--max-urls", "9"), "--max-urls has no effect: no page is fetched"),
        (("--allow-private",), "--allow-private has no effect: no page is fetched"),
        (("--no-gitignore",), "--no-gitignore has no effect: no folder is searched"),
        (("--cache", "kept", "--diff"), "--cache has no effect with --fix and --diff"),
        (("--browser", "chromium"), "--browser has no effect without --render"),
        (("--render-timeout", "3"), "--render-timeout has no effect without --render"),
        (("--cache-strict",), "--cache-strict has no effect: no cache is used"),
        (("--statistics", "--json"), "--statistics has no effect: it is about the text report"),
        (("--explain", "--format", "sarif"), "--explain has no effect: it is about the text report"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_an_option_without_effect_is_reported(run: Run, argv: tuple[str, ...], message: str) -> None:
    write("a.jsonld")

    assert message in run("a.jsonld", *argv).err
    assert "no effect" not in run("a.jsonld", *argv, "--quiet").err


def test_explain_adds_the_documentation_of_each_rule_once(run: Run) -> None:
    write("a.jsonld", FAULTY.replace('"description": ""', '"datemodified": "2026-01-01", "inLanguage": "english"'))

    ran = run("a.jsonld", "--explain")

    assert ran.out.count("\nproperty-wrong-case\n\n") == 1
    assert "\nin-language-invalid\n\n" in ran.out
    assert "authority  vocabulary" in ran.out


def test_a_profile_that_finds_nothing_is_an_error(run: Run) -> None:
    write("a.jsonld")

    ran = run("a.jsonld", "--profile", "google/recipe", "--json")

    assert ran.status == 1
    assert "profile-not-found" in ran.files["a.jsonld"]


def test_each_named_file_must_have_the_named_profiles_subject(run: Run) -> None:
    write("site/a.jsonld")
    write("site/b.jsonld", FAULTY.replace("Book", "Event"))

    ran = run("site/a.jsonld", "site/b.jsonld", "--profile", "google/event", "--json")

    assert ran.status == 1
    assert "profile-not-found" in ran.files["site/a.jsonld"]
    assert "profile-not-found" not in ran.files["site/b.jsonld"]


def test_one_of_several_pages_must_have_the_profiles_subject(run: Run) -> None:
    write("site/a.jsonld")
    write("site/b.jsonld", FAULTY.replace("Book", "Event"))

    ran = run("site", "--profile", "google/event", "--profile", "google/recipe", "--json")

    report = json.loads(ran.out)
    found = [(file["path"], each["profile"]) for file in report["files"] for each in file["findings"]
             if each["rule"] == "profile-not-found"]  # fmt: skip
    assert found == [("site/a.jsonld", "google/recipe"), ("site/b.jsonld", "google/recipe")]
