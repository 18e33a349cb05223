"""What the README shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from waypost.cli import main
from waypost.cli._program import commands

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_output_it_shows_is_the_output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.search(r"```console\n\$ waypost (.*?)\n(.*?)```", README, re.DOTALL)
    assert shown
    monkeypatch.chdir(ROOT)

    main(shown[1].split())

    assert shown[2].strip() in capsys.readouterr().out


def test_its_python_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code
    monkeypatch.chdir(ROOT)

    exec(compile(code[1], "README.md", "exec"), {})

    assert "price-invalid" in capsys.readouterr().out


def test_every_command_it_names_is_there() -> None:
    named = set(re.findall(r"`(?:\.venv/bin/)?waypost ([a-z]+)", README))

    assert named
    assert named <= set(commands())


@pytest.mark.parametrize("name", ["first", "quickstart", "tests", "sample"])
def test_its_commands_can_be_found_by_ci(name: str) -> None:
    assert re.search(rf"<!-- command: {name} -->\n+```sh\n.+?\n```", README, re.DOTALL)


def test_every_file_it_names_is_there() -> None:
    for name in re.findall(r"`((?:[a-z]+/)*[A-Za-z]+\.(?:md|py))`", README):
        assert (ROOT / name).is_file(), name
