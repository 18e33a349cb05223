"""The translator of rules for the browser: its subset, its errors, and functions that answer as in Python."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from waypost.pages import py2js
from waypost.pages.bundle import scripts
from waypost.pages.py2js.regexes import converted
from waypost.pages.py2js.statements import script
from waypost.pages.py2js.types import Source
from waypost.registry import load
from waypost.validate import validate_data

MODULES = py2js.modules()
CASES = Path(__file__).parent / "cases" / "rules"
MOST_CALLS = 200


def made(text: str) -> str:
    import ast

    return script(Source("waypost.validate.rules.tried", ast.parse(text)), lambda _: False)


@pytest.mark.parametrize("module", MODULES)
def test_a_rule_uses_only_what_the_translator_knows(module: str) -> None:
    """The message of a failure names file and line, and what to write instead."""
    assert py2js.translated(module).startswith(f'module("{module.removeprefix("waypost.")}"')


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("with open('x') as f: pass", "with is not translated: put it into a function of waypost.formats"),
        ("return {(1, 2): 3}.get((1, 2))", "a tuple is no key in JavaScript"),
        ("return strange(text)", "strange is neither translated nor in names.py"),
        ("return text.swapcase()", "str.swapcase with 0 arguments: see operations.py"),
        ("return len(given)", "the length of given depends on its type: annotate it"),
        ("return f'{number:>8}'", "the format '>8' is not translated"),
        ("for each in text:\n        pass\n    else:\n        pass", "else of a loop is not translated"),
        ("return pattern(r'x++')", "JavaScript has no possessive quantifiers"),
        ("return pattern(r'x$')", r"$ also matches before a last line break: write \Z"),
    ],
)
def test_code_outside_the_subset_is_rejected_with_advice(line: str, advice: str) -> None:
    imports = "from typing import Any\nfrom waypost.formats.patterns import pattern\n\n\n"
    text = f"{imports}def tried(text: str, number: int, given: Any):\n    {line}\n"

    with pytest.raises(py2js.Unsupported) as error:
        made(text)

    assert advice in str(error.value)
    assert error.value.line >= 6


def test_types_choose_the_operation() -> None:
    text = """
def tried(text: str, names: list[str], known: dict[str, int], kinds: frozenset[str]) -> bool:
    return len(text) > 3 and len(names) > 3 and text in known and text in names and "x" in text and not kinds
"""

    assert 'size(t)>3&&n.length>3&&k.has(t)&&n.includes(t)&&t.includes("x")&&!i.size' in made(text)


def test_expressions_are_written_for_unicode_mode() -> None:
    assert converted(r"(?P<a>[^\W\d_]+)\-\"x", is_ascii=False) == r'(?<a>(?:(?![\d_])\w)+)-"x'


def calls() -> Iterator[tuple[str, str, list[Any], Any]]:
    """Calls of the translated modules' functions with plain arguments, made while the cases are validated."""
    names = {Path(importlib.import_module(name).__file__ or "").as_posix(): name for name in MODULES}
    found: dict[str, tuple[str, str, list[Any], Any]] = {}
    counts: dict[tuple[str, str], int] = {}

    def plain(value: Any) -> bool:
        return (
            value is None
            or isinstance(value, str | bool)
            or (isinstance(value, tuple | list) and all(map(plain, value)))
        )

    def note(frame: FrameType, event: str, result: Any) -> None:
        code = frame.f_code
        module = names.get(code.co_filename)
        if module is None or event != "return" or code.co_flags & 0x20 or code.co_name.startswith("<"):
            return
        given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
        key = (module, code.co_name)
        if counts.get(key, 0) < MOST_CALLS and given and all(map(plain, given)) and plain(result):
            counts[key] = counts.get(key, 0) + 1
            found.setdefault(
                json.dumps([*key, given]), (module, code.co_name, given, getattr(result, "_asdict", lambda: result)())
            )

    registry = load()
    sys.setprofile(note)
    try:
        for path in sorted(CASES.glob("*/bad-*.json")):
            validate_data(path.read_bytes(), registry, now=datetime(2026, 11, 20, 12, tzinfo=UTC))
    finally:
        sys.setprofile(None)
    yield from found.values()


REPLAYING = """
const fs = require("fs");
const [parts, calls] = JSON.parse(fs.readFileSync(0, "utf8"));
for (const part of parts) (0, eval)(part.replace(/^([^]*const MODULES=[^]*Object\\.assign\\(own,\\{)/, "$1use,"));
Waypost.load(WaypostRegistry).validate({ text: "{}", url: null, media: "json", now: "2026-11-20T12:00:00Z" });
const { use } = Waypost.own, none = () => "not given";
const answers = calls.map(([module, name, given]) => (use(module)[name] ?? none)(...given) ?? null);
process.stdout.write(JSON.stringify(answers));
"""


def test_translated_functions_answer_as_in_python() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    recorded = list(calls())
    # Texts that are no UTF-8 cannot be handed over.
    recorded = [each for each in recorded if "\\ud" not in json.dumps(each)]
    parts = [data.decode() for data in scripts(load()).values()]
    given = [[name.removeprefix("waypost."), function, arguments] for name, function, arguments, _ in recorded]

    done = subprocess.run(
        [node, "-e", REPLAYING], input=json.dumps([parts, given]), capture_output=True, text=True, check=True
    )

    answers = json.loads(done.stdout)
    compared = [
        (name, function, arguments, result, answer)
        for (name, function, arguments, result), answer in zip(recorded, answers, strict=True)
        if answer != "not given"
    ]
    different = [
        each
        for each in compared
        if json.loads(json.dumps(each[3])) != (bool(each[4]) if isinstance(each[3], bool) else each[4])
    ]
    assert different == []
    assert len(compared) > 100
