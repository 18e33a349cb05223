"""Markdown: what a static site writes among its text and in its front matter, at the place where it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.cli import main
from waypost.reader.markdown import masked, read_markdown
from waypost.registry import load

VOCABULARY = load().vocabulary
FAULTY = '{"@context": "https://schema.org", "@type": "Book", "datecreated": "2026-01-01"}'
SCRIPT = f'<script type="application/ld+json">{FAULTY}</script>'
LAID_OUT = json.dumps(json.loads(FAULTY), indent=2)


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> list[dict[str, Any]]:
    main(["validate", "--json", "--no-config", "--fail-on", "never", *argv])
    files: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["files"]
    return files


READ = {
    "a script": f"# Book\n\nText.\n\n{SCRIPT}\n\nMore.\n",
    "a script over blank lines and indented lines": (
        f'# Book\n\n<script type="application/ld+json">\n\n    {LAID_OUT.replace("  ", "      ")}\n\n</script>\n'
    ),
    "elements": '<div itemscope itemtype="https://schema.org/Book">\n<i itemprop="datecreated">x</i>\n</div>\n',
    "elements in a list": (
        '- a\n\n    <p itemscope itemtype="https://schema.org/Book"><i itemprop="datecreated">x</i></p>\n'
    ),
    "a block of text in YAML": f"---\ntitle: x\njsonld: |\n{indented(LAID_OUT)}tags: [a]\n---\n# Book\n",
    "a folded block in YAML": f"---\nstructured_data: >-\n{indented(FAULTY)}---\n",
    "YAML's flow style": f"---\nschema: {FAULTY}\n---\n",
    "YAML's flow style over lines": f"---\nschema:\n{indented(LAID_OUT)}---\n".replace("schema:\n  {", "schema: {"),
    "single quotes": f"---\r\njson-ld: '{FAULTY}'\r\n---\r\n",
    "a long string in TOML": f"+++\ntitle = 'x'\njsonld = '''\n{LAID_OUT}\n'''\n+++\n",
    "a string in TOML": f"+++\nschema = '{FAULTY}'\n+++\n",
    "a member in JSON": '{"title": "x", "tags": ["a", {"b": 1}],\n "schema": ' + LAID_OUT + "}\n\n# Book\n",
    "a byte-order mark": f"\ufeff---\njsonld: |\n{indented(FAULTY)}---\n",
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_it_is_read_and_errors_have_their_places(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(text.encode())

    (file,) = checked(capsys, str(page))

    (finding,) = [each for each in file["findings"] if each["rule"] == "property-wrong-case"]
    assert page.read_bytes()[finding["start"] : finding["end"]].decode().strip('"') == "datecreated"
    assert [item["types"] for item in file["items"]] == [["Book"]]


DISPLAYED = {
    "a fence": f"```html\n{SCRIPT}\n```\n",
    "a longer fence": f"~~~~\n~~~\n{SCRIPT}\n~~~~\n",
    "a fence in a list": f"- a\n\n  ```\n  {SCRIPT}\n  ```\n",
    "a fence that never ends": f"```\n\n{SCRIPT}\n",
    "an indented block": f"Text:\n\n    {SCRIPT}\n",
    "a span of code": f"Write `{SCRIPT}` or ``{SCRIPT}`` there.\n",
    "a comment": f"<!--\n\n{SCRIPT}\n-->\n",
    "text": "Write \\<div itemscope itemtype=x> there.\n",
    "a title in the front matter": f"---\ntitle: '{SCRIPT}'\n---\n",
    "another member": f"---\nexample: |\n{indented(FAULTY)}---\n",
}


@pytest.mark.parametrize("text", DISPLAYED.values(), ids=DISPLAYED)
def test_markdown_code_is_not_checked(text: str) -> None:
    page = read_markdown(text.encode(), VOCABULARY)

    assert page.nodes == []


NOT_READ = {
    "a mapping": "---\nschema:\n  '@type': Book\n  name: x\n---\n",
    "flow style without quotes": "---\nschema: {'@type': Book}\n---\n",
    "double quotes": '---\nschema: "{\\"@type\\": \\"Book\\"}"\n---\n',
    "a table": '+++\n[schema]\n"@type" = "Book"\n+++\n',
    "a string with escapes": '+++\nschema = """{\\"@type\\": 1}"""\n+++\n',
    "JSON in a text": '{"schema": "{\\"@type\\": 1}"}\n',
}


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_what_is_not_read_is_reported(text: str) -> None:
    page = read_markdown(text.encode(), VOCABULARY)

    (read_error,) = page.read_errors
    assert read_error.rule == "front-matter-not-read"
    assert "schema" in page.text[slice(*read_error.span)]


def test_a_script_after_a_fence_is_read_again() -> None:
    page = read_markdown(f"```\n{SCRIPT}\n```\n{SCRIPT}\n".encode(), VOCABULARY)

    assert len(page.nodes) == 1


def test_of_a_folder_only_markdown_with_data_is_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("# Read me\n", encoding="utf-8")
    (tmp_path / "book.md").write_text(SCRIPT, encoding="utf-8")

    assert [Path(file["path"]).name for file in checked(capsys, str(tmp_path))] == ["book.md"]
    assert len(checked(capsys, str(tmp_path / "README.md"))) == 1, "one that is named is one"


def test_it_is_fixed_in_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "book.md"
    text = f"---\ntitle: <x>\njsonld: |\n{indented(LAID_OUT)}---\n`<script>`\n"
    page.write_text(text, encoding="utf-8")

    main(["validate", str(page), "--fix", "--no-config", "-q"])

    assert page.read_text(encoding="utf-8") == text.replace("datecreated", "dateCreated")


PIECES = st.sampled_from(
    ["---\n", "+++\n", "{", "}", '"schema": ', "schema: |\n", "  {\"@type\": 1}\n", "`", "```\n", "~~~\n", "    ", "\t",
     "<script>", "</script>", "<!--", "-->", "<div>\n", "\n", "\r\n", "- ", "é", "\ufeff", "'''", "[schema]\n"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map(lambda each: "".join(each).encode()) | st.binary(max_size=60))
def test_nothing_makes_the_reader_fail_and_no_place_moves(data: bytes) -> None:
    assert re.sub(rb"[< ]", b".", masked(data, 0)) == re.sub(rb"[< ]", b".", data)
    read_markdown(data, VOCABULARY)
