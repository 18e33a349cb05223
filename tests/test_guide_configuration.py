"""The guide about the configuration: its blocks are run, its keys are those of the schema, its rule is the example."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_guide_ci import DOCS, ROOT, Reader, blocks, followed, pytestmark

__all__ = ["pytestmark"]
GUIDE = (DOCS / "configuration.md").read_text("utf-8")


def test_every_block_has_its_effect(tmp_path: Path) -> None:
    (tmp_path / "reader").mkdir()
    folder = followed(Reader(tmp_path / "reader"), "configuration").folder

    assert "class RecipeSnippet(_Model):" in (folder / "recipe_models.py").read_text("utf-8")
    assert "fail-on" in (folder / "waypost.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("start", "file"),
    [
        ('"""A product', "src/acme_rules/brand_in_name.py"),
        ('{\n  "title": "The sku', "src/acme_rules/checks/acme-sku.json"),
    ],
)
def test_its_examples_are_those_of_the_package(start: str, file: str) -> None:
    (block,) = [each for each in blocks(GUIDE) if each.text.startswith(start)]
    example = (ROOT / "examples" / "own-rules" / file).read_text("utf-8")

    assert block.text.partition("list of search results")[0] == example.partition("list of search results")[0]
    assert block.text.partition("Source")[2] == example.partition("Source")[2]


def test_its_keys_are_those_of_the_schema() -> None:
    made = subprocess.run([sys.executable, ROOT / "tools" / "make_configuration.py", "--check"], check=False)

    assert made.returncode == 0, "python tools/make_configuration.py"
