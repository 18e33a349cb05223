"""Write src/waypost/client/operations.py: requests and methods of the clients for the operations of the API.

    python tools/make_client.py [--check]

With --check nothing is written: the status is 1 where the file differs.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from waypost.contract.struct_schemas import schema_of
from waypost.models.decision import SensitiveUrl
from waypost.operations import OPERATIONS, Method, Operation

TARGET = Path(__file__).resolve().parent.parent / "src" / "waypost" / "client" / "operations.py"
MOST = 120
"""Columns of a line."""
_HEAD = '''"""Operations of the service: requests, and the methods of both clients for them.

Written by tools/make_client.py from `waypost.operations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from waypost.client.methods import async_method, method
from waypost.client.requests import Url, post, post_once, quoted, text_of, without_none
from waypost.client.requests import query as _query
{returns}
from waypost.client.transport import Request, read_as, read_decision
'''
_DETAILS = '''class Details(TypedDict, total=False):
    """Further parameters of `agent_safety` about whom the caller means and what is paid."""

'''
_DECISIONS = {"Decision", "StoredDecision"}
"""Responses that are read more strictly."""


class Parameter(NamedTuple):
    """Parameter of a method.

    name     in the API
    own      in the client
    kind     type, with its default
    value    expression that is sent
    place    "path", "query" or "body"
    """

    name: str
    own: str
    kind: str
    value: str
    place: str


def text() -> str:
    """Text of the module."""
    made = [(operation, operation.client) for operation in OPERATIONS.values() if operation.client]
    made.sort(key=lambda pair: pair[1].name)
    names = sorted({method.returns for _, method in made} - {""})
    parts = [_HEAD.format(returns=_call("from waypost.client.responses import ", names, "", bare=True))]
    details = [each for each in _parameters(OPERATIONS["agent_safety"]) if each.kind.endswith("= None")]
    lines = [f"    {each.own}: {each.kind.removesuffix(' = None')}" for each in details if each.name != "audience"]
    parts.append(_DETAILS + "\n".join([*lines, ""]))
    parts += ["\n".join(_function(*pair)) for pair in made]
    classes = (("Operations", "method", "block"), ("AsyncOperations", "async_method", "are coroutines"))
    for name, maker, about in classes:
        lines = [f"class {name}:", f'    """Methods that {about}."""', ""]
        parts.append("\n".join([*lines, *(f"    {method.name} = {maker}({method.name})" for _, method in made), ""]))
    return "\n\n".join(parts)


def _function(operation: Operation, method: Method) -> Iterator[str]:
    returns = method.returns or "dict[str, Any]"
    parameters = list(_parameters(operation))
    first = [*operation.members, *(method.first or _required(operation))]
    at_first = [each for name in dict.fromkeys(first) for each in parameters if each.name == name]
    others = [each for each in parameters if each not in at_first]
    signature = [f"{each.own}: {each.kind}" for each in at_first]
    signature += ["*", *(f"{each.own}: {each.kind}" for each in others)] if others else []
    yield _call(f"def {method.name}(", signature, f") -> Request[{returns}]:")
    about = method.about if "Raises NoAnswer" in method.about else f"{method.about} Raises NoAnswer."
    yield f'    """{about}"""'
    yield from _sent(operation, method, parameters)
    yield ""


def _sent(operation: Operation, method: Method, parameters: Sequence[Parameter]) -> Iterator[str]:
    returns = method.returns or "dict[str, Any]"
    read = f"{'read_decision' if returns in _DECISIONS else 'read_as'}({returns})"
    own = {each.name: each.own for each in parameters if each.place == "path"}
    path = operation.path.format_map({name: f"{{quoted({word})}}" for name, word in own.items()})
    path = f'{"f" if own else ""}"{path}"'
    rest = [f"{each.name}={each.value}" for each in parameters if each.place != "path"]
    if operation.method == "GET":
        yield _call("    return _query(", [path, read, *rest], ")")
        return
    yield _call("    body = without_none(", rest, ")")
    arguments = [path, "body", read]
    if method.harmless and not operation.idempotent:
        arguments.append(f"repeatable={method.harmless}")
    if {*operation.answers} != {200}:
        arguments.append(f"statuses=frozenset({{{', '.join(map(str, operation.answers))}}})")
    yield _call(f"    return {'post_once' if operation.idempotent else 'post'}(", arguments, ")")


def _parameters(operation: Operation) -> Iterator[Parameter]:
    method = operation.client
    assert method is not None
    for name in operation.members:
        own = method.words.get(name, name)
        default = f" = {method.defaults[name]}" if name in method.defaults else ""
        yield Parameter(name, own, f"str{default}", own, "path")
    if operation.takes is None:
        return
    place = "body" if operation.body else "query"
    required = _required(operation)
    for field in msgspec.structs.fields(operation.takes):
        name = field.encode_name
        if name not in method.without:
            own = method.words.get(name, name)
            kind, value = method.types[name] if name in method.types else _typed(field.type)
            yield Parameter(name, own, *_with_default(kind, value.format(own), own, name in required), place)


def _with_default(kind: str, value: str, own: str, needed: bool) -> tuple[str, str]:
    if needed:
        return kind, value
    if kind == "bool":
        return "bool = False", f"{own} or None"
    if kind.startswith("Iterable"):
        return f"{kind} = ()", f"{value} or None"
    if kind == "Any":
        return "Any = None", value
    return f"{kind} | None = None", value if value == own or kind != "Url" else f"None if {own} is None else {value}"


def _required(operation: Operation) -> Sequence[str]:
    """Names of the required parameters, in the order of the schema."""
    schema = schema_of(operation.body.schema) if operation.body else operation.parameters
    found: Sequence[str] = schema.get("required", ())
    return found


def _typed(kind: Any) -> tuple[str, str]:
    """(type of a parameter, expression of its value in the API's form)"""
    origin, inner = get_origin(kind), [each for each in get_args(kind) if each is not type(None)]
    if origin is Annotated or origin in {Union, types.UnionType}:
        return _typed(inner[0])
    if kind is SensitiveUrl:
        return "Url", "text_of({0})"
    if kind is str or origin is Literal:
        return "str", "{0}"
    if kind in {int, bool, float}:
        return kind.__name__, "{0}"
    if origin is tuple:
        return f"Iterable[{_typed(inner[0])[0]}]", "list({0})"
    return ("Any" if kind is Any else "Mapping[str, Any]"), "{0}"


def _call(head: str, parts: Sequence[str], tail: str, *, bare: bool = False) -> str:
    """Code with a list, on one line where it fits, else with a line for each part."""
    line = f"{head}{', '.join(parts)}{tail}"
    if len(line) <= MOST:
        return line
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    opening, closing = (f"{head}(", ")") if bare else (head, f"{indent[4:]}{tail}")
    return "\n".join([opening, *(f"{indent}{part}," for part in parts), closing])


def main() -> int:
    made = text()
    if "--check" in sys.argv[1:]:
        return int(TARGET.read_text("utf-8") != made)
    TARGET.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
