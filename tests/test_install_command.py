"""The command that adds an extra names the place that waypost was installed from, not a name on an index."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import install_command

ROOT = Path(__file__).parent.parent
GIT = {"vcs": "git", "commit_id": "0123abc"}


@pytest.mark.parametrize(
    ("recorded", "command"),
    [
        (None, "pip install 'waypost[server,site]'"),
        (
            {"url": "file:///opt/my%20wheels/waypost-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install '/opt/my wheels/waypost-0.1.0-py3-none-any.whl[server,site]'",
        ),
        ({"url": "file:///src/waypost", "dir_info": {}}, "pip install '/src/waypost[server,site]'"),
        ({"url": "file:///src/waypost", "dir_info": {"editable": True}}, "pip install -e '/src/waypost[server,site]'"),
        (
            {"url": "https://git.example.com/waypost", "vcs_info": GIT},
            "pip install 'waypost[server,site] @ git+https://git.example.com/waypost@0123abc'",
        ),
        (
            {"url": "https://git.example.com/waypost", "vcs_info": GIT | {"requested_revision": "v0.1.0"}},
            "pip install 'waypost[server,site] @ git+https://git.example.com/waypost@v0.1.0'",
        ),
        (
            {"url": "https://example.com/waypost-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'waypost[server,site] @ https://example.com/waypost-0.1.0-py3-none-any.whl'",
        ),
    ],
    ids=["index", "wheel", "clone", "editable", "git", "git-tag", "address"],
)
def test_the_extras_come_from_wayposts_own_source(
    recorded: dict[str, Any] | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(recorded) if recorded else None

    monkeypatch.setattr(metadata, "distribution", lambda _: Installed())

    assert install_command("server", "site") == command


def test_a_clone_that_is_not_installed_names_the_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", none)

    assert install_command("site") == "pip install '.[site]' in a clone of waypost"


@pytest.mark.parametrize("folder", ["src", "site", "docs", "deploy", "ci", "README.md", "action.yml"])
def test_no_text_installs_the_name_from_an_index(folder: str) -> None:
    place = ROOT / folder
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    texts = {path: path.read_text("utf-8") for path in files if path.suffix in ENDINGS}

    assert texts
    assert [path.name for path, text in texts.items() if any(wrong in text for wrong in WRONG)] == []


ENDINGS = {".py", ".md", ".js", ".html", ".yml", ".toml", ".service", ".1", ".json"}
WRONG = (
    "pip install waypost\\n",
    "pip install waypost\n",
    "install 'waypost[",
    "install waypost=",
    "install 'waypost=",
    ": waypost=",
)
