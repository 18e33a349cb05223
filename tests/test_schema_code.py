"""Models of a type in code: mypy and pydantic accept the Python, tsc the TypeScript."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from waypost.cli import main
from waypost.registry import shared_registry
from waypost.registry.schema_code import model_code

NAMES = ["Unified", *shared_registry().mappings]
RECIPE = {
    "@context": "https://schema.org", "@type": "Recipe", "id": "https://example.com/pie", "name": "Pie",
    "url": "https://example.com/pie", "prepTime": "PT5M", "image": [{"url": "https://example.com/pie.jpg"}],
}  # fmt: skip


def models(name: str) -> ModuleType:
    module = ModuleType(f"models_{name}")
    sys.modules[module.__name__] = module  # where pydantic finds the names of annotations
    exec(compile(model_code(shared_registry(), name, "pydantic"), f"{name}.py", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_pydantic_reads_the_examples_of_a_schema(name: str) -> None:
    pytest.importorskip("pydantic")
    model: Any = getattr(models(name), name)
    schema = shared_registry().schema(name)

    for example in schema.get("examples", ()):
        assert model.model_validate(example).model_dump(by_alias=True, exclude_none=True) == example
    assert model.model_json_schema()["properties"].keys() == schema["properties"].keys()


def test_pydantic_rejects_what_the_schema_rejects() -> None:
    pydantic = pytest.importorskip("pydantic")
    recipe: Any = models("RecipeSnippet").RecipeSnippet

    assert recipe.model_validate(RECIPE).model_dump(by_alias=True, exclude_none=True) == RECIPE
    for wrong in ({"prepTime": "5 minutes"}, {"image": []}, {"none": 1}, {"name": ""}, {"@context": "https://x.test"}):
        with pytest.raises(pydantic.ValidationError):
            recipe.model_validate(RECIPE | wrong)


def test_mypy_accepts_a_file_that_uses_models(tmp_path: Path) -> None:
    pytest.importorskip("pydantic")
    (tmp_path / "unified.py").write_text(model_code(shared_registry(), "Unified", "pydantic"), "utf-8")
    (tmp_path / "use.py").write_text(
        "from unified import Unified\n"
        "made = Unified(type='Book', id='https://example.com/', name='A', url='https://example.com/')\n"
        "name: str = made.name\nmade.name = 3  # type: ignore[assignment]\n",
        "utf-8",
    )

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "unified.py", "use.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert checked.returncode == 0, checked.stdout


def test_tsc_accepts_the_types(tmp_path: Path) -> None:
    tsc = os.environ.get("WAYPOST_TSC") or shutil.which("tsc")
    if not tsc:
        pytest.skip("there is no tsc here")
    for name in NAMES:
        (tmp_path / f"{name}.ts").write_text(model_code(shared_registry(), name, "typescript"), "utf-8")
    (tmp_path / "use.ts").write_text(
        "import type { RecipeSnippet } from './RecipeSnippet';\n"
        "const fine: RecipeSnippet =\n"
        "  {'@context': 'https://schema.org', '@type': 'Recipe', id: 'a', name: 'b', url: 'c'};\n"
        "// @ts-expect-error a list has at least one entry\n"
        "const wrong: RecipeSnippet = {...fine, image: []};\nexport { fine, wrong };\n",
        "utf-8",
    )

    checked = subprocess.run(
        [tsc, "--strict", "--noEmit", *(f"{name}.ts" for name in NAMES), "use.ts"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert checked.returncode == 0, checked.stdout


def test_the_command_prints_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "Recipe", "--as", "typescript"]) == 0
    assert "export interface RecipeSnippet {" in capsys.readouterr().out
    assert main(["schema", "Recpe", "--as", "pydantic"]) == 2
    assert "did you mean Recipe" in capsys.readouterr().err
    assert main(["schema", "--as", "pydantic"]) == 2
    assert "name a type" in capsys.readouterr().err
