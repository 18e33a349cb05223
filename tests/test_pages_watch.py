"""A watch renders again only what an edit changes, and what it leaves on disk is what a whole build would write."""

from __future__ import annotations

import hashlib
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import jinja2
import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages.draft import Draft, Group
from waypost.pages.memory import Digests, Memory, Page, placed, stand_in

ROOT = Path(__file__).parent.parent
ALL = 10_000

# An edit: its file, what becomes of its text, and the most pages that may be rendered again for it.
Edit = tuple[str, Callable[[str], str], int]


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


def asking(text: str) -> str:
    """A rich result that asks for one thing more: what is said about its examples changes."""
    document = json.loads(text)
    document["recommended"].append({"path": "alternateName"})
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


EDITS: dict[str, Edit] = {
    "template of rules": ("site/templates/rule.html", worded("<h2", '<h2 class="edited"'), 190),
    "template that others import": ("site/templates/parts/shapes.html", worded("<svg", '<svg data-edited="1"'), ALL),
    "layout": ("site/templates/layout.html", worded("<body", '<body data-edited="1"'), ALL),
    "guide": ("site/docs/agents.md", lambda text: f"{text}\nOne sentence more.\n", 3),
    "guide's title": ("site/docs/agents.md", worded("# ", "# Edited: "), 30),
    "stylesheet": ("site/css/parts.css", lambda text: f"{text}\n.edited {{ margin: 0; }}\n", 0),
    "script": ("site/js/ui/copy.js", lambda text: f"{text}\nconst edited = 1;\n", 0),
    "words of cards": ("site/cards.json", worded('"wide"', '"logo"'), 40),
    "advice": ("site/codes.json", worded('"do": "', '"do": "Edited. '), 3),
    "mapping": ("schemas/mappings/recipe.schema.json", worded('"description": "', '"description": "Edited. '), 40),
    "order in a mapping": ("schemas/mappings/event.schema.json", swapped, 40),
    "rich result": ("schemas/profiles/google/recipe.json", worded('"title": "', '"title": "Edited '), 40),
    "need of a rich result": ("schemas/profiles/google/event.json", asking, 60),
    "problem": ("schemas/api/problems.json", worded('"title": "', '"title": "Edited '), 70),
    "operation": ("schemas/api/openapi.json", worded('"summary": "Where', '"summary": "Edited: where'), 130),
    "example of a rule": ("tests/cases/rules/price-invalid/bad-comma.json", worded('"@type"', ' "@type"'), 10),
    "example of a card": ("tests/cases/snippets/RecipeSnippet/input.json", worded('"name": "', '"name": "Edited '), 10),
    "changelog": ("CHANGELOG.md", lambda text: f"{text}\n- One line more.\n", 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of our own to edit."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("src", "site", "schemas", "tests"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("build.py", "pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root)
    return root


def run(copy: Path, output: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(copy / "build.py"), "--output", str(output), "--json", *more]
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
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


def heard(lines: IO[str]) -> str:
    """The next line that the watch says; it is long silent only where it has missed something."""
    assert select.select([lines], [], [], 60)[0], "the watch did not build again"
    return lines.readline()


def told(lines: IO[str]) -> dict[str, Any]:
    line = heard(lines)
    assert line.startswith("{"), line
    found: dict[str, Any] = json.loads(line)
    return found


def test_after_every_kind_of_edit_a_watch_leaves_the_bytes_of_a_whole_build(copy: Path, tmp_path: Path) -> None:
    watched = tmp_path / "watched"
    originals: dict[Path, bytes] = {}
    wrong: list[str] = []
    with run(copy, watched, "--watch") as process:
        try:
            assert process.stdout
            first = told(process.stdout)
            assert first["rendered"] == first["pages"] > 500

            for kind, (name, change, most) in EDITS.items():
                path = copy / name
                originals.setdefault(path, path.read_bytes())
                put(path, change(path.read_text("utf-8")).encode())
                built = told(process.stdout)
                wrong += [f"{kind}: {built}"] if not built["written"] or built["rendered"] > most else []
            edited = digests(watched)
            anew = whole(copy, tmp_path / "edited")
            assert {name for name in anew.keys() | edited.keys() if anew.get(name) != edited.get(name)} == set()

            for path, data in reversed(originals.items()):
                put(path, data)
                told(process.stdout)
            back = digests(watched)
        finally:
            process.terminate()
    assert wrong == []
    assert back != edited
    assert back == whole(copy, tmp_path / "original")


def test_a_fault_in_an_edit_is_told_and_the_next_edit_builds_again(copy: Path, tmp_path: Path) -> None:
    guide = copy / "site" / "docs" / "agents.md"
    text = guide.read_text("utf-8")
    with run(copy, tmp_path / "watched", "--watch") as process:
        try:
            assert process.stdout
            told(process.stdout)
            put(guide, text.replace("# ", "", 1).encode())
            assert "a page begins with `# Title`" in heard(process.stdout)
            put(guide, text.encode())
            assert told(process.stdout)["written"] == 0
        finally:
            process.terminate()


@pytest.fixture
def pages() -> Callable[..., bytes | None]:
    def digest(draft: Draft, **edited: str) -> bytes | None:
        return reading(**edited).of_main(draft)

    return digest


def reading(**edited: str) -> Digests:
    """Digests over a few templates, some of them edited."""
    templates = {
        "a.html": '{% extends "b.html" %}',
        "b.html": "{{ x }}",
        "c.html": "{% include y %}",
        "layout.html": "{{ main }}",
    }
    loader = jinja2.DictLoader(templates | {name.replace("_", "."): text for name, text in edited.items()})
    return Digests(jinja2.Environment(autoescape=True, loader=loader), {"csp": "x"})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"x": 1}, {"x": True}),
        ({"x": 1}, {"x": 1.0}),
        ({"x": {"a": 1, "b": 2}}, {"x": {"b": 2, "a": 1}}),
        ({"x": "<b>"}, {"x": jinja2.utils.markupsafe.Markup("<b>")}),
        ({"x": Group("a", ())}, {"x": Group("b", ())}),
        ({"x": 1}, {"y": 1}),
    ],
)
def test_values_that_are_equal_but_not_the_same_make_another_page(
    pages: Callable[..., bytes | None], one: dict[str, Any], other: dict[str, Any]
) -> None:
    draft = Draft("a/", "a.html", "A", "About.", values=one)

    assert pages(draft) == pages(draft._replace(values=dict(one)))
    assert pages(draft) != pages(draft._replace(values=other))


