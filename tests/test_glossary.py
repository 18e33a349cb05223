"""Names and docstrings use the words of docs/glossary.md."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "waypost"
PRONOUNS_IN_100 = 6


def code_report() -> ModuleType:
    """`tools/code_report.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("code_report", ROOT / "tools" / "code_report.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a NamedTuple looks its module up
    spec.loader.exec_module(module)
    return module


REPORT = code_report()
PARTS = {path.stem: REPORT.python_files([str(path)]) for path in sorted(SOURCE.iterdir()) if path.suffix in ("", ".py")}
PARTS = {name: files for name, files in PARTS.items() if files}


@pytest.mark.parametrize("part", PARTS)
def test_no_name_has_a_word_that_the_glossary_replaces(part: str) -> None:
    uses = [f"{use.path.name}:{use.line} {use.name}" for use in REPORT.uses(PARTS[part], REPORT.replaced_words())]

    assert not uses, f"{len(uses)} names, see tools/code_report.py words src/waypost/{part}"


@pytest.mark.parametrize("part", PARTS)
def test_docstrings_name_their_subjects_instead_of_pointing_at_them(part: str) -> None:
    texts = [REPORT.prose(path) for path in PARTS[part]]
    share = 100 * sum(text.pronouns for text in texts) / max(1, sum(text.words for text in texts))

    assert share <= PRONOUNS_IN_100, f"{share:.1f} pronouns in 100 words, see tools/code_report.py docs {part}"
