"""Files as they lie about: packed, linked in circles, not for us to read, no pages at all."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.command import Run

from waypost.cli import main
from waypost.config import find

FAULTY = '{"@context": "https://schema.org", "@type": "Book", "datecreated": "2026-01-01"}'
SCRIPT = f'<script type="application/ld+json">{FAULTY}</script>'
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("site").mkdir()
    Path("site/good.html").write_text(SCRIPT, encoding="utf-8")


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    status = main(["validate", "--json", "--no-config", "--fail-on", "never", *argv])
    out, err = capsys.readouterr()
    return status, json.loads(out), err


@pytest.mark.parametrize("name", ["a.html", "a.htm", "a.xhtml", "a.md", "a.markdown", "a.json", "a.jsonld"])
@pytest.mark.parametrize("packed", [False, True])
def test_every_kind_is_found_packed_or_not(name: str, packed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    text = FAULTY if "json" in name else SCRIPT
    path = Path("site", name + ".gz" * packed)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())

    _, report, _ = checked(capsys, "site")

    (file,) = [each for each in report["files"] if each["path"] == path.as_posix()]
    assert "property-wrong-case" in [each["rule"] for each in file["findings"]]


def test_circular_and_broken_links_are_skipped_and_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("site/one.html").symlink_to("two.html")
    Path("site/two.html").symlink_to("one.html")
    Path("site/nowhere.html").symlink_to("gone.html")
    Path("site/again").symlink_to(".", target_is_directory=True)

    status, report, err = checked(capsys, "site", "--verbose")

    assert status == 0
    assert [each["path"] for each in report["files"]] == ["site/good.html"]
    assert report["summary"]["skipped"] == 3
    assert "site/one.html: skipped, too many levels of symbolic links" in err
    assert "site/nowhere.html: skipped, no such file or directory" in err


def test_binary_and_damaged_files_cost_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    Path("site/picture.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    Path("site/damaged.html.gz").write_bytes(gzip.compress(SCRIPT.encode())[:-12])
    Path("site/bomb.html.gz").write_bytes(gzip.compress(bytes(70 << 20), 1))

    status, report, err = checked(capsys, "site", "--verbose")

    assert (status, report["summary"]["skipped"]) == (0, 3)
    assert "site/picture.html: skipped, this is a binary file, not a page" in err
    assert "site/damaged.html.gz: skipped, the compressed data is damaged" in err
    assert "site/bomb.html.gz: skipped, it is larger than 64 MiB" in err

    status, report, _ = checked(capsys, "site/picture.html", "site/good.html")
    assert status == 3, "what was named and cannot be read is a failure"
    assert [("error" in each) for each in report["files"]] == [True, False]


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_what_may_not_be_read_costs_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    Path("site/closed.html").write_text(SCRIPT, encoding="utf-8")
    Path("site/closed.html").chmod(0)

    status, report, err = checked(capsys, "site", "--verbose")

    assert (status, report["summary"]["skipped"]) == (0, 1)
    assert "site/closed.html: skipped, permission denied" in err


def test_unsearchable_folders_are_skipped_or_when_named_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("site/closed").mkdir()
    entries = os.scandir

    def scandir(path: str) -> Any:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", path)
        return entries(path)

    monkeypatch.setattr(os, "scandir", scandir)

    status, report, err = checked(capsys, "site", "--verbose")
    assert (status, report["summary"]["skipped"]) == (0, 1)
    assert "site/closed: skipped, permission denied" in err

    status, report, _ = checked(capsys, "site/closed")
    assert (status, report["files"][0]["error"]) == (3, "permission denied")


def test_a_configuration_is_searched_past_unreadable_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path, **_: Any) -> os.stat_result:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", closed)

    assert find(Path("site")) is None


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("www.example.com/menu", "; for a web page, write the complete URL: https://www.example.com/menu"),
        ("localhost:8000", "; for a web page, write the complete URL: http://localhost:8000"),
        ("ftp://example.com/a.html", "; of URLs, only http:// and https:// can be fetched, not ftp://"),
        ("missing.html", ""),
        ("missing.tsx", ""),
        ("urls.txt", ""),
        ("public", ""),
    ],
)
def test_a_missing_file_like_a_url_is_reported_so(name: str, advice: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, report, _ = checked(capsys, name)

    assert (status, report["files"][0]["error"]) == (3, f"no such file or directory{advice}")


def test_empty_standard_input_is_an_error_except_for_editors(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    status, report, _ = checked(capsys, "-")
    assert (status, report["files"][0]["error"]) == (3, "standard input is empty")

    status, report, _ = checked(capsys, "-", "--stdin-name", "new.html")
    assert (status, "error" in report["files"][0]) == (0, False)


@pytest.mark.parametrize("output", ["public", "_site", "dist", ".vitepress/dist", ".output/public"])
def test_built_pages_that_git_ignores_are_named(
    command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, output: str
) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    (root / ".gitignore").write_text("public/\n_site/\ndist/\n")
    (root / output).mkdir(parents=True)
    (root / output / "index.html").write_text("<p>Built.</p>")
    (root / "source.html").write_text("<p>Source.</p>")

    ran = command("validate", ".")

    assert f"{output} was not searched" in ran.err
    assert "was not searched" not in command("validate", output).err


@pytest.mark.parametrize("folder", ["node_modules/kit", "env/lib"])
def test_packages_of_others_are_never_searched(
    command: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    root = tmp_path / "project"
    (root / folder).mkdir(parents=True)
    monkeypatch.chdir(root)
    (root / "env").mkdir(exist_ok=True)
    (root / "env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (root / folder / "readme.html").write_text("<p>Not ours.</p>")
    (root / "page.html").write_text("<p>Ours.</p>")

    assert [file["path"] for file in command("validate", ".", "--json").json["files"]] == ["page.html"]
    assert len(command("validate", folder, "--json").json["files"]) == 1
