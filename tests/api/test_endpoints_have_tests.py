"""Every endpoint has a test of its own: one that calls its path with its method."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from waypost.api.endpoint import Endpoint
from waypost.api.table import table

GENERAL = {"test_scopes.py", "test_canary.py", Path(__file__).name}
"""Files that go through the whole table: they are no test of one endpoint."""


BY_STEP = {
    "withdrawDispute": ("test_disputes_api.py", '/withdraw"'),
    "rejectReview": ("test_reviews_api.py", '"reject"'),
    "requestChanges": ("test_reviews_api.py", '"request-changes"'),
    "upholdDispute": ("test_reviews_api.py", '"uphold"'),
    "readDecision": ("test_decisions.py", '"GET", path, key=key'),
    "showDisputeForm": ("test_disputes_api.py", '"GET", path)'),
    "openDispute": ("test_disputes_api.py", '"POST", path, key=key'),
    "readSchemaById": ("test_structured_data.py", '"GET", answer.json()["$id"]'),
}
"""Operations whose tests put the path together, or take it from an answer: the file, and the call."""


@cache
def sources() -> str:
    files = [*Path(__file__).parent.glob("test_*.py"), *Path(__file__).parent.parent.glob("test_serving.py")]
    return "\n".join(file.read_text("utf-8") for file in files if file.name not in GENERAL)


def names(source: str, method: str, path: str) -> bool:
    """Whether a test calls a path with a method, with anything for the path's members: `/v1/keys/{made.id}` is
    `/v1/keys/{id}`. A call is `"GET", "/v1/..."`, `.get("/v1/...")`, or `.send(...)` of a form, which is a POST."""
    member = r"(?:\{[^{}]+\}|[\w.~%-]+)"
    pattern = re.sub(r"\\\{\w+\\\}", lambda _: member, re.escape(path))
    calls = rf"\"{method}\",|\.{method.lower()}\(" + (r"|\.send\(" if method == "POST" else "")
    return re.search(rf"(?:{calls})\s*f?\"{pattern}(?![\w/{{-])", source) is not None


@pytest.mark.parametrize("endpoint", table(), ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
def test_an_endpoint_has_a_test_of_its_own(endpoint: Endpoint) -> None:
    found = names(sources(), endpoint.method, endpoint.path)
    if endpoint.name in BY_STEP:
        file, step = BY_STEP[endpoint.name]
        found = step in Path(__file__).with_name(file).read_text("utf-8")

    assert found, f"no test in tests/api calls {endpoint.method} {endpoint.path}; write one for {endpoint.name}"


def test_an_endpoint_that_no_test_calls_is_found() -> None:
    assert not names('api.call("GET", "/v1/keys")', "GET", "/v1/brand-new")
    assert not names('api.call("POST", "/v1/keys/x/rotate")', "POST", "/v1/keys/{id}")
    assert not names('api.call("GET", f"/v1/keys/{made.id}")', "DELETE", "/v1/keys/{id}")
    assert names('api.call("GET", f"/v1/keys/{made.id}")', "GET", "/v1/keys/{id}")
    assert names('browser.send(f"/keys/{name}/revoke", form)', "POST", "/keys/{id}/revoke")
