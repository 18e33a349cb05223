"""What every test may rely on, however the run was started."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest

# Shells start background jobs with SIGINT ignored, and processes pass that on: commands under test that end with Ctrl-C
# would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until everything is collected, which leaves no garbage


def pytest_collection_finish() -> None:
    """Keep the tests themselves, hundreds of thousands of objects, out of every later garbage collection."""
    gc.enable()
    gc.freeze()


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `waypost build` leaves it, built once for all tests. Nothing may change it."""
    pytest.importorskip("markdown_it", reason="the site needs the extra `site`")
    from waypost.pages import build
    from waypost.registry import load

    folder = tmp_path_factory.mktemp("public")
    build(load(), folder)
    return folder
