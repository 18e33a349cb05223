"""Strict reading of request bodies: a single JSON document, checked for size, depth and schema.

The schema in the registry decides. Errors are reported together, by their JSON Pointers, and never repeat a value of
the body.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import msgspec

from waypost.formats.text import join_words
from waypost.preview.request import InvalidDocument
from waypost.registry import Registry
from waypost.service.problems import MOST_ERRORS, ErrorItem, ProblemError

T = TypeVar("T")
_SHORT = 4096
_CLOSED = "additionalProperties"
_NONE: Mapping[str, Any] = MappingProxyType({})
JSON = "application/json"
KIB = 1024


class Body(NamedTuple):
    """Request body of an endpoint.

    schema    name of the file `schemas/api/<schema>.schema.json`
    limit     size at most, in bytes
    depth     nesting of objects and arrays at most
    nodes     values at most, counting objects, arrays and their members
    others    further media types, which the handler reads itself
    optional  whether an empty body is valid
    media     the usual media type
    examples  name -> a valid body, for the documents
    """

    schema: str
    limit: int = 8 * KIB
    depth: int = 32
    nodes: int = 20_000
    others: tuple[str, ...] = ()
    optional: bool = False
    media: str = JSON
    examples: Mapping[str, Any] = _NONE


class _Twice(Exception):
    """An object has two members of the same name."""


def read(data: bytes, body: Body, registry: Registry) -> Any:
    """Parsed JSON document, after all checks. Raises ProblemError."""
    return validated(_decoded(data, body), body, registry)


def validated(document: Any, body: Body, registry: Registry) -> Any:
    """Document, unchanged, if its schema accepts it. Raises ProblemError with an item for every error."""
    path = f"api/{body.schema}.schema.json"
    if not _validator(registry, path).is_valid(document):
        raise ProblemError("invalid-request", errors=error_items(registry, path, document))
    return document


def typed(document: Any, shape: type[T], dec_hook: Callable[[type, Any], Any] | None = None) -> T:
    """Document as an instance of `shape`. Raises ProblemError.

    Converts twice if necessary: JSON Schema accepts 1.0 as an integer, msgspec does not.
    """
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
    # Counting bytes bounds depth and number of values from above; most bodies need no walk through the document.
    openers = data.count(b"{") + data.count(b"[")
    if openers > body.depth or data.count(b",") + openers > body.nodes:
        _measure(document, body)
    if openers and not _has_plain_members(data, document) and _has_twice(data):
        raise ProblemError("duplicate-member")
    return document


def _is_deep(data: bytes, body: Body) -> bool:
    """Whether the body begins with more opening brackets than the depth limit.

    Then `too-deep` is reported, and not the syntax error at the end of the truncated nesting.
    """
    start = data.lstrip()[: body.depth + 1]
    return len(start) > body.depth and not start.strip(b"[{")


def _where(error: Exception) -> str:
    """Detail for a syntax error: the byte offset from msgspec's message, never text of the body."""
    place = str(error).rpartition("(byte ")[2].rstrip(")")
    return f"the body is not JSON: byte {place}" if place.isdigit() else "the body is not one JSON document in UTF-8"


def _measure(document: Any, body: Body) -> None:
    # Level by level instead of recursively, so that deep documents cannot exhaust the stack.
    nodes, level = 0, [document]
    for _ in range(body.depth + 1):
        nodes += len(level)
        if nodes > body.nodes:
            raise ProblemError("too-deep", f"the body holds more than {body.nodes} values")
        level = [value for container in level for value in _inside(container)]
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
"""Shared decoder: to make a decoder takes longer than to decode a usual body."""


def _has_plain_members(data: bytes, document: Any) -> bool:
    """Whether a colon count proves that no member of an object of strings is there twice.

    Without a backslash in the text every colon belongs to a member or a string, and a repeated member leaves a
    colon over. A second decoding, which takes a twentieth of a decision, is saved.
    """
    if b"\\" in data or len(data) > _SHORT or not isinstance(document, dict):
        return False
    try:
        strings = "".join([*document, *document.values()])
    except TypeError:  # a value that is not a string, and may hold members of its own
        return False
    return len(document) + strings.count(":") == data.count(b":")


def _has_twice(data: bytes) -> bool:
    """Whether an object of the document repeats a member name, which msgspec does not report."""
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
        return {name: _integral(item) for name, item in value.items()}
    return [_integral(item) for item in value] if isinstance(value, list) else value


