"""The published description of the API, from `schemas/api/openapi.json`."""

from __future__ import annotations

from typing import Any

import msgspec

from waypost.registry import assets

FILE = "api/openapi.json"


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document as it is committed; a test holds it to the endpoint table."""
    return dict(msgspec.json.decode((assets.folder("schemas") / FILE).read_bytes()))
