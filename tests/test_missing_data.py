"""Reviews, disputes and lists that an operator believes to be there: what is missing is an error or an unknown by name.

`waypost check`, `waypost mcp` and the service open their data by the same function.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from waypost.cli import main
from waypost.errors import WaypostError
from waypost.service import open_service
from waypost.store.folder import NAME
from waypost.store.open import open_store

URL = "https://www.paypal.com/"
NO_DECISION = 3


def _link(place: Path) -> None:
    place.symlink_to(place.parent / "gone")


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    for name in ("WAYPOST_DATA", "WAYPOST_STORE", "WAYPOST_SERVICE"):
        monkeypatch.delenv(name, raising=False)


MISSING: dict[str, tuple[Callable[[Path], None], str]] = {
    "no folder": (lambda data: None, "there is no data folder"),
    "an empty folder": (lambda data: data.mkdir(), "has no store and no lists"),
    "a folder of something else": (lambda data: _write(data / "notes.txt", b"x"), "has no store and no lists"),
    "a file": (lambda data: _write(data, b""), "cannot be read: not a directory"),
    "a link to nothing": (_link, "is a link to nothing"),
    "a store that is a link to nothing": (lambda data: (data.mkdir(), _link(data / NAME))[0], "is a link to nothing"),
    "a store without a byte": (lambda data: _write(data / NAME, b""), NAME),
    "a store that is noise": (lambda data: _write(data / NAME, bytes(range(256)) * 20), NAME),
    "registries that are cut off": (lambda data: _write(data / "rdap.json", b"{"), "rdap.json"),
}


@pytest.mark.parametrize("how", ["--data", "WAYPOST_DATA"])
@pytest.mark.parametrize("case", MISSING, ids=lambda case: case.replace(" ", "-"))
def test_missing_named_data_is_an_error_by_name(
    case: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, message = MISSING[case]
    make(tmp_path / "data")
    monkeypatch.setattr("waypost.service.opening.network", lambda *_: None)
    more = ["--data", str(tmp_path / "data")] if how == "--data" else []
    if not more:
        monkeypatch.setenv("WAYPOST_DATA", str(tmp_path / "data"))

    status = main(["check", URL, "--action", "payment", *more])

    assert status == NO_DECISION
    assert message in capsys.readouterr().err


def test_database_of_the_environment_counts_for_a_check_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("WAYPOST_STORE", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")

    assert main(["check", URL, "--action", "payment", "--offline"]) == NO_DECISION
    assert "cannot open postgresql://127.0.0.1:1/none" in capsys.readouterr().err


UNREADABLE_LISTS: dict[str, Callable[[Path], None]] = {
    "a file in place of the folder": lambda data: _write(data / "feeds", b""),
    "a list without a byte": lambda data: _write(data / "feeds" / "x.feed", b""),
    "a list that is noise": lambda data: _write(data / "feeds" / "x.feed", bytes(range(256)) * 20),
    "a list that is a link to nothing": lambda data: ((data / "feeds").mkdir(), _link(data / "feeds" / "x.feed"))[0],
}


@pytest.mark.parametrize("case", UNREADABLE_LISTS, ids=lambda case: case.replace(" ", "-"))
def test_an_unreadable_list_is_unknown_and_never_a_miss(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_store(tmp_path).close()
    UNREADABLE_LISTS[case](tmp_path)

    status = main(["check", URL, "--action", "payment", "--offline", "--json", "--data", str(tmp_path)])

    assert status == 1
    assert "threat_list_stale" in json.loads(capsys.readouterr().out)["unknowns"]


def test_without_a_named_folder_there_is_nothing_to_miss(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", URL, "--action", "visit", "--offline", "--json"]) == 0
    assert "threat_list_not_configured" in json.loads(capsys.readouterr().out)["unknowns"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_without_permission_is_not_an_empty_folder(tmp_path: Path) -> None:
    open_store(tmp_path / "data").close()
    (tmp_path / "data").chmod(0)

    with pytest.raises(WaypostError, match="cannot be read"):
        open_service(tmp_path / "data", offline=True)


def test_an_agents_local_tools_open_data_like_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mcp")

    assert main(["mcp", "--data", str(tmp_path / "gone"), "--offline"]) == NO_DECISION
    assert "there is no data folder" in capsys.readouterr().err
