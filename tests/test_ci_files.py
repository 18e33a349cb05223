"""What other people's CI takes from this repository: the action, the GitLab job and the hooks, run as it runs them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost import __version__
from waypost.identity import REPOSITORY

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parent.parent
FAULTY = """<!doctype html>
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Event", "name": "x",
"location": {"@type": "Place", "address": "y"}, "startDate": "2026-02-31", "inlanguage": "en"}</script>
"""
CLEAN = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Thing", "name": "x"}</script>\n'
)

pytestmark = pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="runs shell scripts")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one faulty and one clean page, and a `waypost` in `bin/` beside it."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.html").write_text(FAULTY)
    (work / "b.html").write_text(CLEAN)
    shim = tmp_path / "bin" / "waypost"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m waypost "$@"\n')
    shim.chmod(0o755)
    for name in ("NO_COLOR", "FORCE_COLOR", "WAYPOST_SITE", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    return work


class Runner:
    """A runner of GitHub Actions, as far as a step can see it."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.temporary = work.parent / "temporary"
        self.temporary.mkdir()
        self.steps: dict[str, dict[str, Any]] = {
            step.get("id") or step["name"]: step for step in read("action.yml")["runs"]["steps"] if "run" in step
        }

    def run(self, step: str, **environment: str) -> tuple[int, str, dict[str, str], str]:
        """(status, what was printed, outputs, summary) of a step"""
        output, summary = self.temporary / "output", self.temporary / "summary"
        output.write_text("")
        summary.write_text("")
        script = self.temporary / "step.sh"
        script.write_text(self.steps[step]["run"])
        known = {
            "PATH": os.environ["PATH"], "HOME": str(self.temporary), "RUNNER_TEMP": str(self.temporary),
            "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTION_PATH": str(ROOT),
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=self.work, text=True,
            env=known | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
        )  # fmt: skip
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done.returncode, done.stdout, outputs, summary.read_text()

    def inputs(self, **given: str) -> dict[str, str]:
        """The environment of the step `validate`: each input as its default or as given."""
        declared = read("action.yml")["inputs"]
        environment = {"WAYPOST_BIN": str(self.work.parent / "bin")}
        for name, value in self.steps["validate"]["env"].items():
            if found := re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value):
                environment[name] = given.pop(found[1].replace("-", "_"), str(declared[found[1]]["default"]))
        assert not given
        return environment


@pytest.fixture
def runner(workspace: Path) -> Runner:
    return Runner(workspace)


def test_the_action_annotates_writes_sarif_and_fails_last(runner: Runner) -> None:
    status, printed, outputs, summary = runner.run("validate", **runner.inputs())

    assert status == 0, "the results are uploaded before the job fails"
    assert "::error file=a.html,line=3," in printed
    assert outputs == {"status": "1", "sarif": "waypost.sarif"}
    assert "date-not-in-calendar" in summary
    assert '"2.1.0"' in (runner.work / "waypost.sarif").read_text()
    assert runner.run("Pass or fail", STATUS=outputs["status"])[0] == 1
    assert runner.run("Pass or fail", STATUS="0")[0] == 0
    assert runner.run("Pass or fail", STATUS="")[0] == 3


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"paths": "b.html"}, "0"),
        ({"fail_on": "never"}, "0"),
        ({"paths": "a.html\nb.html\n", "args": "--rule\ndate-not-in-calendar=off\n"}, "0"),
        ({"paths": "b.html\nno such file.html"}, "3"),
        ({"paths": "--help"}, "3"),
        ({"args": "--no-such-option"}, "2"),
    ],
)
def test_its_inputs_have_their_effects(runner: Runner, given: dict[str, str], status: str) -> None:
    assert runner.run("validate", **runner.inputs(**given))[2]["status"] == status


@pytest.mark.parametrize("folder", ["_site", "dist", ".vitepress/dist", ".output/public"])
def test_without_paths_the_built_pages_are_checked(runner: Runner, folder: str) -> None:
    (runner.work / folder).mkdir(parents=True)
    (runner.work / ".gitignore").write_text(f"/{folder}/\n")
    (runner.work / folder / "index.html").write_text(CLEAN)

    status, printed, outputs, _ = runner.run("validate", **runner.inputs())

    assert (status, outputs["status"]) == (0, "0"), "a.html is the source of a page"
    assert f"checking {folder}\n" in printed


def test_a_baseline_is_an_input_too(runner: Runner) -> None:
    runner.run("validate", **runner.inputs(baseline="known.json", args="--write-baseline"))

    assert runner.run("validate", **runner.inputs(baseline="known.json"))[2]["status"] == "0"


