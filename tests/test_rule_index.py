"""The index of the rules says what the rules say themselves, and never what they said earlier."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost.validate import rule_index
from waypost.validate.rulebook import Late, Rule, imported, rules_by_name

ROOT = Path(__file__).parent.parent
RULES = ROOT / "src" / "waypost" / "validate" / "rules"
CHECKS = ROOT / "schemas" / "checks"
FUNCTIONS = ("concerns", "when", *rule_index.VERBS)
NONE = Path("none.json")
MODULE = """\
'''A title.'''

from collections.abc import Iterator

AUTHORITY = "waypost"
SEVERITY = "warning"
{}


def check_page(context):
    return ()
"""


@pytest.fixture
def entries(tmp_path: Path) -> list[rule_index.Entry]:
    return rule_index.current(RULES, CHECKS, tmp_path / "wheel.json", tmp_path / "checkout.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder of rules with two modules."""
    made = tmp_path / "rules"
    made.mkdir()
    (made / "one.py").write_text(MODULE.format('SIGN = "id"'), "utf-8")
    (made / "two.py").write_text(MODULE.format('SIGN = "empty"'), "utf-8")
    (tmp_path / "checks").mkdir()
    return made


def found(folder: Path) -> dict[str, rule_index.Entry]:
    checks, checkout = folder.parent / "checks", folder.parent / "index.json"
    return {entry["name"]: entry for entry in rule_index.current(folder, checks, NONE, checkout)}


def of_module(line: str) -> rule_index.Entry:
    return rule_index.of_module("a_rule.py", MODULE.format(line).encode())


def test_the_index_has_what_the_rules_have() -> None:
    late = [(rule, rule.source.rule()) for rule in rules_by_name().values() if rule.source]

    for rule, complete in late:
        for field in set(Rule.__struct_fields__) - {"source", "text", *FUNCTIONS}:
            assert getattr(rule, field) == getattr(complete, field), (rule.name, field)
        for function in FUNCTIONS:
            assert imported(getattr(rule, function)) is getattr(complete, function), (rule.name, function)


def test_no_rule_has_to_be_imported_at_the_start(entries: list[rule_index.Entry]) -> None:
    assert [entry["name"] for entry in entries if "import" in entry] == []


def test_a_page_imports_the_rules_that_it_calls(entries: list[rule_index.Entry], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<script type=application/ld+json>{"@type": "Book"}</script>', "utf-8")
    code = "import sys; from waypost.cli import main; main(['validate', 'a.html']); print('loaded:', *sys.modules)"
    settings = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
    settings.pop("PYTHONDONTWRITEBYTECODE", None)

    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=settings, capture_output=True, text=True, check=True
    )

    rules = {name.rpartition(".")[2] for name in run.stdout.split("loaded:")[1].split() if ".validate.rules." in name}
    assert {"unknown_property", "type_missing"} <= rules
    assert not {"isbn_invalid", "time_invalid", "site_logo_differs", "feed_differs"} & rules


def test_a_changed_rule_is_read_again(folder: Path) -> None:
    assert {name: entry["sign"] for name, entry in found(folder).items()} == {"one": "id", "two": "empty"}

    (folder / "two.py").write_text(MODULE.format('SIGN = "merged"'), "utf-8")
    (folder / "three.py").write_text(MODULE.format(""), "utf-8")
    (folder / "one.py").unlink()

    assert {name: entry.get("sign") for name, entry in found(folder).items()} == {"two": "merged", "three": None}


def test_a_change_of_equal_size_is_seen(folder: Path) -> None:
    found(folder)
    path = folder / "one.py"
    before = path.stat()

    path.write_text(MODULE.format('SIGN = "&&"'), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))

    assert path.stat().st_size == before.st_size
    assert found(folder)["one"]["sign"] == "&&"


def test_an_index_in_use_is_not_written_again(folder: Path) -> None:
    found(folder)
    path = folder.parent / "index.json"
    before = path.stat().st_mtime_ns

    found(folder)

    assert path.stat().st_mtime_ns == before
    assert sorted(each.name for each in folder.parent.iterdir()) == ["checks", "index.json", "rules"]


