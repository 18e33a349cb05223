"""One table: this checkout next to older ones and to the npm peer, alternated in one run.

    python benchmarks/commits.py PAGES [--tree CHECKOUT]... [--npm NODE_MODULES --vocabulary schemaorg-all-https.jsonld]
                                       [--counts 1,10,125,300,1000] [--rounds 3]

PAGES is a folder of .html or .html.gz files, which are unpacked and repeated up to the largest count. CHECKOUT is a work
tree of an older commit (`git worktree add FOLDER COMMIT`); its code runs in this interpreter, with these packages, so
that only waypost differs. For the peer: `npm install --prefix FOLDER @adobe/structured-data-validator@1.7.1
@marbec/web-auto-extractor@2.2.1`.

Printed are processor seconds (user and system) and MB at the peak of whole processes with `--jobs 1 --no-cache`, the
best of the rounds; milliseconds a page in a warm process; and of this checkout the share of each stage. Processor time
still grows on a busy machine, by half and more: compare within a row. Each output is parsed, and must have every page.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
VALIDATE = ["-m", "waypost", "validate", ".", "--format", "json", "--fail-on", "never", "--jobs", "1", "--no-cache"]
STAGES = ("parse_source", "evaluate_profiles", "_collect")
IN_PROCESS = f"""
import gc, json, sys, time
from pathlib import Path
try:
    from waypost.registry import shared_registry as registry
except ImportError:
    from waypost.registry import load as registry
try:
    from waypost.validate import pipeline
except ImportError:
    import waypost.validate as pipeline
rounds, stages = int(sys.argv[1]), dict.fromkeys({STAGES!r}, 0.0)
pages = [path.read_bytes() for path in sorted(Path().glob("*.html"))]
known, clock = registry(), time.process_time
def timed(name):
    function = getattr(pipeline, name)
    def call(*arguments, **named):
        began = clock()
        try:
            return function(*arguments, **named)
        finally:
            stages[name] += clock() - began
    setattr(pipeline, name, call)
def once():
    began = clock()
    for page in pages:
        pipeline.validate_page(page, known)
    return clock() - began
once()
gc.freeze()
best = min(once() for _ in range(rounds))
found = [name for name in stages if hasattr(pipeline, name)]
for name in found:
    timed(name)
whole = once()
print(json.dumps({{"ms": best * 1000 / len(pages), "stages": {{name: stages[name] / whole for name in found}}}}))
"""


class Cost(NamedTuple):
    """Processor seconds of a process, and MB at its peak."""

    seconds: float
    mb: float


def run(command: list[str], folder: Path, tree: Path | None) -> tuple[bytes, Cost]:
    """Output and cost of a process, in a folder, with the code of a checkout. Raises SystemExit where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if tree is not None:
        environment["PYTHONPATH"] = str(tree / "src")
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode:
        raise SystemExit(f"{tree or command[1]}: {' '.join(command)} ended with {process.returncode}")
    return text, Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def unpacked(pages: Path, folder: Path, counts: list[int]) -> dict[int, Path]:
    """Folder of each number of pages. The pages stand once on the disk and are linked."""
    originals = folder / "originals"
    originals.mkdir()
    found = sorted(p for p in pages.rglob("*.html*") if p.is_file())
    if not found:
        raise SystemExit(f"{pages}: there is no page in this folder")
    # One at a time: the peak of a process that is started has that of this one in it.
    for number, path in enumerate(found):
        data = path.read_bytes()
        (originals / f"{number}.html").write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
    made = {}
    for count in counts:
        made[count] = folder / str(count)
        made[count].mkdir()
        for number, origin in zip(range(count), itertools.cycle(range(len(found))), strict=False):
            os.link(originals / f"{origin}.html", made[count] / f"page{number:05}.html")
    return made


def commit(tree: Path) -> str:
    done = subprocess.run(["git", "log", "-1", "--format=%h"], cwd=tree, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def pages_in(name: str, text: bytes) -> int:
    """Number of pages in the output of a contestant."""
    found = json.loads(text)
    return len(found) if name == "npm peer" else len(found["files"])


def best_of(costs: list[Cost]) -> Cost:
    return Cost(min(each.seconds for each in costs), min(each.mb for each in costs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path)
    parser.add_argument("--tree", type=Path, action="append", default=[], metavar="CHECKOUT")
    parser.add_argument("--npm", type=Path, metavar="NODE_MODULES")
    parser.add_argument("--vocabulary", type=Path)
    parser.add_argument("--counts", default="1,10,125,300,1000")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    counts = [int(each) for each in options.counts.split(",")]
    trees = {commit(tree): tree.resolve() for tree in (HERE.parent, *options.tree)}
    python = [sys.executable, *VALIDATE]
    contestants: dict[str, tuple[list[str], Path | None]] = {name: (python, tree) for name, tree in trees.items()}
    if options.npm:
        node = ["node", str(HERE / "compare" / "validators.mjs"), "adobe", str(options.npm.resolve()), "."]
        vocabulary = [str(options.vocabulary.resolve())] if options.vocabulary else []
        contestants["npm peer"] = [*node, *vocabulary], None
    began, names = datetime.now(UTC), list(contestants)
    print(f"{began:%Y-%m-%d %H:%M} UTC, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, Python "
          f"{sys.version.split()[0]}, best of {options.rounds}\n")  # fmt: skip
    print("| processor s; MB | " + " | ".join(names) + " |\n|---|" + "---|" * len(names), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folders = unpacked(options.pages, Path(temporary), counts)
        for count, folder in folders.items():
            costs: dict[str, list[Cost]] = {name: [] for name in names}
            for number in range(options.rounds if count < max(counts) else 1):
                for name in names if number % 2 == 0 else reversed(names):
                    text, cost = run(contestants[name][0], folder, contestants[name][1])
                    if pages_in(name, text) != count:
                        raise SystemExit(f"{name}: {pages_in(name, text)} of {count} pages are in the output")
                    costs[name].append(cost)
            row = {name: best_of(found) for name, found in costs.items()}
            print(f"| {count} | " + " | ".join(f"{each.seconds:.2f}; {each.mb:.0f}" for each in row.values()) + " |",
                  flush=True)  # fmt: skip
        inside: dict[str, list[dict[str, object]]] = {name: [] for name in trees}
        for _ in range(options.rounds):
            for name, tree in trees.items():
                text, _cost = run([sys.executable, "-c", IN_PROCESS, "3"], Path(temporary) / "originals", tree)
                inside[name].append(json.loads(text))
    best = {name: min(found, key=lambda each: float(str(each["ms"]))) for name, found in inside.items()}
    cells = [f"{float(str(best[name]['ms'])):.2f}" if name in best else "" for name in names]
    print("| ms a page in a warm process | " + " | ".join(cells) + " |")
    stages = best[names[0]]["stages"]
    assert isinstance(stages, dict)
    shares = ", ".join(f"{name} {share * 100:.0f} %" for name, share in stages.items())
    print(f"\nStages of {names[0]}: {shares}. Load at the end {os.getloadavg()[0]:.1f}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
