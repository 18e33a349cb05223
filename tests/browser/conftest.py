"""A browser for the tests of the site: the machine's own Chromium, driven by Playwright.

WAYPOST_BROWSER=required makes a missing browser or driver a failure instead of a reason to skip.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def missing(reason: str) -> None:
    """Skip, or fail where a browser is required."""
    if os.environ.get("WAYPOST_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("there is no chromium on this machine")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("the driver needs the extra `browser`")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all tests of the browser."""
    pytest.importorskip("markdown_it", reason="the site needs the extra `site`")
    from waypost.pages import Settings, build
    from waypost.registry import load

    folder = tmp_path_factory.mktemp("site")
    build(load(), folder, cases=ROOT / "tests" / "cases", settings=Settings(checked=False))
    return folder


class _Quiet(SimpleHTTPRequestHandler):
    """A plain static server that sends the headers a static host would read from `_headers`, and logs nothing."""

    def end_headers(self) -> None:
        from waypost.contract.headers import page_headers

        for name, value in page_headers().items():
            self.send_header(name, value)
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
