"""Parts of uvicorn without a documentation: all that the protocol uses are checked at the start of the service."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from waypost.api import protocol, server, supervisor
from waypost.api.settings import Settings
from waypost.api.uvicorn_parts import ATTRIBUTES, CYCLE_ATTRIBUTES, METHODS, unbounded
from waypost.cli import main


def test_the_installed_release_has_all_parts() -> None:
    assert unbounded() == ""


@pytest.mark.parametrize(
    ("part", "instead", "named"),
    [
        ("pause_writing", None, "pause_writing with 0 arguments"),
        ("on_body", lambda self, body, more: None, "on_body with 1 argument"),
        ("__init__", lambda self: None, "app, cycle, flow, headers, loop, parser, pipeline, server_state, transport"),
    ],
)
def test_a_missing_part_is_a_problem_of_the_check(
    part: str, instead: object, named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["org", "create", "Acme", "--data", str(tmp_path)]) == 0
    monkeypatch.setattr(HttpToolsProtocol, part, instead)
    capsys.readouterr()

    assert main(["serve", "--check", "--port", "0", "--data", str(tmp_path)]) != 0

    printed = capsys.readouterr().out
    assert f"lacks {named}: request heads without an end" in printed


def test_release_that_moves_the_protocol_is_served_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.api.uvicorn_parts.MODULE", "uvicorn.protocols.http.moved")

    assert "lacks No module named 'uvicorn.protocols.http.moved'" in unbounded()
    assert server._config("app", Settings()).http == "auto"


def test_the_list_has_all_that_the_protocol_uses() -> None:
    (wire,) = (
        node
        for node in ast.parse(inspect.getsource(protocol)).body
        if isinstance(node, ast.ClassDef) and node.name == "Wire"
    )
    own = {node.name for node in wire.body if isinstance(node, ast.FunctionDef)} | {
        node.target.id if isinstance(node, ast.AnnAssign) else node.targets[0].id  # type: ignore[union-attr, attr-defined]
        for node in wire.body
        if isinstance(node, ast.AnnAssign | ast.Assign)
    }
    used = {(ast.unparse(node.value), node.attr) for node in ast.walk(wire) if isinstance(node, ast.Attribute)}

    assert {name for name in own if hasattr(HttpToolsProtocol, name)} | {
        name for owner, name in used if owner == "super()"
    } == set(METHODS)
    assert {name for owner, name in used if owner == "self"} - own == ATTRIBUTES
    assert {name for owner, name in used if owner in {"cycle", "self.cycle"}} == CYCLE_ATTRIBUTES
    assert all(name in RequestResponseCycle.__init__.__code__.co_names for name in CYCLE_ATTRIBUTES)


def test_the_supervisor_uses_documented_parts_alone() -> None:
    used = {
        node.attr
        for node in ast.walk(ast.parse(inspect.getsource(supervisor)))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "uvicorn"
    }

    assert used == {"Config", "Server"}
    assert "from uvicorn" not in inspect.getsource(supervisor)
