"""Web archives: the pages in them are judged each under its own address."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastwarc")

from waypost.cli import main
from waypost.errors import install_command
from waypost.reader.archive_answers import ArchiveAnswers
from waypost.reader.archives import pages_of

FAULTY = '{"@context": "https://schema.org", "@type": "Book", "@id": "#x", "datecreated": "2026-01-01"}'
PAGE = f'<title>x</title><script type="application/ld+json">{FAULTY}</script>'.encode()
HTML = "Content-Type: text/html; charset=utf-8\r\n"


def record(kind: str, url: str, body: bytes) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{abs(hash((kind, url, body))) % 10**12:012}>\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


def answer(url: str, body: bytes = PAGE, status: int = 200, headers: str = HTML) -> bytes:
    return record(
        "response", url, f"HTTP/1.1 {status} x\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body
    )


RECORDS = [
    record("warcinfo", "", b"software: x\r\n"),
    record("request", "https://example.com/a", b"GET /a HTTP/1.1\r\n\r\n"),
    answer("https://example.com/a"),
    answer("https://example.com/gone", b"not here", 404),
    answer("https://example.com/a.png", b"\x89PNG", headers="Content-Type: image/png\r\n"),
    answer("https://example.com/packed", gzip.compress(PAGE), headers=f"{HTML}Content-Encoding: gzip\r\n"),
    answer("https://example.com/data", FAULTY.encode(), headers="Content-Type: application/ld+json\r\n"),
    answer("https://example.com/a", PAGE.replace(b"datecreated", b"dateCreated")),
]


@pytest.fixture(params=["plain", "packed"])
def archive(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    packed = request.param == "packed"
    path = Path("crawl.warc.gz" if packed else "crawl.warc")
    path.write_bytes(b"".join(gzip.compress(each) if packed else each for each in RECORDS))
    return path


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, list[dict[str, Any]]]:
    status = main(["validate", "--json", "--no-config", *argv])
    return status, json.loads(capsys.readouterr().out)["files"]


def test_its_pages_are_checked_each_under_its_address(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, files = checked(capsys, str(archive))

    assert [file["path"] for file in files] == [
        f"{archive}#https://example.com/a",
        f"{archive}#https://example.com/packed",
        f"{archive}#https://example.com/data",
        f"{archive}#https://example.com/a (2)",
    ]
    assert [file["items"][0]["id"] for file in files] == [
        f"https://example.com/{name}#x" for name in ("a", "packed", "data", "a")
    ]
    assert ["property-wrong-case" in [each["rule"] for each in file["findings"]] for file in files] == [
        True, True, True, False,
    ]  # fmt: skip


def test_places_count_from_the_beginning_of_the_page(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["validate", str(archive), "--no-config", "--verbose"])

    assert f"--> {archive}#https://example.com/packed:1:" in (out := capsys.readouterr().out)
    assert '"datecreated": "2026-01-01"' in out, "the page is found again for its code frame"


def test_processes_make_no_difference(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(capsys, ".", "--jobs", "2") == checked(capsys, ".", "--jobs", "1")


def test_without_the_extra_the_message_names_what_to_install(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastwarc.warc", None)

    status, (file,) = checked(capsys, str(archive))

    assert status == 3
    assert install_command("warc") in file["error"]


def test_a_truncated_archive_gives_its_pages_and_reports_it(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = archive.read_bytes()
    archive.write_bytes(data[: len(data) - 40])

    status, files = checked(capsys, str(archive))

    assert files[0]["path"] == f"{archive}#https://example.com/a"
    assert files[-1]["path"] == f"{archive}#https://example.com/a (2)"
    assert files[-1]["error"] == "the archive breaks off in this page"
    assert status == 3


def test_wherever_an_archive_is_cut_it_is_reported(tmp_path: Path) -> None:
    for name in ("crawl.warc", "crawl.warc.gz"):
        records = [gzip.compress(each) if name.endswith(".gz") else each for each in RECORDS]
        data = b"".join(records)
        whole = {len(b"".join(records[:number])) for number in range(len(records) + 1)}
        # A plain record ends with two line ends that say nothing.
        whole |= {end - less for end in whole for less in range(5)} if name == "crawl.warc" else set()
        for cut in range(1, len(data), 7):
            (tmp_path / name).write_bytes(data[:cut])
            found = [*pages_of(str(tmp_path / name))]
            assert bool(found and found[-1].error) == (cut not in whole), (name, cut)


@pytest.mark.parametrize("data", [b"<html>no archive</html>\n" * 9, b"\x1f\x8bbroken", b"\x00" * 100])
def test_what_is_not_an_archive_is_reported_as_such(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crawl.warc").write_bytes(data)

    status, files = checked(capsys, "crawl.warc")

    assert status == 3
    assert [("error" in file) for file in files] == [True]


def test_one_packed_as_a_single_stream_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crawl.warc.gz").write_bytes(gzip.compress(b"".join(RECORDS)))

    status, files = checked(capsys, "crawl.warc.gz")

    assert status == 3
    assert "pack it record by record" in " ".join(file.get("error", "") for file in files)


def archived(kind: str, url: str, body: bytes, status: int = 200, more: str = "", digest: str = "") -> bytes:
    http = f"HTTP/1.1 {status} x\r\nContent-Type: text/javascript\r\n{more}\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{abs(hash((kind, url, body))) % 10**12:012}>\r\n"
        f"{f'WARC-Payload-Digest: {digest}' if digest else 'X-None: 1'}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


ANSWERS = [
    archived("response", "https://example.com/a.js", b"first", digest="sha1:A"),
    archived("response", "https://example.com/moved", b"", 302, "Location: /a.js\r\n"),
    archived("response", "https://example.com/round", b"", 302, "Location: /round\r\n"),
    archived("revisit", "https://example.com/again.js", b"", digest="sha1:A"),
    archived("request", "https://example.com/asked", b""),
    archived("response", "https://example.com", b"home"),
    archived("response", "https://example.com/packed", gzip.compress(b"whole"), 200, "Content-Encoding: gzip\r\n"),
    archived("response", "https://example.com/a.js", b"second"),
]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("url", "near", "text"),
    [
        ("https://example.com/a.js", 0, b"first"),
        ("https://example.com/a.js#x", 1, b"second"),
        ("https://example.com/a.js", 1 << 40, b"second"),
        ("https://example.com/moved", 0, b"first"),
        ("https://example.com/again.js", 0, b"first"),
        ("https://example.com/", 0, b"home"),
        ("https://example.com/packed", 0, b"whole"),
        ("https://example.com/round", 0, None),
        ("https://example.com/asked", 0, None),
        ("https://example.com/none", 0, None),
    ],
)
def test_an_archive_answers_by_address(tmp_path: Path, packed: bool, url: str, near: int, text: bytes | None) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(map(gzip.compress, ANSWERS) if packed else ANSWERS))

    answer = ArchiveAnswers(str(path)).answer(url, near, 100)

    assert (answer.data if answer is not None else None) == text
    if answer is not None:
        assert (answer.status, answer.headers["content-type"]) == (200, "text/javascript")


def test_a_cut_archive_answers_before_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(map(gzip.compress, ANSWERS))[:-30])

    answer = ArchiveAnswers(str(path)).answer("https://example.com/a.js", 0, 3)

    assert answer is not None
    assert answer.data == b"fir"
