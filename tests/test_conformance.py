"""Two engines, one answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from waypost.registry import load
from waypost.registry.json_schema import conforms

UNIFIED = load().unified
ENGINES = ["rust", "python"]
GOOD: dict[str, Any] = {
    "@context": "https://schema.org",
    "@type": "WebSite",
    "id": "https://example.com/",
    "name": "Example Almanac",
    "url": "https://example.com/",
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_document_of_the_model_conforms(engine: str) -> None:
    assert conforms(UNIFIED, engine)(GOOD)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("change", [{"name": 3}, {"headline": "not one of the 54"}, {"image": []}], ids=str)
def test_a_document_next_to_the_model_does_not(engine: str, change: dict[str, Any]) -> None:
    assert not conforms(UNIFIED, engine)(GOOD | change)


def test_both_engines_agree_on_every_example_of_the_model() -> None:
    rust, python = (conforms(UNIFIED, engine) for engine in ENGINES)

    for example in UNIFIED["examples"]:
        assert rust(example) is python(example) is True


def test_where_the_fast_engine_is_missing_the_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without_rust(name: str, *rest: Any, **more: Any) -> Any:
        if name == "jsonschema_rs":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_rust)

    assert conforms(UNIFIED)(GOOD)


def test_the_vocabulary_is_the_one_its_digest_names() -> None:
    import hashlib

    folder = Path(__file__).parent.parent / "schemas" / "vocabulary"
    digest, name = (folder / "schemaorg.json.sha256").read_text("utf-8").split()

    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
