"""The subset of Python that the translator takes, by examples: each gives the same in Python and in node."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from waypost.pages import engine_parts, py2js
from waypost.pages.modules import in_order
from waypost.pages.py2js.statements import script
from waypost.pages.py2js.types import GIVEN, Source

IMPORTS = """
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from decimal import Decimal
from typing import NamedTuple

import msgspec

from waypost.formats.patterns import pattern
"""
EXAMPLES = {
    "a record is an object with its fields": """
class Point(NamedTuple):
    across: int
    down_by: int = 0

def tried() -> list[int]:
    point = Point(1)
    moved = point._replace(down_by=5)
    across, down = moved
    return [point.across, point.down_by, moved.down_by, across + down]
""",
    "a frozen dataclass and a struct are records": """
@dataclass(frozen=True)
class Point:
    across: int
    down_by: int = 2

class Line(msgspec.Struct):
    ends: tuple[Point, ...] = ()

def tried() -> list[int]:
    line = Line(ends=(Point(1), Point(across=3, down_by=4)))
    return [each.across + each.down_by for each in line.ends]
""",
    "a record with methods is a class": """
class Line(NamedTuple):
    starts: tuple[int, ...]
    ends: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        return len(self.starts) + len(self.ends)

    def is_longer(self, than: int) -> bool:
        return self.length > than

def tried() -> list[bool]:
    line = Line((1, 2), ends=(3,))
    return [line.is_longer(2), line.is_longer(3), isinstance(line, Line)]
""",
    "a class has state, methods, generators and properties": """
class Walk:
    def __init__(self, start: int, *, most: int = 3) -> None:
        self.start = start
        self.seen: list[int] = []
        self.left = most

    @cached_property
    def names(self) -> list[str]:
        return [str(each) for each in self.seen]

    def steps(self) -> Iterator[int]:
        while self.left > 0:
            self.left -= 1
            self.seen.append(self.start + self.left)
            yield self.left

    def all_steps(self, again: bool = False) -> Iterator[int]:
        yield from self.steps()
        if again:
            yield -1

def tried() -> list[str]:
    walk = Walk(10, most=2)
    steps = list(walk.all_steps(again=True))
    return [*walk.names, str(walk.left), *(str(each) for each in steps), str(len(walk.names))]
""",
    "decimal numbers are exact": """
def tried() -> list[str]:
    one, two = Decimal("0.1"), Decimal("-0.25")
    made = [one + two, one - two, one * two, two * 3, max([one, two], key=lambda each: each * each)]
    return [str(each) for each in made]
""",
    "a pattern may be put together of constants": """
_PART = r"[^>]+"
_TAG = pattern(rf"<(a|b)({_PART})>?")

def tried() -> list[str]:
    found = _TAG.search("<<b class=x")
    return [*(found.groups() if found else ()), *(each[2] for each in _TAG.finditer("<a x><b y>"))]
""",
    "negated classes may name white space": r"""
_GAP = pattern(r"a[^\S\n]+b")

def tried() -> list[bool]:
    return [_GAP.search(each) is not None for each in ("a b", "a\u00a0 b", "a\nb", "a-b")]
""",
    "iterators are read on where the loop before stopped": """
def steps() -> Iterator[int]:
    for each in range(6, 0, -1):
        yield each

def tried() -> list[int]:
    rest = steps()
    seen: list[int] = []
    for number, each in enumerate(steps()):
        if number == 2:
            break
        seen.append(each)
    first = next(rest, 0)
    return [*seen, first, next(rest, 0), *rest, next(rest, -1)]
""",
    "flags are joined by bits": """
_ONE: int = 1
_TWO = 2

def tried() -> list[int]:
    flags = 0
    flags |= _ONE
    flags |= _TWO
    return [flags, flags & _TWO, flags & ~_TWO]
""",
}
OF_PLACES = {
    "places are those of the engine and limits count code points": """
_MOST = 3
_DIGIT = pattern(r"\\d+")

def tried() -> list[str | bool]:
    text = "\U0001f600\U0001f600 12 \U0001f600 34"
    found = _DIGIT.search(text)
    place = text.find("34", found.end()) if found else 0
    following = _DIGIT.match(text, place)
    return [
        text[found.start() : found.end()] if found else "", text[: text.find(" ")], text[place - 1 : place],
        len(text[: text.find(" ")]) <= _MOST, text[0], following[0] if following else "", text[text.rfind(" ") :],
    ]
""",
}


def in_python(text: str) -> Any:
    module = ModuleType("example")
    sys.modules["example"] = module  # dataclasses look their module up
    try:
        exec(compile(text, "example", "exec"), module.__dict__)
        return json.loads(json.dumps(module.__dict__["tried"]()))
    finally:
        del sys.modules["example"]


def in_script(name: str, text: str) -> str:
    """Script of an example, which leaves what it gives under the example's name in `answers`."""
    source = Source(f"waypost.{name}", ast.parse(text))
    GIVEN[source.name] = source
    try:
        made = script(source, lambda _: False)
    finally:
        del GIVEN[source.name]
    start, _, _ = made.rpartition(" return{")
    body = start.partition("{\n")[2]
    return f'answers["{name}"] = (() => {{\n{body}\n return {source.short["tried"]}(); }})();\n'


def test_examples_of_the_subset_give_the_same_in_both_languages(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    named = {f"example{number}": IMPORTS + text for number, text in enumerate(EXAMPLES.values())}
    named |= {f"reader.visible{number}": IMPORTS + text for number, text in enumerate(OF_PLACES.values())}
    scripts = "".join(in_script(name, text) for name, text in named.items())
    homes = engine_parts.homes()
    used = tuple(sorted({homes[name] for name in py2js.imports(scripts)}))
    engine = "".join(module.text for module in in_order(used, engine_parts.made()))
    file = tmp_path / "examples.js"
    file.write_text(f"{engine}const answers = {{}};\n{scripts}console.log(JSON.stringify(answers));\n", "utf-8")

    done = subprocess.run([node, file], capture_output=True, text=True, check=True)

    answers = json.loads(done.stdout)
    expected = {name: in_python(text) for name, text in named.items()}
    assert answers == expected


def test_sets_of_values_without_identity_are_rejected() -> None:
    text = "def tried(prices: list[Decimal]) -> int:\n    return len({each for each in prices})\n"

    with pytest.raises(py2js.Unsupported, match="a Decimal is no key in JavaScript"):
        in_script("tried", f"{IMPORTS}\n{text}")


@pytest.mark.parametrize(
    ("member", "advice"),
    [
        ("    LIMIT = 3\n", "a class has fields and methods alone"),
        ("    @staticmethod\n    def one() -> int:\n        return 1\n", "only property and cached_property"),
        (
            "    def one(self) -> int:\n        def two() -> int:\n            return self.left\n        two()\n",
            "a function within a method does not know self",
        ),
    ],
)
def test_a_class_outside_the_subset_is_rejected_with_advice(member: str, advice: str) -> None:
    text = f"class Tried:\n    def __init__(self) -> None:\n        self.left = 1\n\n{member}"

    with pytest.raises(py2js.Unsupported, match=advice):
        in_script("tried", text)
