"""Holds every answer that a test receives to what the endpoint table says of it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs

from waypost.api.endpoint import PROBLEM, Endpoint
from waypost.api.table import table
from waypost.registry import Registry

_FROM_BEFORE_THE_TABLE = {"method-not-allowed", "not-found"}


def check_answer(registry: Registry, method: str, path: str, answer: Any) -> None:
    """Raises AssertionError where an answer is not one that its endpoint names."""
    endpoint = endpoint_of(method, urlsplit(path).path)
    if endpoint is None or not answer.content or answer.status_code == 304:
        return
    where = f"{method} {endpoint.path}: {answer.status_code}"
    media = answer.headers["content-type"].partition(";")[0]
    if answer.status_code in endpoint.answers:
        named = endpoint.answers[answer.status_code]
        assert media in {each.partition(";")[0] for each in (named.media, *named.others)}, f"{where}: {media}"
        if named.schema and media == "application/json":
            _conforms(registry, named.schema, answer.json(), where)
        return
    assert answer.status_code >= 400, f"{where} is not among its answers"
    if media == "text/html":
        assert endpoint.is_page, where
        return
    assert media == PROBLEM, f"{where}: {media}"
    body = answer.json()
    _conforms(registry, "problem", body, where)
    assert body["code"] in {*endpoint.codes(), *_FROM_BEFORE_THE_TABLE}, f"{where}: it does not name {body['code']}"


def _conforms(registry: Registry, schema: str, document: Any, where: str) -> None:
    errors = [f"{each.instance_path}: {each.message}" for each in validator(registry, schema).iter_errors(document)]
    assert not errors, f"{where}: {errors[:3]}"


def endpoint_of(method: str, path: str) -> Endpoint | None:
    described = "GET" if method == "HEAD" else method
    plain = [each for each in table() if each.method == described and each.path == path]
    return next(
        iter(plain + [each for each in table() if each.method == described and _pattern(each.path).fullmatch(path)]),
        None,
    )


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"{\w+}", "[^/]+", path))


@cache
def validator(registry: Registry, schema: str) -> Any:
    def found(uri: str) -> Any:
        return registry.document(uri.rpartition("/schemas/")[2].partition("#")[0])

    file = f"api/{schema}.schema.json"
    return jsonschema_rs.Draft202012Validator(
        registry.document(file), retriever=found, base_uri=f"registry:///schemas/{file}"
    )
