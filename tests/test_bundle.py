"""The browser's engine as the site ships it: whole, smaller, and without what a strict policy would refuse."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from waypost.errors import RegistryError
from waypost.models.finding import result_words, words_by_result
from waypost.pages import engine_parts, py2js
from waypost.pages.bundle import packed_members, packed_properties, packed_types, scripts
from waypost.pages.engine_parts import parts
from waypost.pages.minify import minify_js
from waypost.pages.modules import in_order, read
from waypost.pages.source_maps import unminified, with_map
from waypost.registry import load

JS = Path(__file__).parent.parent / "site" / "js"
REGISTRY = load()
ORDER = json.loads((JS / "order.json").read_bytes())


ENGINE = sorted((JS / "engine").rglob("*.js"))


def test_every_module_of_the_engine_is_in_a_part() -> None:
    with unminified(True):
        joined = b"".join(parts().values()).decode()

    names = re.findall(r"^//@file (engine/.*)$", joined, re.MULTILINE)
    assert sorted(names) == sorted(path.relative_to(JS).as_posix() for path in ENGINE)


def test_an_export_of_the_engine_is_imported_somewhere() -> None:
    imported = {
        name.strip()
        for path in JS.rglob("*.js")
        for names in re.findall(r"import \{([^}]*)\} from", path.read_text("utf-8"))
        for name in names.split(",")
    }
    imported |= {name for module in py2js.modules() for name in py2js.imports(py2js.translated(module))}

    unused = {path.name: sorted(read(path.relative_to(JS).as_posix(), {}).exported - imported) for path in ENGINE}

    assert {name: names for name, names in unused.items() if names} == {}


def test_a_translated_rule_imports_what_it_uses() -> None:
    made = engine_parts.made()
    name = "rules/validate.rules.isbn_invalid.js"

    assert 'import { isDecimal } from "../engine/python.js";' in made[name].splitlines()
    assert [module.name for module in in_order((name,), made)][-1] == name


def test_a_counterpart_that_no_module_exports_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(py2js, "imports", lambda _: frozenset({"strip", "gone"}))

    with pytest.raises(RegistryError, match="no module of site/js/engine exports gone"):
        engine_parts.made()


def test_a_module_two_parts_need_elsewhere_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    order = {**ORDER, "advising": {**ORDER["advising"], "needs": ["drawing", "reading"]}}
    monkeypatch.setattr(engine_parts, "order", lambda: order)

    with pytest.raises(RegistryError, match="is of validating, which advising does not need"):
        parts()


def test_a_part_has_a_source_map_while_developing() -> None:
    with unminified(True):
        made = with_map(parts()["drawing"])

    assert b"//# sourceMappingURL=data:application/json;base64," in made


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.relative_to(JS / "engine").as_posix())
def test_no_engine_script_makes_code_or_markup_from_text(path: Path) -> None:
    text = path.read_text("utf-8")

    found = re.findall(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bfetch\(", text)
    assert not found
    assert (".parseFromString" in text) == (path.name == "tree.js"), "one place where text becomes a document"


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.relative_to(JS / "engine").as_posix())
def test_a_line_of_a_script_declares_one_name(path: Path) -> None:
    """Parts find the names of a script by line, without parsing it."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(("const ", "export const ")) and not line.startswith("const ["):
            assert re.match(r"(?:export )?const [\w$]+ =", line), line
            assert not line.partition(" // ")[0].endswith(","), line


def test_a_part_takes_its_needs_and_leaves_the_rest() -> None:
    made = {part: script.decode() for part, script in parts().items()}

    assert all(script.startswith('globalThis.Waypost||={own:{}};(own=>{"use strict";') for script in made.values())
    for part, modules in ORDER.items():
        taken = re.search(r"const\{([\w$,]*)\}=own;", made[part])
        left = {name for needed in modules["needs"] for name in _left(made[needed])}
        assert set(taken[1].split(",") if taken else ()) <= left
    assert "matchAt" in _left(made["drawing"])
    assert "FindingCollector" not in _left(made["validating"])


def _left(script: str) -> set[str]:
    found = re.search(r"Object\.assign\(own,\{([\w$,]*)\}\)\}\)\(Waypost\.own\);\n$", script)
    return set(found[1].split(",")) if found else set()


def test_parts_need_parts_that_stand_before_them() -> None:
    known: set[str] = set()
    for part, modules in ORDER.items():
        assert set(modules["needs"]) <= known
        known.add(part)


def test_no_name_is_declared_by_two_engine_scripts() -> None:
    names = [name for path in ENGINE for name in read(path.relative_to(JS).as_posix(), {}).declared]

    assert sorted(names) == sorted(set(names))


def test_words_of_rich_results_stand_in_one_file() -> None:
    """Python, the engine and the pages have called a result by lists of their own, which may come apart."""
    root = JS.parent.parent
    sources = [*root.glob("src/waypost/**/*.py"), *JS.rglob("*.js")]

    written = [
        path.name for path in sources for words in words_by_result().values() if f'"{words}"' in path.read_text("utf-8")
    ]

    assert len(sources) > 300
    assert not written


def test_the_browser_names_rich_results_like_the_command_line() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    program = "const [parts, names] = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));"
    program += "for (const part of parts) (0, eval)(part); console.log(JSON.stringify(names.map(Waypost.resultName)))"
    given = [[data.decode() for data in scripts(REGISTRY).values()], list(REGISTRY.profiles)]

    done = subprocess.run([node, "-e", program], input=json.dumps(given), capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == [f"{result_words(name)} results" for name in REGISTRY.profiles]


def test_the_data_is_the_same_whenever_it_is_made() -> None:
    assert scripts(REGISTRY) == scripts(load())


def test_the_packed_data_has_every_name_of_the_vocabulary() -> None:
    vocabulary = REGISTRY.vocabulary
    types = {re.sub(r"[,!>].*", "", each)[1:] for each in packed_types(vocabulary).split(" ")}
    properties = {
        re.sub(r"[!=>].*", "", each).lstrip("@~#%?/*&")
        for line in packed_properties(vocabulary).split("\n")
        for each in line.split(" ")[1:]
    }

    members = {
        (common.replace("*", rest), types_of)
        for types_of, common, *rests in (line.split(" ") for line in packed_members(vocabulary).split("\n"))
        for rest in rests
    }

    assert types == set(vocabulary.types)
    assert properties == set(vocabulary.properties)
    assert members == {(name, ",".join(term.t)) for name, term in vocabulary.members.items()}


SCRIPTS = pytest.mark.parametrize("path", sorted(JS.rglob("*.js")), ids=lambda path: path.relative_to(JS).as_posix())


@SCRIPTS
def test_no_script_has_what_the_minifier_misreads(path: Path) -> None:
    """A template literal inside another; a regular expression right behind an arrow; a list that ends with a gap."""
    script = path.read_text("utf-8")
    assert not re.search(r",\s*,\n\s*\]", script)
    for number, line in enumerate(script.splitlines(), 1):
        found = re.search(r"`[^`]*\$\{[^`}]*`|=> */[^/*]", line.replace("\\`", ""))
        assert not found, f"{path.name}:{number}: {line.strip()}"


PARSING = """
const { Script } = require("vm");
const parsed = Object.entries(JSON.parse(require("fs").readFileSync(0, "utf8"))).map(([name, text]) => {
  try { new Script(text, { filename: name }); return [name, ""]; } catch (error) { return [name, error.stack]; }
});
process.stdout.write(JSON.stringify(Object.fromEntries(parsed)));
"""
BROKEN = "const = 1;"


@pytest.fixture(scope="module")
def syntax_errors() -> dict[str, str]:
    """Syntax error of each minified script and of a broken one, empty where there is none; node starts once for all."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node parses the scripts; the tests in a browser do, too")
    names = [path.relative_to(JS).as_posix() for path in JS.rglob("*.js")]
    texts = {name: minify_js(read(name, {}).text) for name in names} | {"broken": BROKEN}
    done = subprocess.run(
        [node, "-e", PARSING], input=json.dumps(texts), capture_output=True, text=True, timeout=60, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


@SCRIPTS
def test_a_minified_script_is_valid(path: Path, syntax_errors: dict[str, str]) -> None:
    assert syntax_errors[path.relative_to(JS).as_posix()] == ""


def test_a_comma_before_a_closing_bracket_is_left_out() -> None:
    script = 'f(\n  {\n    a: [\n      1,\n      2,\n    ],\n  },\n  "a, )",\n);\n'

    assert minify_js(script).replace("\n", "") == 'f({a:[1,2]},"a, )");'


def test_a_broken_script_is_not_valid(syntax_errors: dict[str, str]) -> None:
    assert "SyntaxError" in syntax_errors["broken"]