@pytest.mark.parametrize("content", ["", "{}", "[]", '[{"one.py": 1}, []]', "[[], {}]", "\0\0"])
def test_a_damaged_index_is_made_again(folder: Path, content: str) -> None:
    (folder.parent / "index.json").write_text(content, "utf-8")

    assert found(folder)["one"]["sign"] == "id"


def test_without_a_place_for_an_index_modules_are_imported(folder: Path) -> None:
    for checkout in (None, folder / "missing" / "index.json"):
        entries = rule_index.current(folder, folder.parent / "checks", NONE, checkout)

        assert [(entry["name"], entry["import"]) for entry in entries] == [("one", True), ("two", True)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("PROPERTIES = frozenset({'b', 'a'})", {"properties": ["a", "b"]}),
        ("_OWN = {'a': 1}\nPROPERTIES = frozenset(_OWN)", {"properties": ["a"]}),
        ("PROPERTIES = (KINDS.url | KINDS.date | {'a'}) - {'b'}",
         {"properties": ["a"], "kinds": ["url", "date"], "other_than": ["b"]}),
        ("from a.b import LINKS\nPROPERTIES = LINKS | {'a'}", {"properties": ["a"], "sets": ["a.b:LINKS"]}),
        ("from a.b import is_odd as odd\nWHEN = odd", {"when": "a.b:is_odd"}),
        ("def is_odd(value): ...\nWHEN = is_odd", {"when": ""}),
        ("ALIASES = ('z-name', 'a-name')", {"aliases": ["z-name", "a-name"]}),
        ("APPLIES_TO: frozenset[str] = frozenset({'Book'})", {"applies_to": ["Book"]}),
    ],
)  # fmt: skip
def test_usual_expressions_are_read(line: str, expected: dict[str, Any]) -> None:
    entry = of_module(line)

    assert {key: entry.get(key) for key in expected} == expected
    assert entry["verb"] == "check_page"


@pytest.mark.parametrize(
    "line",
    [
        "PROPERTIES = made()",
        "PROPERTIES = {'a'} | {name for name in 'bc'}",
        "SIGN = 'a'\nSIGN = 'b'",
        "SIGN = SIGN_OF_ALL = 'a'",
        "if 1:\n    SIGN = 'a'",
        "for SIGN in 'ab':\n    pass",
        "_OWN = {'a'}\n_OWN.add('b')\nPROPERTIES = frozenset(_OWN)",
        "from a.b import SIGN",
        "from a.b import *",
        "check = print",
        "from a.b import concerns",
    ],
)
def test_any_other_expression_makes_the_module_imported(line: str) -> None:
    assert of_module(line) == {"name": "a-rule", "of": "a_rule.py", "import": True}


def test_the_index_of_a_wheel_is_used_where_sizes_agree(folder: Path) -> None:
    shutil.copytree(RULES, folder.parent / "copied")
    rules, wheel = folder.parent / "copied", folder.parent / "rules.json"
    runpy.run_path(str(ROOT / "hatch_build.py"))["index_rules"](ROOT, wheel)

    entries = rule_index.current(rules, CHECKS, wheel, None)
    (rules / "repeated_value.py").write_text("", "utf-8")
    others = rule_index.current(rules, CHECKS, wheel, None)

    assert entries == rule_index.entries(RULES, CHECKS) == json.loads(wheel.read_bytes())[1]
    assert all("import" in entry for entry in others)


def test_a_function_is_imported_when_it_is_first_called() -> None:
    rule = rules_by_name()["isbn-invalid"]

    assert isinstance(rule.check_value, Late) or rule.source is None
    assert imported(rule.check_value).__module__ == "waypost.validate.rules.isbn_invalid"
    assert rule.doc == (sys.modules["waypost.validate.rules.isbn_invalid"].__doc__ or "").strip()
