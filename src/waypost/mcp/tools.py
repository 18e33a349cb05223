"""Table of the tools: names, texts and the schemas of their arguments and results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from msgspec import inspect

from waypost.contract.struct_schemas import file_of
from waypost.mcp.schemas import bundled, written_out
from waypost.operations import OPERATIONS, Operation
from waypost.operations import Tool as OperationTool
from waypost.registry import Registry
from waypost.service.body import Body


class Tool(NamedTuple):
    """Tool of the server, as its operation describes it.

    takes    name of the schema of the arguments, `schemas/api/<takes>.schema.json`
    gives    the same for the structured result
    """

    operation: Operation
    title: str
    about: str
    takes: str
    gives: str
    made: OperationTool

    @property
    def name(self) -> str:
        return self.made.name

    @property
    def within(self) -> float:
        return self.made.within

    @property
    def body(self) -> Body:
        """Limits of the arguments, as a request's body has them."""
        return Body(self.takes, limit=self.made.limit, depth=66)


def _tool_of(operation: Operation, made: OperationTool) -> Tool:
    takes, gives = made.takes or operation.takes, made.gives or operation.gives
    assert takes is not None, f"{made.name}: a tool has a struct of its arguments"
    return Tool(
        operation,
        made.title or operation.title,
        f"{made.about or operation.about} {made.remarks}".strip(),
        file_of(takes),
        file_of(gives),
        made,
    )


TOOLS: dict[str, Tool] = {
    operation.tool.name: _tool_of(operation, operation.tool) for operation in OPERATIONS.values() if operation.tool
}


@cache
def argument_names() -> frozenset[str]:
    """Names of the arguments of all tools, and of the members inside them."""
    takes = {tool.made.takes or tool.operation.takes for tool in TOOLS.values()}
    return frozenset(name for shape in takes for name in _names_in(inspect.type_info(shape)))


def _names_in(kind: inspect.Type) -> Iterator[str]:
    match kind:
        case inspect.StructType(fields=fields):
            for field in fields:
                yield field.encode_name
                yield from _names_in(field.type)
        case inspect.UnionType(types=types):
            for each in types:
                yield from _names_in(each)
        case inspect.VarTupleType(item_type=inner) | inspect.Metadata(type=inner):
            yield from _names_in(inner)


def tool_entries(registry: Registry) -> list[dict[str, Any]]:
    """Tools in the form of `tools/list`."""
    return [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.about,
            "inputSchema": written_out(bundled(registry, tool.takes)),
            "outputSchema": bundled(registry, tool.gives),
            "annotations": {
                "readOnlyHint": not tool.made.writes,
                "destructiveHint": False,
                "idempotentHint": not tool.made.writes,
                "openWorldHint": tool.operation.network,
            },
        }
        for tool in TOOLS.values()
    ]
