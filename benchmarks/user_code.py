"""Code of a user against the public names: mypy --strict and pyright on a file, and a notebook that is executed.

    python benchmarks/user_code.py [--cache DIR]

pyright comes from npm, nbclient and ipykernel from PyPI, into a folder of their own; what cannot be had is passed by
with the reason. The status is 1 where a checker has an error, where it finds none in the file with a planted one, or
where the notebook fails or shows no report.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Kettle"}</script>'
FILE = f"""\
from collections.abc import Iterator
from pathlib import Path

import waypost
from waypost.rules import FindingDraft, Item

PAGE = {PAGE!r}
SEVERITY = "warning"
APPLIES_TO = {{"Product"}}


def check(product: Item) -> Iterator[FindingDraft]:
    name: str = product.text("name") or ""
    if not name:
        yield product.warning("name", "the name is missing", "add one")


checked = waypost.check(PAGE, url="https://www.example.com/")
lines: list[int] = [finding.line for finding in checked.findings]
names: list[str] = [verdict.name or "" for verdict in checked.verdicts]
rules: dict[str, str] = {{finding.rule: finding.severity for finding in checked.errors}}
text: str = checked.render("text")
plain: object = checked.to_dict()
types: list[tuple[str, ...]] = [item.types for item in waypost.extract(PAGE)]
fixed: str = waypost.fix(PAGE).text
pages: list[int] = [len(each.findings) for each in waypost.check_many([PAGE, Path("page.html")])]
"""
PLANTED = FILE + "lines = checked.render('text')\nchecked.no_such_name\n"
CELLS = (
    "import waypost",
    f"checked = waypost.check({PAGE!r})\nchecked",
    "[finding.rule for finding in checked.findings]",
    "waypost.extract(checked_page := " + repr(PAGE) + ")[0].data['name']",
)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=500
    )


def checkers(cache: Path) -> Iterator[tuple[str, list[str]]]:
    """(name, command) of the type checkers that can be had."""
    yield "mypy --strict", [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull]
    program = cache / "node_modules" / ".bin" / "pyright"
    try:
        if not program.is_file():
            run(["npm", "install", "--silent", "--no-audit", "--no-fund", "pyright@1.1.408"], cache)
    except OSError as reason:
        print(f"pyright: not tried: {reason}")
    if program.is_file():
        yield "pyright", [str(program), "--pythonpath", sys.executable]
    else:
        print("pyright: not tried: npm did not install it")


def types_are_right(name: str, command: list[str], folder: Path) -> bool:
    (folder / "user.py").write_text(FILE, "utf-8")
    (folder / "planted.py").write_text(PLANTED, "utf-8")
    right = run([*command, "user.py"], folder)
    wrong = run([*command, "planted.py"], folder)
    print(f"{name}: {right.stdout.strip().splitlines()[-1]}; with two planted errors: {wrong.stdout.splitlines()[-1]}")
    if right.returncode:
        print(right.stdout)
    return right.returncode == 0 and "2 errors" in wrong.stdout.replace("Found ", "")


def notebook_runs(cache: Path, folder: Path) -> bool | None:
    """Whether the notebook runs and shows a report; None where it cannot be tried."""
    packages = cache / "notebook"
    if not packages.is_dir():
        done = run(
            [sys.executable, "-m", "pip", "install", "-q", "--target", str(packages), "nbclient", "ipykernel"], ROOT
        )
        if done.returncode:
            print(f"notebook: not tried: {done.stdout[-500:]}")
            return None
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "source": cell,
            "outputs": [],
            "execution_count": None,
            "id": f"c{number}",
        }
        for number, cell in enumerate(CELLS)
    ]
    path = folder / "pages.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), "utf-8")
    execute = (
        "import nbformat, nbclient, json; book = nbformat.read('pages.ipynb', 4); "
        "nbclient.NotebookClient(book, kernel_name='python3', timeout=120).execute(); nbformat.write(book, 'pages.ipynb')"
    )
    environment = os.environ | {"PYTHONPATH": str(packages), "JUPYTER_PATH": str(packages / "share" / "jupyter")}
    done = subprocess.run(
        [sys.executable, "-c", execute], cwd=folder, env=environment, text=True, capture_output=True, check=False
    )
    if done.returncode:
        print(f"notebook: {done.stderr[-2000:]}")
        return False
    outputs = [cell["outputs"] for cell in json.loads(path.read_text("utf-8"))["cells"]]
    html = "".join(outputs[1][0]["data"].get("text/html", ""))
    print(f"notebook: {len(outputs)} cells; the report is {len(html)} characters of HTML")
    return "required-property-missing" in html


def main() -> int:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cache", metavar="DIR", type=Path, help="folder for the installed packages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cache = (options.cache or folder / "packages").absolute()
        cache.mkdir(parents=True, exist_ok=True)
        results = [types_are_right(name, command, folder) for name, command in checkers(cache)]
        results.append(notebook_runs(cache, folder) is not False)
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
