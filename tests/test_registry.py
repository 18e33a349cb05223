"""The registry: what is in it, that nothing changes it, that its version says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from waypost.errors import RegistryError, UnknownType
from waypost.registry import Registry, load
from waypost.registry.assets import folder

REGISTRY = load()


def documents() -> list[str]:
    return [path for path in REGISTRY.files if path.endswith(".schema.json")]


def test_nothing_changes_the_files_of_a_registry() -> None:
    with pytest.raises(TypeError):
        REGISTRY.files["unified.schema.json"] = b"{}"  # type: ignore[index]


def test_version_is_of_the_contents_and_of_nothing_else(tmp_path: Path) -> None:
    for path, data in REGISTRY.files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)

    assert load(tmp_path).version == REGISTRY.version
    assert Registry(dict(REGISTRY.files) | {"more.json": b"{}"}).version != REGISTRY.version


def test_a_registry_is_read_again_only_after_a_change(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b'{"a": 1}')
    first, second = load(tmp_path), load(tmp_path)
    path.write_bytes(b'{"a": 2}')
    edited = load(tmp_path)

    assert first is second
    assert edited is not first
    assert edited.document("one.json") == {"a": 2}
    assert edited.version != first.version


def test_a_folder_without_files_is_not_a_registry(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="no registry here"):
        load(tmp_path)


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "unified.schema.json").write_bytes(b'{"title": "\xff"}')

    with pytest.raises(RegistryError, match=r"unified\.schema\.json"):
        assert load(tmp_path).unified


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "unified.schema.json").write_text("{", encoding="utf-8")

    with pytest.raises(RegistryError, match=r"unified\.schema\.json"):
        assert load(tmp_path).unified


@pytest.mark.parametrize("path", documents())
def test_every_schema_is_valid_by_its_meta_schema(path: str) -> None:
    document: Any = REGISTRY.document(path)

    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(document)
    jsonschema_rs.meta.validate(document)


def test_seventeen_and_the_model_go_by_both_their_names() -> None:
    files = list((folder("schemas") / "mappings").glob("*.json"))

    assert len(REGISTRY.mappings) == len(files) > 0
    assert len(REGISTRY.unified["properties"]) == 54
    for service, mapping in REGISTRY.mappings.items():
        assert REGISTRY.schema(service) == mapping
        assert REGISTRY.schema(mapping["x-standard-type"]) == mapping


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(UnknownType, match="did you mean NewsArticle"):
        REGISTRY.schema("NewsArtikle")


def test_the_vocabulary_has_the_counts_of_its_release() -> None:
    vocabulary = REGISTRY.vocabulary

    assert (vocabulary.release, vocabulary.date) == ("30.1", "2026-09-16")
    counts = (len(vocabulary.types), len(vocabulary.properties), len(vocabulary.members))
    assert counts == (962, 1540, 546)
    assert vocabulary.is_a("Bakery", "LocalBusiness")
    assert not vocabulary.is_a("LocalBusiness", "Bakery")
    assert vocabulary.is_a("DigitalProductPassport", "CreativeWork")
    assert "hasDigitalProductPassport" in vocabulary.properties_of(("Product",))
    assert vocabulary.is_a("Dermatology", "MedicalBusiness")
