"""The guides "waypost in CI" and "On a large existing site": each block is run, in a folder as a reader has it.

What stands behind the language of a block says what becomes of it:

    run           its commands end with 0 (`status=N`: with N; `run=interrupt`: after Ctrl-C)
    file=NAME     it is a file, `append=NAME` goes to the end of one
    editor        it names the server to start
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from waypost.identity import REPOSITORY

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "site" / "docs"
GUIDE = (DOCS / "ci.md").read_text("utf-8")
PATIENCE_S = 300

pytestmark = pytest.mark.skipif(
    os.name == "nt" or not shutil.which("bash") or not shutil.which("git"), reason="runs shell commands and git"
)


class Block(NamedTuple):
    """A block of code: its language, what is to be done with it, its first line in the guide."""

    language: str
    marks: dict[str, str]
    text: str
    line: int


def blocks(guide: str = GUIDE) -> list[Block]:
    found = []
    for match in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL):
        marks = dict((f"{mark}=").split("=")[:2] for mark in match[2].split())
        found.append(Block(match[1], marks, match[3], guide.count("\n", 0, match.start()) + 2))
    return found


class Reader:
    """Somebody with a site in git and waypost installed, who follows the guide."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "work"
        self.environment = os.environ | {
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "waypost.pytest_plugin",
        }  # fmt: skip
        for name in ("WAYPOST_SITE", "PYTEST_ADDOPTS", "GIT_DIR", "GIT_WORK_TREE"):
            self.environment.pop(name, None)
        (home / "bin").mkdir()
        for name, command in (("waypost", "-m waypost"), ("python", "")):
            shim = home / "bin" / name
            shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
            shim.chmod(0o755)
        shutil.copytree(ROOT / "examples" / "site", self.folder / "public")
        (self.folder / "pytest.ini").write_text("[pytest]\n")
        for command in (
            "git init -q", "git add -A",
            "git -c user.name=reader -c user.email=reader@example.com commit -qm begin",
            "git update-ref refs/remotes/origin/main HEAD",
        ):  # fmt: skip
            assert self.run(command)[0] == 0, command

    def run(self, commands: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S,
        )  # fmt: skip
        return done.returncode, done.stdout

    def interrupted(self, command: str) -> tuple[int, str]:
        """Run a command until it says how to end it, and do so."""
        with subprocess.Popen(
            shlex.split(command), cwd=self.folder, env=self.environment, text=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, restore_signals=True,
        ) as process:  # fmt: skip
            assert process.stderr is not None
            output = process.stderr.readline()
            assert "Ctrl-C" in output, output
            process.send_signal(signal.SIGINT)
            try:
                return process.wait(PATIENCE_S), output
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def followed(reader: Reader, name: str) -> Reader:
    """Somebody who has followed a guide to its end, each block as it says."""
    for block in blocks((DOCS / f"{name}.md").read_text("utf-8")):
        where = f"site/docs/{name}.md:{block.line}"
        if file_name := block.marks.get("file", block.marks.get("append")):
            path = reader.folder / file_name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a" if "append" in block.marks else "w", encoding="utf-8") as file:
                file.write(block.text)
        elif block.marks.get("run") == "interrupt":
            status, message = reader.interrupted(block.text)
            assert status == 0, f"{where}: {message}"
        elif "run" in block.marks:
            status, message = reader.run(block.text)
            assert status == int(block.marks.get("status") or 0), f"{where}: {message}"
    return reader


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return followed(Reader(tmp_path_factory.mktemp("reader")), "ci")


def test_the_guide_about_large_sites_has_its_effect(tmp_path: Path) -> None:
    (tmp_path / "reader").mkdir()
    folder = followed(Reader(tmp_path / "reader"), "large-site").folder

    assert "[[expect]]" in (folder / "waypost.toml").read_text("utf-8")
    for name in ("report.html", "waypost-baseline.json", "entities.html", "waypost.sarif", "waypost-junit.xml"):
        assert (folder / name).stat().st_size > 100


def test_every_command_of_the_guide_has_its_effect(reader: Reader) -> None:
    for name in ("waypost-baseline.json", "waypost-junit.xml", "waypost.sarif", "waypost.html"):
        assert (reader.folder / name).stat().st_size > 100


