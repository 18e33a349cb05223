"""ES modules of `site/js`, joined in import order into classic scripts.

Pages also open from a folder, where browsers refuse modules. So editors, tests and the type checker see modules, and a
build joins a module with those it imports, each once and after what it imports, without `import` lines and the word
`export`. The modules of a script share one function: two may not declare the same name at the top of a file.

A module that the build makes (`data/*.js`) has its types in a `.d.ts` file at its place in `site/js`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from waypost.errors import RegistryError
from waypost.pages.minify import minify_js
from waypost.pages.source_maps import marked
from waypost.registry import assets

_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|class|(?:async )?function\*?) )", re.MULTILINE)
_DECLARED = re.compile(r"^(export )?(?:const|let|class|(?:async )?function\*?) ([\w$]+)", re.MULTILINE)
"""A name declared at the top of a module: one declaration a line, from its first column."""
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class Module(NamedTuple):
    """Module of a script.

    name      path below `site/js`
    text      source, with a line for each line of the file; without imports and the word `export`
    imports   names by module, in order
    declared  names declared at the top
    exported  those of `declared` that other modules may import
    """

    name: str
    text: str
    imports: dict[str, tuple[str, ...]]
    declared: frozenset[str]
    exported: frozenset[str]


def script(*entries: str, made: Mapping[str, str] | None = None) -> bytes:
    """Minified classic script of some modules, and of all that they import.

    entries   names of modules, run in this order
    made      texts of modules that the build makes, by name

    Raises RegistryError for a module that does not exist, an import of a name that is not exported, modules that import
    each other, and a name declared by two modules.
    """
    return f'(()=>{{"use strict";{minify_js(joined(*entries, made=made))}}})();\n'.encode()


def joined(*entries: str, made: Mapping[str, str] | None = None) -> str:
    """The same without the function around it, as it is written."""
    return "".join(marked(module.name, module.text) for module in in_order(entries, made or {}))


def in_order(entries: tuple[str, ...], made: Mapping[str, str]) -> list[Module]:
    """Some modules and all that they import, each after what it imports."""
    modules: dict[str, Module] = {}
    open_: list[str] = []

    def add(name: str) -> None:
        if name in open_:
            raise RegistryError(name, f"modules import each other: {' imports '.join((*open_, name))}")
        if name in modules:
            return
        open_.append(name)
        module = read(name, made)
        for other, names in module.imports.items():
            add(other)
            if missing := [each for each in names if each not in modules[other].exported]:
                raise RegistryError(name, f"{other} does not export {', '.join(missing)}")
        open_.pop()
        modules[name] = module

    for entry in entries:
        add(entry)
    _unique(modules.values())
    return list(modules.values())


def read(name: str, made: Mapping[str, str]) -> Module:
    """Module by name, from those that the build makes or from `site/js`."""
    path = assets.folder("site") / "js" / name
    if name not in made and not path.is_file():
        raise RegistryError(name, "there is no such module in site/js")
    text = made[name] if name in made else path.read_text("utf-8")
    imports: dict[str, tuple[str, ...]] = {}
    for names, other in _IMPORT.findall(text):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(name), other))
        imports[place] = (*imports.get(place, ()), *(each.strip() for each in names.split(",") if each.strip()))
    declared = _DECLARED.findall(text)
    # An import keeps its lines, so that places in the script are places in the file.
    bare = _EXPORT.sub("", _IMPORT.sub(lambda found: "\n" * found[0].count("\n"), text))
    if other_form := _OTHER.search(bare):
        forms = 'import { a, b } from "./file.js"; and export before const, let, class or function'
        raise RegistryError(name, f"the build does not read {other_form[0]!r}; it reads {forms}")
    return Module(
        name,
        bare,
        imports,
        frozenset(each for _, each in declared),
        frozenset(each for exported, each in declared if exported),
    )


def _unique(modules: Iterable[Module]) -> None:
    """Raise RegistryError for a name that two modules declare."""
    owner: dict[str, str] = {}
    for module in modules:
        for name in sorted(module.declared):
            if name in owner:
                raise RegistryError(module.name, f"{name} is a name of {owner[name]} too; one script holds both")
            owner[name] = module.name