@lru_cache(maxsize=256)
def _validator(registry: Registry, file: str) -> Any:
    import jsonschema_rs

    from waypost.errors import RegistryError

    def resolved(uri: str) -> Any:
        path = uri.rpartition("/schemas/")[2].partition("#")[0]
        if path not in registry.files:
            raise RegistryError(file, f"it points outside the registry, to {uri}")
        return registry.document(path)

    # Formats are left to the handlers, whose messages name what is wrong.
    return jsonschema_rs.Draft202012Validator(
        registry.document(file), retriever=resolved, base_uri=f"registry:///schemas/{file}", validate_formats=False
    )


@contextmanager
def document_errors(registry: Registry) -> Iterator[None]:
    """Context in which an invalid document of the unified model becomes a ProblemError that names each error."""
    try:
        yield
    except InvalidDocument as error:
        errors = error_items(registry, "unified.schema.json", error.document, "#/document")
        raise ProblemError("unreadable", str(error), errors=errors) from None


_MOST_SAMPLED = 200
"""Entries of a list and members of an object that are looked through for errors; the whole is, if these have none."""


def error_items(registry: Registry, file: str, document: Any, at: str = "#") -> list[ErrorItem]:
    """Error items of a document by a schema file of the registry. `at`: pointer to the document in the body."""
    # Thousands of errors take half a second to list, of which MOST_ERRORS are reported.
    return _found_errors(registry, file, _sampled(document), at) or _found_errors(registry, file, document, at)


def _sampled(value: Any) -> Any:
    """Document with the first entries of each list and the first members of each object."""
    if isinstance(value, dict):
        return {name: _sampled(item) for name, item in islice(value.items(), _MOST_SAMPLED)}
    return [_sampled(item) for item in value[:_MOST_SAMPLED]] if isinstance(value, list) else value


def _found_errors(registry: Registry, file: str, document: Any, at: str) -> list[ErrorItem]:
    found: list[ErrorItem] = []
    for error in _validator(registry, file).iter_errors(document):
        found += _items_of(error, at, registry.document(file))
        if len(found) > MOST_ERRORS:
            break
    # Several branches of a schema report the same error.
    unique = {(item["pointer"], item["code"], item["detail"]): item for item in found}
    return [unique[key] for key in sorted(unique)]


def _items_of(error: Any, at: str, schema: dict[str, Any]) -> Iterator[ErrorItem]:
    """Error items for a schema error, in our own words: the messages of jsonschema_rs repeat the value."""
    kind = error.kind.as_dict()
    keyword = error.kind.name
    pointer = _pointer(at, error.instance_path)
    if keyword == "required":
        yield _place(f"{pointer}/{_token(kind['property'])}", "required", "the member is missing")
    elif keyword in {_CLOSED, "unevaluatedProperties"}:
        for member in kind["unexpected"]:
            yield _place(f"{pointer}/{_token(member)}", "unknown-member", "there is no such member here")
    elif keyword in {"anyOf", "oneOf", "oneOfMultipleValid", "oneOfNotValid"}:
        yield _place(pointer, keyword, _choice(schema, error.schema_path))
    else:
        yield _place(pointer, keyword, _words(keyword, kind))


def _choice(schema: Any, path: list[str | int]) -> str:
    """Detail for a condition on several forms: names the members where each form requires one."""
    for step in path:
        if not isinstance(schema, dict | list):
            break
        schema = schema[int(step)] if isinstance(schema, list) else schema.get(step)
    forms = schema if isinstance(schema, list) else []
    names = [name for form in forms if isinstance(form, dict) for name in form.get("required", ())]
    if len(names) > 1:
        return f"exactly one of {join_words(names, 'or')} must be there"
    return "it is none of the forms that the schema allows"


def _words(keyword: str, kind: dict[str, Any]) -> str:
    match keyword:
        case "type":
            kinds = kind.get("types") or kind.get("type") or ""
            names = [kinds] if isinstance(kinds, str) else [str(name) for name in kinds]
            return f"it must be of type {' or '.join(names)}"
        case "enum":
            options = kind.get("options") or []
            return f"it must be one of {', '.join(str(option) for option in options)}"
        case "const":
            return "it must have the value that the schema names"
        case "minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum":
            limit = next((value for value in kind.values() if isinstance(value, int | float)), "")
            return _LIMITS[keyword].format(limit)
        case "pattern":
            return "it holds characters that it may not, or lacks what it needs"
        case "falseSchema":
            return "it may not be there next to the other members"
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


def _pointer(at: str, path: list[str | int]) -> str:
    return at + "".join(f"/{_token(str(part))}" for part in path)


def _token(text: str) -> str:
    """Part of a JSON Pointer, escaped for a URI fragment (RFC 6901 section 6)."""
    from urllib.parse import quote

    return quote(text.replace("~", "~0").replace("/", "~1"), safe="!$&'()*+,;=:@/?-._~")
