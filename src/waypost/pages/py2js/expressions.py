"""Expressions of Python as JavaScript: each gives its text and its type, and the type chooses the operation."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable

from waypost.pages.py2js.names import ATTRIBUTES, CLASSES, COUNTERPARTS, RECORDS, TESTS, camel
from waypost.pages.py2js.operations import BUILTINS, FUNCTIONS, HELPERS, METHODS, OF_ITERABLES, OF_RULES
from waypost.pages.py2js.regexes import converted
from waypost.pages.py2js.types import (
    ANY,
    BOOL,
    INT,
    NONE,
    STR,
    Source,
    Type,
    attribute,
    fields,
    found,
    imported,
    read,
    signature,
    union,
)

Code = tuple[str, Type]
_RECORD = Type("record")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAIRS = tuple(f"{letter}{digit}" for digit in range(1, 10) for letter in _LETTERS)
_COMPARISON = re.compile(r"[=!]=|[<>]|instanceof|typeof|&&|\|\|")
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SET_OPERATIONS = {ast.BitOr: "union", ast.BitAnd: "common", ast.Sub: "without"}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%"}


class Unsupported(Exception):
    """Something in a translated module that is not of the subset. The message says what to write instead."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.line = getattr(node, "lineno", 0)


class Expressions:
    """Translator of expressions within one function or at the top of a module.

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

    # Names and constants

    def variable(self, name: str) -> str:
        """Name in the script of a variable: of what other modules use the name itself, else the next free letter.

        `$` keeps it apart from words and functions of the engine.
        """
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
        return name in self.source.defined and (name in OF_RULES or f"{self.source.name}.{name}" in imported())

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
        if isinstance(statement, ast.AnnAssign):
            return read(statement.annotation, source)
        if isinstance(statement, ast.Assign):
            try:
                return Expressions(source, lambda _: True, {}).translated(statement.value)[1]
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
            if form == ",":
                return f"grouped({value})"
            if form == "04X":
                return f"hex({value},4).toUpperCase()"
            raise Unsupported(node, f"the format {form!r} is not translated: only , and 04X are")
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
                return f"{value}.{ATTRIBUTES.get(name, camel(node.attr))}", _RECORD if name in RECORDS else of
        raise Unsupported(node, f"the type of {ast.unparse(node.value)} is not known to have {node.attr}: annotate it")

    def _subscript(self, node: ast.Subscript) -> Code:
        value, kind = self.translated(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(node, node.slice, value, kind)
        index = self.code(node.slice)
        is_negative = index.startswith("-")
        if kind.only("record"):
            return f"{value}.{camel(json.loads(index))}", ANY
        if kind.only("dict"):
            mapping = kind.only("dict")
            assert mapping is not None
            self._check_key(node, mapping.element)
            return f"{value}.get({index})", mapping.args[1] if mapping.args else ANY
        if kind.only("match"):
            return f"{value}[{index}]", STR
        if kind.only("str"):
            return f"at({value},{index})", STR
        if of := kind.only("tuple"):
            position = ast.literal_eval(node.slice)
            return f"{value}[{position}]", of.args[position]
        if of := kind.only("list"):
            return (f"{value}.at({index})" if is_negative else f"{value}[{index}]"), of.element
        for option in kind.options():
            if members := fields(option.name):
                name = list(members)[ast.literal_eval(node.slice)]
                return self.member(ast.copy_location(ast.Attribute(node.value, name, ast.Load()), node))
        raise Unsupported(node, f"the type of {ast.unparse(node.value)} is not known: annotate it")

    def _slice(self, node: ast.Subscript, bounds: ast.Slice, value: str, kind: Type) -> Code:
        low = self.code(bounds.lower) if bounds.lower else "0"
        high = self.code(bounds.upper) if bounds.upper else ""
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
        if "Decimal" in names:
            return f"isTrue({value})"
        mark = "?." if kind.name == "|" else "."
        if names & {"list"} and len(names) == 1:
            return f"{value}{mark}length"
        if names and names <= {"set", "dict"}:
            return f"{value}{mark}size"
        if "Any" in names or names & {"list", "set", "dict"}:
            raise Unsupported(node, f"whether {ast.unparse(node)} is empty depends on its type: annotate it")
        return value.removesuffix("??null)").removeprefix("(") if value.endswith("??null)") else value

    def _boolop(self, node: ast.BoolOp) -> Code:
        made, kinds = [], []
        for value in node.values:
            code, kind = self.translated(value)
            made.append(code)
            kinds.append(kind)
            if value is not node.values[-1] and self.truth(value) not in (
                code,
                code.removesuffix("??null)").removeprefix("("),
            ):
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
        return f"-{value}", kind

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
        (one, kind), (two, other) = self.translated(left), self.translated(right)
        one, two = (
            bracketed(code) if isinstance(node, ast.Compare) else code for code, node in ((one, left), (two, right))
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

    def _contains(self, container: str, kind: Type, value: str, node: ast.expr) -> str:
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            return f"[{','.join(self.code(each) for each in node.elts)}].includes({value})"
        if kind.only("set", "dict") and not kind.only("list", "tuple", "str"):
            self._check_key(node, (kind.only("set", "dict") or ANY).element)
            return f"{container}.has({value})"
        if kind.only("str", "list", "tuple") and not kind.only("set", "dict"):
            return f"{container}.includes({value})"
        raise Unsupported(node, f"the type of {ast.unparse(node)} is not known: annotate it")

    def _check_key(self, node: ast.expr, key: Type) -> None:
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
        sign = _ARITHMETIC.get(type(node.op))
        if sign is None or "Decimal" in {option.name for option in (*kind.options(), *other.options())}:
            raise Unsupported(
                node, f"{ast.unparse(node)} has no counterpart: put it into a function of waypost.formats"
            )
        return f"({one}{sign}{two})", kind

    # Collections

    def _elements(self, elements: Iterable[ast.expr]) -> tuple[str, list[Type]]:
        made, kinds = [], []
        for element in elements:
            if isinstance(element, ast.Starred):
                value, kind = self.translated(element.value)
                made.append(f"...{self.iterated(value, kind)}")
                kinds.append(kind.element)
            else:
                value, kind = self.translated(element)
                made.append(value)
                kinds.append(kind)
        return ",".join(made), kinds

    def _tuple(self, node: ast.Tuple) -> Code:
        made, kinds = self._elements(node.elts)
        if any(isinstance(each, ast.Starred) for each in node.elts):
            return f"[{made}]", Type("list", (union(*kinds),))
        return f"[{made}]", Type("tuple", tuple(kinds)) if kinds else Type("list", (ANY,))

    def _list(self, node: ast.List) -> Code:
        made, kinds = self._elements(node.elts)
        return f"[{made}]", Type("list", (union(*kinds),))

    def _set(self, node: ast.Set) -> Code:
        made, kinds = self._elements(node.elts)
        return f"new Set([{made}])", Type("set", (union(*kinds),))

    def _dict(self, node: ast.Dict) -> Code:
        if None in node.keys:
            raise Unsupported(node, "** in a dictionary is not translated: write {...} | {...}")
        pairs = [
            (self.translated(key), self.translated(value))
            for key, value in zip(node.keys, node.values, strict=True)
            if key
        ]
        kinds = tuple(union(*(each[n][1] for each in pairs)) for n in (0, 1)) if pairs else (ANY, ANY)
        entries = ",".join(f"[{key[0]},{value[0]}]" for key, value in pairs)
        return f"new Map({f'[{entries}]' if entries else ''})", Type("dict", kinds)

    def iterated(self, value: str, kind: Type) -> str:
        """What `for ... of` takes of a value: of a dictionary the keys."""
        if "Any" in {option.name for option in kind.options()}:
            raise Unsupported(ast.Constant(None), f"{value} is iterated and its type is not known: annotate it")
        return f"{value}.keys()" if kind.only("dict") else value

    def array(self, node: ast.expr) -> tuple[str, Type]:
        """Array with the elements of an iterable, and the iterable's type."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self._comprehended(node, node.elt)
        if (
            isinstance(node, ast.Tuple)
            and all(isinstance(each, ast.Starred) for each in node.elts)
            and len(node.elts) == 1
        ):
            return self.array(node.elts[0].value)  # type: ignore[attr-defined]
        value, kind = self.translated(node)
        if kind.only("list", "tuple") and not kind.only("iterator"):
            return value, kind
        return f"[...{self.iterated(value, kind)}]", kind

    def target(self, node: ast.expr, kind: Type) -> str:
        """Pattern that takes a value apart; notes the types of its names."""
        if isinstance(node, ast.Name):
            self.types[node.id] = kind
            return self.variable(node.id) if node.id != "_" else "_"
        if isinstance(node, ast.Tuple | ast.List):
            if members := next((fields(option.name) for option in kind.options() if fields(option.name)), None):
                names = [*members]
                inner = [
                    f"{name}:{self.target(each, self._field(kind, name))}"
                    for name, each in zip(names, node.elts, strict=False)
                    if not (isinstance(each, ast.Name) and each.id == "_")
                ]
                return f"{{{','.join(inner)}}}"
            parts = []
            for n, each in enumerate(node.elts):
                of = kind.only("tuple")
                member = of.args[n] if of and n < len(of.args) else kind.element
                if isinstance(each, ast.Starred):
                    parts.append(f"...{self.target(each.value, Type('list', (member,)))}")
                else:
                    parts.append("" if isinstance(each, ast.Name) and each.id == "_" else self.target(each, member))
            return f"[{','.join(parts)}]"
        raise Unsupported(node, "assign to a name, or to names in brackets")

    def _field(self, kind: Type, name: str) -> Type:
        return next((of for option in kind.options() if (of := attribute(option, name))), ANY)

    def _inner(self) -> Expressions:
        return Expressions(self.source, self.is_translated, _Scope(self.types))

    def _comprehended(self, node: ast.expr, element: ast.expr) -> Code:
        """Array of a comprehension."""
        inner = self._inner()
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        return inner.steps(generators, element)

    def steps(self, generators: list[ast.comprehension], element: ast.expr) -> Code:
        first, *others = generators
        made, of = self.array(first.iter)
        target = self.target(first.target, of.element)
        arrow = _arrow_of(target)
        condition = "&&".join(map(self.truth, first.ifs))
        if others:
            body, kind = self.steps(others, element)
            return f"{made}.flatMap({arrow}=>{f'{condition}?{body}:[]' if condition else body})", kind
        body, kind = self.translated(element)
        if any(isinstance(each, ast.NamedExpr) for test in first.ifs for each in ast.walk(test)):
            return f"{made}.flatMap({arrow}=>{condition}?[{body}]:[])", Type("list", (kind,))
        if condition:
            made += f".filter({arrow}=>{condition})"
        if body != target:
            made += f".map({arrow}=>{f'({body})' if body.startswith('{') else body})"
        elif not condition and not made.startswith("["):
            made = f"[...{made}]"
        return made, Type("list", (kind,))

    def _listcomp(self, node: ast.ListComp) -> Code:
        return self._comprehended(node, node.elt)

    _generatorexp = _listcomp

    def _setcomp(self, node: ast.SetComp) -> Code:
        made, kind = self._comprehended(node, node.elt)
        return f"new Set({made})", Type("set", kind.args)

    def _dictcomp(self, node: ast.DictComp) -> Code:
        made, kind = self._comprehended(node, ast.Tuple([node.key, node.value], ast.Load()))
        return f"new Map({made})", Type("dict", kind.element.args)

    def _arrow(self, node: ast.Lambda, kind: Type) -> str:
        """Function of one argument."""
        inner = self._inner()
        (name,) = (each.arg for each in node.args.args)
        inner.types[name] = kind
        return f"{self.variable(name)}=>{inner.code(node.body)}"

    # Calls

    def _call(self, node: ast.Call) -> Code:
        function = node.func
        if isinstance(function, ast.Attribute):
            made = self._method(node, function)
            if made is not None:
                return made
            name, kind = self.member(function)
            return f"{name}({self._arguments(node, kind)})", kind.args[0] if kind.args else ANY
        if isinstance(function, ast.Name) and function.id not in self.types:
            made = self._builtin(node, function.id) or self._class(node, self.source.dotted(function.id))
            if made is not None:
                return made
        name, kind = self.translated(function)
        called = next((option for option in kind.options() if option.name in ("function", "callable")), kind)
        return f"{name}({self._arguments(node, called)})", called.args[0] if called.args else ANY

    def _method(self, node: ast.Call, function: ast.Attribute) -> Code | None:
        if isinstance(function.value, ast.Name) and function.value.id in ("re", "dict"):
            return self._of_module(node, function.value.id, function.attr)
        value, kind = self.translated(function.value)
        if function.attr == "join" and kind == STR:
            return f"{self.array(node.args[0])[0]}.join({value})", STR
        if function.attr == "union" and kind.only("set"):
            made = ",".join(
                ("..." if isinstance(each, ast.Starred) else "") + self._set_argument(each) for each in node.args
            )
            return f"union({value},{made})", kind
        if function.attr in ("startswith", "endswith") and isinstance(node.args[0], ast.Tuple):
            test = METHODS["str", function.attr, 1][0]
            return f"({'||'.join(test.format(value, self.code(each)) for each in node.args[0].elts)})", BOOL
        if kind.only("record") and function.attr == "get":
            name = camel(json.loads(self.code(node.args[0])))
            return f"({value}.{name}??{self.code(node.args[1]) if len(node.args) > 1 else 'null'})", ANY
        for option in kind.options():
            known = METHODS.get((option.name, function.attr, len(node.args)))
            if known:
                if option.name == "dict" and node.args:
                    self._check_key(node, option.element)
                template, result = known
                return template.format(value, *map(self.code, node.args)), result if isinstance(
                    result, Type
                ) else result(option)
        if kind.only("str", "list", "dict", "set", "pattern", "match", "Decimal"):
            options = {option.name for option in kind.options()}
            if not any(attribute(option, function.attr) for option in kind.options()):
                raise Unsupported(
                    node,
                    f"{'/'.join(sorted(options))}.{function.attr} with {len(node.args)} arguments: see operations.py",
                )
        return None

    def _set_argument(self, node: ast.expr) -> str:
        return self.array(node.value)[0] if isinstance(node, ast.Starred) else self.code(node)

    def _of_module(self, node: ast.Call, module: str, name: str) -> Code:
        if (module, name) == ("dict", "fromkeys"):
            made, kind = self.array(node.args[0])
            return f"fromKeys({made})", Type("dict", (kind.element, NONE))
        raise Unsupported(node, f"{module}.{name} is not translated: use pattern(...) and its methods")

    def _builtin(self, node: ast.Call, name: str) -> Code | None:  # noqa: C901 - one branch for each builtin
        arguments = node.args
        dotted = self.source.dotted(name)
        if dotted == "waypost.formats.patterns.pattern":
            return self._pattern(node)
        if dotted == "msgspec.structs.replace":
            changes = "".join(f",{camel(each.arg or '')}:{self.code(each.value)}" for each in node.keywords)
            value, kind = self.translated(arguments[0])
            return f"{{...{value}{changes}}}", kind
        if dotted == "itertools.islice":
            made, kind = self.array(arguments[0])
            return f"{made}.slice(0,{self.code(arguments[1])})", Type("list", (kind.element,))
        if dotted == "decimal.Decimal":
            return f"Dec.of(String({self.code(arguments[0])}))", Type("Decimal")
        if name == "isinstance":
            return self._isinstance(node), BOOL
        if name in ("any", "all"):
            return self.quantified(name, arguments[0]), BOOL
        if name == "len":
            return self._length(arguments[0]), INT
        if name == "bool":
            return f"!!{bracketed(self.truth(arguments[0]))}", BOOL
        if name == "str":
            return self._as_text(*self.translated(arguments[0])), STR
        if name == "next":
            made, kind = self.array(arguments[0])
            default, other = self.translated(arguments[1]) if len(arguments) > 1 else ("null", NONE)
            return f"first({made},{default})", union(kind.element, other)
        if name == "sorted":
            made, kind = self.array(arguments[0])
            by = node.keywords[0].value if node.keywords else None
            key = f",{self._arrow(by, kind.element)}" if isinstance(by, ast.Lambda) else ""
            return f"inRank({made}{key})", Type("list", (kind.element,))
        if name in ("min", "max"):
            helper = {"min": "least", "max": "greatest"}[name]
            if len(arguments) > 1:
                kinds = [self.translated(each)[1] for each in arguments]
                return f"{helper}([{','.join(map(self.code, arguments))}])", union(*kinds)
            made, kind = self.array(arguments[0])
            return f"{helper}({made})", kind.element
        if name in OF_ITERABLES and len(arguments) <= 1:
            if not arguments:
                return "new Set()" if name in ("set", "frozenset") else "[]", Type(
                    "set" if name in ("set", "frozenset") else "list", (ANY,)
                )
            if isinstance(arguments[0], ast.Set) and name == "frozenset":
                return self.translated(arguments[0])
            made, kind = self.array(arguments[0])
            template, result = OF_ITERABLES[name]
            if name in ("list", "reversed") and not made.startswith("[..."):
                made = f"[...{made}]"
            return template.format(made), result if isinstance(result, Type) else result(kind)
        known = FUNCTIONS.get((name, len(arguments)))
        if known and dotted == name:
            value, kind = self.translated(arguments[0])
            template, result = known
            return template.format(value, *map(self.code, arguments[1:])), result if isinstance(
                result, Type
            ) else result(kind)
        return None

    def _pattern(self, node: ast.Call) -> Code:
        if not isinstance(node.args[0], ast.Constant):
            raise Unsupported(node, "the source of a pattern is put together: write it as one text")
        source = str(node.args[0].value)
        flags = "".join(
            sorted(
                each
                for each in ("a", "i")
                if len(node.args) > 1 and {"a": "ASCII", "i": "IGNORECASE"}[each] in ast.unparse(node.args[1])
            )
        )
        try:
            made = converted(source, is_ascii="a" in flags)
        except ValueError as error:
            raise Unsupported(node, str(error)) from None
        return f"pattern({json.dumps(made, ensure_ascii=False)},{json.dumps(flags)})", Type("pattern")

    def _isinstance(self, node: ast.Call) -> str:
        value = self.code(node.args[0])
        tests = []
        for option in read(node.args[1], self.source).options():
            if option.name not in TESTS:
                raise Unsupported(node, f"isinstance of {option.name} is not translated: see TESTS of names.py")
            tests.append(TESTS[option.name].format(value))
        return f"({'||'.join(tests)})" if len(tests) > 1 else tests[0]

    def quantified(self, name: str, node: ast.expr) -> str:
        method, joint = ("some", "&&") if name == "any" else ("every", "||")
        if not isinstance(node, ast.GeneratorExp):
            made, kind = self.array(node)
            return f"{made}.{method}({'isTrue' if kind.element.only('Decimal') else 'Boolean'})"
        inner = self._inner()
        generator, *others = node.generators
        made, of = inner.array(generator.iter)
        target = inner.target(generator.target, of.element)
        tests = [inner.truth(each) for each in generator.ifs]
        # Of several loops each asks the next one.
        rest = ast.copy_location(ast.GeneratorExp(node.elt, others), node)
        body = inner.quantified(name, rest) if others else inner.truth(node.elt)
        skipped = [f"!{bracketed(test)}" for test in tests] if name == "all" else tests
        return f"{made}.{method}({_arrow_of(target)}=>{joint.join([*skipped, body])})"

    def _length(self, node: ast.expr) -> str:
        value, kind = self.translated(node)
        if kind.only("str"):
            return f"size({value})"
        if kind.only("list", "tuple"):
            return f"{value}.length"
        if kind.only("set", "dict"):
            return f"{value}.size"
        raise Unsupported(node, f"the length of {ast.unparse(node)} depends on its type: annotate it")

    def _class(self, node: ast.Call, dotted: str) -> Code | None:
        if dotted in CLASSES:
            return f"new {CLASSES[dotted]}({','.join(map(self.code, node.args))})", Type(dotted)
        members = fields(dotted)
        if members is None:
            return None
        given = dict(zip(members, node.args, strict=False)) | {each.arg or "": each.value for each in node.keywords}
        if len(members) <= 4:  # a shape of few members always has all of them
            given = {name: field.value for name, field in members.items() if field.value} | given
        return f"{{{','.join(f'{camel(name)}:{self.code(value)}' for name, value in given.items())}}}", Type(dotted)

    def _arguments(self, node: ast.Call, called: Type) -> str:
        """Arguments in the order of the parameters; what `**more` takes is an object at the end."""
        made = []
        for each in node.args:
            if isinstance(each, ast.Starred):
                value, kind = self.translated(each.value)
                spread = next((fields(option.name) for option in kind.options() if fields(option.name)), None)
                made += (
                    [f"{value}.{camel(name)}" for name in spread] if spread else [f"...{self.iterated(value, kind)}"]
                )
            else:
                made.append(self.code(each))
        known = signature(called.of) if called.of else None
        if not node.keywords:
            return ",".join(made)
        if known is None:
            raise Unsupported(node, f"{ast.unparse(node.func)} is called by keywords and its parameters are not known")
        further = {each.arg or "": self.code(each.value) for each in node.keywords}
        while any(name in further for name in known.names[len(made) :]):
            made.append(further.pop(known.names[len(made)], "undefined"))
        if further:
            made += ["undefined"] * (len(known.names) - len(made))
            members = ",".join(
                name if name == value else f"{name}:{value}"
                for name, value in ((camel(n), v) for n, v in further.items())
            )
            made.append(f"{{{members}}}")
        return ",".join(made)


def bracketed(code: str) -> str:
    """Condition in brackets where it is a comparison, so that an operator in front is about the whole of it."""
    return f"({code})" if _COMPARISON.search(code) and without_brackets(code) == code else code


def without_brackets(code: str) -> str:
    """Expression without the brackets around the whole of it."""
    depth = 0
    for n, character in enumerate(code):
        if character in "\"'":
            return code  # a text may hold brackets
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return code[1:-1] if n == len(code) - 1 and code[0] == "(" else code
    return code


def _arrow_of(target: str) -> str:
    """Parameter of an arrow function: a name alone, a pattern in brackets."""
    return target if target[0] not in "[{" else f"({target})"


class _Scope(dict[str, Type]):
    """Types of a comprehension: its own names, then those around it. A walrus names a variable of the function."""

    def __init__(self, outer: dict[str, Type]) -> None:
        super().__init__(outer)
        self.outer = outer

    def __setitem__(self, name: str, kind: Type) -> None:
        super().__setitem__(name, kind)
        self.outer.setdefault(name, kind)
