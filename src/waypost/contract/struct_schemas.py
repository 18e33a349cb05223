"""JSON Schema of structs: `schemas/api/*.schema.json` are made from the structs of `waypost.models.wire`."""

from __future__ import annotations

import inspect
import pkgutil
import re
import types
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from waypost.models import wire
from waypost.models.decision import SensitiveUrl
from waypost.models.wire.common import DEFINED, PUBLISHED, WORDS

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"}, SensitiveUrl: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"},
    bool: {"type": "boolean"}, Any: {}, msgspec.Raw: {}, type(None): {"type": "null"},
}  # fmt: skip
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "pattern": "pattern", "title": "title"}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}


def published_schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """(name of the file, schema) for each published struct."""
    for module in pkgutil.iter_modules(wire.__path__):
        import_module(f"{wire.__name__}.{module.name}")
    for file in sorted(PUBLISHED):
        yield file, schema_of(file)


def schema_of(file: str) -> dict[str, Any]:
    """Schema of the struct behind a file, from a module that is imported."""
    return _Writer(file).document()


def object_schema(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Schema of a struct without a file, such as the parameters of a query string."""
    return _Writer("").object_of(shape)


def type_schema(kind: Any) -> dict[str, Any]:
    """Schema of a type with its annotations."""
    return _Writer("").of(kind)


def file_of(shape: type[msgspec.Struct]) -> str:
    """Name of the file that a struct is behind."""
    return next(name for name, published in PUBLISHED.items() if published.shape is shape)


def _words(name: str) -> str:
    """Name of a class in words: `KeyRequest` is "Key request"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


class _Writer:
    """Schema of one file. `held` are its definitions."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._files = {published.shape: name for name, published in PUBLISHED.items()}
        self._held: dict[str, Any] = {}

    def document(self) -> dict[str, Any]:
        shape, title, also = PUBLISHED[self._file]
        made: dict[str, Any] = {"$schema": _DIALECT} | self._described(shape, title) | dict(also)
        return made | ({"$defs": self._held} if self._held else {})

    def _described(self, shape: type[msgspec.Struct], title: str = "") -> dict[str, Any]:
        if words := WORDS.get(shape):
            return {"title": words.title, "description": words.about} | self.object_of(shape)
        about = {"description": " ".join(doc.split())} if (doc := shape.__dict__.get("__doc__")) else {}
        return {"title": title or _words(shape.__name__)} | about | self.object_of(shape)

    def object_of(self, shape: type[msgspec.Struct]) -> dict[str, Any]:
        fields = msgspec.structs.fields(shape)
        words = WORDS.get(shape)
        if words:
            own = {field.name: field for field in fields}
            fields = tuple(own[name] for name in words.members)
        always = words.always if words else ()
        required = [field.encode_name for field in fields if field.required or field.name in always]
        return {
            "type": "object",
            **({"additionalProperties": False} if words or shape.__struct_config__.forbid_unknown_fields else {}),
            **({"required": required} if required else {}),
            "properties": {
                field.encode_name: self.of(
                    _with_words(field.type, words.members[field.name]) if words else field.type,
                    absent=not field.required,
                )
                for field in fields
            },
        }

    def of(self, kind: Any, *, absent: bool = False) -> dict[str, Any]:
        """Schema of a type. With `absent` None is no value, but a member that is not there."""
        origin, inner = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return _referring(inner[1:]) or self._annotated(self.of(inner[0], absent=absent), inner[1:])
        if origin in {Union, types.UnionType}:
            return self._union([each for each in inner if not (absent and each is type(None))])
        if origin is Literal:
            return {"const": inner[0]} if len(inner) == 1 else {"enum": list(_values(inner))}
        if origin in {tuple, list, Sequence}:
            return {"type": "array", "items": self.of(inner[0])}
        if origin is dict:
            names, values = (self.of(each) for each in inner)
            named = {"propertyNames": names} if names != _SCALARS[str] else {}
            return {"type": "object"} | named | ({"additionalProperties": values} if values else {})
        if inspect.isclass(kind) and issubclass(kind, msgspec.Struct):
            return self._struct(kind)
        return dict(_SCALARS[kind])

    def _struct(self, shape: type[msgspec.Struct]) -> dict[str, Any]:
        if shape in self._files:
            name = self._files[shape]
            return {"$ref": "#" if name == self._file else f"{name}.schema.json"}
        if shape in DEFINED:
            return self._definition(DEFINED[shape], lambda: self._described(shape))
        return self.object_of(shape)

    def _definition(self, name: str, make: Any) -> dict[str, Any]:
        if name not in self._held:
            self._held[name] = {}  # it may refer to itself
            self._held[name] = make()
        return {"$ref": f"#/$defs/{name}"}

    def _union(self, kinds: list[Any]) -> dict[str, Any]:
        if len(kinds) == 1:
            return self.of(kinds[0])
        forms = [self.of(each) for each in kinds]
        if kinds[-1] is type(None) and len(forms) == 2:
            first = forms[0]
            if "enum" in first:
                return {"enum": [*first["enum"], None]}
            if "type" in first:
                return first | {"type": [first["type"], "null"]}
        return {"anyOf": forms}

    def _annotated(self, made: dict[str, Any], annotations: tuple[Any, ...]) -> dict[str, Any]:
        for meta in annotations:
            made |= meta.extra_json_schema or {}
            for word, keyword in _BOUNDS.items():
                if (value := getattr(meta, word)) is not None:
                    made[keyword] = value
            for word in ("min", "max"):
                if (value := getattr(meta, f"{word}_length")) is not None:
                    kind = made["type"][0] if isinstance(made["type"], list) else made["type"]
                    made[f"{word}{_LENGTHS[kind]}"] = value
            if meta.description is not None:
                made["description"] = meta.description
            if name := made.pop("$def", ""):
                made = self._definition(name, made.copy)
        if "const" in made:
            for other in {"type", "enum"} & made.keys():
                del made["const" if other == "enum" else other]
        return made


def _with_words(kind: Any, words: Any) -> Any:
    return Annotated[kind, words] if isinstance(words, msgspec.Meta) else words


def _referring(annotations: tuple[Any, ...]) -> dict[str, Any]:
    """Reference in place of a type, with the description that stands next to it; empty without one."""
    for meta in annotations:
        extra: dict[str, Any] = meta.extra_json_schema or {}
        if "$ref" in extra:
            return extra | ({"description": meta.description} if meta.description is not None else {})
    return {}


def _values(kinds: tuple[Any, ...]) -> Iterator[Any]:
    for each in kinds:
        if get_origin(each) is Literal:
            yield from _values(get_args(each))
        else:
            yield each
