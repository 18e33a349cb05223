"""Collections of Python as JavaScript: what holds elements, what iterates, and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Self

from waypost.pages.py2js.types import ANY, INT, Type, attribute, fields, union
from waypost.pages.py2js.values import Code, Unsupported, Values, bracketed, member_name


class Iterables(Values):
    """Translator of collections and comprehensions."""

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
        self.check_key(node, union(*kinds))
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
        if kind.only("json"):
            return f"elements({value})"
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
                    f"{member_name(kind.name, name)}:{self.target(each, self._field(kind, name))}"
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

    def _inner(self) -> Self:
        return type(self)(self.source, self.is_translated, _Scope(self.types))

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
        self.check_key(node, kind.element)
        return f"new Set({made})", Type("set", kind.args)

    def _dictcomp(self, node: ast.DictComp) -> Code:
        made, kind = self._comprehended(node, ast.Tuple([node.key, node.value], ast.Load()))
        return f"new Map({made})", Type("dict", kind.element.args)

    def _arrow(self, node: ast.Lambda, kind: Type) -> str:
        """Function of one argument."""
        inner = self._inner()
        (name,) = (each.arg for each in node.args.args)
        inner.types[name] = kind
        body = inner.code(node.body)
        return f"{self.variable(name)}=>{f'({body})' if body.startswith('{') else body}"

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

    def side(self, node: ast.expr, other: ast.expr, /) -> Code:
        """Side of a comparison: a length that is compared with a limit counts code points everywhere."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "len":
            is_limit = isinstance(other, ast.Constant) or (
                isinstance(other, ast.Name) and (other.id.isupper() or other.id == "most")
            )
            return self._length(node.args[0], is_limited=is_limit), INT
        return self.translated(node)

    def _length(self, node: ast.expr, *, is_limited: bool = False) -> str:
        """Length of a value. `is_limited`: it is compared with a limit, which counts code points."""
        value, kind = self.translated(node)
        if kind.only("str"):
            return f"{value}.length" if self.counts_units and not is_limited else f"size({value})"
        if kind.only("json"):
            return f"count({value})"
        if kind.only("list", "tuple"):
            return f"{value}.length"
        if kind.only("set", "dict"):
            return f"{value}.size"
        raise Unsupported(node, f"the length of {ast.unparse(node)} depends on its type: annotate it")


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
