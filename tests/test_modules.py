"""The scripts of the pages: ES modules joined into classic scripts, and their source maps."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("rjsmin", reason="the site needs the extra `site`")

from waypost.errors import RegistryError
from waypost.pages.modules import in_order, joined, script
from waypost.pages.source_maps import unminified, with_map

ROOT = Path(__file__).parent.parent
JS = ROOT / "site" / "js"
A = 'import { two } from "./b.js";\n\nexport const one = () => two + 1;\n'
B = "// Two.\nexport const two = 2;\nconst three = 3;\n"


def test_a_module_stands_behind_those_it_imports() -> None:
    text = joined("a.js", made={"a.js": A, "b.js": B})

    assert text.index("const two = 2;") < text.index("const one = () =>")
    assert "import" not in text
    assert "export" not in text


def test_a_module_that_two_import_stands_once() -> None:
    made = {
        "main.js": 'import { one } from "./a.js";\nimport { two } from "./b.js";\none(two);\n',
        "a.js": A,
        "b.js": B,
    }

    assert [module.name for module in in_order(("main.js",), made)] == ["b.js", "a.js", "main.js"]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ({"a.js": A, "b.js": "const two = 2;\n"}, r"a\.js: b\.js does not export two"),
        ({"a.js": A}, r"b\.js: there is no such module"),
        (
            {"a.js": A, "b.js": 'import { one } from "./a.js";\nexport const two = 2;\n'},
            "a.js imports b.js imports a.js",
        ),
        ({"a.js": A + "const three = 4;\n", "b.js": B}, r"three is a name of b\.js too"),
        ({"a.js": "export default 1;\n"}, "the build does not read 'export default 1;'"),
        ({"a.js": 'import * as b from "./b.js";\n', "b.js": B}, "it reads import { a, b } from"),
    ],
)
def test_what_cannot_be_joined_is_an_error(made: dict[str, str], message: str) -> None:
    with pytest.raises(RegistryError, match=message):
        joined("a.js", made=made)


def test_each_module_belongs_to_the_script_of_a_page() -> None:
    imported = {
        (path.parent / name).resolve()
        for path in JS.rglob("*.js")
        for name in re.findall(r'^import .*"(\..*)";$', path.read_text("utf-8"), re.MULTILINE)
    }
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "waypost" / "pages").glob("*.py"))

    modules = [path for folder in ("ui", "small", "workbench") for path in (JS / folder).glob("*.js")]
    assert len(modules) > 30
    assert not [path for path in modules if path not in imported and f'"{path.name}"' not in pages.replace("/", '"')]


def test_each_module_that_the_build_makes_has_its_types() -> None:
    names = {
        (path.parent / name).relative_to(JS)
        for path in JS.rglob("*.js")
        for name in re.findall(r'"\.\./(data/.*)\.js";', path.read_text("utf-8"))
    }

    assert {path.stem.removesuffix(".d") for path in (JS / "data").iterdir()} == {path.name for path in names}


def test_source_map_leads_from_each_line_to_its_file() -> None:
    with unminified(True):
        data = with_map(script("a.js", made={"a.js": A, "b.js": B}))

    text, _, address = data.decode().partition("//# sourceMappingURL=data:application/json;base64,")
    document = json.loads(base64.b64decode(address))
    lines = text.split("\n")
    for number, (source, line) in places(document["mappings"]).items():
        assert document["sourcesContent"][source].split("\n")[line] == lines[number]
    assert document["sources"] == ["waypost/site/js/b.js", "waypost/site/js/a.js"]
    at = lines.index("const one = () => two + 1;")
    assert places(document["mappings"])[at] == (1, A.split("\n").index("export const one = () => two + 1;"))


def test_a_minified_script_names_no_file() -> None:
    data = with_map(script("a.js", made={"a.js": A, "b.js": B}))

    assert data == b'(()=>{"use strict";const two=2;const three=3;const one=()=>two+1;})();\n'


def places(mappings: str) -> dict[int, tuple[int, int]]:
    """Line of a script -> (number of the source, line in it), by the format of source maps (ECMA-426)."""
    found, source, line = {}, 0, 0
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for number, segment in enumerate(mappings.split(";")):
        values, value, shift = [], 0, 0
        for digit in map(digits.index, segment):
            value |= (digit & 31) << shift
            shift += 5
            if digit < 32:
                values.append(-(value >> 1) if value & 1 else value >> 1)
                value, shift = 0, 0
        if values:
            source, line = source + values[1], line + values[2]
            found[number] = (source, line)
    return found
