"""What every test may rely on, however the run was started."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import settings
from tests import postgres
from tests.command import Ran, Run

# Shells start background jobs with SIGINT ignored, and processes pass that on: commands under test that end with Ctrl-C
# would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A deadline for an example would be a test of the machine's load.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")

gc.disable()  # until everything is collected, which leaves no garbage


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """With `--dist loadfile` pytest-xdist may wait for ever after a crashed worker: a crash ends the run."""
    if getattr(config.option, "maxworkerrestart", "") is None:
        config.option.maxworkerrestart = "0"


def pytest_collection_finish() -> None:
    """Keep the tests themselves, hundreds of thousands of objects, out of every later garbage collection."""
    gc.enable()
    gc.freeze()


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `waypost build` leaves it, built once for all tests of all workers. Nothing may change it."""
    pytest.importorskip("markdown_it", reason="the site needs the extra `site`")
    from waypost.pages import build
    from waypost.registry import load

    base = tmp_path_factory.getbasetemp()
    # Workers of pytest-xdist have folders of their own in one folder of the run.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "built-site"
    with folder_lock(folder):
        if not folder.exists():
            unfinished = tmp_path_factory.mktemp("public")
            build(load(), unfinished)
            unfinished.rename(folder)
    return folder


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Holds what no other process may do for the folder at the same time, where the system has such locks."""
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        yield
        return
    with folder.with_suffix(".lock").open("w") as file:
        flock(file, LOCK_EX)
        yield


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`waypost` in this process, without the caller's environment."""
    from waypost.cli import main

    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "WAYPOST_SITE", "WAYPOST_SITE_URL"):
        monkeypatch.delenv(name, raising=False)

    def ran(*argv: str, stdin: str | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        status = main(argv)
        return Ran(status, *capsys.readouterr())

    return ran


@pytest.fixture
def undecided_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The project before its names are decided: `tools/set_project.py` must not fail the tests of reports."""
    from waypost import identity

    monkeypatch.setattr(identity, "SITE", "https://waypost.invalid/")
    monkeypatch.setattr(identity, "REPOSITORY", "https://git.invalid/some-owner/waypost")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a server for the tests of this process."""
    named = os.environ.get(postgres.VARIABLE, "")
    if not named:
        pytest.skip(f"without {postgres.VARIABLE}: there is no PostgreSQL")
    if named != "start":
        yield named
        return
    with postgres.started() as server:
        yield server.address()


@pytest.fixture(scope="session")
def _postgres_database(postgres_server: str) -> Iterator[str]:
    with postgres.database(postgres_server) as address:
        yield address


@pytest.fixture(scope="session")
def new_postgres(postgres_server: str) -> Iterator[Callable[[], AbstractContextManager[str]]]:
    """Function to a new database with the tables of a store, as the address of a context."""
    from waypost.store import open_store

    with postgres.database(postgres_server) as template:
        open_store(template).close()
        name = urlsplit(template).path.strip("/")
        yield lambda: postgres.database(postgres_server, name)


@pytest.fixture(autouse=True)
def _about_sqlite(request: pytest.FixtureRequest) -> None:
    """Skip a test that is marked `sqlite`, with its reason, on another engine."""
    mark = request.node.get_closest_marker("sqlite")
    if mark and "postgres" in getattr(getattr(request.node, "callspec", None), "params", {}).values():
        pytest.skip(f"about SQLite: {mark.args[0]}")


@pytest.fixture
def postgres_address(_postgres_database: str) -> str:
    """Address of a database without rows. Its tables are made by the first store."""
    postgres.clear(_postgres_database)
    return _postgres_database
