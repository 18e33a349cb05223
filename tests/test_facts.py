"""Ages of the facts in the registry, as `tools/check_facts.py` shows them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    tool = ROOT / "tools" / "check_facts.py"
    return subprocess.run([sys.executable, str(tool), *arguments], capture_output=True, text=True, check=False)


def test_every_kind_of_fact_has_a_line() -> None:
    ran = run("--today", "2026-11-28")

    kinds = [line.partition(":")[0] for line in ran.stdout.splitlines()]
    assert ran.returncode == 0
    assert {
        "brands",
        "checks",
        "feeds",
        "generators",
        "messages",
        "policies",
        "profiles",
        "rules",
        "vocabulary",
    } <= set(kinds)


def test_old_facts_are_printed_with_their_sources(tmp_path: Path) -> None:
    folder = tmp_path / "schemas" / "generators"
    folder.mkdir(parents=True)
    for name, day in (("old", "2026-01-01"), ("new", "2026-11-01")):
        fact = {"name": name, "fixes": [{"read": day, "source": f"https://example.com/{name}"}]}
        (folder / f"{name}.json").write_text(json.dumps(fact))

    ran = run("--root", str(tmp_path), "--today", "2026-11-28", "--older-than", "90")

    assert ran.returncode == 1
    assert "read again: schemas/generators/old.json (2026-01-01): https://example.com/old" in ran.stdout
    assert "read again: schemas/generators/new.json" not in ran.stdout


def test_a_job_runs_the_check_each_month() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "facts.yml").read_text("utf-8"))

    assert job[True]["schedule"] == [{"cron": "17 5 3 * *"}]  # YAML reads the key `on` as true
    assert job["jobs"]["age"]["steps"][-1]["run"].startswith("python tools/check_facts.py --older-than")
