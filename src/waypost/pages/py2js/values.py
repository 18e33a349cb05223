"""Values of Python as JavaScript: names, constants, texts, access, conditions and arithmetic.

Each method gives the text of an expression and its type, and the type chooses the operation.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable

from waypost.pages.py2js.names import AS_IN_JSON, ATTRIBUTES, CLASSES, COUNTERPARTS, OF_PLACES, RECORDS, camel
from waypost.pages.py2js.operations import BUILTINS, HELPERS, OF_RULES
from waypost.pages.py2js.types import (
    ANY,
    BOOL,
    INT,
    JSON,
    NONE,
    STR,
    Source,
    Type,
    attribute,
    fields,
    found,
    imported,
    is_struct,
    methods,
    read,
    union,
)

Code = tuple[str, Type]
_RECORD = Type("record")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAIRS = tuple(f"{letter}{digit}" for digit in range(1, 10) for letter in _LETTERS)
_COMPARISON = re.compile(r"[=!]=|[<>]|instanceof|typeof|&&|\|\|")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_FORMATS = {
    ",": "grouped({0})", "04X": "hex({0},4).toUpperCase()", "02": 'String({0}).padStart(2,"0")', "g": "general({0})",
}  # fmt: skip
_SET_OPERATIONS = {ast.BitOr: "union", ast.BitAnd: "common", ast.Sub: "without"}
_ARITHMETIC = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%", ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|"
}  # fmt: skip
_EXACT = {ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times"}


class Unsupported(Exception):
    """Something in a translated module that is not of the subset. The message says what to write instead."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.line = getattr(node, "lineno", 0)


def member_name(owner: str, name: str) -> str:
    """Name in the engine of an attribute: the same in camel case, but for Structs of JSON."""
    if f"{owner}.{name}" in ATTRIBUTES:
        return ATTRIBUTES[f"{owner}.{name}"]
    is_json = owner.rpartition(".")[0] in AS_IN_JSON and is_struct(owner)
    return name.rstrip("_") if is_json else camel(name)


