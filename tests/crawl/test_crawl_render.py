"""`waypost crawl --render`: a share of the pages after their scripts, in the tables and in the report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("fastwarc")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("playwright", reason="waypost[render] is not installed")

from pyarrow import parquet
from tests.browsers import rendering_browser
from tests.crawl.archives import pages, write

from waypost.cli import main
from waypost.crawl.analysis import connect, report_of
from waypost.crawl.folder import CrawlFolder
from waypost.crawl.studio import is_chosen
from waypost.crawl.tables import published
from waypost.registry import load

NOW = "2026-11-20T00:00:00Z"
PRODUCT = json.dumps(
    {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": "Kettle",
        "offers": {"@type": "Offer", "price": "10.00", "priceCurrency": "EUR"},
    }
)
ADDS = (
    "const s = document.createElement('script'); s.type = 'application/ld+json';"
    f"s.textContent = {json.dumps(PRODUCT)}; document.head.append(s)"
)
CHANGES = "const e = document.querySelector('[type*=ld]'); e.textContent = e.textContent.replace('10.00', '12.00')"


@pytest.fixture(scope="module")
def browser() -> str:
    return rendering_browser()


def crawl(*arguments: str | Path) -> int:
    patience = ["--render-timeout", "60"] if "--render" in arguments else []
    return main(["crawl", "--no-config", "--now", NOW, "--fail-on", "never", *patience, *map(str, arguments)])


def rows(folder: Path, query: str) -> list[Any]:
    found: list[Any] = connect(CrawlFolder(str(folder))).execute(query).fetchall()
    return found


def page(*, markup: bool = True, script: str = "") -> str:
    written = f'<script type="application/ld+json">{PRODUCT}</script>' if markup else ""
    return f"<!doctype html><title>Kettle</title><h1>Kettle</h1>{written}<script>{script}</script>"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with a page whose script adds the item, one whose script changes the item, and one that stays."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "adds.html").write_text(page(markup=False, script=ADDS))
    (folder / "changes.html").write_text(page().replace("<script></script>", '<script src="app.js"></script>'))
    (folder / "app.js").write_text(CHANGES)
    (folder / "stays.html").write_text(page())
    (folder / "data.jsonld").write_text(PRODUCT)
    return folder


RENDERINGS = "SELECT path, r.outcome, added, removed, changed FROM renderings r JOIN pages USING (page) ORDER BY path"


def test_rendered_pages_are_in_the_tables(browser: str, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl(site, "--out", "out", "--render", "--render-share", "1", "--browser", browser)

    assert "3 pages rendered, 2 differ after scripts" in capsys.readouterr().err
    assert rows(Path("out"), RENDERINGS) == [
        (f"{site}/adds.html", "rendered", 1, 0, 0),
        (f"{site}/changes.html", "rendered", 0, 0, 1),
        (f"{site}/stays.html", "rendered", 0, 0, 0),
    ]
    columns = [column.name for column in published(load()).tables["renderings"].columns]
    assert parquet.read_schema("out/renderings/part-000000.parquet").names == columns


def test_findings_are_those_of_a_rendered_validation(
    browser: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl(site, "--out", "out", "--render", "--render-share", "1", "--browser", browser, "-q")

    capsys.readouterr()
    main(["validate", "--json", "--no-config", "--now", NOW, "--render", "--render-timeout", "60", "--browser", browser,
          str(site)])  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    expected = [
        (file["path"], each["rule"], each["severity"], each["line"], each["column"], each["message"])
        for file in report["files"] for each in file["findings"] if each.get("scope") != "site"
    ]  # fmt: skip
    found = rows(
        Path("out"),
        "SELECT path, rule, severity, line, f.column, message FROM findings f JOIN pages USING (page) "
        "WHERE f.scope = 'page'",
    )
    assert Counter(found) == Counter(expected)
    assert {rule for _, rule, *_ in found} >= {"rendered-item-added", "rendered-value-differs"}


def test_the_report_counts_differences_by_template_and_cause(
    browser: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl(site, "--out", "out", "--render", "--render-share", "1", "--browser", browser, "-q")

    made = report_of(CrawlFolder("out")).rendered
    assert made is not None
    assert (made.pages, made.differ, made.added, made.removed, made.changed, made.gained) == (3, 2, 1, 0, 1, 1)
    assert {(each.rule, each.pages) for each in made.causes} == {
        ("rendered-item-added", 1), ("rendered-value-differs", 1),
    }  # fmt: skip
    assert {(each.name, each.pages, each.differ) for each in made.templates} == {
        ("Product in JSON-LD", 2, 1), ("no structured data as sent", 1, 1),
    }  # fmt: skip
    for form in ("markdown", "html"):
        capsys.readouterr()
        main(["report", "out", "--format", form])
        output = capsys.readouterr().out
        assert "3 pages were rendered" in output
        assert "2 differ: 1 page with items that exist only after scripts, 1 page with changed values" in output
        assert "rendered-value-differs" in output


def test_a_share_is_the_same_pages_every_time(browser: str, site: Path) -> None:
    for number in range(12):
        (site / f"p{number}.html").write_text(page())
    for out in ("one", "two"):
        crawl(site, "--base-url", "https://example.com/", "--out", out, "--render", "--render-share", "0.4",
              "--browser", browser, "-q")  # fmt: skip

    chosen = [url for (url,) in rows(Path("one"), "SELECT url FROM pages") if url and is_chosen(url, 0.4)]
    query = "SELECT p.url FROM renderings JOIN pages p USING (page) ORDER BY 1"
    assert rows(Path("one"), query) == rows(Path("two"), query) == [(url,) for url in sorted(chosen)] != []


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_a_share_of_addresses_is_about_so_many(share: float) -> None:
    number = sum(is_chosen(f"https://example.com/{n}", share) for n in range(4000))
    assert number == pytest.approx(4000 * share, rel=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--render", "--browser", "no-such-browser"], "--render: no-such-browser is not a program"),
        (["--render-share", "0.5"], "--render-share needs --render"),
        (["--render", "--render-share", "0"], "'0' is not a share"),
        (["--render", "--render-share", "1.5"], "'1.5' is not a share"),
        (["--render", "--cluster", "tcp://127.0.0.1:1"], "the browser is on this machine"),
    ],
)
def test_wrong_options_are_errors_before_anything_starts(
    options: list[str], message: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crawl(site, "--out", "out", *options) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_a_browser_that_does_not_start_leaves_no_folder(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert crawl(site, "--out", "out", "--render", "--browser", sys.executable) == 2
    assert "does not start" in capsys.readouterr().err
    assert not Path("out").exists()


def test_archives_are_not_rendered(browser: str, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = write(Path("a.warc"), pages(2), packed=False)

    assert crawl(archive, "--out", "out", "--render", "--browser", browser) == 2
    assert "--render: archives, and files at addresses such as s3://, cannot be rendered" in capsys.readouterr().err
    crawl(archive, site, "--out", "out", "--render", "--render-share", "1", "--browser", browser)
    assert "--render: pages of archives, and of addresses such as s3://, are not rendered" in capsys.readouterr().err
    assert len(rows(Path("out"), RENDERINGS)) == 3


ENDLESS = "/ends-never"


class Served(BaseHTTPRequestHandler):
    """Shop with a page for each address, a script, and data that robots.txt does not allow."""

    server: Shop

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers["User-Agent"], self.headers["X-Staging"]))
        script = f"fetch('/private/data').catch(() => 0); {CHANGES}"
        body, kind = {
            "/robots.txt": ("User-agent: *\nDisallow: /private/\n", "text/plain"),
            "/app.js": (script, "text/javascript"),
            ENDLESS: (page(script="for(;;);"), "text/html"),
        }.get(self.path, (page().replace("<script></script>", '<script src="/app.js"></script>'), "text/html"))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        pass


class Shop(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Served)
        self.seen: list[tuple[str, str, str | None]] = []
        self.address = f"http://127.0.0.1:{self.server_port}"

    @property
    def paths(self) -> Counter[str]:
        return Counter(path for path, _, _ in self.seen)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.chdir(tmp_path)
    with Shop() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        Path("urls.txt").write_text("".join(f"{server.address}/{n}\n" for n in range(3)))
        yield server
        server.shutdown()


def test_pages_of_a_site_are_fetched_with_the_crawls_settings(browser: str, shop: Shop) -> None:
    crawl("urls.txt", "--out", "out", "--render", "--render-share", "1", "--browser", browser, "--allow-private",
          "--rate", "0", "--user-agent", "shop-test/1", "--header", "X-Staging: open", "--origin", shop.address,
          "-q")  # fmt: skip

    assert [row[1:] for row in rows(Path("out"), RENDERINGS)] == [("rendered", 0, 0, 1)] * 3
    assert rows(Path("out"), "SELECT requests, denied FROM renderings") == [(2, 1)] * 3
    # Each page once, the script at most once for a page in the browser, and nothing that robots.txt does not allow.
    assert [shop.paths[f"/{n}"] for n in range(3)] == [1, 1, 1]
    assert 1 <= shop.paths["/app.js"] <= 3
    assert shop.paths["/private/data"] == 0
    assert {(agent, secret) for path, agent, secret in shop.seen} == {("shop-test/1", "open")}
    files = [path.read_bytes() for path in Path("out").rglob("*") if path.is_file()]
    assert not any(b"X-Staging" in data for data in files)


def test_requests_of_a_page_count_in_the_pace(browser: str, shop: Shop) -> None:
    """At a request in 100 seconds, the page itself has its turn at once; its script would have to wait."""
    Path("urls.txt").write_text(f"{shop.address}/1\n")

    crawl("urls.txt", "--out", "out", "--render", "--render-share", "1", "--browser", browser, "--allow-private",
          "--rate", "0.01", "--ignore-robots", "-q")  # fmt: skip

    assert shop.paths == {"/1": 1}
    assert rows(Path("out"), "SELECT outcome, changed, denied FROM renderings") == [("rendered", 0, 1)]


def test_an_interrupted_crawl_leaves_no_browser_and_resumes(browser: str, shop: Shop, tmp_path: Path) -> None:
    Path("urls.txt").write_text(f"{shop.address}{ENDLESS}\n")
    mark = f"waypost-test-{os.getpid()}"
    wrapper = tmp_path / "browser"
    wrapper.write_text(f'#!/bin/sh\nexec "{browser}" "$@" --{mark}\n')
    wrapper.chmod(0o755)
    begin = ["crawl", "urls.txt", "--out", "out", "--no-config", "--now", NOW, "--render", "--render-share", "1",
             "--render-timeout", "3", "--browser", str(wrapper), "--allow-private", "--ignore-robots"]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", *begin], start_new_session=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    # The browser runs, and the units have begun.
    while not shop.paths[ENDLESS]:
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=120)

    assert process.returncode == 130, output
    assert "--resume" in output
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in _bytes_of(path)] == []
    assert rows(Path("out"), "SELECT count(*) FROM pages") == [(0,)]

    main(["crawl", "--out", "out", "--resume", "--browser", browser, "-q"])
    assert rows(Path("out"), "SELECT outcome, error FROM renderings") == [
        ("failed", "its scripts were not done after 3 s")
    ]


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
