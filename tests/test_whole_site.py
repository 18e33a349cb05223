"""What shows only where several pages are looked at together.

tests/cases/rules/<rule>/bad-*/   a folder of pages in which the rule finds something, once
tests/cases/rules/<rule>/good-*/  one in which it finds nothing
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from waypost.cli import main
from waypost.validate.rulebook import rules_by_name

CASES = Path(__file__).parent / "cases" / "rules"
RULES = sorted(name for name, rule in rules_by_name().items() if rule.check_site)
OLD, NEW = "https://example.com/old.png", "https://example.com/new.png"


def folders(kind: str) -> list[Path]:
    return sorted(path for path in CASES.glob(f"site-*/{kind}-*") if path.is_dir())


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    main(["validate", "--json", "--no-config", "--now", "2026-11-20", "--fail-on", "never", *argv])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def of_site(report: dict[str, Any], kind: str = "findings") -> list[tuple[str, dict[str, Any]]]:
    """(page, finding) of everything that is told of the site as a whole."""
    return [
        (file["path"], each) for file in report["files"] for each in file.get(kind, ()) if each.get("scope") == "site"
    ]


@pytest.mark.parametrize("case", folders("bad"), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_site_with_the_error_is_reported_once(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = of_site(checked(capsys, str(case)))

    assert [finding["rule"] for _, finding in found] == [case.parent.name]
    path, finding = found[0]
    report = Path(path).read_bytes()[finding["start"] : finding["end"]].decode()
    assert report == "{" or json.loads(report), "it stands on a value"


@pytest.mark.parametrize("case", folders("good"), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_site_without_the_error_is_left_alone(case: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert of_site(checked(capsys, str(case))) == []


def test_markup_that_is_read_by_guesses_ends_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = '{"@context": "https://schema.org", "@type": "Book", "@id": "https://example.com/#book", %s}'
    pages = {
        "a": '"isbn": "9780306406157"',
        "b": '"isbn": "9780306406158", "name": "A "b" c", "abstract": "x, "url": "1"',
    }
    for name, rest in pages.items():
        text = f'<script type="application/ld+json">{book % rest}</script>'
        (tmp_path / f"{name}.html").write_text(text, "utf-8")

    report = checked(capsys, str(tmp_path))

    assert [path for path, _ in of_site(report) if path.endswith("b.html")] == []


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_of_the_site_has_both_cases(rule: str) -> None:
    assert {path.name.partition("-")[0] for path in (CASES / rule).iterdir()} == {"bad", "good"}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty pages of one site, all with the new logo."""
    monkeypatch.chdir(tmp_path)
    for number in range(40):
        write(number)
    return tmp_path


def write(number: int, logo: str = NEW, before: str = "", **facts: Any) -> None:
    about = {"@context": "https://schema.org", "@type": "Organization", "@id": "https://example.com/#us", "logo": logo}
    text = f'<!doctype html>\n{before}<script type="application/ld+json">{json.dumps(about | facts)}</script>\n'
    Path(f"{number:02}.html").write_text(text, encoding="utf-8")


def test_deviations_are_reported_at_their_page_with_places(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (7, 21, 30):
        write(number, OLD)

    ((path, finding),) = of_site(checked(capsys, "."))

    assert path == "07.html"
    assert finding["message"] == f"the logo of https://example.com/#us is {OLD} here and {NEW} on 37 pages"
    assert [(each["path"], each["message"]) for each in finding["related"]] == [
        ("00.html", f"{NEW}, as on 37 pages"), ("21.html", OLD), ("30.html", OLD),
    ]  # fmt: skip


def test_processes_and_the_cache_make_no_difference(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD)

    one = checked(capsys, ".", "--jobs", "1")

    assert len(of_site(one)) == 1
    assert checked(capsys, ".", "--jobs", "2") == one
    assert checked(capsys, ".", "--cache", "kept") == one
    assert checked(capsys, ".", "--cache", "kept") == one
    write(7, "https://example.com/older.png")
    assert "older.png" in of_site(checked(capsys, ".", "--cache", "kept"))[0][1]["message"]


def test_a_page_alone_contradicts_no_other(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD)

    assert of_site(checked(capsys, "07.html")) == []


def test_the_page_may_ignore_it(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD, before="<!-- waypost-ignore-file site-logo-differs: kept for the archive -->\n")

    report = checked(capsys, ".", "--show-suppressed")

    assert of_site(report) == []
    ((path, finding),) = of_site(report, "suppressed")
    assert (path, finding["suppression"]["reason"]) == ("07.html", "kept for the archive")
    assert "suppression-unused" not in [each["rule"] for file in report["files"] for each in file["findings"]]


def test_the_configuration_may_turn_it_off(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD)

    assert of_site(checked(capsys, ".", "--rule", "site-logo-differs=off")) == []


def test_baseline_knows_it_at_whichever_page_it_is_reported(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD)
    checked(capsys, ".", "--baseline", "known.json", "--write-baseline", "--baseline-by", "value")
    write(3, OLD)

    report = checked(capsys, ".", "--baseline", "known.json", "--show-suppressed")

    assert of_site(report) == []
    assert [path for path, _ in of_site(report, "suppressed")] == ["03.html"]
    write(3, "https://example.com/another.png")
    assert len(of_site(checked(capsys, ".", "--baseline", "known.json"))) == 1, "another contradiction is new"


def test_formats_name_the_other_pages(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD)

    main(["validate", ".", "--no-config", "-q"])
    text = capsys.readouterr().out
    assert "see 00.html:2:" in text
    main(["validate", ".", "--no-config", "--format", "sarif"])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    (result,) = [each for each in results if each["ruleId"] == "site-logo-differs"]
    (place,) = [each["physicalLocation"] for each in result["relatedLocations"]]
    assert place["artifactLocation"]["uri"] == "00.html"
    main(["validate", ".", "--no-config", "--format", "html"])
    assert "see 00.html:2:" in capsys.readouterr().out


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed here")


def git(*argv: str) -> None:
    settings = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *settings, *argv], check=True, capture_output=True)