@pytest.mark.parametrize("names", [("paths", "args"), ("fail_on", "baseline", "summary"), ("sarif",)])
def test_nothing_in_an_input_is_run(runner: Runner, names: tuple[str, ...]) -> None:
    evil = "$(touch pwned) `touch pwned`; touch pwned\n\"; touch pwned; '\n|| touch pwned"

    runner.run("validate", **runner.inputs(**dict.fromkeys(names, evil)))

    assert not (runner.work / "pwned").exists()


def test_scripts_have_no_expressions_and_references_resolve() -> None:
    action = read("action.yml")
    steps = action["runs"]["steps"]
    identifiers = {step["id"] for step in steps if "id" in step}

    assert all("${{" not in step.get("run", "") for step in steps)
    assert all(step["shell"] == "bash" for step in steps if "run" in step)
    assert all(re.search(r"@[0-9a-f]{40}\Z", step["uses"]) for step in steps if "uses" in step), "pinned by commit"
    text = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"steps\.(\w+)\.", text)) <= identifiers
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action["inputs"])
    assert all(each["description"] for each in (*action["inputs"].values(), *action["outputs"].values()))


def test_what_the_action_installs_is_itself_with_its_pins(runner: Runner) -> None:
    shims = runner.temporary / "shims"
    shims.mkdir()
    python = shims / "python"
    python.write_text(
        '#!/bin/sh\nif [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; else echo "$@"; fi\n'
    )
    python.chmod(0o755)

    status, printed, outputs, _ = runner.run("install", PATH=f"{shims}:{os.environ['PATH']}")

    assert (status, outputs) == (0, {"bin": f"{runner.temporary}/waypost/bin"})
    assert shlex.split(printed)[-3:] == ["--constraint", f"{ROOT}/constraints.txt", str(ROOT)]


def gitlab(workspace: Path, shell: str, **variables: str) -> subprocess.CompletedProcess[str]:
    job = read("ci/gitlab/waypost.yml")["waypost"]
    known = {name: value for name, value in job["variables"].items() if name.startswith("WAYPOST_")}
    known |= {"PATH": os.environ["PATH"], "HOME": str(workspace), "WAYPOST_BIN": str(workspace.parent / "bin")}
    return subprocess.run(
        [shell, "-e", "-c", "\n".join(job["script"])], cwd=workspace, text=True, env=known | variables,
        capture_output=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_the_job_for_gitlab_writes_both_reports(workspace: Path, shell: str) -> None:
    done = gitlab(workspace, shell, WAYPOST_PATHS="a.html\nb.html", WAYPOST_ARGS="--fail-on\nwarning")

    assert done.returncode == 1
    assert "date-not-in-calendar" in done.stdout, "the log of the job has the text"
    reports = read("ci/gitlab/waypost.yml")["waypost"]["artifacts"]["reports"]
    assert all((workspace / name).is_file() for name in reports.values())


def test_nothing_in_a_variable_of_gitlab_is_run(workspace: Path) -> None:
    evil = "$(touch pwned)\n`touch pwned`; touch pwned\nEND_OF_PATHS\ntouch pwned"

    gitlab(workspace, "sh", WAYPOST_PATHS=evil, WAYPOST_ARGS=evil)

    assert not (workspace / "pwned").exists()


def test_the_version_that_gitlab_installs_is_this_one() -> None:
    assert (
        read("ci/gitlab/waypost.yml")["waypost"]["variables"]["WAYPOST_INSTALL"]
        == f"waypost @ git+{REPOSITORY}@v{__version__}"
    )


def test_hooks_check_and_fix_the_files_they_are_given(workspace: Path) -> None:
    hooks = {hook["id"]: hook for hook in read(".pre-commit-hooks.yaml")}
    path = f"{workspace.parent / 'bin'}:{os.environ['PATH']}"

    def run(name: str, *files: str) -> int:
        command = [*shlex.split(hooks[name]["entry"]), *hooks[name].get("args", []), *files]
        ran = subprocess.run(
            command, cwd=workspace, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=60
        )
        assert "no effect" not in ran.stderr, "a hook's own options are not the reader's concern"
        return ran.returncode

    assert run("waypost", "b.html") == 0
    assert run("waypost", "a.html", "b.html") == 1
    assert run("waypost-fix", "a.html") == 1
    assert (workspace / "a.html").read_text() == FAULTY.replace("inlanguage", "inLanguage")
    (workspace / "waypost.toml").write_text('exclude = ["a.html"]\n')
    assert run("waypost", "a.html") == 0, "a hook names files that the configuration leaves out"


def test_the_hooks_are_written_as_pre_commit_reads_them() -> None:
    for hook in read(".pre-commit-hooks.yaml"):
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
        assert "json" not in hook["types_or"], "most JSON of a repository is no linked data"
