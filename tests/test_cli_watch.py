"""`waypost watch`: only what changed is read, the last line counts everything, Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from waypost.cli import main, watch
from waypost.cli._program import parser
from waypost.cli.watch import Watch
from waypost.lint import page as pages
from waypost.lint.inputs import Input
from waypost.lint.page_sources import open_page
from waypost.reader.sources import PageSource

FAULTY = '{"@context": "https://schema.org", "@type": "Boook", "datePublished": "2026-02-28"}'
CLEAN = FAULTY.replace("Boook", "Book")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(watch, "SETTLED_S", 0)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "WAYPOST_SITE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "site").mkdir()
    for name in ("a", "b", "c"):
        write(f"site/{name}.jsonld", CLEAN)
    return tmp_path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read since this was last emptied."""
    seen: list[str] = []

    def opening(what: Input, allow_private: bool) -> PageSource:
        seen.append(what.path)
        return open_page(what, allow_private)

    monkeypatch.setattr(pages, "open_page", opening)
    return seen


def write(name: str, text: str) -> None:
    """Write a file so that its time differs from that before, however coarse the clock of the disk is."""
    path = Path(name)
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    now = path.stat()
    os.utime(path, ns=(now.st_atime_ns, max(now.st_mtime_ns, before + 1_000_000)))


def watching(*argv: str) -> Watch:
    began = Watch(parser("watch").parse_args(["watch", *argv, "--color", "never"]))
    began.begin()
    return began


def test_only_changes_are_read_again_and_everything_is_counted(
    folder: Path, read: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write("site/c.jsonld", FAULTY)
    watched = watching("site")
    assert read == ["site/a.jsonld", "site/b.jsonld", "site/c.jsonld"]
    assert "1 error" in capsys.readouterr().out.splitlines()[-1]
    read.clear()

    assert not watched.poll()
    assert read == []

    write("site/b.jsonld", FAULTY)
    assert watched.poll()
    output = capsys.readouterr().out
    assert read == ["site/b.jsonld"]
    assert "site/b.jsonld:1:" in output
    assert "site/c.jsonld:1:" not in output
    assert "1 error (2 places) in 2 of 3 files" in output.splitlines()[-1]


def test_a_folder_may_disappear_and_come_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("site/c.jsonld", FAULTY)
    watched = watching("site")
    Path("site").rename("elsewhere")
    capsys.readouterr()

    assert watched.poll()
    output = capsys.readouterr().out
    assert "site/c.jsonld is gone" in output
    assert "unreadable: site: no such file or directory" in output
    assert not watched.poll()

    Path("elsewhere").rename("site")
    assert watched.poll()
    assert "1 error in 1 of 3 files" in capsys.readouterr().out.splitlines()[-1]


def test_pages_come_and_go(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched = watching("site")
    write("site/d.jsonld", FAULTY)
    Path("site/a.jsonld").unlink()
    capsys.readouterr()

    assert watched.poll()

    output = capsys.readouterr().out
    assert "site/a.jsonld is gone" in output
    assert "site/d.jsonld:1:" in output
    assert "1 error in 1 of 3 files" in output.splitlines()[-1]


def test_a_change_of_the_configuration_has_everything_checked_again(
    folder: Path, read: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write("site/a.jsonld", FAULTY)
    watched = watching("site")

    write("waypost.toml", '[rules]\n"unknown-type" = "off"\n')
    read.clear()
    assert watched.poll()
    assert len(read) == 3
    assert "nothing wrong" in capsys.readouterr().out.splitlines()[-1]

    write("waypost.toml", '[rules]\n"date-not-in-calender" = "off"\n')
    assert not watched.poll()
    assert not watched.poll()
    output = capsys.readouterr().err
    assert output.count("did you mean date-not-in-calendar?") == 1
    assert "what held before still does" in output

    Path("waypost.toml").unlink()
    assert watched.poll()
    assert "1 error" in capsys.readouterr().out.splitlines()[-1]


def test_a_change_of_one_page_affects_another_openly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = '{"@context": "https://schema.org", "@type": "Book", "@id": "https://a.test/#b", "name": "x", "isbn": "%s"}'
    for name in ("a", "b", "c"):
        write(f"site/{name}.jsonld", book % "9780306406157")
    watched = watching("site")
    write("site/b.jsonld", book % "9783161484100")
    watched.poll()
    assert "[site-id-conflicting-values]" in capsys.readouterr().out

    write("site/a.jsonld", book % "9783161484100")
    assert watched.poll()

    output = capsys.readouterr().out
    assert "site/c.jsonld:1:" in output, "now it is the one that says something else"
    assert "1 warning in 1 of 3 files" in output.splitlines()[-1]
    main(["validate", "site", "--color", "never", "-q"])
    assert capsys.readouterr().out.strip() in output


def test_what_the_baseline_knows_does_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("site/a.jsonld", FAULTY)
    main(["validate", "site", "--baseline", "known.json", "--write-baseline", "-q"])
    watched = watching("site", "--baseline", "known.json")
    assert "nothing new" in capsys.readouterr().out.splitlines()[-1]

    write("site/b.jsonld", FAULTY)
    assert watched.poll()
    assert "1 error in 1 of 3 files" in capsys.readouterr().out.splitlines()[-1]

    Path("known.json").unlink()
    assert watched.poll()
    assert "there is no such file" in capsys.readouterr().err


def test_the_screen_is_cleared_on_a_terminal_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watching("site")
    assert "\x1b" not in capsys.readouterr().out

    monkeypatch.setattr(watch, "is_terminal", lambda stream: True)
    watching("site")
    assert capsys.readouterr().out.startswith("\x1b[2J")


@pytest.mark.parametrize(
    ("argv", "messages"),
    [
        (["-"], "only files, folders and URLs"),
        (["http://127.0.0.1:1/", "--auth", "secret"], "--auth: write it as user:password"),
        (["site", "pubic"], "pubic: no such file or directory; name a file, a folder or a pattern that is there"),
        (["site", "--interval", "0"], "is not a pause"),
        (["site", "--profile", "google/recip"], "did you mean google/recipe"),
        (["site", "--baseline", "none.json"], "there is no such file"),
    ],
)
def test_what_cannot_be_watched_is_reported_at_once(
    folder: Path, argv: list[str], messages: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", *argv]) == 2
    assert messages in capsys.readouterr().err


def test_options_of_the_browser_need_render(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watching("site", "--render-timeout", "3").close()

    assert "--render-timeout has no effect without --render" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on POSIX")
def test_ctrl_c_ends_it_without_a_word(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "waypost", "watch", "site", "--interval", "0.02"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert "watching 3 files" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)

    assert (process.returncode, errors) == (0, "")
    assert "nothing wrong in 3 files" in out
