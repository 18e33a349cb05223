"""What a killed process had acknowledged is there, and a loss would be found; `benchmarks/crash.py` kills 30 times."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CRASH = Path(__file__).parents[2] / "benchmarks" / "crash.py"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")


def crash(*options: str) -> tuple[int, list[str]]:
    done = subprocess.run([sys.executable, str(CRASH), *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()[-1:] or [done.stderr]


@POSIX
def test_a_killed_process_loses_nothing_acknowledged() -> None:
    status, (summary,) = crash("--times", "2", "--seed", "7")

    assert summary.startswith("2 kills, ")
    assert summary.endswith(" acknowledged, 0 lost, 0 torn")
    assert status == 0


@POSIX
def test_an_early_acknowledgement_is_found_to_be_lost() -> None:
    status, (summary,) = crash("--times", "2", "--careless")

    assert status == 1
    assert " 0 lost" not in summary
    assert summary.endswith(", 0 torn")
