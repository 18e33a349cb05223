"""Bundle the editor of the validate page, site/vendor/editor.js, from the pinned packages of tools/editor.

    python tools/make_editor.py [--check] [--modules FOLDER]

Needs npm, and the npm registry unless `--modules` names a folder that has the packages (`npm ci` in tools/editor). The
bundle is committed, so neither an installation nor a build of the site needs Node. `--check` writes nothing and exits
with status 1 if the bundle differs from what the packages give.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tools" / "editor"
BUNDLE = ROOT / "site" / "vendor" / "editor.js"
INPUTS = ("editor.js", "package.json", "package-lock.json")
OPTIONS = ("--bundle", "--minify", "--format=iife", "--global-name=WaypostEditor", "--target=es2022", "--charset=utf8",
           "--legal-comments=none", "--log-level=warning")  # fmt: skip


def digest_of_inputs() -> str:
    """SHA-256 over the files that decide what the bundle holds."""
    return hashlib.sha256(b"\0".join((FOLDER / name).read_bytes() for name in INPUTS)).hexdigest()


def packages(modules: Path) -> list[tuple[str, str, str]]:
    """(name, version, licence text) of each package in the bundle, in order of name.

    modules   folder `node_modules`
    """
    locked = json.loads((FOLDER / "package-lock.json").read_bytes())["packages"]
    found = []
    for place, package in sorted(locked.items()):
        if not place or package.get("dev"):
            continue
        folder = modules.parent / place
        version = json.loads((folder / "package.json").read_bytes())["version"]
        if version != package["version"]:
            sys.exit(f"{place} is {version}, and tools/editor/package-lock.json names {package['version']}")
        found.append((place.removeprefix("node_modules/"), version, (folder / "LICENSE").read_text("utf-8").strip()))
    return found


def banner(modules: Path) -> str:
    """Comment at the head of the bundle: where it comes from, its packages, and each licence once."""
    by_text: dict[str, list[str]] = {}
    for name, version, text in packages(modules):
        by_text.setdefault(text, []).append(f"{name} {version}")
    licences = "\n\n".join(f"{', '.join(names)}:\n\n{text}" for text, names in by_text.items())
    return f"/*! Made by tools/make_editor.py; SHA-256 of its inputs: {digest_of_inputs()}\n\n{licences}\n*/\n"


def bundle(modules: Path) -> bytes:
    """The bundle, from a folder `node_modules` with the packages of tools/editor and esbuild."""
    with tempfile.TemporaryDirectory() as folder:
        # esbuild looks for packages from the file that imports them.
        work = Path(folder)
        shutil.copy(FOLDER / "editor.js", work)
        (work / "node_modules").symlink_to(modules.resolve(), target_is_directory=True)
        command = [str(modules.resolve() / ".bin" / "esbuild"), "editor.js", *OPTIONS]
        made = subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE).stdout
    return banner(modules).encode() + made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--modules", type=Path, help="folder node_modules with the packages, in place of `npm ci`")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        modules = given.modules
        if modules is None:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(FOLDER / name, folder)
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-fund", "--no-audit"], cwd=folder, check=True)
            modules = Path(folder) / "node_modules"
        made = bundle(modules)
    if given.check:
        if BUNDLE.read_bytes() != made:
            sys.exit("site/vendor/editor.js is out of date: run python tools/make_editor.py")
        return
    BUNDLE.parent.mkdir(exist_ok=True)
    BUNDLE.write_bytes(made)
    print(f"{BUNDLE.relative_to(ROOT)}: {len(made)} bytes")


if __name__ == "__main__":
    main()
