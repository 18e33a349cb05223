"""The browser's engine as the site ships it: whole, smaller, and without what a strict policy would refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from waypost.pages.bundle import joined, packed_properties, packed_types, scripts, smaller
from waypost.registry import load

JS = Path(__file__).parent.parent / "site" / "js"
REGISTRY = load()


def test_every_script_of_the_engine_is_in_the_order_once() -> None:
    order = json.loads((JS / "order.json").read_bytes())["waypost"]

    assert sorted(order) == sorted(f"engine/{path.name}" for path in (JS / "engine").glob("*.js"))


@pytest.mark.parametrize("path", sorted((JS / "engine").glob("*.js")), ids=lambda path: path.name)
def test_no_script_of_the_engine_makes_code_or_markup_of_text(path: Path) -> None:
    text = path.read_text("utf-8")

    assert text.startswith("// @ts-check\n")
    found = re.findall(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bfetch\(", text)
    assert not found
    assert (".parseFromString" in text) == (path.name == "html.js"), "one place where text becomes a document"


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ("const a = 1; // why\n/* so */ const b = 2;", "const a=1;const b=2;"),
        ('const a = "// no comment /* here */";', 'const a="// no comment /* here */";'),
        ("const a = /[/*]'\\/\"/g.test(b) ? c / d / e : f;", "const a=/[/*]'\\/\"/g.test(b)?c/d/e:f;"),
        ("const a = `x  // ${b + `  ${c  }`} /* y */  `;", "const a=`x  // ${b+`  ${c}`} /* y */  `;"),
        ("a = b + +c - -d;", "a=b+ +c- -d;"),
        ("return  /x y/.test(a);", "return/x y/.test(a);"),
        ("if (a) return typeof b in c;", "if(a)return typeof b in c;"),
        ("static of(text) {}\nget #own() {}", "static of(text){}get #own(){}"),
    ],
)
def test_a_script_made_smaller_says_the_same(script: str, left: str) -> None:
    assert smaller(script) == left


def test_the_bundle_leaves_one_global() -> None:
    script = joined("waypost").decode()

    assert script.startswith('globalThis.Waypost=(()=>{"use strict";')
    assert script.endswith("return Waypost})();\n")


def test_the_data_is_the_same_whenever_it_is_made() -> None:
    assert scripts(REGISTRY) == scripts(load())


def test_every_name_of_the_vocabulary_is_in_the_packed_data() -> None:
    vocabulary = REGISTRY.vocabulary
    types = {re.sub(r"[,!>].*", "", each)[1:] for each in packed_types(vocabulary).split(" ")}
    properties = {
        re.sub(r"[!=>].*", "", each).lstrip("@~#%?/*&")
        for line in packed_properties(vocabulary).split("\n")
        for each in line.split(" ")[1:]
    }

    assert types == set(vocabulary.types)
    assert properties == set(vocabulary.properties)
