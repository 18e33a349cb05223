"""Reading a body strictly: one JSON document, of the kind and size that was asked for, and what is wrong with it.

Its schema in the registry judges it; all faults are told at once, by their places, without their values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from waypost.api.endpoint import Body
from waypost.api.problems import MOST_ERRORS, ErrorItem, ProblemError
from waypost.registry import Registry

T = TypeVar("T")
_SHORT = 4096
_CLOSED = "additionalProperties"


class _Twice(Exception):
    """A member is there twice."""


def read(data: bytes, body: Body, registry: Registry) -> Any:
    """The document, after all checks. Raises ProblemError."""
    return validated(_decoded(data, body), body, registry)


def validated(document: Any, body: Body, registry: Registry) -> Any:
    """A document that its schema lets through. Raises ProblemError."""
    if not _validator(registry, body.schema).is_valid(document):
        raise ProblemError("invalid-request", errors=_error_items(registry, body.schema, document))
    return document


def typed(document: Any, shape: type[T], dec_hook: Callable[[type, Any], Any] | None = None) -> T:
    """A document that its schema has let through, as a struct. JSON Schema counts 1.0 an integer."""
    try:
        return msgspec.convert(document, shape, dec_hook=dec_hook)
    except msgspec.ValidationError:
        try:
            return msgspec.convert(_integral(document), shape, dec_hook=dec_hook)
        except msgspec.ValidationError:
            raise ProblemError("invalid-request") from None


def _decoded(data: bytes, body: Body) -> Any:
    if not data or data.isspace():
        raise ProblemError("empty-body")
    try:
        document = msgspec.json.decode(data)
    except RecursionError:
        raise _too_deep(body) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if "recursion" in str(error) or _is_deep(data, body):
            raise _too_deep(body) from None
        raise ProblemError("malformed-json", _where(error)) from None
    openers = data.count(b"{") + data.count(b"[")
    if openers > body.depth or data.count(b",") + openers > body.nodes:
        _measure(document, body)
    if openers and not _has_plain_members(data, document) and _has_twice(data):
        raise ProblemError("duplicate-member")
    return document


def _is_deep(data: bytes, body: Body) -> bool:
    """Whether it begins with more openers than there may be: then that is what is wrong, not how it ends."""
    start = data.lstrip()[: body.depth + 1]
    return len(start) > body.depth and not start.strip(b"[{")


def _where(error: Exception) -> str:
    """The place of a syntax error, which msgspec's message ends with; never any of the text."""
    place = str(error).rpartition("(byte ")[2].rstrip(")")
    return f"the body is not JSON: byte {place}" if place.isdigit() else "the body is not one JSON document in UTF-8"


def _measure(document: Any, body: Body) -> None:
    nodes, level = 0, [document]
    for _ in range(body.depth + 1):
        nodes += len(level)
        if nodes > body.nodes:
            raise ProblemError("too-deep", f"the body holds more than {body.nodes} values")
        level = [value for each in level for value in _inside(each)]
        if not level:
            return
    raise _too_deep(body)


