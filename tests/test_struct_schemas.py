"""Schema files of the API, which are made from the structs of `waypost.models.wire`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from waypost.contract.struct_schemas import published_schemas, schema_of
from waypost.models.decision import decode_sensitive
from waypost.models.wire.common import DEFINED, PUBLISHED, UNIQUE, Closed, Open, Published, like

FOLDER = Path(__file__).parent.parent / "schemas" / "api"

BY_HAND = {"baseline", "config"}
"""Schemas of files of a project, which are not bodies or answers."""


class Part(Closed, frozen=True, kw_only=True):
    """A part."""

    name: Annotated[str, Meta(min_length=1, description="Its name.")]


class Made(Open, frozen=True, kw_only=True):
    """A made struct."""

    kind: Literal["one", "two"]
    constant: Literal["x"]
    parts: Annotated[tuple[Part, ...], Meta(max_length=3), UNIQUE]
    counts: Annotated[dict[str, int], Meta(max_length=2)]
    nothing: str | None
    absent: Annotated[int | None, Meta(ge=1, le=9)] = None
    same: Annotated[str | None, like("decision", "decision_id", "The same.")] = None
    other: str | None = msgspec.field(default=None, name="x-other")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setitem(PUBLISHED, "made", Published(Made, "", {"maxProperties": 9}))
    return schema_of("made")


def test_files_follow_their_structs() -> None:
    made = {name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n" for name, schema in published_schemas()}

    stale = [name for name, text in made.items() if (FOLDER / f"{name}.schema.json").read_text("utf-8") != text]

    assert stale == [], "run tools/make_openapi.py"
    files = {path.name.removesuffix(".schema.json") for path in FOLDER.glob("*.schema.json")}
    assert files == made.keys() | BY_HAND


def test_bounds_and_descriptions_come_from_annotations(made: dict[str, Any]) -> None:
    assert made["description"] == "A made struct."
    assert made["properties"]["kind"] == {"enum": ["one", "two"]}
    assert made["properties"]["constant"] == {"const": "x"}
    assert made["properties"]["counts"] == {
        "type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2,
    }  # fmt: skip
    assert made["properties"]["parts"]["items"] == {
        "type": "object", "additionalProperties": False, "required": ["name"],
        "properties": {"name": {"type": "string", "minLength": 1, "description": "Its name."}},
    }  # fmt: skip
    assert made["properties"]["parts"]["uniqueItems"] is True
    assert made["properties"]["same"] == {
        "$ref": "decision.schema.json#/properties/decision_id", "description": "The same.",
    }  # fmt: skip
    assert made["maxProperties"] == 9


def test_none_is_null_in_a_required_member_only(made: dict[str, Any]) -> None:
    assert made["properties"]["nothing"] == {"type": ["string", "null"]}
    assert made["properties"]["absent"] == {"type": "integer", "minimum": 1, "maximum": 9}
    assert made["required"] == ["kind", "constant", "parts", "counts", "nothing"]
    assert "x-other" in made["properties"]


def test_a_defined_struct_is_a_definition_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEFINED, Part, "part")
    monkeypatch.setitem(PUBLISHED, "made", Published(Made, "Other title", {}))

    document = schema_of("made")

    assert document["title"] == "Other title"
    assert document["properties"]["parts"]["items"] == {"$ref": "#/$defs/part"}
    assert document["$defs"]["part"]["title"] == "Part"


def test_every_body_can_be_read() -> None:
    bodies = [name for name, _ in published_schemas() if name.endswith(("-request", "-query", "-form"))]

    for name in bodies:
        msgspec.json.Decoder(PUBLISHED[name].shape, dec_hook=decode_sensitive)

    assert len(bodies) > 25
