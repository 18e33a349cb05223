"""Published OpenAPI document of the API, from `schemas/api/openapi.json`."""

from __future__ import annotations

from typing import Any

import msgspec

from waypost.registry import assets

FILE = "api/openapi.json"


def document() -> dict[str, Any]:
    """OpenAPI 3.1 document as committed; a test compares the file with the endpoint table."""
    return dict(msgspec.json.decode((assets.folder("schemas") / FILE).read_bytes()))
