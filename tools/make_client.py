"""Write src/waypost/client/queries.py: requests and methods of the clients for the operations of the API.

    python tools/make_client.py [--check]

With --check nothing is written: the status is 1 where the file differs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from waypost.operations import OPERATIONS, Method, Operation

TARGET = Path(__file__).resolve().parent.parent / "src" / "waypost" / "client" / "queries.py"
_HEAD = '''"""Queries of the service: requests, and the methods of both clients for them.

Written by tools/make_client.py from `waypost.operations`.
"""

from __future__ import annotations

from typing import Any

from waypost.client.methods import async_method, method
from waypost.client.requests import query as _query
from waypost.client.responses import {returns}
from waypost.client.transport import Request, read_as
'''


def text() -> str:
    """Text of the module."""
    made = [(operation, operation.client) for operation in OPERATIONS.values() if operation.client]
    made.sort(key=lambda pair: pair[1].name)
    parts = [_HEAD.format(returns=", ".join(sorted({method.returns for _, method in made} - {""})))]
    parts += ["\n".join(_function(*pair)) for pair in made]
    for name, maker, about in (("Queries", "method", "block"), ("AsyncQueries", "async_method", "are coroutines")):
        lines = [f"class {name}:", f'    """Methods that {about}."""', ""]
        parts.append("\n".join([*lines, *(f"    {method.name} = {maker}({method.name})" for _, method in made), ""]))
    return "\n\n".join(parts)


def _function(operation: Operation, method: Method) -> Iterator[str]:
    returns = method.returns or "dict[str, Any]"
    parameters = list(_parameters(operation, method))
    needed = [f"{own}: {kind}" for _, own, kind, is_needed in parameters if is_needed]
    optional = [f"{own}: {kind} | None = None" for _, own, kind, is_needed in parameters if not is_needed]
    signature = ", ".join([*needed, *(["*", *optional] if optional else [])])
    line = f"def {method.name}({signature}) -> Request[{returns}]:"
    yield line if len(line) <= 120 else f"def {method.name}(\n    {signature}\n) -> Request[{returns}]:"
    yield f'    """{method.about} Raises NoAnswer."""'
    sent = "".join(f", {name}={own}" for name, own, _, _ in parameters)
    yield f'    return _query("{operation.path}", read_as({returns}){sent})'
    yield ""


def _parameters(operation: Operation, method: Method) -> Iterator[tuple[str, str, str, bool]]:
    """(name in the query string, name of the client, type, whether it is required) of each parameter"""
    schema = operation.parameters
    for name, member in schema["properties"].items():
        kind = "int" if member.get("type") == "integer" else "str"
        yield name, method.words.get(name, name), kind, name in schema.get("required", ())


def main() -> int:
    made = text()
    if "--check" in sys.argv[1:]:
        return int(TARGET.read_text("utf-8") != made)
    TARGET.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
