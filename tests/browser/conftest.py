"""A browser for the tests of the site: the machine's own Chromium, driven by Playwright.

These tests run where a run asks for them, see `tests/browsers.py`.
WAYPOST_PYTHON names the Python of another environment, where a wheel of waypost is installed with the extras `site` and
`server`: the site is then built, and the service run, by that package, in an empty folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import missing, only_where_requested

ROOT = Path(__file__).parent.parent.parent
INSTALLED = os.environ.get("WAYPOST_PYTHON", "")
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""Names of the browser, the first one that is there: the shell has the same engine without the windows, and opens a
page with 40 percent less of a processor's time (6.6 s for 31 pages, 11.1 s with the windows, on 2026-11-26)."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "tablet": {"viewport": {"width": 1024, "height": 1366}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "has_touch": True, "is_mobile": True},
    "320": {"viewport": {"width": 320, "height": 568}, "color_scheme": "light"},
}


def until(page: Any, expression: str, value: Any = None) -> None:
    """Wait, at most two minutes, until an expression of JavaScript, or a function of the value, is true in the page.

    Playwright's own waiting calls eval in the page, which the policy of the site's pages refuses.
    """
    for _ in range(2400):
        try:
            if page.evaluate(expression, value):
                return
        except Exception as error:  # the page is being replaced by another
            if "Execution context was destroyed" not in str(error):
                raise
        page.wait_for_timeout(50)
    pytest.fail(f"{page.url}: it never came true that {expression}")


EDITOR = "WaypostEditor.EditorView.findFromDOM(document.querySelector('#source'))"
"""The editor of the validate page."""


def write(page: Any, text: str) -> None:
    """Replace the source on the validate page by a text of any length, as typing does."""
    page.evaluate("dispatchEvent(new Event('pointermove'))")  # the editor comes with the first sign of a reader
    until(page, "document.querySelector('#source.cm-content')")
    change = "changes: { from: 0, to: view.state.doc.length, insert }"
    page.evaluate(f"(insert) => {{ const view = {EDITOR}; view.dispatch({{ {change} }}); }}", text)


def source_of(page: Any) -> str:
    """The source that stands on the validate page, in the editor or in the text field before it."""
    return str(page.evaluate(f"document.querySelector('#source').value ?? {EDITOR}.state.doc.toString()"))


def selected(page: Any) -> str:
    """What is selected in the source on the validate page."""
    return str(
        page.evaluate(
            f"(({{ state }}) => state.sliceDoc(state.selection.main.from, state.selection.main.to))({EDITOR})"
        )
    )


def patient(new_context: Callable[..., Any]) -> Callable[..., Any]:
    """Contexts whose waits end after two minutes: the driver's 30 seconds are too few for a busy machine."""

    def make(**options: Any) -> Any:
        context = new_context(**options)
        context.set_default_timeout(120_000)
        return context

    return make


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    only_where_requested()
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing("there is no chromium on this machine")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("the driver needs the group `browser`")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        made.new_context = patient(made.new_context)
        yield made
        made.close()


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout, or of the package that is installed elsewhere."""
    if not INSTALLED:
        built: Path = request.getfixturevalue("built_site")
        return built
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([INSTALLED, "-m", "waypost", "build", "--output", "site"], cwd=folder, check=True, timeout=300)
    return folder / "site"


class _Quiet(SimpleHTTPRequestHandler):
    """A plain static server that sends the headers a static host would read from `_headers`, and logs nothing."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        from waypost.contract.headers import page_headers

        for name, value in page_headers().items():
            self.send_header(name, value)
        if self.path.startswith("/assets/"):
            self.send_header("cache-control", "public, max-age=31536000, immutable")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address of a static server on loopback, ended by a slash."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def service(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service that serves the same site."""
    pytest.importorskip("uvicorn")
    data = tmp_path_factory.mktemp("service")
    process = subprocess.Popen(
        [
            INSTALLED or sys.executable,
            "-m",
            "waypost",
            "up",
            "--json",
            "--port",
            "0",
            "--offline",
            "--no-build",
            "--data",
            str(data),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=data if INSTALLED else None,
        env={"PATH": "/usr/bin:/bin", "HOME": str(data), "WAYPOST_SITE": str(site)},
    )
    try:
        assert process.stdout
        address = json.loads(process.stdout.readline())["site_url"]
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"{address}/healthz", timeout=60).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture(params=["folder", "static", "service"])
def place(request: pytest.FixtureRequest, site: Path) -> str:
    """Where the site is opened from, with its last slash."""
    if request.param == "folder":
        return f"{site.as_uri()}/"
    return f"{request.getfixturevalue('served' if request.param == 'static' else 'service').rstrip('/')}/"


FILES = pytest.mark.parametrize("place", ["folder", "service"], indirect=True)
"""For what needs nothing but the files: a static host and a service give the same ones, with the same headers
(`test_static_host_and_a_service_give_the_same_files`)."""


@pytest.fixture
def up(site: Path, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What `waypost up` printed of a running service."""
    pytest.importorskip("uvicorn")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WAYPOST_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", "up", "--json", "--port", "0", "--offline", "--no-build", "--data",
         str(tmp_path / "data")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**environment, "WAYPOST_SITE": str(site)},
    )  # fmt: skip
    try:
        assert process.stdout
        answer = json.loads(process.stdout.readline())
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"{answer['site_url']}/healthz", timeout=60).close()
                break
            except OSError:
                time.sleep(0.1)
        yield answer
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture(scope="session")
def axe() -> str:
    folder = os.environ.get("WAYPOST_AXE")
    if not folder:
        missing("WAYPOST_AXE names no folder with axe.min.js")
    path = next(Path(str(folder)).rglob("axe.min.js"), None)
    if path is None:
        missing(f"there is no axe.min.js below {folder}")
    assert path is not None
    return path.read_text("utf-8")


LAID_OUT = """
const complete = new CSSStyleSheet();
complete.replaceSync("* { content-visibility: visible !important }");
document.adoptedStyleSheets.push(complete);
"""
"""What is off the screen is laid out too: a part that is left out has no width, and axe sees nothing of it."""


@pytest.fixture(params=["desk", "phone"])
def hand(request: pytest.FixtureRequest, browser: Any, axe: str) -> Iterator[tuple[str, Any]]:
    """A page with axe, held on a desk, whose views `barriers` goes through, or a phone."""
    context = browser.new_context(**VIEWS["phone" if request.param == "phone" else "light"])
    context.add_init_script(axe)
    context.add_init_script(LAID_OUT)
    yield request.param, context.new_page()
    context.close()
