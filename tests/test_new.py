"""tools/new.py: what it writes loads and runs as written, in a copy of the tree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COPIED = ("src", "schemas", "tools", "site", "tests/api", "tests/cases/signals/brands", "tests/cases/snippets",
          "tests/test_cases_rules.py", "tests/test_safety_signals.py", "tests/test_snippets.py",
          "tests/test_world.py", "tests/postgres.py")  # fmt: skip


PLACEHOLDER = re.compile(r"(?<!OR )\bREPLACE\b(?! \()")
TEXTS = {".css", ".html", ".js", ".json", ".md", ".py", ".toml"}


class Copy:
    """A copy of the tree, with the commands that a contributor runs in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.pyc.*"))
            else:
                shutil.copy(ROOT / name, root / name)
        shutil.copy(ROOT / "pyproject.toml", root / "pyproject.toml")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.root / 'src'}{os.pathsep}{self.root}"
        env = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return subprocess.run(
            [sys.executable, *words], cwd=self.root, env=env, capture_output=True, text=True, timeout=300
        )

    def done(self, *words: str) -> str:
        ran = self.run(*words)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def files(self) -> dict[str, tuple[int, int]]:
        """Size and time of the last change of each file."""
        found = {path: path.stat() for path in self.root.rglob("*") if "__pycache__" not in path.parts}
        return {str(path.relative_to(self.root)): (stat.st_size, stat.st_mtime_ns) for path, stat in found.items()}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    return Copy(tmp_path_factory.mktemp("tree"))


TESTS = {
    "tests/test_cases_rules.py": "demo-marker",
    "tests/test_safety_signals.py": "demo-marker",
    "tests/api/test_demo_marker_api.py": "demo_marker",
    "tests/test_snippets.py": "DatasetSnippet",
    "tests/test_world.py": "meta_schema or lies_where or belongs_to_two",
}
"""Files of tests that try something new, and the names of those that do."""


@pytest.fixture(scope="module")
def ran(copy: Copy) -> str:
    """What pytest told of all that is new: each kind of thing added, and then one run for all."""
    for page, name in (("operation", "demo-marker"), ("rule-table", "demo-marker"), ("signal", "demo-marker"),
                       ("mapping", "Dataset"), ("brand", "demomarker")):  # fmt: skip
        if page != "operation" or find_spec("litestar"):
            for command in commands_of(page, name):
                copy.done(*command)
    options = ("-rA", "-p", "no:cacheprovider", "-k", " or ".join(TESTS.values()))
    return copy.run("-m", "pytest", *options, *(name for name in TESTS if (copy.root / name).exists())).stdout


def commands_of(page: str, name: str) -> list[list[str]]:
    """Commands of a page of `docs/contributing`, for something new of this name."""
    text = (ROOT / "docs" / "contributing" / f"{page}.md").read_text("utf-8")
    found = re.findall(r"^    python (tools/.+)$", text, re.MULTILINE)
    assert found
    return [re.sub("NAME|TYPE", name, command).split() for command in found]


def check_passed(ran: str, file: str) -> None:
    """Check that tests of a file ran, and that all of them passed."""
    outcomes = {line.split()[0] for line in ran.splitlines() if line.partition(" ")[2].startswith(file)}
    assert outcomes == {"PASSED"}, ran


def test_a_new_rule_is_reported_and_its_cases_pass(copy: Copy, ran: str) -> None:
    check_passed(ran, "tests/test_cases_rules.py")
    assert "info demo-marker" in (copy.root / "tests/cases/rules/demo-marker/expected.json").read_text("utf-8")


def test_a_new_signal_fires_and_its_code_is_published(copy: Copy, ran: str) -> None:
    check_passed(ran, "tests/test_safety_signals.py")
    assert '"demo_marker"' in (copy.root / "schemas/api/decision.schema.json").read_text("utf-8")


def test_a_new_endpoint_answers_and_is_in_the_description(copy: Copy, ran: str) -> None:
    pytest.importorskip("litestar", reason="the extra server is not installed")
    check_passed(ran, "tests/api/test_demo_marker_api.py")
    assert '"/v1/demo-marker"' in (copy.root / "schemas/api/openapi.json").read_text("utf-8")
    assert "demo_marker = async_method(demo_marker)" in (copy.root / "src/waypost/client/operations.py").read_text(
        "utf-8"
    )