@needs_git
def test_since_reports_only_what_the_change_brought(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(7, OLD)
    for number in range(40):
        (site / f"b{number:02}.html").write_bytes((site / f"{number:02}.html").read_bytes().replace(b"#us", b"#them"))
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    write(9, NEW, name="Loma")

    assert of_site(checked(capsys, ".", "--since", "HEAD")) == [], "the old logo was there before"

    write(9, NEW, vatID="DE1")
    git("add", ".")
    git("commit", "-q", "-m", "y")
    write(10, NEW, vatID="DE2")
    found = of_site(checked(capsys, ".", "--since", "HEAD"))
    assert [finding["rule"] for _, finding in found] == ["site-id-conflicting-values"]


@needs_git
def test_since_reports_missing_targets_of_breadcrumbs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(CASES / "site-breadcrumb-not-found" / "bad-step-without-a-page", ".", dirs_exist_ok=True)
    Path("nowhere").mkdir()
    Path("nowhere/index.html").write_text("<title>x</title>", encoding="utf-8")
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    assert of_site(checked(capsys, ".")) == []

    Path("nowhere/index.html").unlink()

    assert [path for path, _ in of_site(checked(capsys, ".", "--since", "HEAD"))] == ["b/c.html"]


def test_with_redirects_present_missing_pages_are_not_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(CASES / "site-breadcrumb-not-found" / "bad-step-without-a-page", tmp_path, dirs_exist_ok=True)
    (tmp_path / "_redirects").write_text("/nowhere/ /b/\n", encoding="utf-8")

    assert of_site(checked(capsys, str(tmp_path))) == []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        crumbs = [
            {"@type": "ListItem", "position": n + 1, "name": "x", "item": path} for n, path in enumerate(("/", "/gone"))
        ]
        about = {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": crumbs}
        body = f'<script type="application/ld+json">{json.dumps(about)}</script>'.encode()
        self.send_response(410 if self.path == "/gone" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in the base class
        """Quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


def test_the_server_knows_which_web_pages_are_gone(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    fetch = ("--rate", "0", "--retries", "0")

    found = of_site(checked(capsys, f"{server}/a", f"{server}/b", f"{server}/gone", *fetch))

    assert [(path, finding["rule"]) for path, finding in found] == [(f"{server}/a", "site-breadcrumb-not-found")]
    assert [each["path"] for each in found[0][1]["related"]] == [f"{server}/b"]
    assert of_site(checked(capsys, f"{server}/a", f"{server}/b", *fetch)) == [], "nobody asked for it"


ODD = [
    "http://[bad",
    "https://",
    "http://a b/",
    "//x",
    "https://example.com/" + "a" * 5_000,
    "\ud83d",
    "",
    "http://x:99999/",
    "%",
]


@pytest.mark.parametrize("odd", ODD)
def test_odd_addresses_break_nothing(odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crumbs = [
        {"@type": "ListItem", "position": 1, "item": odd},
        {"@type": "ListItem", "position": 2, "item": {"@id": odd}},
    ]
    about: dict[str, Any] = {"@context": "https://schema.org"}
    graph = [
        {"@type": "Organization", "@id": odd, "name": "x", "url": odd, "logo": odd, "sameAs": [odd]},
        {"@type": "Organization", "name": "x", "url": odd, "logo": {"@type": "ImageObject", "url": odd}},
        {"@type": "BreadcrumbList", "itemListElement": crumbs},
        {"@type": "ItemList", "itemListElement": [odd, {"@type": "ListItem", "url": odd}]},
    ]
    script = f'<script type="application/ld+json">{json.dumps(about | {"@graph": graph})}</script>'
    for number in range(4):
        text = f'<link rel=canonical href="{odd}{number}"><base href="{odd}">{script}'
        (tmp_path / f"{number}.html").write_bytes(text.encode("utf-8", "surrogatepass"))
    (tmp_path / "index.html").write_text(script, encoding="utf-8")

    files = checked(capsys, str(tmp_path))["files"]

    assert len(files) == 5
    assert not [file["error"] for file in files if "error" in file]
