"""How long the site takes: the whole build, a second one, and a build by a watch after each kind of edit.

    python benchmarks/site.py [--rounds 5]

Each round is a fresh process, with the modules' bytecode at hand as any second build has it; the first build of a fresh
clone is told by itself. Wall and processor time are both told: on a busy machine only the latter says much.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def built(folder: str) -> dict[str, float]:
    began = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "waypost", "build", "--output", folder, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(done.stdout), "wall_s": time.perf_counter() - began, "cpu_s": used}


# What people edit while they watch, by what it is.
EDITS = {
    "nothing": "",
    "a guide": "site/docs/agents.md",
    "a template": "site/templates/rule.html",
    "the layout": "site/templates/layout.html",
    "a stylesheet": "site/css/parts.css",
    "a mapping": "schemas/mappings/recipe.schema.json",
    "a rich result": "schemas/profiles/google/recipe.json",
    "an example": "tests/cases/rules/price-invalid/bad-comma.json",
}


def watched() -> dict[str, dict[str, float]]:
    """Wall and processor seconds of a build by a watch, by kind of edit; the check for changes included.

    In a copy of the checkout, by a process that imports from it: nothing of this one is touched.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "checkout")
        for name in ("src", "site", "schemas", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "CHANGELOG.md"):
            shutil.copy(ROOT / name, copy)
        output = subprocess.run(
            [sys.executable, __file__, "--edit", str(copy)],
            env=os.environ | {"PYTHONPATH": str(copy / "src")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(output.stdout)


def edit(root: Path) -> None:
    """Make each edit in a checkout and build again as `waypost build --watch` does."""
    from waypost.cli import build as command
    from waypost.pages import Settings, watch

    assert Path(watch.__file__).is_relative_to(root), watch.__file__
    gc.disable()  # as the command line does
    command.write = list
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        arguments = argparse.Namespace(output=Path(folder), watch=True, json=True)
        build_once = command.builder(arguments, Settings(checked=False))
        build_once()
        for kind, name in EDITS.items():
            path = root / name
            data = path.read_bytes() if name else b""
            if name.endswith(".html"):
                path.write_bytes(data.replace(b"</", b"<!-- edited --></", 1))
            elif name.startswith("schemas/"):
                what = b'"description": "' if b'"x-fields"' in data else b'"title": "'
                path.write_bytes(data.replace(what, what + b"Edited ", 1))
            elif name.endswith(".json"):
                path.write_bytes(data.replace(b'"@type"', b' "@type"', 1))
            elif name.endswith(".css"):
                path.write_bytes(data + b".edited { margin: 0; }\n")
            elif name:
                path.write_bytes(data + b"\nOne sentence more.\n")
            wall, used = time.perf_counter(), time.process_time()
            watch.stamps()
            build_once()
            found[kind] = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - used}
            if name:
                path.write_bytes(data)
                build_once()
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--edit", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.edit:
        edit(options.edit)
        return
    rounds = options.rounds
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as bytecode:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = bytecode
        first = built(folder)
        runs = [built(folder) for _ in range(rounds)]
        os.environ.pop("PYTHONPYCACHEPREFIX")
    print(f"the first build of a clone: {first['wall_s']:.2f} s, rendered in {first['render_s']:.2f} s")
    best = {name: round(min(run[name] for run in runs), 3) for name in runs[0] if name.endswith("_s")}
    last = runs[-1]
    print(f"{last['pages']} pages, {last['files']} files; best of {rounds}:", json.dumps(best))
    print(f"a second build writes {last['written']} files")
    times = [watched() for _ in range(rounds)]
    for kind in EDITS:
        wall, used = (min(each[kind][name] for each in times) for name in ("wall_s", "cpu_s"))
        print(f"by a watch, {kind}: {wall:.2f} s, {used:.2f} s of the processor")


if __name__ == "__main__":
    main()