def test_a_new_mapping_makes_a_card_of_its_input(copy: Copy, ran: str) -> None:
    check_passed(ran, "tests/test_snippets.py")
    made = (copy.root / "tests/cases/snippets/DatasetSnippet/expected.json").read_text("utf-8")
    assert '"service_type": "DatasetSnippet"' in made


def test_the_service_draws_a_card_of_a_new_kind(copy: Copy) -> None:
    pytest.importorskip("litestar", reason="the extra server is not installed")
    copy.done("tools/new.py", "mapping", "Movie")
    copy.done("tools/make_openapi.py")

    copy.done("-c", "from waypost.service.page_work import warm_up; warm_up()")


def test_a_new_brand_is_valid_and_its_domain_known(copy: Copy, ran: str) -> None:
    check_passed(ran, "tests/test_world.py")
    read = "from waypost.registry.world import load; print(load().brand_at('demomarker.test').slug)"
    assert copy.done("-c", read).strip() == "demomarker"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rule", "Bad_Name"), "'Bad_Name' is no name"),
        (("rule", "../escape"), "'../escape' is no name"),
        (("rule", "author-as-text"), "taken: there is schemas/checks/author-as-text.json"),
        (("signal", "unusual-port"), "taken: there is src/waypost/safety/signals/unusual_port.py"),
        (("signal", "shortener-url"), "there is a code shortener_url"),
        (("endpoint", "lookup"), "taken: there is src/waypost/operations/lookup.py"),
        (("mapping", "quiz"), "'quiz' is no type of schema.org"),
        (("mapping", "Quiz"), "Quiz belongs to"),
        (("mapping", "Podcast"), "schema.org has no type Podcast"),
        (("brand", "ebay"), "taken: there is src/waypost/data/brands/e/ebay.json"),
    ],
)
def test_a_bad_or_taken_name_is_rejected_without_files(copy: Copy, words: tuple[str, str], message: str) -> None:
    before = copy.files()

    ran = copy.run("tools/new.py", *words)

    assert ran.returncode == 2
    assert message in ran.stderr
    assert copy.files() == before


WEIGHTS = """
import json
from waypost.pages import budgets, bundle
from waypost.registry import load
print(json.dumps({name.partition(".")[0]: budgets.gzipped(data) for name, data in bundle.scripts(load()).items()}))
"""


@pytest.mark.skipif(not find_spec("jinja2"), reason="the extra site is not installed")
def test_a_rule_fits_into_its_budget(copy: Copy) -> None:
    """A budget raised by its command has room for 5 %: several rules fit before anyone has to raise it again."""
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "docs/contributing/rule.md").read_text("utf-8"), re.DOTALL)
    before = json.loads(copy.done("-c", WEIGHTS))
    copy.done("tools/new.py", "rule", "weighed-marker")
    copy.done("tools/make_expected.py", "weighed-marker")
    for number, example in enumerate(examples):
        module = copy.root / f"src/waypost/validate/rules/weighed_example_{number}.py"
        module.write_text(
            f'"""Example {number}. Source: https://schema.org/, read 2026-11-20."""\n\n{example}', "utf-8"
        )

    after = json.loads(copy.done("-c", WEIGHTS))

    most = json.loads((ROOT / "site" / "budgets.json").read_text("utf-8"))["on_demand"]
    room = {name: 0.05 / 1.05 * most[name] for name in after}
    growth = {name: after[name] - before[name] for name in after}
    assert growth["validating"] > 0
    assert {name: size for name, size in growth.items() if size > room[name] / 2} == {}, "four rules take half the room"


def test_a_dry_run_names_the_files_and_writes_none(copy: Copy) -> None:
    before = copy.files()

    out = copy.done("tools/new.py", "signal", "another-marker", "--dry-run")

    assert "would write src/waypost/safety/signals/another_marker.py" in out
    assert "would change src/waypost/data/codes.json" in out
    assert copy.files() == before


def test_no_placeholder_of_a_new_file_is_left() -> None:
    """`tools/new.py` writes REPLACE where a contributor has to write; SQL has it too."""
    files = [path for folder in ("src", "schemas", "site") for path in (ROOT / folder).rglob("*")]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files if path.suffix in TEXTS}

    assert len(texts) > 500
    assert [name for name, text in texts.items() if PLACEHOLDER.search(text)] == []
