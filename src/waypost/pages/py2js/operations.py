"""Methods and functions of Python as JavaScript, by the type that has them.

`{0}` is the value itself, `{1}` the first argument. A capital letter instead of a number of arguments is any number.
Functions that JavaScript does not have are in `site/js/engine/python.js`.
"""

from __future__ import annotations

from collections.abc import Callable

from waypost.pages.py2js.types import ANY, BOOL, INT, JSON, NONE, STR, Type, union


def _list(of: Type) -> Type:
    return Type("list", (of,))


def _set(of: Type) -> Type:
    return Type("set", (of,))


def _pair(of: Type) -> Type:
    return Type("iterator", (Type("tuple", of.args or (ANY, ANY)),))


def _value(of: Type) -> Type:
    return of.args[1] if len(of.args) > 1 else ANY


MATCH = Type("match")
Result = Type | Callable[[Type], Type]

METHODS: dict[tuple[str, str, int], tuple[str, Result]] = {
    ("str", "strip", 0): ("strip({0})", STR),
    ("str", "strip", 1): ("rstripOf(lstripOf({0},{1}),{1})", STR),
    ("str", "lstrip", 0): ("lstrip({0})", STR),
    ("str", "lstrip", 1): ("lstripOf({0},{1})", STR),
    ("str", "rstrip", 0): ("rstrip({0})", STR),
    ("str", "rstrip", 1): ("rstripOf({0},{1})", STR),
    ("str", "lower", 0): ("{0}.toLowerCase()", STR),
    ("str", "upper", 0): ("{0}.toUpperCase()", STR),
    ("str", "casefold", 0): ("casefold({0})", STR),
    ("str", "split", 0): ("words({0})", _list(STR)),
    ("str", "split", 1): ("{0}.split({1})", _list(STR)),
    ("str", "partition", 1): ("partition({0},{1})", _list(STR)),
    ("str", "rpartition", 1): ("rpartition({0},{1})", _list(STR)),
    ("str", "replace", 2): ("{0}.replaceAll({1},{2})", STR),
    ("str", "startswith", 1): ("{0}.startsWith({1})", BOOL),
    ("str", "endswith", 1): ("{0}.endsWith({1})", BOOL),
    ("str", "removeprefix", 1): ("withoutPrefix({0},{1})", STR),
    ("str", "removesuffix", 1): ("withoutSuffix({0},{1})", STR),
    ("str", "translate", 1): ("translated({0},{1})", STR),
    ("str", "count", 1): ("({0}.split({1}).length-1)", INT),
    ("str", "find", 1): ("find({0},{1})", INT),
    ("str", "isspace", 0): ("isBlank({0})", BOOL),
    ("str", "isupper", 0): ("isUpper({0})", BOOL),
    ("str", "islower", 0): ("isLower({0})", BOOL),
    ("str", "isalpha", 0): ("isAlpha({0})", BOOL),
    ("str", "isalnum", 0): ("isAlnum({0})", BOOL),
    ("str", "isdecimal", 0): ("isDecimal({0})", BOOL),
    ("str", "isascii", 0): ("isAscii({0})", BOOL),
    ("dict", "items", 0): ("{0}", _pair),
    ("dict", "keys", 0): ("{0}", lambda of: of),
    ("dict", "values", 0): ("{0}.values()", lambda of: Type("iterator", (_value(of),))),
    ("dict", "get", 1): ("({0}.get({1})??null)", lambda of: union(_value(of), NONE)),
    ("dict", "get", 2): ("({0}.get({1})??{2})", _value),
    ("dict", "setdefault", 2): ("setDefault({0},{1},{2})", _value),
    ("dict", "isdisjoint", 1): ("isDisjoint({0},{1})", BOOL),
    ("set", "isdisjoint", 1): ("isDisjoint({0},{1})", BOOL),
    ("set", "add", 1): ("{0}.add({1})", NONE),
    ("list", "append", 1): ("{0}.push({1})", NONE),
    ("list", "pop", 0): ("{0}.pop()", lambda of: of.element),
    ("list", "index", 1): ("{0}.indexOf({1})", INT),
    ("list", "count", 1): ("{0}.filter(each=>each==={1}).length", INT),
    ("pattern", "search", 1): ("{0}.search({1})", union(MATCH, NONE)),
    ("pattern", "match", 1): ("{0}.match({1})", union(MATCH, NONE)),
    ("pattern", "fullmatch", 1): ("{0}.fullmatch({1})", union(MATCH, NONE)),
    ("pattern", "findall", 1): ("{0}.findall({1})", _list(STR)),
    ("pattern", "finditer", 1): ("{0}.finditer({1})", _list(MATCH)),
    ("pattern", "split", 1): ("{0}.split({1})", _list(STR)),
    ("pattern", "sub", 2): ("{0}.sub({1},{2})", STR),
    ("match", "end", 0): ("ending({0})", INT),
    ("match", "start", 1): ("{0}.indices[{1}][0]", INT),
    ("match", "end", 1): ("{0}.indices[{1}][1]", INT),
    ("match", "groups", 0): ("{0}.slice(1)", _list(STR)),
}
"""(type, method, number of arguments) -> (JavaScript, type of the result)."""