def test_no_block_of_the_guide_is_left_untried() -> None:
    untried = [block for block in blocks() if not {"run", "file", "append", "editor"} & set(block.marks)]

    assert [block.text for block in untried] == [f"python -m pip install 'waypost @ git+{REPOSITORY}@v0.1.0'\n"]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert set(re.findall(r"waypost(?:==|@v)([\d.]+)|rev: v([\d.]+)", GUIDE)) == {(version, ""), ("", version)}


def read_yaml(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load(path.read_text("utf-8"))


def test_the_github_workflow_uses_inputs_of_the_action(reader: Reader) -> None:
    workflow = read_yaml(reader.folder / ".github/workflows/structured-data.yml")
    action = read_yaml(ROOT / "action.yml")
    (step,) = [step for step in workflow["jobs"]["waypost"]["steps"] if "waypost@" in step.get("uses", "")]
    named = set(re.findall(r"`([\w-]+)`", re.search(r"Its inputs are (.*?)\.", GUIDE)[1]))  # type: ignore[index]

    assert named == set(action["inputs"])
    assert set(step["with"]) <= named
    (script,) = [each for each in action["runs"]["steps"] if each.get("id") == "validate"]
    inputs = {name: str(each["default"]) for name, each in action["inputs"].items()} | step["with"]
    given = {
        name: inputs[found[1]]
        for name, value in script["env"].items()
        if (found := re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value))
    }
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        given[name] = str(reader.folder / name)
    variables = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in given.items())
    home = shlex.quote(str(reader.folder.parent / "bin"))

    status, output = reader.run(f"{variables}export RUNNER_TEMP=$PWD WAYPOST_BIN={home}\n{script['run']}")

    assert status == 0, output
    assert "status=0" in (reader.folder / "GITHUB_OUTPUT").read_text()


def test_job_for_gitlab_takes_the_variables_of_the_recipe(reader: Reader) -> None:
    recipe = read_yaml(reader.folder / ".gitlab-ci.yml")["waypost"]
    job = read_yaml(ROOT / "ci" / "gitlab" / "waypost.yml")["waypost"]
    assert set(recipe["variables"]) <= set(job["variables"])
    variables = job["variables"] | recipe["variables"] | {"WAYPOST_BIN": str(reader.folder.parent / "bin")}
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items() if "$" not in value)

    status, output = reader.run(exports + "\n".join(job["script"]))

    assert status == 0, output
    assert json.loads((reader.folder / "gl-code-quality-report.json").read_text()) == []


def test_the_hook_of_the_recipe_is_there_and_passes(reader: Reader) -> None:
    (repository,) = read_yaml(reader.folder / ".pre-commit-config.yaml")["repos"]
    hooks = {hook["id"]: hook for hook in read_yaml(ROOT / ".pre-commit-hooks.yaml")}

    for chosen in repository["hooks"]:
        command = [*shlex.split(hooks[chosen["id"]]["entry"]), *chosen["args"], "public/help/faq.html"]
        status, output = reader.run(shlex.join(command))
        assert status == 0, output


def commands_of_editors() -> dict[str, list[str]]:
    """Language of the block -> the command by which that editor starts the server."""
    found: dict[str, list[str]] = {}
    for block in blocks():
        if "editor" not in block.marks:
            continue
        if block.language == "json":
            answer = json.loads(block.text)
            found["json"] = [answer["glspc.server.command"], *answer["glspc.server.commandArguments"]]
        elif block.language == "toml":
            server = tomllib.loads(block.text)["language-server"]["waypost"]
            found["toml"] = [server["command"], *server["args"]]
        elif block.language == "lua":
            match = re.search(r"cmd = \{(.*?)\}", block.text)
            assert match
            found["lua"] = list(ast.literal_eval(f"[{match[1]}]"))
        else:
            match = re.search(r'\. \(("[^)]*")\)', block.text)
            assert match
            found[block.language] = shlex.split(match[1])
    return found


def test_every_editor_is_given_a_command_that_serves_it() -> None:
    pytest.importorskip("pygls", reason="the extra lsp is not installed")
    commands = commands_of_editors()
    assert set(commands) == {"json", "lua", "toml", "elisp"}
    (command,) = {tuple(each) for each in commands.values()}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    sent = b"".join(
        b"Content-Length: %d\r\n\r\n%b" % (len(text), text) for text in (json.dumps(m).encode() for m in messages)
    )

    assert command[0] == "waypost"
    server = subprocess.run(
        [sys.executable, "-m", *command], input=sent, capture_output=True, timeout=PATIENCE_S, check=False
    )

    assert server.returncode == 0
    assert b'"hoverProvider"' in server.stdout
