"""HTML forms, parsed into the JSON document that their schema describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from waypost.api.endpoint import FORM
from waypost.service import body as strict
from waypost.service.problems import ProblemError

if TYPE_CHECKING:
    from waypost.api.request import Call

_MOST_FIELDS = 64


def is_form(call: Call) -> bool:
    """Whether the body is a browser form, which a page can post to another site without a CORS preflight."""
    return call.header("content-type").partition(";")[0].strip().lower() == FORM


async def form(call: Call) -> dict[str, Any]:
    """Form fields as a document valid by the endpoint's schema. Raises ProblemError.

    Empty fields are left out. A field may be repeated if its schema says array.
    """
    body = call.endpoint.body
    assert body is not None
    if call.media() != FORM:
        raise ProblemError("unsupported-media-type", f"the body must be {FORM}")
    data = await call.raw()
    try:
        pairs = parse_qsl(data.decode("ascii"), encoding="utf-8", errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise ProblemError("invalid-request", "the form cannot be read") from None
    members = call.registry.document(f"api/{body.schema}.schema.json")["properties"]
    found: dict[str, Any] = {}
    for name, value in pairs:
        # Browsers send line breaks of a text area as CRLF (HTML, form submission).
        text = value.replace("\r\n", "\n").strip()
        if not text:
            continue
        if members.get(name, {}).get("type") == "array":
            found.setdefault(name, []).append(text)
        elif name in found:
            raise ProblemError("invalid-request", "the form names a field twice")
        else:
            found[name] = text
    return dict(strict.validated(found, body, call.registry))
