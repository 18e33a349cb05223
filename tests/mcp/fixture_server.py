"""Tools, resources and prompts that the conformance suite of the protocol calls, behind waypost's own transport.

    python -m tests.mcp.fixture_server

The suite brings no key, so the key of the wrapped application is put in. The first line of output is the address.
`product` as an argument serves waypost's own tools over the made-up hosts instead.
"""

from __future__ import annotations

import base64
import sys
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    CompleteResult,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
)
from tests.mcp import fixture_inputs as inputs

from waypost.mcp import server as products
from waypost.mcp.http import Application
from waypost.mcp.local import LocalBackend
from waypost.net.listen import listen
from waypost.registry import load
from waypost.registry.world import load as load_world
from waypost.service.fixtures import open_fixtures

PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
        "53de0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
    )
).decode()
WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0@\x1f\0\0\1\0\x08\0data\0\0\0\0").decode()
TEXT = {"type": "text", "text": "This is a simple text response for testing."}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def resource(uri: str, text: str, media: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media, "text": text}}


CONTENT: dict[str, list[dict[str, Any]]] = {
    "test_simple_text": [TEXT],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [resource("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        {"type": "text", "text": "Multiple content types test:"},
        IMAGE,
        resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_tool_with_progress": [{"type": "text", "text": "done"}],
    "json_schema_2020_12_tool": [TEXT],
    "test_x_mcp_header": [TEXT],
}
NO_ARGUMENTS = {"type": "object", "properties": {}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"properties": {"name": {"const": "x"}}, "required": ["name"]},
        "then": {"required": ["address"]},
        "else": {},
        "additionalProperties": False,
    },
    "test_x_mcp_header": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
}


class Fixtures:
    """Handlers of the suite's requests."""

    async def list_tools(self, _: Any, __: Any) -> ListToolsResult:
        names = [*CONTENT, "test_error_handling", *inputs.TOOLS]
        tools = [{"name": name, "description": name, "inputSchema": SCHEMAS.get(name, NO_ARGUMENTS)} for name in names]
        return ListToolsResult.model_validate({"tools": tools})

    async def call_tool(self, context: Any, params: Any) -> CallToolResult | InputRequiredResult:
        if params.name in inputs.TOOLS:
            return await inputs.called(context, params)
        if params.name == "test_tool_with_progress":
            for done in (0, 50, 100):
                await context.session.report_progress(done, 100)
                await anyio.sleep(0.05)
        if params.name == "test_error_handling":
            text = "This tool intentionally returns an error for testing"
            return CallToolResult.model_validate({"content": [{"type": "text", "text": text}], "isError": True})
        if params.name not in CONTENT:
            raise MCPError(INVALID_PARAMS, "there is no such tool")
        return CallToolResult.model_validate({"content": CONTENT[params.name]})

    async def list_resources(self, _: Any, __: Any) -> ListResourcesResult:
        entries = [
            {"uri": f"test://{name}", "name": name, "description": name, "mimeType": media}
            for name, media in (("static-text", "text/plain"), ("static-binary", "image/png"))
        ]
        return ListResourcesResult.model_validate({"resources": entries})

    async def list_templates(self, _: Any, __: Any) -> ListResourceTemplatesResult:
        entry = {"uriTemplate": "test://template/{id}/data", "name": "template", "description": "by id"}
        return ListResourceTemplatesResult.model_validate({"resourceTemplates": [entry]})

    async def read_resource(self, _: Any, params: Any) -> ReadResourceResult:
        uri = str(params.uri)
        if uri == "test://static-binary":
            content = {"uri": uri, "mimeType": "image/png", "blob": PNG}
        elif uri == "test://static-text":
            content = {
                "uri": uri,
                "mimeType": "text/plain",
                "text": "This is the content of the static text resource.",
            }
        elif uri.startswith("test://template/"):
            name = uri.split("/")[3]
            text = f'{{"id": "{name}", "templateTest": true, "data": "Data for ID: {name}"}}'
            content = {"uri": uri, "mimeType": "application/json", "text": text}
        else:
            raise MCPError(INVALID_PARAMS, "there is no such resource", {"uri": uri})
        return ReadResourceResult.model_validate({"contents": [content]})

    async def list_prompts(self, _: Any, __: Any) -> ListPromptsResult:
        arguments = {
            "test_prompt_with_arguments": ["arg1", "arg2"],
            "test_prompt_with_embedded_resource": ["resourceUri"],
        }
        prompts = [
            {
                "name": name,
                "description": name,
                "arguments": [{"name": each, "required": True} for each in arguments.get(name, ())],
            }
            for name in ("test_simple_prompt", "test_prompt_with_image", inputs.PROMPT, *arguments)
        ]
        return ListPromptsResult.model_validate({"prompts": prompts})

    async def get_prompt(self, _: Any, params: Any) -> GetPromptResult | InputRequiredResult:
        if params.name == inputs.PROMPT:
            return inputs.prompted(params)
        given = params.arguments or {}
        text = {
            "test_simple_prompt": "This is a simple prompt for testing.",
            "test_prompt_with_arguments": f"Prompt with arguments: arg1='{given.get('arg1')}', "
            f"arg2='{given.get('arg2')}'",
            "test_prompt_with_embedded_resource": "Please process the embedded resource above.",
            "test_prompt_with_image": "Please analyze the image above.",
        }
        first = {
            "test_prompt_with_embedded_resource": resource(
                given.get("resourceUri", ""), "Embedded resource content for testing."
            ),
            "test_prompt_with_image": IMAGE,
        }
        contents = [
            *([first[params.name]] if params.name in first else []),
            {"type": "text", "text": text[params.name]},
        ]
        messages = [{"role": "user", "content": content} for content in contents]
        return GetPromptResult.model_validate({"messages": messages})

    async def complete(self, _: Any, params: Any) -> CompleteResult:
        return CompleteResult.model_validate({"completion": {"values": [], "total": 0, "hasMore": False}})


class NoDoor:
    """Door that accepts every key."""

    async def refusal(self, _: str, __: str) -> None:
        return None

    async def close(self) -> None:
        pass


def fixture_server() -> Server[Any]:
    """The server as the product makes it, with the handlers of the fixtures."""
    server = products.make_server(Fixtures(), "0")  # type: ignore[arg-type]
    inputs.add_handlers(server)
    return server


def product_server() -> Server[Any]:
    backend = LocalBackend(open_fixtures(), load())
    return products.make_server(products.Handlers(load(), load_world(), lambda _: backend), "0")


def main() -> None:
    app = Application(
        NoDoor(),  # type: ignore[arg-type]
        product_server() if "product" in sys.argv else fixture_server(),
        ("127.0.0.1", "localhost"),
    )

    async def with_key(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], (b"authorization", b"Bearer suite")]
        await app(scope, receive, send)

    with listen("127.0.0.1", 0) as sock:
        print(f"http://127.0.0.1:{sock.getsockname()[1]}/mcp", flush=True)
        uvicorn.Server(uvicorn.Config(with_key, log_config=None, lifespan="on", ws="none")).run(sockets=[sock])


if __name__ == "__main__":
    main()
