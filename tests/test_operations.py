"""Operations: one function and its structs make the route, the tool and the method of the clients."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("litestar", reason="the extra server is not installed")
pytest.importorskip("mcp", reason="the extra mcp is not installed")

from tools import make_client

from waypost.api import operations as routes
from waypost.api.endpoint import endpoint_of
from waypost.mcp import tools
from waypost.models.wire.common import PUBLISHED, Closed, PlainText, published
from waypost.operations import OPERATIONS, Context, Method, Operation, Tool
from waypost.operations.table import operation
from waypost.service.problems import ProblemError

PAGE = Path(__file__).parent.parent / "docs" / "contributing" / "operation.md"
CONTEXT: Any = None
"""Caller of the example, which needs nothing from one."""


@pytest.fixture(scope="module")
def example() -> Iterator[Operation]:
    """Operation of the page for contributors, in the table for the time of a test."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names = {"Closed": Closed, "PlainText": PlainText, "Meta": msgspec.Meta, "published": published,
             "operation": operation, "Method": Method, "Tool": Tool, "Context": Context}  # fmt: skip
    exec(compile(f"from typing import Annotated\n{code}", PAGE, "exec", dont_inherit=True), names)
    yield OPERATIONS["count"]
    del OPERATIONS["count"], PUBLISHED["count-request"], PUBLISHED["count-answer"]


def test_the_example_of_the_page_counts(example: Operation) -> None:
    found = asyncio.run(example.result({"unit": "words", "text": "a b"}, CONTEXT))

    assert found == {"count": 2}


def test_a_body_outside_its_struct_is_rejected(example: Operation) -> None:
    with pytest.raises(ProblemError) as rejected:
        asyncio.run(example.result({"unit": "words", "text": 1}, CONTEXT))

    assert rejected.value.code == "invalid-request"


def test_a_route_is_made_of_the_example(example: Operation) -> None:
    (route,) = [made for made in routes.routes() if made.operation_id == "count"]
    endpoint = endpoint_of(route)

    assert (endpoint.method, endpoint.path, endpoint.scopes) == ("POST", "/v1/counts/{unit}", ("any key",))
    assert endpoint.about == "The number of words or letters of a text. Nothing is stored."
    assert endpoint.members["unit"].schema == {"type": "string", "maxLength": 10}
    assert endpoint.body is not None
    assert (endpoint.body.schema, endpoint.answers[200].schema) == ("count-request", "count-answer")


def test_a_tool_is_made_of_the_example(example: Operation) -> None:
    assert example.tool is not None
    tool = tools._tool_of(example, example.tool)

    assert (tool.name, tool.title, tool.takes) == ("count_parts", "Count the parts of a text", "count-request")
    assert tool.about == example.about


def test_a_method_of_the_client_is_made_of_the_example(example: Operation) -> None:
    assert example.client is not None
    code = "\n".join(make_client._function(example, example.client))

    assert "def count(unit: str, text: str) -> Request[dict[str, Any]]:" in code
    assert 'return post(f"/v1/counts/{quoted(unit)}", body, read_as(dict[str, Any]), repeatable=True)' in code


@pytest.mark.parametrize("made", OPERATIONS.values(), ids=lambda made: made.name)
def test_an_operation_describes_itself_to_callers(made: Operation) -> None:
    assert made.about.endswith("."), "the docstring is the description of the API"
    assert all(schema.get("description") for _, schema in made.path_parameters())
    assert made.answers[made.status].about


@pytest.mark.parametrize("tool", tools.TOOLS.values(), ids=lambda tool: tool.name)
def test_each_argument_of_a_tool_reaches_its_operation(tool: tools.Tool) -> None:
    made = tool.operation
    fields = msgspec.structs.fields(tool.made.takes or made.takes)
    given = {tool.made.words.get(field.encode_name, field.encode_name) for field in fields}
    taken = {field.encode_name for field in msgspec.structs.fields(made.takes)} if made.takes else set()

    # `schema` takes a name in place of the path's type, and lists all without one.
    assert given - ({"name"} if tool.name == "schema" else set()) <= taken | {*made.members}