METHODS_OF_PLACES: dict[tuple[str, str, int], tuple[str, Result]] = {
    ("str", "find", 1): ("{0}.indexOf({1})", INT),
    ("str", "find", 2): ("{0}.indexOf({1},{2})", INT),
    ("str", "find", 3): ("findWithin({0},{1},{2},{3})", INT),
    ("str", "rfind", 1): ("{0}.lastIndexOf({1})", INT),
    ("str", "index", 1): ("{0}.indexOf({1})", INT),
    ("str", "index", 2): ("{0}.indexOf({1},{2})", INT),
    ("str", "rindex", 1): ("{0}.lastIndexOf({1})", INT),
    ("pattern", "search", 2): ("{0}.search({1},{2})", union(MATCH, NONE)),
    ("pattern", "match", 2): ("{0}.match({1},{2})", union(MATCH, NONE)),
    ("pattern", "match", 3): ("{0}.match({1}.slice(0,{3}),{2})", union(MATCH, NONE)),
    ("pattern", "finditer", 2): ("{0}.each({1},{2})", Type("iterator", (MATCH,))),
    ("pattern", "finditer", 3): ("{0}.each({1}.slice(0,{3}),{2})", Type("iterator", (MATCH,))),
    ("match", "start", 0): ("{0}.index", INT),
    ("match", "end", 0): ("endAt({0})", INT),
}
"""The same in the modules of `names.OF_PLACES`."""

FUNCTIONS: dict[tuple[str, int], tuple[str, Result]] = {
    ("abs", 1): ("magnitude({0})", lambda of: of),
    ("dict", 1): ("new Map({0})", lambda of: of if of.name == "dict" else Type("dict", (STR, JSON))),
    ("int", 1): ("Number({0})", INT),
    ("round", 1): ("rounded({0})", INT),
    ("float", 1): ("Number({0})", Type("float")),
    ("repr", 1): ("repr({0})", STR),
    ("id", 1): ("{0}", lambda of: of),
    ("iter", 1): ("{0}", lambda of: of),
    ("range", 1): ("range(0,{0})", _list(INT)),
    ("range", 2): ("range({0},{1})", _list(INT)),
    ("range", 3): ("range({0},{1},{2})", _list(INT)),
}
"""(builtin, number of arguments) -> (JavaScript, type of the result)."""

OF_ITERABLES: dict[str, tuple[str, Result]] = {
    "list": ("{0}", lambda of: _list(of.element)),
    "tuple": ("{0}", lambda of: _list(of.element)),
    "set": ("new Set({0})", lambda of: _set(of.element)),
    "frozenset": ("new Set({0})", lambda of: _set(of.element)),
    "reversed": ("{0}.reverse()", lambda of: _list(of.element)),
    "sum": ("sum({0})", INT),
    "enumerate": ("[...{0}.entries()]", lambda of: _list(Type("tuple", (INT, of.element)))),
    "fromkeys": ("fromKeys({0})", lambda of: Type("dict", (of.element, NONE))),
}
"""Builtin over an iterable, which arrives as an array that no one else holds where it is changed."""

HELPERS = frozenset(
    {
        "Dec", "Num", "at", "below", "casefold", "clip", "common", "compare", "contains", "count", "elements", "endAt",
        "ending", "equal", "find", "findWithin", "first", "fromKeys", "general", "greatest", "grouped", "head", "hex",
        "inRank", "isAlnum", "isAlpha", "isAscii", "isBlank", "isDecimal", "isDisjoint", "isFloat", "isInteger",
        "isLower", "isTrue", "isUpper", "least", "lstrip", "lstripOf", "magnitude", "merged", "minus", "module",
        "nextOf", "numbered", "part", "partition", "pattern", "plus", "range", "remembered", "repr", "rounded",
        "rpartition", "rstrip", "rstripOf", "setDefault", "size", "str", "strip", "sum", "times", "translated", "union",
        "use", "without", "withoutPrefix", "withoutSuffix", "words",
    }
)  # fmt: skip
"""Names of the engine that a variable of a translated function must not hide."""

BUILTINS = frozenset({"Array", "Map", "Math", "Number", "Object", "Set", "String"})
"""Names of JavaScript itself that it must not hide."""

OF_RULES = frozenset(
    {"AUTHORITY", "ALIASES", "APPLIES_TO", "PROPERTIES", "SIGN", "VALUES", "WHEN", "check", "check_page", "check_value",
     "concerns", "explain"}
)  # fmt: skip
"""What the dispatcher reads of the module of a rule, see `validate.rulebook`."""
