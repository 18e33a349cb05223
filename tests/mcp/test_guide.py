"""The guide "Give your agent waypost": each configuration in it starts a server that answers."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from tests.mcp.conftest import first, running
from tests.mcp.test_tools import TOOLS

from waypost.guard import Stopped

GUIDE = (Path(__file__).parents[2] / "site" / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"## ([^\n]+)\n(?:(?!\n## ).)*?```json client\n(.*?)```", GUIDE, re.DOTALL)
CONFIGURATIONS = re.findall(r"```json client\n(.*?)```", GUIDE, re.DOTALL)


def test_every_client_has_its_configuration() -> None:
    assert [client for client, _ in BLOCKS] == ["Claude Desktop", "Claude Code", "Cursor", "VS Code"]


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=range(len(CONFIGURATIONS)))
def test_a_configuration_starts_a_server(text: str) -> None:
    document: dict[str, Any] = json.loads(text)
    (entry,) = document.get("mcpServers", document.get("servers")).values()
    command, *arguments = [entry["command"], *entry["args"]]
    assert (command, arguments[0]) == ("waypost", "mcp")

    tools, text = answers(tuple(arguments[1:]), tuple(entry.get("env", {}).items()))
    assert tools == TOOLS
    assert text.startswith("STOP:")


@cache
def answers(arguments: tuple[str, ...], variables: tuple[tuple[str, str], ...]) -> tuple[set[str], str]:
    """Tools of a server, and its answer about no URL; configurations with the same command share one server."""
    with running(*arguments, **dict(variables)) as server:
        tools = {tool["name"] for tool in server.exchange("tools/list")["result"]["tools"]}
        return tools, first(server.call("check_destination", url="no url", intended_action="payment"))


def blocks(word: str) -> list[str]:
    return re.findall(rf"```{word}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_configuration_for_openai_agents_starts_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("agents", reason="openai-agents is not installed")
    (block,) = blocks("python agents")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    made: dict[str, Any] = {}
    exec(compile(block, "mcp.md", "exec"), made)

    async def request() -> tuple[set[str], str]:
        async with made["waypost"] as server:
            names = {tool.name for tool in await server.list_tools()}
            result = await server.call_tool("check_destination", {"url": "no url", "intended_action": "payment"})
            return names, str(result.content[0].text)

    names, text = asyncio.run(request())
    assert (names, text[:5]) == (TOOLS, "STOP:")
    assert made["agent"].mcp_servers == [made["waypost"]]


def test_the_configuration_for_langgraph_starts_a_server() -> None:
    """The configuration alone: the package in the block cannot live beside version 2 of the SDK."""
    (block,) = blocks("python langgraph")
    (entry,) = ast.literal_eval(re.findall(r"MultiServerMCPClient\((.*)\)\n", block)[0]).values()
    assert (entry["transport"], entry["command"], entry["args"][0]) == ("stdio", "waypost", "mcp")

    assert answers(tuple(entry["args"][1:]), ())[0] == TOOLS


def test_the_python_of_the_guide_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks about the guard, in their order, with a browser that only notes what it is told."""
    httpx = pytest.importorskip("httpx")
    monkeypatch.setenv("WAYPOST_API_KEY", "wp_test_guide")
    browser = MagicMock()
    del browser.new_context.return_value.context  # only a page has one
    names: dict[str, Any] = {"httpx": httpx, "browser": browser}
    found = blocks("python")
    assert len(found) == 5
    for block in found:
        exec(compile(block, "mcp.md", "exec"), names)

    assert names["pay"].__doc__ == "Pay an amount at a checkout."
    assert names["context"].route.call_args.args[1] == names["held"].handle
    with pytest.raises(Stopped):  # the service of the guide is nowhere
        names["pay"]("https://shop.example.com/", "1")


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
def test_the_javascript_of_the_guide_runs() -> None:
    (block,) = blocks("js")
    check = Path(__file__).parents[2] / "examples" / "agent" / "check.mjs"
    stubs = "const payAtShop = async () => {}, mcpClient = { callTool: async () => {} };\n"
    after = "\nconsole.log([pay, payingFetch, client.callTool].every((each) => typeof each === 'function'));"
    program = stubs + block.replace("./check.mjs", check.as_uri()) + after
    done = subprocess.run(
        [str(shutil.which("node")), "--input-type=module", "-e", program], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "true", done.stderr


def test_the_guide_names_every_tool() -> None:
    assert set(re.findall(r"`(\w+)`", GUIDE)) >= TOOLS
