"""Statements, functions and modules of Python as JavaScript."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from waypost.pages.py2js.expressions import Expressions
from waypost.pages.py2js.names import camel
from waypost.pages.py2js.types import Source, Type, fields, found, read, union
from waypost.pages.py2js.values import Unsupported, member_name, without_brackets


def script(source: Source, is_translated: Callable[[str], bool]) -> str:
    """Script of a module. Raises Unsupported."""
    return _Module(source, is_translated).script()


class _Module:
    """Statements at the top of a module, and its functions."""

    def __init__(self, source: Source, is_translated: Callable[[str], bool]) -> None:
        self.source = source
        self.is_translated = is_translated
        self.alone: dict[str, str] = {}
        """Members of the result that are used nowhere in the module."""

    def script(self) -> str:
        top = Expressions(self.source, self.is_translated, {})
        body = [made for statement in self.source.tree.body if (made := self._top(statement, top))]
        names = [name for name in self.source.defined if top.is_given(name) and name not in self.alone]
        given = ",".join([*(self._same(name, top) for name in names), *self.alone.values()])
        short = self.source.name.removeprefix("waypost.")
        # A space before each line: only what stands in the first column is a name of the part, see `pages.modules`.
        return f'module("{short}",()=>{{\n{" ".join(["", *self._imports(top), *body])} return{{{given}}};\n }});\n'

    def _same(self, name: str, top: Expressions) -> str:
        """Member of an object literal or pattern for a variable."""
        variable = top.variable(name)
        return name if variable == name else f"{name}:{variable}"

    def _imports(self, top: Expressions) -> Iterator[str]:
        by_module: dict[str, list[str]] = {}
        for name, dotted in self.source.imports.items():
            module = dotted.rpartition(".")[0]
            _, defined = found(dotted) or (None, None)
            if self.is_translated(module) and (not isinstance(defined, ast.ClassDef) or top.behaves(name)):
                by_module.setdefault(module, []).append(name)
        for module, names in by_module.items():
            taken = ",".join(self._same(name, top) for name in names)
            yield f'const{{{taken}}}=use("{module.removeprefix("waypost.")}");\n'

    def _is_alias(self, name: str) -> bool:
        statement = self.source.defined[name]
        return isinstance(statement, ast.AnnAssign) and ast.unparse(statement.annotation) == "TypeAlias"

    def _top(self, statement: ast.stmt, top: Expressions) -> str:
        match statement:
            case ast.FunctionDef():
                return self.function(statement, top)
            case ast.ClassDef(name=name) if top.behaves(name):
                return self.class_(statement, top)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                top.is_given(name) and name not in self.source.loaded
            ):
                self.alone[name] = f"{name}:{top.code(value)}"
                return ""
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if top.is_used(name):
                return f"const {top.variable(name)}={top.code(value)};\n"
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if not self._is_alias(name):
                return f"const {top.variable(name)}={top.code(value)};\n"
            case ast.Assign(targets=[ast.Tuple()]):
                raise Unsupported(statement, "write a line for each constant of a module")
            case (
                ast.Expr()
                | ast.Import()
                | ast.ImportFrom()
                | ast.ClassDef()
                | ast.If()
                | ast.Assign()
                | ast.AnnAssign()
            ):
                return ""
        raise Unsupported(statement, f"{type(statement).__name__} at the top of a module is not translated")

    def class_(self, node: ast.ClassDef, top: Expressions) -> str:
        """Class with methods; of a record with methods, the fields are parameters of the constructor."""
        dotted = self.source.dotted(node.name)
        inner = Expressions(self.source, self.is_translated, top.types | {"self": Type(dotted)})
        made = []
        if members := fields(dotted):
            names = [member_name(dotted, name) for name in members]
            defaults = [f"={top.code(field.value)}" if field.value else "" for field in members.values()]
            parameters = ",".join(map("".join, zip(names, defaults, strict=True)))
            made.append(f"constructor({parameters}){{Object.assign(this,{{{','.join(names)}}})}}")
        for method in node.body:
            if isinstance(method, ast.FunctionDef):
                made.append(self._method(method, inner))
            elif not isinstance(method, ast.Expr | ast.AnnAssign) and "__slots__" not in ast.unparse(method):
                raise Unsupported(
                    method, "a class has fields and methods alone: put what else it holds into the module"
                )
        return f"class {top.variable(node.name)}{{{' '.join(made)}}}\n"

    def _method(self, node: ast.FunctionDef, outer: Expressions) -> str:
        star, parameters, body = self._parts(node, outer)
        name = "constructor" if node.name == "__init__" else camel(node.name)
        match [ast.unparse(decorator) for decorator in node.decorator_list]:
            case []:
                return f"{star}{name}({parameters}){{{body}}}"
            case ["property"]:
                return f"get {name}(){{{body}}}"
            case ["cached_property"]:
                store = f'Object.defineProperty(this,"{name}",{{value}});return value'
                return f"get {name}(){{const value=(()=>{{{body}}})();{store}}}"
        raise Unsupported(node, "of the decorators of methods only property and cached_property are translated")

    def function(self, node: ast.FunctionDef, outer: Expressions) -> str:
        star, parameters, body = self._parts(node, outer)
        name = outer.variable(node.name)
        return f"function{star} {name}({parameters}){{{body}}}\n{self._decorated(node, name)}"

    def _parts(self, node: ast.FunctionDef, outer: Expressions) -> tuple[str, str, str]:
        """("*" of a generator, parameters, body) of a function or method."""
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        if arguments and arguments[0].arg == "self":
            del arguments[0]
        if node.args.vararg or node.args.kwarg:
            raise Unsupported(node, "a function with * or ** is not translated: name its parameters")
        inner = Expressions(self.source, self.is_translated, dict(outer.types))
        inner.types |= {each.arg: read(each.annotation, self.source) for each in arguments}
        given = [*node.args.defaults, *node.args.kw_defaults]
        defaults = [None] * (len(arguments) - len(given)) + given
        parameters = [
            inner.variable(each.arg) + (f"={outer.code(default)}" if default is not None else "")
            for each, default in zip(arguments, defaults, strict=True)
        ]
        statements = _Statements(self, inner, node)
        body = "".join(map(statements.made, node.body)).removesuffix(";")
        local = sorted(statements.stored - {each.arg for each in arguments})
        declared = f"let {','.join(map(inner.variable, local))};" if local else ""
        return "*" if statements.yields else "", ",".join(parameters), declared + body

    def _decorated(self, node: ast.FunctionDef, name: str) -> str:
        for decorator in node.decorator_list:
            if ast.unparse(decorator).partition("(")[0] in ("cache", "lru_cache"):
                most = next((f",{ast.unparse(each.value)}" for each in getattr(decorator, "keywords", ())), "")
                return f"{name}=remembered({name}{most});\n"
            raise Unsupported(decorator, f"the decorator {ast.unparse(decorator)} is not translated")
        return ""


class _Statements:
    """Statements of one function.

    stored   names that the function declares at its top.
    yields   the function is a generator.
    """

    def __init__(self, module: _Module, expressions: Expressions, function: ast.FunctionDef) -> None:
        self.module = module
        self.expressions = expressions
        self.function = function
        nodes = list(ast.walk(function))
        self._check(nodes)
        self.names = [node for node in nodes if isinstance(node, ast.Name)]
        inner = {
            each
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.Lambda) and node is not function
            for each in ast.walk(node)
        }
        comprehended = {name for node in nodes if isinstance(node, ast.comprehension) for name in ast.walk(node.target)}
        self.stored = {
            name.id
            for name in self.names
            if isinstance(name.ctx, ast.Store) and name.id != "_" and name not in inner and name not in comprehended
        }
        self.yields = any(isinstance(node, ast.Yield | ast.YieldFrom) and node not in inner for node in nodes)

    @staticmethod
    def _check(nodes: list[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.Try | ast.With | ast.Global | ast.Nonlocal | ast.Delete | ast.Raise):
                raise Unsupported(
                    node, f"{type(node).__name__.lower()} is not translated: put it into a function of waypost.formats"
                )

    def block(self, statements: list[ast.stmt]) -> str:
        made = [each for statement in statements if (each := self.made(statement))]
        is_simple = len(made) == 1 and isinstance(statements[-1], ast.Return | ast.Continue | ast.Break | ast.Expr)
        return made[0] if is_simple else f"{{{''.join(made).removesuffix(';')}}}"

    def made(self, node: ast.stmt) -> str:
        """JavaScript of a statement."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(node, f"{type(node).__name__} is not translated")
        made: str = method(node)
        return made

    def _expr(self, node: ast.Expr) -> str:
        match node.value:
            case ast.Constant():
                return ""
            case ast.Yield(value=ast.expr() as value):
                return f"yield {self.expressions.code(value)};"
            case ast.YieldFrom(value=value):
                return f"yield*{self.expressions.iterated(*self.expressions.translated(value))};"
        return f"{self.expressions.code(node.value)};"

    def _return(self, node: ast.Return) -> str:
        return f"return {without_brackets(self.expressions.code(node.value))};" if node.value else "return;"

    def _if(self, node: ast.If) -> str:
        made = f"if({without_brackets(self.expressions.truth(node.test))}){self.block(node.body)}"
        if not node.orelse:
            return made
        is_chain = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
        return f"{made}else {self.made(node.orelse[0]) if is_chain else self.block(node.orelse)}"

    def _for(self, node: ast.For) -> str:
        if node.orelse:
            raise Unsupported(node, "else of a loop is not translated: use a flag or a function")
        iterable = node.iter
        if isinstance(iterable, ast.Call) and ast.unparse(iterable.func) == "enumerate" and len(iterable.args) == 1:
            made, kind = self.expressions.translated(iterable.args[0])
            if kind.name == "iterator":  # read on only as far as the loop goes
                value = f"numbered({made})"
            else:
                made, kind = self.expressions.array(iterable.args[0])
                value = f"{made}.entries()"
            of = Type("tuple", (Type("int"), kind.element))
        else:
            value, kind = self.expressions.translated(iterable)
            value, of = self.expressions.iterated(value, kind), kind.element
        own = {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
        target = self.expressions.target(node.target, of)
        if self._are_of_loop(own, node):
            self.stored -= own
            target = f"const {target}"
        return f"for({target} of {value}){self.block(node.body)}"

    def _are_of_loop(self, names: set[str], loop: ast.For) -> bool:
        """Are the names of a loop used in it alone, and never assigned?"""
        uses = [node for node in self.names if node.id in names]
        within, targets = set(ast.walk(loop)), set(ast.walk(loop.target))
        return all(node in within and (isinstance(node.ctx, ast.Load) or node in targets) for node in uses)

    def _while(self, node: ast.While) -> str:
        return f"while({without_brackets(self.expressions.truth(node.test))}){self.block(node.body)}"

    def _assign(self, node: ast.Assign) -> str:
        value, kind = self.expressions.translated(node.value)
        (target,) = node.targets
        match target:
            case ast.Name(id=name):
                known = self.expressions.types.get(name)
                self.expressions.types[name] = kind if known is None else union(known, kind)
                return f"{self.expressions.variable(name)}={without_brackets(value)};"
            case ast.Subscript(value=owner, slice=key):
                holder, of = self.expressions.translated(owner)
                if of.only("dict"):
                    self.expressions.check_key(node, of.element)
                    return f"{holder}.set({self.expressions.code(key)},{value});"
                return f"{holder}[{self.expressions.code(key)}]={value};"
            case ast.Attribute():
                return f"{self.expressions.member(target)[0]}={value};"
        return f"({self.expressions.target(target, kind)}={value});"

    def _annassign(self, node: ast.AnnAssign) -> str:
        if isinstance(node.target, ast.Attribute):
            assert node.value is not None
            return self._assign(ast.copy_location(ast.Assign([node.target], node.value), node))
        assert isinstance(node.target, ast.Name)
        self.expressions.types[node.target.id] = read(node.annotation, self.module.source)
        return f"{self.expressions.variable(node.target.id)}={self.expressions.code(node.value)};" if node.value else ""

    def _augassign(self, node: ast.AugAssign) -> str:
        if isinstance(node.target, ast.Subscript):
            raise Unsupported(node, "write x = x + ... to a name")
        whole = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
        return self._assign(ast.copy_location(ast.Assign([node.target], whole), node))

    def _functiondef(self, node: ast.FunctionDef) -> str:
        if any(isinstance(each, ast.Name) and each.id == "self" for each in ast.walk(node)):
            raise Unsupported(node, "a function within a method does not know self: make it a method")
        self.expressions.types[node.name] = Type("callable", (read(node.returns, self.module.source),))
        return self.module.function(node, self.expressions)

    def _continue(self, _: ast.Continue) -> str:
        return "continue;"

    def _break(self, _: ast.Break) -> str:
        return "break;"

    def _pass(self, _: ast.Pass) -> str:
        return ""

    _assert = _importfrom = _pass
