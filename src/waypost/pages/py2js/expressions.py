"""Expressions of Python as JavaScript: calls of functions, methods and classes, and by inheritance all else."""

from __future__ import annotations

import ast
import json

from waypost.pages.py2js.iterables import Iterables
from waypost.pages.py2js.names import CLASSES, TESTS, camel
from waypost.pages.py2js.operations import FUNCTIONS, MATCH, METHODS, METHODS_OF_PLACES, OF_ITERABLES
from waypost.pages.py2js.regexes import converted
from waypost.pages.py2js.types import (
    ANY,
    BOOL,
    INT,
    JSON,
    NONE,
    STR,
    Type,
    attribute,
    fields,
    is_struct,
    read,
    signature,
    union,
)
from waypost.pages.py2js.values import Code, Unsupported, bracketed, member_name

_FLAGS = {"a": "ASCII", "i": "IGNORECASE", "s": "DOTALL"}
_OF_JSON = (STR, Type("dict", (STR, JSON)), Type("list", (JSON,)))


class Expressions(Iterables):
    """Translator of expressions within one function or at the top of a module."""

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
        special = self._method_by_arguments(node, function, value, kind)
        if special is not None:
            return special
        for option in (each for given in kind.options() for each in (_OF_JSON if given == JSON else (given,))):
            method = (option.name, function.attr, len(node.args))
            known = (self.counts_units and METHODS_OF_PLACES.get(method)) or METHODS.get(method)
            if known:
                if option.name == "dict" and node.args:
                    self.check_key(node, option.element)
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

    def _method_by_arguments(self, node: ast.Call, function: ast.Attribute, value: str, kind: Type) -> Code | None:
        """Call of a method with JavaScript by more than type and number of arguments."""
        if function.attr == "join" and kind == STR:
            return f"{self.array(node.args[0])[0]}.join({value})", STR
        if function.attr == "union" and kind.only("set"):
            made = ",".join(
                f"...{self.array(each.value)[0]}" if isinstance(each, ast.Starred) else self.code(each)
                for each in node.args
            )
            return f"union({value},{made})", kind
        if function.attr in ("startswith", "endswith") and isinstance(node.args[0], ast.Tuple):
            test = METHODS["str", function.attr, 1][0]
            return f"({'||'.join(test.format(value, self.code(each)) for each in node.args[0].elts)})", BOOL
        if kind.only("record") and function.attr == "get":
            name = camel(json.loads(self.code(node.args[0])))
            return f"({value}.{name}??{self.code(node.args[1]) if len(node.args) > 1 else 'null'})", ANY
        if function.attr == "_replace":
            return self._replaced(node, value, kind)
        if kind.only("pattern") and function.attr == "sub" and isinstance(node.args[0], ast.Lambda):
            return f"{value}.sub({self._arrow(node.args[0], MATCH)},{self.code(node.args[1])})", STR
        return None

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
            return self._replaced(node, *self.translated(arguments[0]))
        if dotted == "typing.cast":
            return self.code(arguments[1]), read(arguments[0], self.source)
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
            default, other = self.translated(arguments[1]) if len(arguments) > 1 else ("null", NONE)
            if isinstance(arguments[0], ast.Name | ast.Attribute):
                held, kind = self.translated(arguments[0])  # an iterator that someone goes on with
                return f"nextOf({held},{default})", union(kind.element, other)
            made, kind = self.array(arguments[0])
            return f"first({made},{default})", union(kind.element, other)
        if name == "sorted":
            made, kind = self.array(arguments[0])
            by = node.keywords[0].value if node.keywords else None
            key = (
                ""
                if by is None
                else f",{self._arrow(by, kind.element) if isinstance(by, ast.Lambda) else self.code(by)}"
            )
            return f"inRank({made}{key})", Type("list", (kind.element,))
        if name in ("min", "max"):
            helper = {"min": "least", "max": "greatest"}[name]
            if len(arguments) > 1:
                kinds = [self.translated(each)[1] for each in arguments]
                return f"{helper}([{','.join(map(self.code, arguments))}])", union(*kinds)
            made, kind = self.array(arguments[0])
            by = node.keywords[0].value if node.keywords else None
            key = f",{self._arrow(by, kind.element)}" if isinstance(by, ast.Lambda) else ""
            return f"{helper}({made}{key})", kind.element
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
            if name == "int" and kind != STR:
                return f"Math.trunc({value})", INT
            template, result = known
            return template.format(value, *map(self.code, arguments[1:])), result if isinstance(
                result, Type
            ) else result(kind)
        return None

    def _pattern(self, node: ast.Call) -> Code:
        source = self._constant_text(node.args[0])
        given = ast.unparse(node.args[1]) if len(node.args) > 1 else ""
        flags = "".join(sorted(each for each, flag in _FLAGS.items() if flag in given))
        flags += "d" if self.source.needs_places else ""
        try:
            made = converted(source, is_ascii="a" in flags)
        except ValueError as error:
            raise Unsupported(node, str(error)) from None
        return f"pattern({json.dumps(made, ensure_ascii=False)},{json.dumps(flags)})", Type("pattern")

    def _replaced(self, node: ast.Call, value: str, kind: Type) -> Code:
        """Record with some other values."""
        owner = next((option.name for option in kind.options() if fields(option.name)), "")
        changes = "".join(f",{member_name(owner, each.arg or '')}:{self.code(each.value)}" for each in node.keywords)
        return f"{{...{value}{changes}}}", kind

    def _constant_text(self, node: ast.expr) -> str:
        """Text that is known when a module is translated: constants of the module may stand in it."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.JoinedStr(values=parts):
                return "".join(map(self._constant_text, parts))
            case ast.FormattedValue(value=ast.Name(id=name)) if name in self.source.defined:
                return self._constant_text(getattr(self.source.defined[name], "value", node))
        raise Unsupported(node, "the source of a pattern is put together of other things than constants of the module")

    def _isinstance(self, node: ast.Call) -> str:
        value = self.code(node.args[0])
        tests = []
        for option in read(node.args[1], self.source).options():
            name = option.name.rpartition(".")[2]
            if option.name not in TESTS and self.source.dotted(name) == option.name and self.behaves(name):
                tests.append(f"{value} instanceof {self.variable(name)}")
                continue
            if option.name not in TESTS:
                raise Unsupported(node, f"isinstance of {option.name} is not translated: see TESTS of names.py")
            tests.append(TESTS[option.name].format(value))
        return f"({'||'.join(tests)})" if len(tests) > 1 else tests[0]

    def _class(self, node: ast.Call, dotted: str) -> Code | None:
        if dotted in CLASSES:
            return f"new {CLASSES[dotted]}({','.join(map(self.code, node.args))})", Type(dotted)
        members = fields(dotted)
        if isinstance(node.func, ast.Name) and self.behaves(node.func.id):
            parameters = signature(f"{dotted}.__init__")
            names = tuple(members or ()) if parameters is None else parameters.names
            return f"new {self.variable(node.func.id)}({self._in_order(node, names)})", Type(dotted)
        if members is None:
            return None
        given = dict(zip(members, node.args, strict=False)) | {each.arg or "": each.value for each in node.keywords}
        if len(members) <= 4 or not is_struct(dotted):  # a Struct of many members has those that are given
            defaults = {name: field.value for name, field in members.items() if field.value}
            given = {name: (defaults | given)[name] for name in members if name in defaults | given}
        made = ",".join(f"{member_name(dotted, name)}:{self.code(value)}" for name, value in given.items())
        return f"{{{made}}}", Type(dotted)

    def _arguments(self, node: ast.Call, called: Type) -> str:
        """Arguments in the order of the parameters; what `**more` takes is an object at the end."""
        made = []
        for each in node.args:
            if isinstance(each, ast.Starred):
                value, kind = self.translated(each.value)
                owner = next((option.name for option in kind.options() if fields(option.name)), "")
                spread = [f"{value}.{member_name(owner, name)}" for name in fields(owner) or ()]
                made += spread or [f"...{self.iterated(value, kind)}"]
            else:
                made.append(self.code(each))
        known = signature(called.of) if called.of and node.keywords else None
        if node.keywords and known is None:
            raise Unsupported(node, f"{ast.unparse(node.func)} is called by keywords and its parameters are not known")
        return self._in_order(node, known.names if known else (), made)

    def _in_order(self, node: ast.Call, names: tuple[str, ...], given: list[str] | None = None) -> str:
        """Arguments of a call in the order of the parameters' `names`."""
        made = [self.code(each) for each in node.args] if given is None else given
        further = {each.arg or "": self.code(each.value) for each in node.keywords}
        while any(name in further for name in names[len(made) :]):
            made.append(further.pop(names[len(made)], "undefined"))
        if further:
            made += ["undefined"] * (len(names) - len(made))
            members = ",".join(
                name if name == value else f"{name}:{value}"
                for name, value in ((camel(n), v) for n, v in further.items())
            )
            made.append(f"{{{members}}}")
        return ",".join(made)
