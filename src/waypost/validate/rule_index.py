"""Index of the rules: the constants of each, read from its source without importing it.

A rule's module is imported when the rule is first called; many pages call few. The index is never edited and never
stale. A wheel has one, made by `hatch_build.py`, with the size of every source. In a checkout the first run writes one
next to the compiled modules, with the size and the time of change of every source, as Python does for those. An index
of other sources is made again; where that is impossible, every module is imported.

This module imports no other of waypost on load: the build of the wheel runs it by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import ast

Entry: TypeAlias = dict[str, Any]
"""Constants of a rule, those that it has:

name        of the rule; `of`: file with the rule
import      true: the constants are computed in a way that is not read here, so that the module has to be imported
verb        name of its function; without one a part of the validator reports under the rule's name
concerns    true: it has this function too
when        "module:name" of an imported condition; "" for one of its own
properties  names, to which are added those of the `kinds` of `value_kinds.KINDS` and of the `sets` "module:name", and
            from which those of `other_than` are taken
authority, severity, applies_to, values, sign, aliases, engine
"""
Stamps: TypeAlias = dict[str, tuple[int, int]]
"""File -> (bytes, time of change in ns; 0 in a wheel, whose files an installer may give any time).

"" is this module: another one may read the sources in another way.
"""
Index: TypeAlias = tuple[Stamps, list[Entry]]
"""Sources, and entries sorted by name."""
NAME = "rules.json"
VERBS = ("check", "check_value", "check_page", "check_site", "explain")
FIELDS = ("authority", "severity", "applies_to", "properties", "values", "sign", "when", "aliases", "engine")
_CONSTANTS = tuple(field.upper() for field in FIELDS)
_PAGE_CONDITIONS = frozenset({"date", "is_page_address"})
_OPTIONS = frozenset({"ignore_case", "longest"})


# ---- making ----


def stamps(rules: Path, checks: Path) -> Stamps:
    """Stamps of the modules in the folder `rules` and of the tables in the folder `checks`. Raises OSError."""
    found = {"": _stamp(Path(__file__).stat())}
    for folder, ending in ((rules, ".py"), (checks, ".json")):
        for entry in os.scandir(folder):
            name = entry.name
            if name.endswith(ending) and not name.startswith(("_", ".")):
                found[name] = _stamp(entry.stat())
    return found


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def packed(rules: Path, checks: Path) -> Index:
    """Index of a wheel."""
    return _without_times(stamps(rules, checks)), entries(rules, checks)


def _without_times(stamps: Stamps) -> Stamps:
    return {name: (size, 0) for name, (size, _) in stamps.items()}


def entries(rules: Path, checks: Path, known: Iterable[Entry] = ()) -> list[Entry]:
    """Entries of every rule, sorted by name. `known`: those of sources that have not changed."""
    found = {entry["of"]: entry for entry in known}
    for name in stamps(rules, checks):
        if name and name not in found:
            is_module = name.endswith(".py")
            data = ((rules if is_module else checks) / name).read_bytes()
            found[name] = of_module(name, data) if is_module else of_table(name, data)
    return _sorted(found.values())


def _sorted(found: Iterable[Entry]) -> list[Entry]:
    return sorted(found, key=lambda entry: str(entry["name"]).replace("-", "_"))


def _entry(file: str) -> Entry:
    return {"name": file.rpartition(".")[0].replace("_", "-"), "of": file}


def of_table(name: str, data: bytes) -> Entry:
    """Entry of a rule that is a table."""
    import json

    check = json.loads(data)
    entry = _entry(name)
    entry |= {field: check[field] for field in ("authority", "severity", "aliases") if field in check}
    if "types" in check:
        entry["applies_to"] = check["types"]
    if check["kind"] == "read-error":
        return entry | {"verb": "explain"}
    if check["kind"] == "pair":
        return entry | {"verb": "check", "properties": sorted({second for _, second in check["pairs"]})}
    entry |= {"verb": "check_value", "values": check.get("values", ["text"]), "properties": check.get("properties", [])}
    members = (("kinds", "property_kinds"), ("other_than", "except_properties"))
    entry |= {key: check[member] for key, member in members if member in check}
    is_conditional = bool(check.get("when", {}).keys() - _PAGE_CONDITIONS - _OPTIONS)
    return entry | ({"when": ""} if is_conditional else {})


def of_module(name: str, data: bytes) -> Entry:
    """Entry of a rule that is a module."""
    import ast

    entry = _entry(name)
    try:
        return entry | _Module(ast.parse(data)).entry()
    except _Computed:
        return entry | {"import": True}


class _Computed(Exception):
    """A constant that is no literal and none of the usual expressions, or a module with other statements."""


class _Module:
    """Syntax of a module: what its top-level names are.

    values     name -> expression that it is assigned, once
    imported   name -> "module:name"
    functions  names of functions and classes
    """

    def __init__(self, tree: ast.Module) -> None:
        self.values: dict[str, ast.expr] = {}
        self.imported: dict[str, str] = {}
        self.functions: set[str] = set()
        for statement in tree.body:
            self._read(statement)
        read = {*VERBS, "concerns", *_CONSTANTS}
        if read & self.imported.keys() or {"*", *VERBS, "concerns"} & {*self.imported, *self.values}:
            raise _Computed

    def _read(self, statement: ast.stmt) -> None:
        import ast

        match statement:
            case ast.ImportFrom(module=module, names=names):
                self.imported |= {each.asname or each.name: f"{module}:{each.name}" for each in names}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                self.functions.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in self.values:
                self.values[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name not in self.values:
                self.values[name] = value
            case ast.Import() | ast.Expr(value=ast.Constant()) | ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=[]):
                pass
            case _:
                raise _Computed

    def entry(self) -> Entry:
        import ast

        found: Entry = {}
        for field in FIELDS:
            value = self.values.get(field.upper())
            if value is None:
                continue
            if field == "properties":
                found |= self._properties(value)
            elif field == "when":
                found["when"] = self.imported.get(value.id, "") if isinstance(value, ast.Name) else ""
            else:
                found[field] = self._constant(value)
        for verb in VERBS:
            if verb in self.functions:
                found["verb"] = verb
        return found | ({"concerns": True} if "concerns" in self.functions else {})

    def _properties(self, value: ast.expr) -> Entry:
        import ast

        found: Entry = {}
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub):
            found["other_than"] = self._constant(value.right)
            value = value.left
        names: set[str] = set()
        for term in self._terms(value):
            match term:
                case ast.Attribute(value=ast.Name(id="KINDS"), attr=kind):
                    found.setdefault("kinds", []).append(kind)
                case ast.Name(id=name) if name in self.imported:
                    found.setdefault("sets", []).append(self.imported[name])
                case _:
                    names.update(self._constant(term))
        return found | {"properties": sorted(names)}

    def _terms(self, value: ast.expr) -> list[ast.expr]:
        """Terms of a union."""
        import ast

        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
            return [*self._terms(value.left), *self._terms(value.right)]
        return [value]

    def _constant(self, value: ast.expr) -> str | list[str]:
        """Text, or list of texts, of a literal, `frozenset(literal)` or a name for one; those of a set are sorted."""
        import ast

        if isinstance(value, ast.Name) and value.id in self.values:
            return self._constant(self.values[value.id])
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "frozenset":
            return sorted(self._constant(value.args[0])) if value.args else []
        try:
            found = ast.literal_eval(value)
        except (ValueError, TypeError):
            raise _Computed from None
        return found if isinstance(found, str) else sorted(found) if isinstance(found, set) else list(found)


# ---- finding ----


def current(rules: Path, checks: Path, wheel: Path, checkout: Path | None) -> list[Entry]:
    """Entries of every rule, sorted by name. Raises OSError where a folder cannot be read.

    wheel     file with the index of a wheel, which need not exist
    checkout  file for the index of a checkout; None where Python stores no compiled modules
    """
    now = stamps(rules, checks)
    index = _read(wheel)
    if index and index[0] == _without_times(now):
        return index[1]
    if checkout:
        index = _read(checkout)
        if index and index[0] == now:
            return index[1]
        if (found := _renewed(rules, checks, index, now, checkout)) is not None:
            return found
    return _sorted(_entry(name) | {"import": True} for name in now if name)


def _read(path: Path) -> Index | None:
    from msgspec import DecodeError, json

    from waypost.registry.assets import read_bytes

    try:
        found: Index = json.decode(read_bytes(str(path)), type=Index)
        return found
    except (OSError, DecodeError):
        return None


def _renewed(rules: Path, checks: Path, old: Index | None, now: Stamps, path: Path) -> list[Entry] | None:
    """Entries of today, written to a file; None where that is impossible."""
    from msgspec import json

    own = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        own.touch(exist_ok=False)  # first, since without a place for it the sources are read in vain
    except OSError:
        return None
    before = old[0] if old and old[0].get("") == now[""] else {}
    unchanged = {name for name, stamp in now.items() if before.get(name) == stamp}
    try:
        found = entries(rules, checks, (entry for entry in old[1] if entry["of"] in unchanged) if old else ())
        own.write_bytes(json.encode((now, found)))
        own.replace(path)  # two runs at once write the same
    except OSError:
        return None
    finally:
        own.unlink(missing_ok=True)
    return found
