"""Follow the guides by generator and framework, block by block, in an empty folder.

    python tools/stacks.py [NAME ...]            compare what each command prints with what the guide shows
    python tools/stacks.py --update [NAME ...]   write what it prints into the guide

The word behind the language of a block says what becomes of it:

    file=PATH     it is a file
    run           its commands end with 0 (`status=N`: with N)
    build=STEP    it makes pages: those recorded in tests/cases/stacks/NAME/STEP (`benchmarks/stacks.py` makes them)
    console       behind `$` a command, then what it prints; `served=STEP/FILE` names the recorded page that stands
                  for the address in the command

`needs` at the start of a guide lists packages of Python: without them its blocks `run` are passed by.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from waypost.pages import stacks

ROOT = Path(__file__).resolve().parent.parent
GUIDES = ROOT / "site" / stacks.FOLDER
RECORDED = ROOT / "tests" / "cases" / "stacks"
PATIENCE_S = 120
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """Block of code: its language, the words behind it, its text."""

    language: str
    marks: dict[str, str]
    text: str


class Ran(NamedTuple):
    """Command that was run: exit status, standard output and standard error."""

    status: int
    output: str


class Mismatch(Exception):
    """A guide shows something else than what happens."""


def blocks(text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        yield Block(found[1], dict((f"{mark}=").split("=")[:2] for mark in found[2].split()), found[3])


def follow(
    name: str,
    folder: Path,
    build: Callable[[Path, Block], None] | None = None,
    *,
    packages: bool = True,
    consoles: bool = True,
) -> dict[str, str]:
    """Follow a guide in a folder. Raises Mismatch.

    build     how to make the pages: by default those on record are taken
    packages  run blocks that need a package of Python, where it is installed
    consoles  run blocks that show what is printed
    Returns what each block `console` is to hold, by what it holds.
    """
    printed: dict[str, str] = {}
    for block in blocks(stacks.text(name)):
        if "file" in block.marks:
            path = folder / block.marks["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
        elif "build" in block.marks:
            build(folder, block) if build else _take_recorded(name, folder, block)
        elif "served" in block.marks and build:
            build(folder, block)
        elif build and block.language == "console":
            continue
        elif block.language == "console":
            if not consoles:
                continue
            page = recorded(name) / block.marks["served"] if "served" in block.marks else None
            printed[block.text] = _printed(block.text, folder, page)
        elif "run" in block.marks and not (missing(name) or ("needs" in stacks.head(name) and not packages)):
            for command in block.text.splitlines():
                ran = run(command, folder)
                if ran.status != int(block.marks.get("status") or 0):
                    raise Mismatch(f"{name}: {command}: exit status {ran.status}\n{ran.output}")
    return printed


def missing(name: str) -> list[str]:
    """Packages of Python that the commands of a guide need and that are not installed."""
    return [each for each in stacks.head(name).get("needs", ()) if importlib.util.find_spec(each) is None]


def _printed(text: str, folder: Path, page: Path | None) -> str:
    """Command and what it prints. `page` stands for the address in the command."""
    command = text.partition("\n")[0].removeprefix("$ ")
    if page is None:
        return f"$ {command}\n{run(command, folder).output}"
    address = next(word for word in shlex.split(command) if "://" in word)
    with tempfile.TemporaryDirectory() as served:
        copy = shutil.copy(page, Path(served) / "page.html")
        output = run(f"{command.replace(address, str(copy))} --base-url {address}", folder).output
    return f"$ {command}\n{output.replace(str(copy), address)}"


def run(command: str, folder: Path) -> Ran:
    """Run a command in a folder: one of waypost in this process, another one by a shell."""
    words = shlex.split(command)
    if words[0] != "waypost" or "|" in words:
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            # Other plugins that happen to be installed take longer than the tests.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "waypost.pytest_plugin",
        }
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout)
    from waypost.cli import main

    output = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            status = main(words[1:])
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Ran(status, output.getvalue())


def sources(name: str) -> str:
    """Digest of the files of a guide."""
    digest = hashlib.sha256()
    for block in blocks(stacks.text(name)):
        if file := block.marks.get("file"):
            digest.update(f"{file}\0{block.text}\0".encode())
    return digest.hexdigest()[:16]


def recorded(name: str) -> Path:
    """Folder with the recorded pages of a guide. Raises Mismatch where they were made from other files."""
    folder = RECORDED / name
    note = folder / "recorded.json"
    if not note.is_file() or json.loads(note.read_text("utf-8"))["sources"] != sources(name):
        raise Mismatch(f"{name}: the recorded pages are of other files: benchmarks/stacks.py --record {name}")
    return folder


def _take_recorded(name: str, folder: Path, block: Block) -> None:
    shutil.copytree(recorded(name) / block.marks["build"], folder, dirs_exist_ok=True)


def main() -> int:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="guides (default: all)")
    parser.add_argument("--update", action="store_true", help="write what the commands print into the guides")
    options = parser.parse_args()
    status = 0
    for name in options.names or stacks.names():
        with tempfile.TemporaryDirectory() as folder:
            try:
                printed = follow(name, Path(folder))
            except Mismatch as error:
                print(error)
                status = 1
                continue
        for before, after in printed.items():
            if before == after:
                continue
            if options.update:
                path = GUIDES / f"{name}.md"
                path.write_text(path.read_text("utf-8").replace(f"\n{before}```\n", f"\n{after}```\n"), "utf-8")
            else:
                print(f"{name}: it prints\n{after}\nand not\n{before}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
