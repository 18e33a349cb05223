"""The published tables of decisions are what the engine decides."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "make_decision_tables.py"))


def test_the_published_tables_are_what_the_engine_decides() -> None:
    made = "\n".join(TOOL["lines"]()) + "\n"

    assert (ROOT / "docs" / "decision-tables.md").read_text("utf-8") == made


def test_a_payment_goes_ahead_only_without_another_brand() -> None:
    rows = [line.split(" | ") for line in TOOL["lines"]() if line.startswith("| ") and "the caller names" not in line]

    others = [row for row in rows if len(row) == 6 and "review of its own" not in row[0]]
    allowed = {row[1] for row in others if row[2] == "allow"}

    assert allowed == {"no one", "ACME, by name", "ACME, by domain", "a brand of ACME's group"}