def _inside(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_deep(body: Body) -> ProblemError:
    return ProblemError("too-deep", f"objects and arrays lie in one another more than {body.depth} deep")


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        raise _Twice


_DECODER = json.JSONDecoder(object_pairs_hook=_once)
"""Made once: to make one takes longer than to decode a usual body."""


def _has_plain_members(data: bytes, document: Any) -> bool:
    """Whether every colon of the text belongs to a member or string of the document: then no member was lost.

    Without a backslash no colon hides behind an escape, and a repeated member leaves one over. The second decoding that
    this saves takes a twentieth of a decision.
    """
    if b"\\" in data or len(data) > _SHORT or not isinstance(document, dict):
        return False
    colons = len(document)
    for name, value in document.items():
        if isinstance(value, str):
            colons += value.count(":")
        elif isinstance(value, dict | list):
            return False
        colons += name.count(":")
    return colons == data.count(b":")


def _has_twice(data: bytes) -> bool:
    """Whether an object of the document names a member twice, which msgspec does not tell."""
    try:
        _DECODER.decode(data.decode())
    except _Twice:
        return True
    except (ValueError, RecursionError):
        raise ProblemError("malformed-json") from None
    return False


def _integral(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _integral(each) for name, each in value.items()}
    return [_integral(each) for each in value] if isinstance(value, list) else value


@lru_cache(maxsize=256)
def _validator(registry: Registry, name: str) -> Any:
    import jsonschema_rs

    from waypost.errors import RegistryError

    def resolved(uri: str) -> Any:
        path = uri.rpartition("/schemas/")[2].partition("#")[0]
        if path not in registry.files:
            raise RegistryError(name, f"it points outside the registry, to {uri}")
        return registry.document(path)

    return jsonschema_rs.Draft202012Validator(
        registry.document(f"api/{name}.schema.json"), retriever=resolved, validate_formats=False
    )


def _error_items(registry: Registry, name: str, document: Any) -> list[ErrorItem]:
    found: list[ErrorItem] = []
    for error in _validator(registry, name).iter_errors(document):
        found += _items_of(error)
        if len(found) > MOST_ERRORS:
            break
    unique = {(each["pointer"], each["code"], each["detail"]): each for each in found}
    return [unique[key] for key in sorted(unique)]


def _items_of(error: Any) -> Iterator[ErrorItem]:
    """One fault in our own words: the engine's messages repeat the value."""
    kind = error.kind.as_dict()
    keyword = error.kind.name
    pointer = _pointer(error.instance_path)
    if keyword == "required":
        yield _place(f"{pointer}/{_token(kind['property'])}", "required", "the member is missing")
    elif keyword in {_CLOSED, "unevaluatedProperties"}:
        for each in kind["unexpected"]:
            yield _place(f"{pointer}/{_token(each)}", "unknown-member", "there is no such member here")
    elif keyword in {"anyOf", "oneOf", "oneOfMultipleValid", "oneOfNotValid"}:
        yield _place(pointer, keyword, "it is none of the forms that the schema allows")
    else:
        yield _place(pointer, keyword, _words(keyword, kind))


def _words(keyword: str, kind: dict[str, Any]) -> str:
    match keyword:
        case "type":
            kinds = kind.get("types") or kind.get("type") or ""
            names = [kinds] if isinstance(kinds, str) else [str(each) for each in kinds]
            return f"it must be of type {' or '.join(names)}"
        case "enum":
            options = kind.get("options") or []
            return f"it must be one of {', '.join(str(each) for each in options)}"
        case "const":
            return "it must have the value that the schema names"
        case "minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum":
            limit = next((value for value in kind.values() if isinstance(value, int | float)), "")
            return _LIMITS[keyword].format(limit)
        case "pattern":
            return "it holds characters that it may not, or lacks what it needs"
        case "uniqueItems":
            return "its entries must differ"
        case _:
            return "it is not what the schema asks for"


_LIMITS = {
    "minLength": "it must have at least {} characters",
    "maxLength": "it must have at most {} characters",
    "minItems": "it must have at least {} entries",
    "maxItems": "it must have at most {} entries",
    "minimum": "it must be at least {}",
    "maximum": "it must be at most {}",
}


def _place(pointer: str, code: str, detail: str) -> ErrorItem:
    return {"pointer": pointer, "code": code, "detail": detail}


def _pointer(path: list[str | int]) -> str:
    return "#" + "".join(f"/{_token(str(part))}" for part in path)


def _token(text: str) -> str:
    """RFC 6901 section 6: a JSON Pointer in a URI fragment."""
    from urllib.parse import quote

    return quote(text.replace("~", "~0").replace("/", "~1"), safe="!$&'()*+,;=:@/?-._~")
