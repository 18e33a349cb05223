"""Every endpoint has a test of its own: one that names its path."""

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
}
"""Operations whose tests put the last part of the path together: the file, and that part."""


@cache
def sources() -> str:
    files = [*Path(__file__).parent.glob("test_*.py"), *Path(__file__).parent.parent.glob("test_serving.py")]
    return "\n".join(file.read_text("utf-8") for file in files if file.name not in GENERAL)


def names(source: str, path: str) -> bool:
    """Whether a test names a path, with anything for its members: `/v1/keys/{made.id}` is `/v1/keys/{id}`."""
    member = r"(?:\{[^{}]+\}|[\w.~%-]+)"
    pattern = re.sub(r"\\\{\w+\\\}", lambda _: member, re.escape(path))
    return re.search(rf"(?<![\w/]){pattern}(?![\w/{{-])", source) is not None


@pytest.mark.parametrize("endpoint", table(), ids=lambda endpoint: f"{endpoint.method} {endpoint.path}")
def test_an_endpoint_has_a_test_of_its_own(endpoint: Endpoint) -> None:
    found = names(sources(), endpoint.path)
    if endpoint.name in BY_STEP:
        file, step = BY_STEP[endpoint.name]
        found = step in Path(__file__).with_name(file).read_text("utf-8")

    assert found, f"no test in tests/api names {endpoint.method} {endpoint.path}; write one for {endpoint.name}"


def test_an_endpoint_that_no_test_names_is_found() -> None:
    assert not names(sources(), "/v1/brand-new")
    assert not names("api.call('GET', '/v1/keys/x/rotate')", "/v1/keys/{id}")
    assert names('api.call("GET", f"/v1/keys/{made.id}")', "/v1/keys/{id}")