class Values:
    """Translator of names, constants, texts, access, conditions and arithmetic.

    types    type of each variable in sight.
    source   the module; `is_translated` says of a dotted module whether it is translated too.
    """

    def __init__(self, source: Source, is_translated: Callable[[str], bool], types: dict[str, Type]) -> None:
        self.source = source
        self.is_translated = is_translated
        self.types = types

    def code(self, node: ast.expr) -> str:
        return self.translated(node)[0]

    def translated(self, node: ast.expr) -> Code:
        """JavaScript of an expression, and its type."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(node, f"{type(node).__name__} is not translated: write it with a loop or a function")
        made: Code = method(node)
        return made

    @property
    def counts_units(self) -> bool:
        """Are places of the module UTF-16 units?"""
        return self.source.name.startswith(OF_PLACES)

    # Names and constants

    def variable(self, name: str) -> str:
        """Name in the script of a variable: of what other modules use the name itself, else the next free letter.

        `$` keeps it apart from words and functions of the engine.
        """
        if name == "self":
            return "this"
        if self.is_given(name) or name in self.source.imports:
            return f"{name}$" if name in HELPERS | BUILTINS or name in COUNTERPARTS.values() else name
        short = self.source.short
        if name not in short:
            # A letter of the name where one is free: alike functions look alike, which compresses well.
            own = "".join(each for each in name if each.isalpha())
            taken = set(short.values())
            short[name] = next(each for each in (*own, *own.swapcase(), *_LETTERS, *_PAIRS) if each not in taken)
        return short[name]

    def is_given(self, name: str) -> bool:
        """Does the script of the module give a name to others: to the dispatcher of rules, or to what imports it?"""
        defined = self.source.defined.get(name)
        is_value = defined is not None and (not isinstance(defined, ast.ClassDef) or self.behaves(name))
        return is_value and (name in OF_RULES or f"{self.source.name}.{name}" in imported())

    def behaves(self, name: str) -> bool:
        """Is a name of the module a translated class with methods?"""
        dotted = self.source.dotted(name)
        module = dotted.rpartition(".")[0]
        return (module == self.source.name or self.is_translated(module)) and bool(methods(dotted))

    def is_used(self, name: str) -> bool:
        """Is a constant of use to the script? What only lists of rules read is not."""
        return name not in ("SEVERITY", "ENGINE") and name in self.source.defined

    def _constant(self, node: ast.Constant) -> Code:
        if node.value is None:
            return "null", NONE
        if isinstance(node.value, bool | str | int | float):
            return json.dumps(node.value, ensure_ascii=False), Type(type(node.value).__name__)
        raise Unsupported(node, f"{node.value!r} has no counterpart: write it as a text or a number")

    def _name(self, node: ast.Name) -> Code:
        if node.id in self.types:
            return self.variable(node.id), self.types[node.id]
        dotted = self.source.dotted(node.id)
        if node.id in self.source.defined or self.is_translated(dotted.rpartition(".")[0]):
            return self.variable(node.id), self._defined(dotted)
        if dotted in COUNTERPARTS:
            return COUNTERPARTS[dotted], self._defined(dotted)
        raise Unsupported(node, f"{dotted} is neither translated nor in names.py: import something that is")

    def _defined(self, dotted: str) -> Type:
        """Type of what a module defines."""
        where = found(dotted)
        if where is None:
            return ANY
        source, statement = where
        if isinstance(statement, ast.FunctionDef):
            return Type("function", (read(statement.returns, source),), dotted)
        if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.annotation) != "Final":
            return read(statement.annotation, source)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            try:
                return type(self)(source, lambda _: True, {}).translated(statement.value)[1]
            except Unsupported:
                is_pattern = ast.unparse(statement.value).startswith("pattern(")  # its source may be put together
                return Type("pattern") if is_pattern else ANY
        return ANY

    # Texts

    def _joinedstr(self, node: ast.JoinedStr) -> Code:
        parts = [
            self._formatted(part) if isinstance(part, ast.FormattedValue) else self.code(part) for part in node.values
        ]
        if not isinstance(node.values[0], ast.Constant):
            parts.insert(0, '""')
        return f"({'+'.join(parts)})", STR

    def _formatted(self, node: ast.FormattedValue) -> str:
        value, kind = self.translated(node.value)
        if node.format_spec is not None:
            form = ast.unparse(node.format_spec)[2:-1]
            if form not in _FORMATS:
                raise Unsupported(node, f"the format {form!r} is not translated: only {', '.join(_FORMATS)} are")
            return _FORMATS[form].format(value)
        text = value if kind in (STR, INT) else self._as_text(value, kind)
        return f"repr({text})" if node.conversion == ord("r") else text

    def _as_text(self, value: str, kind: Type) -> str:
        return value if kind == STR else f"str({value})"

    # Access

    def _attribute(self, node: ast.Attribute) -> Code:
        made = self.member(node)
        if made[1].name == "function":  # kept for a call later: JavaScript would forget whose method it is
            return f"{self.code(node.value)}.{made[0].rpartition('.')[2]}.bind({self.code(node.value)})", made[1]
        return made

    def member(self, node: ast.Attribute) -> Code:
        if isinstance(node.value, ast.Name) and node.value.id == "re":
            return json.dumps({"ASCII": "a", "IGNORECASE": "i"}[node.attr]), STR
        value, kind = self.translated(node.value)
        for option in kind.options():
            of = attribute(option, node.attr)
            if of is not None:
                name = f"{option.name}.{node.attr}"
                return f"{value}.{member_name(option.name, node.attr)}", _RECORD if name in RECORDS else of
        raise Unsupported(node, f"the type of {ast.unparse(node.value)} is not known to have {node.attr}: annotate it")

    def _subscript(self, node: ast.Subscript) -> Code:
        value, kind = self.translated(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(node, node.slice, value, kind)
        index, of_index = self.translated(node.slice)
        if kind.only("json"):
            return (f"{value}.at({index})" if of_index == INT else f"{value}.get({index})"), JSON
        if kind.only("record"):
            return f"{value}.{camel(json.loads(index))}", ANY
        if kind.only("dict"):
            mapping = kind.only("dict")
            assert mapping is not None
            self.check_key(node, mapping.element)
            return f"{value}.get({index})", mapping.args[1] if mapping.args else ANY
        if kind.only("match"):
            return f"{value}[{index}]", STR
        if kind.only("str"):
            is_edge = index in ("0", "-1") or not self.counts_units
            return (f"at({value},{index})" if is_edge else f"{value}.charAt({index})"), STR
        if of := kind.only("list"):
            return (f"{value}.at({index})" if "-" in index else f"{value}[{index}]"), of.element
        if of := kind.only("tuple"):
            position = ast.literal_eval(node.slice)
            return f"{value}[{position % len(of.args)}]", of.args[position]
        for option in kind.options():
            if members := fields(option.name):
                name = list(members)[ast.literal_eval(node.slice)]
                return self.member(ast.copy_location(ast.Attribute(node.value, name, ast.Load()), node))
        raise Unsupported(node, f"the type of {ast.unparse(node.value)} is not known: annotate it")

    def _slice(self, node: ast.Subscript, bounds: ast.Slice, value: str, kind: Type) -> Code:
        low = self.code(bounds.lower) if bounds.lower else "0"
        high = self.code(bounds.upper) if bounds.upper else ""
        if kind.only("str") and self.counts_units:
            return f"{value}.slice({low}{',' if high else ''}{high})", STR
        if kind.only("str"):
            if low == "0" and high and not high.startswith("-"):
                return f"head({value},{high})", STR
            return f"part({value},{low}{',' if high else ''}{high})", STR
        if of := kind.only("list"):
            return f"{value}.slice({low}{',' if high else ''}{high})", of
        raise Unsupported(node, f"the type of {ast.unparse(node.value)} is not known: annotate it")

    # Conditions

    def truth(self, node: ast.expr) -> str:
        """JavaScript that is true where Python takes the value for true."""
        if isinstance(node, ast.BoolOp):
            return f"({('&&' if isinstance(node.op, ast.And) else '||').join(map(self.truth, node.values))})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{bracketed(self.truth(node.operand))}"
        value, kind = self.translated(node)
        names = {option.name for option in kind.options()}
        if names & {"Decimal", "json"}:
            return f"isTrue({value})"
        mark = "?." if kind.name == "|" else "."
        if names & {"list"} and len(names) == 1:
            return f"{value}{mark}length"
        if names and names <= {"set", "dict"}:
            return f"{value}{mark}size"
        if "Any" in names or names & {"list", "set", "dict"}:
            raise Unsupported(node, f"whether {ast.unparse(node)} is empty depends on its type: annotate it")
        return _without_null(value)

    def _boolop(self, node: ast.BoolOp) -> Code:
        made, kinds = [], []
        for value in node.values:
            code, kind = self.translated(value)
            made.append(code)
            kinds.append(kind)
            if value is not node.values[-1] and self.truth(value) not in (code, _without_null(code)):
                if kind.options() and all(option.name == "bool" for option in kinds[-1].options()):
                    continue
                if len(node.values) == 2 and isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
                    other, other_kind = self.translated(node.values[1])
                    either = (code, other) if isinstance(node.op, ast.Or) else (other, code)
                    return f"({self.truth(value)}?{either[0]}:{either[1]})", union(kind, other_kind)
                raise Unsupported(value, f"the value of {ast.unparse(node)} is not clear: write it with if and else")
        is_or = isinstance(node.op, ast.Or)
        # Of `a or b` the first is taken only where it is something.
        result = union(
            *(union(*kind.options()) if is_or and kind.options() else kind for kind in kinds[:-1]), kinds[-1]
        )
        return f"({('||' if is_or else '&&').join(made)})", result

    def _unaryop(self, node: ast.UnaryOp) -> Code:
        if isinstance(node.op, ast.Not):
            return f"!{bracketed(self.truth(node.operand))}", BOOL
        value, kind = self.translated(node.operand)
        return f"{'~' if isinstance(node.op, ast.Invert) else '-'}{value}", kind

    def _ifexp(self, node: ast.IfExp) -> Code:
        (one, kind), (two, other) = self.translated(node.body), self.translated(node.orelse)
        return f"({self.truth(node.test)}?{one}:{two})", union(kind, other)

    def _compare(self, node: ast.Compare) -> Code:
        parts, left = [], node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            parts.append(self._compared(operator, left, right))
            left = right
        return (f"({'&&'.join(parts)})" if len(parts) > 1 else parts[0]), BOOL

    def _compared(self, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> str:
        (one, kind), (two, other) = self.side(left, right), self.side(right, left)
        one, two = (
            bracketed(code) if isinstance(node, ast.Compare) or ast.unparse(node).startswith("isinstance(") else code
            for code, node in ((one, left), (two, right))
        )
        mark = "!" if isinstance(operator, ast.NotIn | ast.NotEq | ast.IsNot) else ""
        if isinstance(operator, ast.In | ast.NotIn):
            return mark + self._contains(two, other, one, right)
        if NONE in (kind, other):
            return f"{two if kind == NONE else one}{mark or '='}=null"
        if isinstance(operator, ast.Is | ast.IsNot):
            return f"{one}{mark or '='}=={two}"
        types = {option.name for option in (*kind.options(), *other.options())}
        if isinstance(operator, ast.Eq | ast.NotEq):
            if "json" in types and not types & {"str"}:
                return f"{mark}equal({one},{two})"
            is_simple = types <= {"str", "int", "bool", "float"} or "str" in {kind.name, other.name}
            return (
                f"{one}{mark or '='}=={two}"
                if is_simple or not types & {"Decimal", "list", "tuple", "Any"}
                else f"{mark}equal({one},{two})"
            )
        if types & {"set"}:
            raise Unsupported(left, "sets are compared by a loop: write all(x in b for x in a)")
        sign = _COMPARED[type(operator)]
        return f"compare({one},{two}){sign}0" if "Decimal" in types else f"{one}{sign}{two}"

    def side(self, node: ast.expr, _other: ast.expr, /) -> Code:
        """Side of a comparison."""
        return self.translated(node)

    def _contains(self, container: str, kind: Type, value: str, node: ast.expr) -> str:
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            return f"[{','.join(self.code(each) for each in node.elts)}].includes({value})"
        if kind.only("set", "dict") and not kind.only("list", "tuple", "str"):
            self.check_key(node, (kind.only("set", "dict") or ANY).element)
            return f"{container}.has({value})"
        if kind.only("str", "list", "tuple") and not kind.only("set", "dict"):
            return f"{container}.includes({value})"
        if kind.only("json"):
            return f"contains({container},{value})"
        raise Unsupported(node, f"the type of {ast.unparse(node)} is not known: annotate it")

    def check_key(self, node: ast.AST, key: Type) -> None:
        if key.name in ("tuple", "list", "Decimal") or (key.name not in CLASSES and fields(key.name) is not None):
            what = "a Decimal" if key.name == "Decimal" else "a tuple"
            raise Unsupported(
                node, f"{what} is no key in JavaScript: use a text, or a method of the class that holds them"
            )

    def _namedexpr(self, node: ast.NamedExpr) -> Code:
        value, kind = self.translated(node.value)
        self.types[node.target.id] = kind
        return f"({self.variable(node.target.id)}={value})", kind

    # Arithmetic and sets

    def _binop(self, node: ast.BinOp) -> Code:
        (one, kind), (two, other) = self.translated(node.left), self.translated(node.right)
        helper = _SET_OPERATIONS.get(type(node.op))
        if helper and (kind.only("set", "dict") or other.only("set", "dict")):
            both = union(kind, other)
            merges = isinstance(node.op, ast.BitOr) and kind.only("dict") is not None
            result = kind if merges else Type("set", ((both.only("set") or both.only("dict") or ANY).element,))
            return f"{'merged' if merges else helper}({one},{two})", result
        if isinstance(node.op, ast.Add) and kind.only("list", "tuple"):
            return f"[...{one},...{two}]", Type("list", (union(kind.element, other.element),))
        if isinstance(node.op, ast.Mult) and kind == STR:
            return f"{one}.repeat({two})", STR
        exact = _EXACT.get(type(node.op))
        if exact and "Decimal" in {option.name for option in (*kind.options(), *other.options())}:
            return f"{exact}({one},{two})", Type("Decimal")
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({one}/{two})", INT
        sign = _ARITHMETIC.get(type(node.op))
        if sign is None or "Decimal" in {option.name for option in (*kind.options(), *other.options())}:
            raise Unsupported(
                node, f"{ast.unparse(node)} has no counterpart: put it into a function of waypost.formats"
            )
        return f"({one}{sign}{two})", kind


def bracketed(code: str) -> str:
    """Condition in brackets where it is a comparison, so that an operator in front is about the whole of it."""
    return f"({code})" if _COMPARISON.search(code) and without_brackets(code) == code else code


def _without_null(code: str) -> str:
    """Condition without `??null` at its end, which is false anyway."""
    bare = without_brackets(code)
    return bare.removesuffix("??null") if bare != code and code.endswith("??null)") else code


def without_brackets(code: str) -> str:
    """Expression without the brackets around the whole of it."""
    depth = 0
    for n, character in enumerate(_QUOTED.sub(lambda found: "_" * len(found[0]), code)):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return code[1:-1] if n == len(code) - 1 and code[0] == "(" else code
    return code
