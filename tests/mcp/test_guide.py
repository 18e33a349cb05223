"""The guide "Give your agent waypost": each configuration in it starts a server that answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.conftest import first, running
from tests.mcp.test_tools import TOOLS

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

    with running(*arguments[1:], **entry.get("env", {})) as server:
        assert {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]} == TOOLS
        result = server.call("check_destination", url="no url", intended_action="payment")
        assert first(result).startswith("STOP:")


def test_the_guide_names_every_tool() -> None:
    assert set(re.findall(r"`(\w+)`", GUIDE)) >= TOOLS
