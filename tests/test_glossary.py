"""Names, docstrings and everything that people read use the words of docs/glossary.md."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "waypost"
PRONOUNS_IN_100 = 6
MOST_WORDS = 10  # "at most about nine" is the rule for people


def tool(name: str) -> ModuleType:
    """A module of `tools`, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a NamedTuple looks its module up
    spec.loader.exec_module(module)
    return module


REPORT = tool("code_report")
PROSE = tool("prose_report")
PARTS = {path.stem: REPORT.python_files([str(path)]) for path in sorted(SOURCE.iterdir()) if path.suffix in ("", ".py")}
PARTS = {name: files for name, files in PARTS.items() if files}
OUTSIDE = ("tests", "tools", "benchmarks", "examples", "site/js", ".ci/run", "build.py", "hatch_build.py")
"""Folders and files whose names are code too, in Python, JavaScript or the shell."""


@pytest.mark.parametrize("part", PARTS)
def test_no_name_has_a_word_that_the_glossary_replaces(part: str) -> None:
    uses = [f"{use.path.name}:{use.line} {use.name}" for use in REPORT.uses(PARTS[part], REPORT.replaced_words())]

    assert not uses, f"{len(uses)} names, see tools/code_report.py words src/waypost/{part}"


@pytest.mark.parametrize("place", OUTSIDE)
def test_no_name_of_tests_and_scripts_has_a_replaced_word(place: str) -> None:
    path = str(ROOT / place)
    files = {*REPORT.python_files([path]), *REPORT.script_files([path])}
    uses = [f"{use.path.name}:{use.line} {use.name}" for use in REPORT.uses(sorted(files), REPORT.replaced_words())]

    assert not uses, f"{len(uses)} names, see tools/code_report.py words {place}"


def test_no_name_of_a_test_is_too_long() -> None:
    files = REPORT.python_files([str(ROOT / "tests")])
    names = [
        (path.name, name) for path in files for name in set(re.findall(r"\bdef (test_\w+)", path.read_text("utf-8")))
    ]

    assert [each for each in names if each[1].count("_") > MOST_WORDS] == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("module.py", "def fault(): pass\n"),
        ("module.py", "first = 1\nfor fault in (): pass\n"),
        ("script.js", '// a fault\nconst sentence = "a fault";\nlet fault = made.fault;\n'),
        ("script.js", "const made = { fault: 1, text: `a fault in ${fault}` };\n"),
        ("script.sh", 'first="a fault"\nfault() { echo "a fault"; }\n'),
        ("script.sh", 'for fault in "$@"; do echo fault; done\n'),
    ],
)
def test_it_finds_the_names_of_code_only(file: str, text: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text, "utf-8")

    found = REPORT.uses([tmp_path / file], REPORT.replaced_words())

    assert [use.name for use in found] == ["fault"]


@pytest.mark.parametrize("part", PARTS)
def test_docstrings_name_their_subjects_instead_of_pointing_at_them(part: str) -> None:
    texts = [REPORT.prose(path) for path in PARTS[part]]
    share = 100 * sum(text.pronouns for text in texts) / max(1, sum(text.words for text in texts))

    assert share <= PRONOUNS_IN_100, f"{share:.1f} pronouns in 100 words, see tools/code_report.py docs {part}"


@pytest.mark.parametrize("area", PROSE.AREAS)
def test_no_published_text_has_a_replaced_word(area: str) -> None:
    uses = [f"{use.text.path.relative_to(ROOT)}:{use.line} {use.word}" for use in PROSE.uses(PROSE.texts([area]))]

    assert not uses, f"{len(uses)} uses, see tools/prose_report.py places {area}"


def test_it_reads_the_name_of_a_test_as_prose(tmp_path: Path) -> None:
    (tmp_path / "test_module.py").write_text("def test_a_fault_is_found():\n    fault = 1\n", "utf-8")

    found = list(PROSE.uses(PROSE.names_of_tests("tests", tmp_path / "test_module.py")))

    assert [use.word for use in found] == ["fault"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.md", "A fault is `fault` in code and [a page](/fault/).\n"),
        ("page.html", '<p title="A fault">{{ fault }} <code>fault</code></p>\n'),
        ("module.py", '"""A fault."""\nfault = 1\nraise ValueError(f"a fault in {fault}")\n'),
        ("script.js", "// a fault\nconst fault = `a fault in ${fault}`;\n"),
        ("data.json", '{"fault": "fault", "description": "A fault of the file."}\n'),
    ],
)
def test_it_finds_words_of_prose_and_ignores_code(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = {".md": PROSE.markdown, ".html": PROSE.template, ".py": PROSE.literals, ".js": PROSE.script}
    (tmp_path / name).write_text(text, "utf-8")

    found = list(PROSE.uses(readers.get(Path(name).suffix, PROSE.data_file)("docs", tmp_path / name)))

    assert [use.word for use in found] == ["fault"]
