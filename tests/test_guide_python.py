"""The guide "waypost from Python": its examples give what they show, and its reference is made from the docstrings."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "site" / "docs" / "python.md").read_text("utf-8")


def test_every_example_gives_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    examples = "".join(re.findall(r"^```pycon\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))
    made = doctest.DocTestParser().get_doctest(examples, {}, "python.md", None, 0)
    runner = doctest.DocTestRunner(verbose=False)

    assert len(made.examples) > 10
    assert runner.run(made).failed == 0


def test_the_reference_is_made_from_the_docstrings() -> None:
    assert subprocess.run([sys.executable, ROOT / "tools" / "make_python.py", "--check"], check=False).returncode == 0
