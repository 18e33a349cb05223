"""Types of the translated modules, read from their annotations without importing them.

mypy has checked the modules, so the translator need not: of a union it takes the alternative that has the operation
(`len(value)` of a `Value` is the length of its text, because nothing else in the union has a length).
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

_SOURCES = Path(__file__).resolve().parents[3]
_PLAIN = {"str", "int", "float", "bool", "list", "tuple", "set", "dict"}
_NAMES = {
    "frozenset": "set", "AbstractSet": "set", "KeysView": "set", "Mapping": "dict", "defaultdict": "dict",
    "Sequence": "list", "Iterator": "iterator", "Iterable": "iterator", "Generator": "iterator",
    "Collection": "iterator", "Decimal": "Decimal", "Pattern": "pattern", "Match": "match", "Callable": "callable",
}  # fmt: skip


_ITERABLE = frozenset({"json", "str", "list", "tuple", "set", "dict", "iterator"})


class Type(NamedTuple):
    """Type of an expression.

    name    a Python type ("str", "list"), a dotted class of waypost, "|" for a union, "function" for a function or
            method, whose dotted name is `of`, or "Any".
    args    of a list, set or iterator the element; of a dict key and value; of a tuple its members.
    """

    name: str
    args: tuple[Type, ...] = ()
    of: str = ""

    @property
    def element(self) -> Type:
        """Type of what an iteration gives."""
        if self.name == "|":
            return next((each.element for each in self.options() if each.name in _ITERABLE), ANY)
        if self.name == "tuple":
            return union(*self.args)
        if self.name == "json":
            return JSON
        return STR if self.name == "str" else self.args[0] if self.args else ANY

    def options(self) -> tuple[Type, ...]:
        """Alternatives without None."""
        return tuple(each for each in (self.args if self.name == "|" else (self,)) if each != NONE)

    def only(self, *names: str) -> Type | None:
        """Alternative of one of these names, if there is one."""
        return next((each for each in self.options() if each.name in names), None)


ANY, NONE, STR, INT, BOOL = Type("Any"), Type("None"), Type("str"), Type("int"), Type("bool")
JSON = Type("json")
"""Value of JSON, `models.json_value.Json`: operations are chosen at run time."""


def union(*types: Type) -> Type:
    """Union without repetitions; a single type stays itself."""
    flat = dict.fromkeys(each for given in types for each in (given.args if given.name == "|" else (given,)))
    known = [each for each in flat if each != ANY] or [ANY]
    return known[0] if len(known) == 1 else Type("|", tuple(known))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements of a module, in the order of `ast.walk`, which visits twenty times as many nodes."""
    waiting: deque[ast.AST] = deque(tree.body)
    while waiting:
        node = waiting.popleft()
        yield node
        for field in ("body", "handlers", "orelse", "finalbody", "cases"):
            waiting.extend(getattr(node, field, ()))


class Source:
    """Module as far as types need it: what it imports and what it defines.

    short   name of a variable -> its name in the script, a letter or two: a script is downloaded.
    """

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name = name
        self.tree = tree
        self.imports: dict[str, str] = {}
        self.defined: dict[str, ast.stmt] = {}
        self.short: dict[str, str] = {}
        for node in _statements(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imports |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
            elif isinstance(node, ast.Import):
                self.imports |= {each.asname or each.name: each.name for each in node.names}
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                self.defined[statement.name] = statement
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in (each for given in targets for each in ast.walk(given)):
                    if isinstance(target, ast.Name):
                        self.defined[target.id] = statement

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def loaded(self) -> frozenset[str]:
        """Names that are read anywhere in the module."""
        names = (each for each in self._nodes if isinstance(each, ast.Name))
        return frozenset(each.id for each in names if isinstance(each.ctx, ast.Load))

    @cached_property
    def needs_places(self) -> bool:
        """Does the module call `start` of a group of a match?"""
        calls = (each for each in self._nodes if isinstance(each, ast.Call) and each.args)
        return any(isinstance(each.func, ast.Attribute) and each.func.attr == "start" for each in calls)

    def dotted(self, name: str) -> str:
        """Full name of a name of the module."""
        return f"{self.name}.{name}" if name in self.defined else self.imports.get(name, name)


@cache
def path_of(module: str) -> Path:
    """File of a module of waypost."""
    path = _SOURCES.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _parsed(module: str, _stamp: int) -> Source:
    return Source(module, ast.parse(path_of(module).read_text("utf-8")))


GIVEN: dict[str, Source] = {}
"""Modules without a file, by name: examples of a test."""


def source_of(module: str) -> Source:
    """Module by its dotted name, read again where its file has changed."""
    return GIVEN.get(module) or _parsed(module, path_of(module).stat().st_mtime_ns)


@cache
def imported() -> frozenset[str]:
    """Dotted names that modules of the reader, of validation and of the preview import."""
    files = [
        each for folder in ("reader", "validate", "preview") for each in (_SOURCES / "waypost" / folder).rglob("*.py")
    ]
    names = (".".join(each.relative_to(_SOURCES).with_suffix("").parts).removesuffix(".__init__") for each in files)
    return frozenset(dotted for name in names for dotted in source_of(name).imports.values())


def found(dotted: str) -> tuple[Source, ast.stmt] | None:
    """Module and statement that define a dotted name of waypost."""
    module, _, name = dotted.rpartition(".")
    if not module.startswith("waypost") or not (module in GIVEN or path_of(module).is_file()):
        return None
    source = source_of(module)
    if name in source.imports:
        return found(source.imports[name])
    return (source, source.defined[name]) if name in source.defined else None


def read(annotation: ast.expr | None, source: Source) -> Type:
    """Type of an annotation."""
    match annotation:
        case None:
            return ANY
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=str(text)):
            return read(ast.parse(text, mode="eval").body, source)
        case ast.BinOp(left=left, right=right):
            return union(read(left, source), read(right, source))
        case ast.Subscript(value=base, slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _generic(_name(base, source), parts, source)
        case ast.Name() | ast.Attribute():
            return _named(_name(annotation, source))
    return ANY


def _name(node: ast.expr, source: Source) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value, source)}.{node.attr}"
    return source.dotted(node.id) if isinstance(node, ast.Name) else ""


