"""The description in the form that generators of clients read without a warning."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

pytest.importorskip("litestar")

from tests.api.conftest import Api

from waypost.contract import openapi

MEDIA = {"application/json", "application/x-www-form-urlencoded"}
SCHEMA_LISTS = ("allOf", "anyOf", "oneOf")


@cache
def described() -> dict[str, Any]:
    return openapi.document()


def objects(value: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in the document with its pointer, but for examples."""
    if isinstance(value, dict):
        yield at, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        if key not in ("example", "examples"):
            yield from objects(part, f"{at}/{key}")


def schemas() -> Iterator[tuple[str, Any]]:
    """Every schema below the components and the operations, also one that is true or false."""
    for at, each in objects(described()):
        # Not the schema of a member with the name `properties`, as AuthZEN's entities have.
        members = at.endswith("/properties") and not at.endswith("/properties/properties")
        for word in ("schema", "items", "additionalProperties", "not", "if", "then", "else"):
            if word in each and not members:
                yield f"{at}/{word}", each[word]
        for word in SCHEMA_LISTS:
            yield from ((f"{at}/{word}/{n}", part) for n, part in enumerate(each.get(word, ())))
        if members or at == "/components/schemas":
            yield from ((f"{at}/{name}", part) for name, part in each.items())


def test_references_name_components_and_nothing_within_them() -> None:
    components = described()["components"]
    references = [(at, each["$ref"]) for at, each in objects(described()) if isinstance(each.get("$ref"), str)]

    assert len(references) > 200
    for at, reference in references:
        _, head, kind, name = reference.split("/")
        assert head == "components", at
        assert name in components[kind], at


def test_every_component_is_used() -> None:
    used = {each["$ref"] for _, each in objects(described()) if isinstance(each.get("$ref"), str)}
    named = {
        f"#/components/{kind}/{name}"
        for kind, held in described()["components"].items()
        for name in held
        if kind != "securitySchemes"
    }

    assert used == named


def test_no_schema_is_a_boolean_but_of_further_members() -> None:
    wrong = [at for at, each in schemas() if not isinstance(each, dict) and not at.endswith("additionalProperties")]

    assert wrong == []


def test_constants_are_scalars_and_lists_declare_their_items() -> None:
    for at, each in schemas():
        if isinstance(each, dict):
            assert not isinstance(each.get("const"), bool), at
            assert "array" not in each.get("type", "") or "items" in each, at


def test_no_object_has_a_condition_that_confuses_generators() -> None:
    for at, each in schemas():
        if isinstance(each, dict) and "properties" in each:
            assert not {"oneOf", "anyOf", "if", "then", "else", "$ref"} & each.keys(), at


def test_titles_and_operation_ids_are_names_of_one_operation() -> None:
    titles = Counter(each["title"] for _, each in schemas() if isinstance(each, dict) and "title" in each)
    names = Counter(each["operationId"] for _, each in objects(described()) if "operationId" in each)

    assert [name for name, count in (titles + names).items() if count > 1] == []


def test_bodies_are_of_kinds_that_generators_write() -> None:
    for methods in described()["paths"].values():
        for operation in methods.values():
            assert set(operation.get("requestBody", {}).get("content", {})) <= MEDIA, operation["operationId"]


def test_no_shape_stands_in_two_places() -> None:
    shapes = Counter(
        json.dumps({name: part for name, part in each.items() if name not in ("description", "title")}, sort_keys=True)
        for _, each in schemas()
        if isinstance(each, dict) and (each.get("properties") or len(each.get("enum", ())) > 1)
    )

    assert [shape for shape, count in shapes.items() if count > 1] == []


def test_parts_of_operations_that_repeat_are_components() -> None:
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            assert all("$ref" in each for each in operation.get("parameters", ())), f"{method} {path}"
            for status, response in operation["responses"].items():
                assert (status < "4" and status != "304") or "$ref" in response, f"{method} {path}"
                assert all("$ref" in each for each in response.get("headers", {}).values()), f"{method} {path}"


def test_what_is_required_is_described_as_required() -> None:
    assert described()["components"]["schemas"]["agent-safety-request"]["required"] == ["url", "intended_action"]


def test_agent_safety_takes_what_check_url_takes() -> None:
    schemas = described()["components"]["schemas"]

    assert list(schemas["agent-safety-request"]["properties"]) == list(schemas["check-request"]["properties"])


OF_EVERY_ANSWER = {
    "date", "content-type", "content-length", "cache-control", "vary", "x-content-type-options", "referrer-policy",
}  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "described_as", "status"),
    [
        ("GET", "/v1/schema/NewsArticle", "/v1/schema/{type}", 200),
        ("GET", "/v1/schema", "/v1/schema", 304),
        ("GET", "/v1/search?q=acme", "/v1/search", 200),
        ("POST", "/access/v1/evaluation", "/access/v1/evaluation", 400),
        ("GET", "/v1/limits", "/v1/limits", 200),
    ],
)
def test_every_header_of_an_answer_is_described(
    api: Api, method: str, path: str, described_as: str, status: int
) -> None:
    _, key = api.key("search", "agent", "check")
    etag = api.call("GET", path, key=key).headers.get("etag", "") if status == 304 else ""
    sent = {"If-None-Match": etag} if etag else {}
    body: dict[str, Any] = {"content": b"x"} if method == "POST" else {}

    answer = api.call(method, path, key=key, headers=sent, **body)

    assert answer.status_code == status
    report = described()["paths"][described_as][method.lower()]["responses"][str(status)]
    if "$ref" in report:
        report = described()["components"]["responses"][report["$ref"].rpartition("/")[2]]
    # Those of a problem after the count are told once, in the description of the whole.
    once = {"ratelimit", "ratelimit-policy"} if status >= 400 else set()
    assert {*answer.headers} - OF_EVERY_ANSWER - once <= {name.lower() for name in report["headers"]}
