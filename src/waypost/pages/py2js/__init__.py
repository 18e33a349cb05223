"""The browser's rules, written from the modules of Python: `translated("waypost.validate.rules.gtin_length")`.

The engine of the site reports what the command line reports, to the letter, because both run the same source. A module
is translated when the site is built, from the annotations and the syntax tree of its file, without importing it; the
result is not kept. Node is not needed. `site/js/engine/python.js` holds, by hand, what JavaScript lacks.

A NamedTuple, Struct or frozen dataclass without methods is an object with its fields in camel case. A class with
methods is a class: `__init__`, methods, generators, `property` and `cached_property`, without inheritance, class
variables and static methods. `tests/test_py2js_subset.py` has an example of each.

Lengths and places count code points, as in Python. In the modules that look for places in a page (`names.OF_PLACES`)
they are UTF-16 units, as everywhere in the engine, but for a length that is compared with a limit.

types        types from annotations
names        what the engine has by hand, under which name
operations   methods and builtins by the type that has them
regexes      regular expressions
values       names, constants, texts, access and conditions, each with its type
iterables    collections and comprehensions
expressions  calls
statements   statements, functions and modules
"""

from __future__ import annotations

import re
from functools import cache

from waypost.pages.py2js.names import CLASSES, COUNTERPARTS, TESTS
from waypost.pages.py2js.operations import BUILTINS, HELPERS
from waypost.pages.py2js.statements import script
from waypost.pages.py2js.types import path_of, source_of
from waypost.pages.py2js.values import Unsupported

__all__ = ["ON_DEMAND", "Subset", "Unsupported", "imports", "modules", "translated", "used"]

_FOLDER = "waypost.validate.rules"
_NOT_IN_A_BROWSER = ("feed_", "site_", "html_encoding_", "front_matter_")
"""Beginnings of rules about what a browser is not given: feeds, other pages, the bytes of a file; only the command line
and the service have these."""
_BY_HAND = frozenset({"microdata_itemtype_without_itemscope", "visible_value_differs"})
"""Rules whose counterpart is in `site/js/engine/rules-by-hand.js`."""
_SHARED = (
    "waypost.validate.enumerations",
    "waypost.validate.number_advice",
    "waypost.validate.profiles.lapses",
    "waypost.validate.profiles.nearby",
    "waypost.validate.ratings",
    "waypost.validate.spelling",
    "waypost.validate.value_conditions",
)
"""Modules with functions of several rules that are translated too."""
_DISPLAYED = (
    "waypost.reader.visible",
    *(f"waypost.validate.displayed.{name}" for name in (
        "words", "lines", "amounts", "page", "offers", "ratings", "events", "compare")),
)  # fmt: skip
"""Modules of the part that compares markup with the page; they import each other."""
_PREVIEW = (
    "waypost.preview.card",
    "waypost.preview.cleaning",
    "waypost.preview.documents",
    "waypost.preview.evidence",
    "waypost.preview.head",
    "waypost.preview.layouts",
    "waypost.preview.pick",
    "waypost.preview.plain",
    "waypost.preview.results",
    "waypost.preview.show",
    "waypost.preview.transforms",
    "waypost.preview.unified",
)
"""Modules of the preview, which import each other."""
_READING = ("waypost.reader.roots", "waypost.registry.service_types")
"""Modules by which pages are read."""
ON_DEMAND = ("waypost.formats.prices", *_READING, *_PREVIEW, *_DISPLAYED)
"""Translated modules of parts that are loaded later. Rules call their functions by counterparts of `names`."""
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_USE = re.compile(r'\buse\("([a-z_.]+)"\)')
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_IN_TESTS = _WORD.findall(" ".join(re.sub(r'"\w+"|\.\w+', "", test) for test in TESTS.values()))
_OF_ENGINE = frozenset((*COUNTERPARTS.values(), *CLASSES.values(), *HELPERS, *_IN_TESTS)) - BUILTINS - {
    "instanceof", "typeof"
}  # fmt: skip


class Subset(Exception):
    """A translated module uses what the subset lacks: file, line, and what to write instead."""


def modules() -> tuple[str, ...]:
    """Dotted names of the translated modules, in the order of their names."""
    rules = sorted(path.stem for path in path_of(_FOLDER).parent.glob("*.py") if path.stem != "__init__")
    names = (name for stem in rules if _is_translated(name := f"{_FOLDER}.{stem}"))
    return (*_SHARED, *ON_DEMAND, *(name for name in names if "ENGINE" not in source_of(name).defined))


def _is_translated(module: str) -> bool:
    folder, _, stem = module.rpartition(".")
    is_of_browser = not stem.startswith(_NOT_IN_A_BROWSER) and stem not in _BY_HAND
    return module in (*_SHARED, *_READING, *_PREVIEW) or (folder == _FOLDER and is_of_browser)


def translated(module: str) -> str:
    """Script of a module: a call of `module` with the module's name and a function that gives what it defines."""
    return _translated(module, path_of(module).stat().st_mtime_ns)


@cache
def _translated(module: str, _stamp: int) -> str:
    source = source_of(module)
    try:
        return script(source, _DISPLAYED.__contains__ if module in _DISPLAYED else _is_translated)
    except Unsupported as error:
        raise Subset(f"{path_of(module)}:{error.line}: {error}") from error


def used(script: str) -> list[str]:
    """Modules used by a translated module, without "waypost."."""
    return _USE.findall(script)


def imports(script: str) -> frozenset[str]:
    """Names that a translated module takes from modules of the engine."""
    return _OF_ENGINE.intersection(_WORD.findall(_TEXT.sub("", script)))