def _named(dotted: str) -> Type:
    short = dotted.rpartition(".")[2]
    if dotted == "waypost.models.json_value.Json":
        return JSON
    if not dotted.startswith("waypost"):
        return Type(short) if short in _PLAIN else Type(_NAMES[short]) if short in _NAMES else ANY
    where = found(dotted)
    if where is None:
        return ANY
    source, statement = where
    if isinstance(statement, ast.ClassDef):
        return Type(f"{source.name}.{statement.name}")
    return read(getattr(statement, "value", None), source)  # an alias of a type


def _generic(dotted: str, parts: list[ast.expr], source: Source) -> Type:
    short = dotted.rpartition(".")[2]
    if short == "Literal":
        return union(*(Type(type(each.value).__name__) for each in parts if isinstance(each, ast.Constant)))
    if short == "tuple" and isinstance(parts[-1], ast.Constant) and parts[-1].value is ...:
        return Type("list", (read(parts[0], source),))
    if short == "Callable":
        return Type("callable", (read(parts[1], source),))
    return Type(_NAMES.get(short, short), tuple(read(each, source) for each in parts))


class Signature(NamedTuple):
    """Parameters of a function by name, with what they may leave out, and its result."""

    names: tuple[str, ...]
    result: Type
    takes_more: bool


def signature(dotted: str) -> Signature | None:
    """Signature of a function or method of waypost."""
    source, function = found(dotted) or _method(dotted) or (None, None)
    if source is None or not isinstance(function, ast.FunctionDef):
        return None
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return Signature(
        tuple(name for name in names if name != "self"), read(function.returns, source), bool(function.args.kwarg)
    )


def _method(dotted: str) -> tuple[Source, ast.stmt] | None:
    owner, _, name = dotted.rpartition(".")
    source, class_ = found(owner) or (None, None)
    members = class_.body if isinstance(class_, ast.ClassDef) else []
    return next(((source, each) for each in members if source and getattr(each, "name", "") == name), None)


def fields(dotted: str) -> dict[str, ast.AnnAssign] | None:
    """Fields of a NamedTuple, Struct or dataclass of waypost, in order; None for a class with behaviour only."""
    _, class_ = found(dotted) or (None, None)
    if not isinstance(class_, ast.ClassDef):
        return None
    marks = " ".join(map(ast.unparse, [*class_.bases, *class_.decorator_list]))
    if not re.search(r"\b(NamedTuple|Struct|dataclass)\b", marks):
        return None
    return {
        each.target.id: each
        for each in class_.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }


@cache
def is_struct(dotted: str) -> bool:
    """Is a class of waypost a Struct?"""
    _, class_ = found(dotted) or (None, None)
    return isinstance(class_, ast.ClassDef) and any("Struct" in ast.unparse(base) for base in class_.bases)


def methods(dotted: str) -> list[ast.FunctionDef]:
    """Methods of a class of waypost. A NamedTuple or Struct without methods is a record: an object with fields."""
    _, class_ = found(dotted) or (None, None)
    members = class_.body if isinstance(class_, ast.ClassDef) else []
    return [each for each in members if isinstance(each, ast.FunctionDef)]


def attribute(owner: Type, name: str) -> Type | None:
    """Type of an attribute of a class of waypost; None where the class has none of the name."""
    source, class_ = found(owner.name) or (None, None)
    if source is None or not isinstance(class_, ast.ClassDef):
        return None
    for each in class_.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id == name:
            return read(each.annotation, source)
        if isinstance(each, ast.FunctionDef) and each.name == name:
            if any("property" in ast.unparse(decorator) for decorator in each.decorator_list):
                return read(each.returns, source)
            return Type("function", (read(each.returns, source),), f"{owner.name}.{name}")
    for node in ast.walk(class_):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == f"self.{name}":
            return read(node.annotation, source)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == f"self.{name}":
            return _given(class_, node.value, source)
    return None


def _given(class_: ast.ClassDef, value: ast.expr, source: Source) -> Type:
    """Type of a parameter of `__init__` that is kept under its name, or of a class that is called."""
    if isinstance(value, ast.Call):
        return read(value.func, source)
    if isinstance(value, ast.Constant):
        return Type(type(value.value).__name__) if value.value is not None else ANY
    if isinstance(value, ast.Attribute):
        return attribute(_given(class_, value.value, source), value.attr) or ANY
    for each in class_.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__" and isinstance(value, ast.Name):
            for argument in (*each.args.args, *each.args.kwonlyargs):
                if argument.arg == value.id:
                    return read(argument.annotation, source)
    return ANY
