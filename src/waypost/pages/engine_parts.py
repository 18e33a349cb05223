"""Parts of the browser engine: modules of `site/js/engine` joined in import order, one classic script for each part.

`site/js/order.json` names the modules with which a part begins. A part holds them and all that they import, without the
modules of the parts that it needs: those leave names in `Waypost.own`, from where later parts take them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waypost.errors import RegistryError
from waypost.models.finding import words_by_result
from waypost.pages import py2js
from waypost.pages.minify import minify_js
from waypost.pages.modules import Module, in_order, read
from waypost.pages.source_maps import marked
from waypost.reader.rdfa_context import INITIAL_CONTEXT, LINK_TYPES
from waypost.registry import assets

_RULE = re.compile(r'^rule\("([a-z0-9-]+)"', re.MULTILINE)


def parts() -> dict[str, bytes]:
    """Classic scripts by part, to be run in the order of `site/js/order.json`.

    Raises RegistryError for a module that two parts import although neither needs the other, and as `modules.script`.
    """
    texts = made()
    home: dict[str, str] = {}
    own: dict[str, list[Module]] = {}
    for part, entry in order().items():
        own[part] = []
        for module in in_order(tuple(entry["modules"]), texts):
            other = home.setdefault(module.name, part)
            if other == part:
                own[part].append(module)
            elif other not in entry["needs"]:
                raise RegistryError("order.json", f"{module.name} is of {other}, which {part} does not need")
    taken = {part: dict(_taken(part, modules, home)) for part, modules in own.items()}
    return {
        part: _wrapped(
            "".join(marked(module.name, module.text) for module in modules),
            taken=list(taken[part]),
            left=sorted({name for names in taken.values() for name, other in names.items() if other == part}),
        )
        for part, modules in own.items()
    }


def order() -> dict[str, dict[str, list[str]]]:
    """`site/js/order.json`: a part -> `modules` with which it begins, and the parts that it `needs`, all of them."""
    found: dict[str, dict[str, list[str]]] = json.loads((_scripts() / "order.json").read_bytes())
    return found


def made() -> dict[str, str]:
    """Modules that the build makes, by name: constants of Python, translated rules, `data/rules.js` with them all."""
    rdfa = _constant("RDFA_PREFIXES", {"__proto__": None, **INITIAL_CONTEXT})
    named = homes()
    rules = {
        f"rules/{module.removeprefix('waypost.')}.js": _with_imports(py2js.translated(module), named)
        for module in py2js.modules()
    }
    return {
        "data/result-words.js": _constant("RESULT_WORDS", words_by_result()),
        "data/rdfa.js": rdfa + _constant("LINK_TYPES", " ".join(sorted(LINK_TYPES))),
        **rules,
        "data/rules.js": "".join(
            f'import "../rules/{module.removeprefix("waypost.")}.js";\n'
            for module in py2js.modules()
            if module not in py2js.ON_DEMAND
        ),
    }


def rules_in_scripts() -> Iterator[str]:
    """Names of the rules that the engine has in code, translated or by hand."""
    yield from (name.rpartition(".")[2].replace("_", "-") for name in py2js.modules())
    for path in (_scripts() / "engine").rglob("*.js"):
        yield from _RULE.findall(path.read_text("utf-8"))


def _scripts() -> Path:
    return assets.folder("site") / "js"


def _taken(part: str, modules: list[Module], home: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names that the modules of a part import from other parts, each with its part."""
    for module in modules:
        for other, names in module.imports.items():
            if home[other] != part:
                yield from ((name, home[other]) for name in names)


def _wrapped(script: str, taken: list[str], left: list[str]) -> bytes:
    """Part as one function: classic scripts share no module scope."""
    return (
        # `||=`: whichever part comes first makes the object.
        'globalThis.Waypost||={own:{}};(own=>{"use strict";'
        + (f"const{{{','.join(taken)}}}=own;" if taken else "")
        + minify_js(script)
        + (f"Object.assign(own,{{{','.join(left)}}})" if left else "")
        + "})(Waypost.own);\n"
    ).encode()


def _constant(name: str, value: Any) -> str:
    return f"export const {name} = {json.dumps(value)};\n"


def homes() -> dict[str, str]:
    """Module of each name that a translated rule may import."""
    names = (path.relative_to(_scripts()).as_posix() for path in sorted((_scripts() / "engine").rglob("*.js")))
    return {exported: name for name in names for exported in read(name, {}).exported}


def _with_imports(script: str, homes: Mapping[str, str]) -> str:
    """Translated rule, after imports of the names of the engine that stand in it."""
    names = sorted(py2js.imports(script))
    if missing := [name for name in names if name not in homes]:
        raise RegistryError("py2js/names.py", f"no module of site/js/engine exports {', '.join(missing)}")
    others = [f'import "./{name}.js";\n' for name in py2js.used(script) if name.startswith("preview.")]
    return "".join(f'import {{ {name} }} from "../{homes[name]}";\n' for name in names) + "".join(others) + script
