"""Compare what two checkouts of waypost do with the same pages, and the sites that they build.

    python tools/same.py BEFORE AFTER [--pages FOLDER]... [--no-site] [--show 5]

BEFORE and AFTER are checkouts, each with an environment in `.venv`. Compared are the JSON reports on the case files,
the sample site and the pages of each FOLDER, all as they lie in BEFORE, file by file; and the bytes of each file of
the site that `waypost build` makes of each checkout. Versions, dates, and the digests of registry and assets are
masked.
Prints the numbers of equal records and a diff of the first differences; exit status 1 if there are any.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

NOW = "2026-11-20"
CASES = ("tests/cases", "examples/site")
COMPRESSED = {".gz", ".br", ".zst"}
"""Endings of files that repeat another one, which is compared."""
_VERSIONS = "import waypost, waypost.registry; print(waypost.__version__, waypost.registry.load().version)"
_DATE = re.compile(rb"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")
_ASSET = re.compile(rb"\.[0-9a-f]{10}(?=\.\w+\b)")
"""Digest in the name of an asset: the asset's own bytes are compared."""
_REGISTRY_FILES = re.compile(rb"(?<=REGISTRY</code></a>, )\d+(?= files)")
"""Number of files next to the digest in each page's footer."""
Records = dict[str, bytes]


def run(tree: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    python = tree / ".venv" / "bin" / "python"
    return subprocess.run([str(python), *arguments], cwd=cwd, capture_output=True, check=False)


def masks(tree: Path) -> list[tuple[bytes, bytes]]:
    """Byte strings of a checkout that differ by nature, with what replaces them."""
    done = run(tree, "-c", _VERSIONS, cwd=tree)
    if done.returncode:
        raise SystemExit(f"{tree}: {done.stderr.decode()}")
    version, registry = done.stdout.split()
    return [(registry, b"REGISTRY"), (version, b"VERSION")]


def masked(data: bytes, names: list[tuple[bytes, bytes]]) -> bytes:
    for name, mask in names:
        data = re.sub(rb"(?<![\w.])" + re.escape(name) + rb"(?![\w])", mask, data)
    return _REGISTRY_FILES.sub(b"N", _ASSET.sub(b".DIGEST", _DATE.sub(b"DATE", data)))


def reports(tree: Path, folders: list[str], cwd: Path) -> Records:
    """JSON report of each file, by path."""
    options = ["--format", "json", "--no-config", "--no-cache", "--no-gitignore", "--now", NOW]
    done = run(tree, "-m", "waypost", "validate", *options, *folders, cwd=cwd)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"{tree}: {done.stderr.decode()}") from None
    return {file["path"]: json.dumps(file, indent=1, ensure_ascii=False).encode() for file in report["files"]}


def site(tree: Path, output: Path) -> Records:
    """Content of each file of the built site, by path."""
    done = run(tree, "-m", "waypost", "build", "--output", str(output), cwd=tree)
    if done.returncode:
        raise SystemExit(f"{tree}: {done.stdout.decode()}{done.stderr.decode()}")
    files = sorted(path for path in output.rglob("*") if path.is_file() and path.suffix not in COMPRESSED)
    names = (str(path.relative_to(output)).encode() for path in files)
    return {_ASSET.sub(b"", name).decode(): path.read_bytes() for name, path in zip(names, files, strict=True)}


def differences(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    """Paths whose records differ, or are in one of both only."""
    return (path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path))


def diff(path: str, before: bytes | None, after: bytes | None) -> Iterator[str]:
    if before is None or after is None:
        yield f"{path}: only in {'AFTER' if before is None else 'BEFORE'}"
        return
    try:
        texts = [data.decode().splitlines() for data in (before, after)]
    except UnicodeDecodeError:
        yield f"{path}: {len(before)} and {len(after)} bytes, no text"
        return
    yield from difflib.unified_diff(*texts, f"BEFORE/{path}", f"AFTER/{path}", lineterm="", n=1)


def compare(what: str, before: Records, after: Records, names: list[list[tuple[bytes, bytes]]], show: int) -> bool:
    """Whether all records are equal; prints the result."""
    old, new = (
        {path: masked(data, n) for path, data in r.items()} for r, n in zip((before, after), names, strict=True)
    )
    different = list(differences(old, new))
    print(f"{what}: {len(old.keys() | new.keys()) - len(different)} equal, {len(different)} different")
    for path in different[:show]:
        for line in list(diff(path, old.get(path), new.get(path)))[:40]:
            print(f"  {line[:300]}")
    return not different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--pages", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--no-site", action="store_true")
    parser.add_argument("--show", type=int, default=5, help="differences of each kind to print")
    options = parser.parse_args()
    trees = [options.before.resolve(), options.after.resolve()]
    names = [masks(tree) for tree in trees]
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs"
        for name in CASES:
            shutil.copytree(trees[0] / name, inputs / name)
        folders = [*CASES, *(str(pages.resolve()) for pages in options.pages)]
        before, after = (reports(tree, folders, inputs) for tree in trees)
        same = compare("reports", before, after, names, options.show)
        if not options.no_site:
            before, after = (site(tree, Path(folder) / f"site{number}") for number, tree in enumerate(trees))
            same = compare("files of the site", before, after, names, options.show) and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
