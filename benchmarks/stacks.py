"""Build the pages of the guides of site/docs/stacks with their generators, and compare them with those on record.

    python benchmarks/stacks.py [NAME ...]            compare
    python benchmarks/stacks.py --record [NAME ...]   record them in tests/cases/stacks
    python benchmarks/stacks.py --cache DIR           keep the packages that are installed from npm and PyPI in DIR

The start of a guide names what makes its pages: `npm` and `pip` (packages that are installed), `command` (a program of
the system), `render` (a script of benchmarks/stacks that renders the templates as the framework does, with the
framework's own packages where the system has them), `pages` (the pages to record). A guide whose packages cannot be
had is passed by with the reason. The status is 1 where the structured data of a page is other than on record.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from tools.stacks import RECORDED, Block, follow, missing, sources  # noqa: E402

import waypost  # noqa: E402
from waypost.pages import stacks  # noqa: E402

PATIENCE_S = 540


class NotHere(Exception):
    """A generator that cannot be had."""


class Builder:
    """Generator of one guide, installed. `pages` are the pages that it made, by their step and path."""

    def __init__(self, name: str, cache: Path) -> None:
        self.head = stacks.head(name)
        self.pages: dict[str, bytes] = {}
        self.environment = os.environ | {"CI": "1", "ASTRO_TELEMETRY_DISABLED": "1", "NEXT_TELEMETRY_DISABLED": "1"}
        self.modules: Path | None = None
        if packages := self.head.get("npm"):
            self.modules = self._npm(cache / f"{name} {' '.join(packages)}".replace("/", "-"), packages)
        if packages := self.head.get("pip"):
            self._pip(cache / f"{name} {' '.join(packages)}", packages)
        if absent := missing(name):
            raise NotHere(f"{' and '.join(absent)} not installed here")
        command = self.head.get("command")
        if command and not shutil.which(command):
            raise NotHere(f"the system has no program {command}")

    def _npm(self, folder: Path, packages: list[str]) -> Path:
        if not shutil.which("npm"):
            raise NotHere("npm is not installed")
        if not (folder / "node_modules").is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text('{"private": true}')
            self._run(["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], folder)
        self.environment["PATH"] = f"{folder / 'node_modules' / '.bin'}{os.pathsep}{self.environment['PATH']}"
        return folder / "node_modules"

    def _pip(self, folder: Path, packages: list[str]) -> None:
        if not (folder / "venv").is_dir():
            self._run([sys.executable, "-m", "venv", str(folder / "venv")], ROOT)
            self._run([str(folder / "venv/bin/python"), "-m", "pip", "install", "-q", *packages], ROOT)
        self.environment["PATH"] = f"{folder / 'venv/bin'}{os.pathsep}{self.environment['PATH']}"

    def _run(self, command: list[str], folder: Path) -> None:
        done = subprocess.run(
            command, cwd=folder, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        if done.returncode:
            raise NotHere(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-3000:]}")

    def build(self, folder: Path, block: Block) -> None:
        step = block.marks.get("build") or Path(block.marks["served"]).parts[0]
        if self.modules and not (folder / "node_modules").exists():
            # A copy: some generators refuse links that lead out of the project.
            shutil.copytree(self.modules, folder / "node_modules", symlinks=True)
        before = {path: path.read_bytes() for path in folder.glob(self.head["pages"])}
        if script := self.head.get("render"):
            python = "python" if self.head.get("pip") else sys.executable
            runner = {".php": "php", ".rb": "ruby", ".py": python}[Path(script).suffix]
            self._run([runner, str(ROOT / "benchmarks" / "stacks" / script), step], folder)
        else:
            self._run(["bash", "-ec", block.text], folder)
        for path in folder.glob(self.head["pages"]):
            if path not in before or data_of(before[path]) != data_of(path.read_bytes()):
                self.pages[f"{step}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()


def build(name: str, cache: Path) -> dict[str, bytes]:
    """Pages that the generator of a guide makes. Raises NotHere."""
    builder = Builder(name, cache)
    with tempfile.TemporaryDirectory() as folder:
        follow(name, Path(folder), builder.build)
    return builder.pages


def record(name: str, pages: dict[str, bytes]) -> None:
    folder = RECORDED / name
    shutil.rmtree(folder, ignore_errors=True)
    for path, page in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(page)
    head = stacks.head(name)
    made_by = [*head.get("npm", ()), *head.get("pip", ()), head.get("command"), head.get("render")]
    note = {"sources": sources(name), "date": f"{datetime.now(UTC):%Y-%m-%d}", "by": [each for each in made_by if each]}
    (folder / "recorded.json").write_text(f"{json.dumps(note)}\n", "utf-8")


def data_of(page: bytes) -> Any:
    """Structured data of a page: scripts and styles of the generator change with each build."""
    return waypost.extract(page.decode("utf-8", "replace"))


def main() -> int:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="guides (default: all)")
    parser.add_argument("--record", action="store_true", help="record the pages")
    parser.add_argument("--cache", metavar="DIR", type=Path, help="folder for the installed packages")
    options = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.names or stacks.names():
            if not stacks.head(name).get("pages"):
                continue
            try:
                pages = build(name, (options.cache or Path(temporary)).absolute())
            except NotHere as reason:
                print(f"{name}: not built: {reason}")
                continue
            if options.record:
                record(name, pages)
            differing = [path for path, page in pages.items()
                         if not (RECORDED / name / path).is_file()
                         or data_of(page) != data_of((RECORDED / name / path).read_bytes())]  # fmt: skip
            status |= bool(differing or not pages)
            print(f"{name}: {len(pages)} pages, {len(differing)} other than on record {' '.join(differing)}".rstrip())
    return status


if __name__ == "__main__":
    sys.exit(main())