def test_a_page_depends_on_its_templates_however_far_down_and_on_no_other(pages: Callable[..., bytes | None]) -> None:
    draft = Draft("a/", "a.html", "A", "About.", values={"x": 1})

    assert pages(draft) == pages(draft, c_html="other")
    assert pages(draft) != pages(draft, b_html="other")
    assert pages(draft._replace(template="c.html")) != pages(draft._replace(template="c.html"), b_html="other")


@pytest.mark.parametrize(
    ("edited", "side", "made"),
    [
        ({}, "<nav>", []),
        ({"c_html": "other"}, "<nav>", []),
        ({"layout_html": "<body>{{ main }}"}, "<nav>", ["frame"]),
        ({}, "<nav> and a page more", ["frame"]),
        ({"b_html": "<h1>{{ x }}"}, "<nav>", ["main", "frame"]),
    ],
)
def test_only_the_part_of_a_page_that_an_edit_changes_is_made_again(
    edited: dict[str, str], side: str, made: list[str]
) -> None:
    memory, parts = Memory(), []

    def page(side: str) -> Page:
        def main() -> str:
            parts.append("main")
            return "<p>"

        def framed(main: str) -> str:
            parts.append("frame")
            return f"{side}{main}"

        return Page(Draft("a/", "a.html", "A", "About.", values={"x": 1}), side, main, framed)

    assert memory.page(page("<nav>"), reading()) == "<nav><p>"
    assert parts == ["main", "frame"]
    parts.clear()

    assert memory.page(page(side), reading(**edited)) == f"{side}<p>"
    assert parts == made
    assert memory.take_rendered() == 1 + bool(made)


def test_a_page_with_a_value_that_cannot_be_told_is_always_made_anew(pages: Callable[..., bytes | None]) -> None:
    assert pages(Draft("a/", "a.html", "A", "About.", values={"x": lambda: 1})) is None
    circle: list[Any] = []
    circle.append(circle)
    assert pages(Draft("a/", "a.html", "A", "About.", values={"x": circle})) is None


def test_what_changes_with_every_edit_is_put_in_at_the_end() -> None:
    page = f'<link href="../{stand_in("site.css")}">'

    assert placed(page, {"site.css": "assets/site.1.css"}) == '<link href="../assets/site.1.css">'
