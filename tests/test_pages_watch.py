"""Each edit that a watch sees leaves on disk the bytes of a complete build.

A watch renders the complete site again. What may go wrong is an input that it does not look at, or a result of an
earlier build that is used again. So edits are made together, those of a folder at a time: a rendering for each kind of
edit would show no more, and took two minutes.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")


from waypost.pages.watch import stamps

ROOT = Path(__file__).parent.parent

PATIENCE_S = 600
"""A bound of waiting for a build: of a watch that missed an edit, never of a slow machine."""

# An edit: its file, and what becomes of its text.
Edit = tuple[str, Callable[[str], str]]


def worded(old: str, new: str) -> Callable[[str], str]:
    """The text with its first `old` made `new`; an edit that changes nothing would show nothing."""

    def change(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return change


def swapped(text: str) -> str:
    """The same members in another order: equal as a document, another page."""
    document = json.loads(text)
    fields = document["x-fields"]
    document["x-fields"] = dict(reversed(fields.items()))
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def with_recommendation(text: str) -> str:
    """A rich result that asks for one thing more: what is said about its examples changes."""
    document = json.loads(text)
    document["recommended"].append({"path": "alternateName"})
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


# By folder: a later edit of the registry would hide an example that is kept for as long as the registry is the same.
EDITS: dict[str, Edit] = {
    "template of rules": ("site/templates/rule.html", worded("<h2", '<h2 class="edited"')),
    "template that others import": ("site/templates/parts/shapes.html", worded("<svg", '<svg data-edited="1"')),
    "layout": ("site/templates/layout.html", worded("<body", '<body data-edited="1"')),
    "guide": ("site/docs/agents.md", lambda text: f"{text}\nOne sentence more.\n"),
    "guide's title": ("site/docs/agents.md", worded("# ", "# Edited: ")),
    "stylesheet": ("site/css/parts.css", lambda text: f"{text}\n.edited {{ margin: 0; }}\n"),
    "script": ("site/js/ui/copy.js", lambda text: f"{text}\nconst edited = 1;\n"),
    "words of cards": ("site/cards.json", worded('"wide"', '"logo"')),
    "advice": ("site/codes.json", worded('"do": "', '"do": "Edited. ')),
    "mapping": ("schemas/mappings/recipe.schema.json", worded('"description": "', '"description": "Edited. ')),
    "order in a mapping": ("schemas/mappings/event.schema.json", swapped),
    "rich result": ("schemas/profiles/google/recipe.json", worded('"title": "', '"title": "Edited ')),
    "need of a rich result": ("schemas/profiles/google/event.json", with_recommendation),
    "problem": ("schemas/api/problems.json", worded('"title": "', '"title": "Edited ')),
    "operation": ("schemas/api/openapi.json", worded('"summary": "Get the AuthZEN', '"summary": "Edited: the AuthZEN')),
    "example of a rule": ("tests/cases/rules/price-invalid/bad-comma.json", worded('"@type"', ' "@type"')),
    "example of a card": ("tests/cases/snippets/RecipeSnippet/input.json", worded('"name": "', '"name": "Edited ')),
    "changelog": ("CHANGELOG.md", lambda text: f"{text}\n- One line more.\n"),
}  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of our own to edit."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("src", "site", "schemas", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root)
    return root


def run(copy: Path, output: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "waypost", "build", "--output", str(output), "--json", *more]
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    return subprocess.Popen(command, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True)


def whole(copy: Path, output: Path) -> dict[str, str]:
    """What a build from nothing makes, by a process of its own."""
    with run(copy, output) as process:
        assert process.wait() == 0
    return digests(output)


def put(path: Path, data: bytes) -> None:
    """As editors save: nobody meets half of a file."""
    fresh = path.parent.parent / "fresh"
    fresh.write_bytes(data)
    fresh.replace(path)


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


class Watching:
    """A running `waypost build --watch` of the copy, and the folder it writes to."""

    def __init__(self, process: subprocess.Popen[str], output: Path) -> None:
        self._process = process
        self._lines: queue.Queue[str] = queue.Queue()
        self.output = output
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """A thread of its own: lines that came together stand in a buffer, where `select` does not see them."""
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)

    def heard(self) -> str:
        """The next line that the watch says; it is long silent only where it has missed something."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                return self._lines.get(timeout=1)
            except queue.Empty:
                assert self._process.poll() is None, "the watch ended"
        raise AssertionError("the watch did not build again")

    def read_message(self) -> dict[str, Any]:
        line = self.heard()
        assert line.startswith("{"), line
        found: dict[str, Any] = json.loads(line)
        return found

    def leaves(self, expected: dict[str, str]) -> None:
        """Wait for the files of a whole build; the watch may have built before the last of several edits."""
        while not self._has(expected):
            self.read_message()

    def _has(self, expected: dict[str, str]) -> bool:
        try:
            return digests(self.output) == expected
        except FileNotFoundError:  # it is writing
            return False


@pytest.fixture(scope="module")
def watch(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watching]:
    output = tmp_path_factory.mktemp("watched")
    with run(copy, output, "--watch") as process:
        try:
            begun = Watching(process, output)
            assert begun.read_message()["pages"] > 500
            yield begun
        finally:
            process.terminate()


def test_every_kind_of_edit_is_of_a_watched_file() -> None:
    assert {str(ROOT / name) for name, _ in EDITS.values()} <= stamps().keys()


def test_a_watch_leaves_the_bytes_of_a_full_build(
    copy: Path, built_site: Path, watch: Watching, tmp_path: Path
) -> None:
    originals: dict[Path, bytes] = {}

    for _, edits in groupby(EDITS.values(), lambda edit: edit[0].partition("/")[0]):
        for name, change in edits:
            path = copy / name
            originals.setdefault(path, path.read_bytes())
            put(path, change(path.read_text("utf-8")).encode())
        watch.read_message()
    watch.leaves(whole(copy, tmp_path / "edited"))

    for path, data in reversed(originals.items()):
        put(path, data)
    watch.leaves(digests(built_site))


def test_an_error_in_an_edit_is_reported_and_recoverable(copy: Path, watch: Watching) -> None:
    guide = copy / "site" / "docs" / "agents.md"
    text = guide.read_text("utf-8")

    put(guide, text.replace("# ", "", 1).encode())
    while "a page begins with `# Title`" not in watch.heard():
        pass  # it built twice for the edits before
    put(guide, text.encode())
    assert watch.read_message()["written"] == 0
