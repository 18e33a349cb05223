"""Code of models for a schema of the registry: classes of pydantic, or types of TypeScript."""

from __future__ import annotations

import json
import keyword
import re
from abc import ABC, abstractmethod
from textwrap import fill
from typing import Any, ClassVar, Literal

from waypost.registry.registry import Registry

Language = Literal["pydantic", "typescript"]
_LOCAL = re.compile(r"(?:[^#]*)#/(\$defs|properties)/([^/]+)")
_WIDTH = 110


def model_code(registry: Registry, name: str, language: Language) -> str:
    """Code of the models of a schema, as `waypost schema NAME` prints the schema. Raises UnknownType."""
    schema = registry.schema(name)
    shared = registry.unified
    models = _Models({**shared.get("$defs", {}), **schema.get("$defs", {})}, shared.get("properties", {}))
    head = f"Models of {schema['title']}, of the registry {registry.version}: waypost schema {name} --as {language}"
    return (_Pydantic if language == "pydantic" else _TypeScript)(models).code(schema, head)


class _Models:
    """Definitions that schemas refer to, and the properties of the unified model."""

    def __init__(self, definitions: dict[str, Any], properties: dict[str, Any]) -> None:
        self.definitions = definitions
        self._properties = properties

    def resolved(self, schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """(name of a definition or empty, schema) behind a reference."""
        found = _LOCAL.fullmatch(schema.get("$ref", ""))
        if found is None:
            return "", schema
        kind, name = found.groups()
        return (name, self.definitions[name]) if kind == "$defs" else self.resolved(self._properties[name])

    def used(self, schema: dict[str, Any]) -> list[str]:
        """Names of the definitions that a schema needs, those that others need first."""
        order: list[str] = []
        visiting: set[str] = set()

        def visit(part: Any) -> None:
            if isinstance(part, list):
                for each in part:
                    visit(each)
            if not isinstance(part, dict):
                return
            if "$ref" in part:
                name, target = self.resolved(part)
                if name and name not in visiting:
                    visiting.add(name)
                    visit(target)
                    order.append(name)
                elif not name:
                    visit(target)
                return
            for key, value in part.items():
                if key in {"properties", "$defs"}:
                    for each in value.values() if key == "properties" else ():
                        visit(each)
                elif not key.startswith("x-") and key not in {"examples", "enum", "const", "default"}:
                    visit(value)

        visit(schema)
        return order

    def is_recursive(self, name: str) -> bool:
        """Whether a definition that is not an object refers to itself."""
        return f'"#/$defs/{name}"' in json.dumps(self.definitions[name])


class _Language(ABC):
    """Code of a schema; a subclass is a language."""

    def __init__(self, models: _Models) -> None:
        self.models = models

    def code(self, schema: dict[str, Any], head: str) -> str:
        definitions = [(name, self.models.definitions[name]) for name in self.models.used(schema)]
        aliases = [self.alias(name, each) for name, each in definitions if not _is_object(each)]
        objects = [
            self.object(name, each) for name, each in (*definitions, (schema["title"], schema)) if _is_object(each)
        ]
        return self.file(head, aliases, objects)

    def type_of(self, schema: dict[str, Any]) -> str:
        name, target = self.models.resolved(schema)
        if name:
            return self.name(name)
        for key in ("anyOf", "oneOf"):
            if key in target:
                return self.union([self.type_of(each) for each in target[key]])
        if "const" in target:
            return self.literals([target["const"]])
        if "enum" in target:
            return self.literals(target["enum"])
        kinds = target.get("type", [])
        return self.union([self.kind(kind, target) for kind in ([kinds] if isinstance(kinds, str) else kinds)])

    def name(self, name: str) -> str:
        return name

    def union(self, types: list[str]) -> str:
        return " | ".join(dict.fromkeys(types)) or self.kind("", {})

    @abstractmethod
    def literals(self, values: list[Any]) -> str:
        """Type of constants."""

    @abstractmethod
    def kind(self, kind: str, schema: dict[str, Any]) -> str:
        """Type of a kind of JSON Schema; of any value for an empty kind."""

    @abstractmethod
    def alias(self, name: str, schema: dict[str, Any]) -> str:
        """Name for a type that is not an object."""

    @abstractmethod
    def object(self, name: str, schema: dict[str, Any]) -> str:
        """Type of an object with its members."""

    @abstractmethod
    def file(self, head: str, aliases: list[str], objects: list[str]) -> str:
        """File with all definitions."""


def _is_object(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object" and "properties" in schema


class _Pydantic(_Language):
    _KINDS: ClassVar[dict[str, str]] = {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "null": "None",
        "object": "dict[str, Any]",
    }

    def name(self, name: str) -> str:
        return "JsonValue" if not _is_object(self.models.definitions[name]) and self.models.is_recursive(name) else name

    def literals(self, values: list[Any]) -> str:
        return f"Literal[{', '.join(map(_python, values))}]"

    def kind(self, kind: str, schema: dict[str, Any]) -> str:
        limits = {
            "min_length": "minLength",
            "max_length": "maxLength",
            "pattern": "pattern",
            "ge": "minimum",
            "le": "maximum",
        }
        name = self._KINDS.get(kind, "Any")
        if kind == "array":
            limits = {"min_length": "minItems", "max_length": "maxItems"}
            name = f"list[{self.type_of(schema['items'])}]" if "items" in schema else "list[Any]"
        given = [f"{ours}={_python(schema[theirs])}" for ours, theirs in limits.items() if theirs in schema]
        return f"Annotated[{name}, Field({', '.join(given)})]" if given else name

    def alias(self, name: str, schema: dict[str, Any]) -> str:
        if self.name(name) != name:
            return ""
        return f"{name}: TypeAlias = {self.type_of(schema)}\n{_docstring(schema, '')}"

    def object(self, name: str, schema: dict[str, Any]) -> str:
        required = set(schema.get("required", ()))
        lines = [f"class {name}(_Model):", _docstring(schema, "    ").rstrip("\n"), ""]
        fields = sorted(schema["properties"].items(), key=lambda each: each[0] not in required)
        for member, each in fields:
            field, kind = _identifier(member), self.type_of(each)
            named = f'validation_alias="{member}", serialization_alias="{member}"' if field != member else ""
            if member in required:
                constant = self.models.resolved(each)[1].get("const")
                default = f"default={_python(constant)}" if constant is not None else ""
                given = ", ".join(filter(None, (default, named)))
                lines.append(f"    {field}: {kind}" + (f" = Field({given})" if given else ""))
            else:
                given = f"Field(default=None, {named})" if named else "None"
                lines.append(f"    {field}: {kind} | None = {given}")
        return "\n".join(lines) + "\n"

    def file(self, head: str, aliases: list[str], objects: list[str]) -> str:
        body = "\n".join(filter(None, aliases)) + "\n\n" + "\n\n".join(objects)
        typing = [name for name in ("Annotated", "Any", "Literal", "TypeAlias") if re.search(rf"\b{name}\b", body)]
        pydantic = ["BaseModel", "ConfigDict", *(name for name in ("Field", "JsonValue") if f"{name}" in body)]
        names = "".join(f'    "{re.split("[ (:]", each)[1]}",\n' for each in objects)
        return f'''"""{head}

`Model.model_validate(document)` reads a document; `model.model_dump(by_alias=True, exclude_none=True)` writes one.
"""

from __future__ import annotations

from typing import {", ".join(typing)}

from pydantic import {", ".join(pydantic)}

__all__ = [
{names}]


class _Model(BaseModel):
    # Patterns may look ahead, which only Python's own engine can.
    model_config = ConfigDict(extra="forbid", populate_by_name=True, regex_engine="python-re")


{body}'''


class _TypeScript(_Language):
    _KINDS: ClassVar[dict[str, str]] = {
        "string": "string",
        "integer": "number",
        "number": "number",
        "boolean": "boolean",
        "null": "null",
        "object": "Record<string, unknown>",
    }

    def literals(self, values: list[Any]) -> str:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)

    def kind(self, kind: str, schema: dict[str, Any]) -> str:
        if kind == "array":
            inner = self.type_of(schema["items"]) if "items" in schema else "unknown"
            # At least one entry is a type of its own here.
            return (
                f"[{_bracketed(inner)}, ...{_bracketed(inner)}[]]"
                if schema.get("minItems")
                else f"{_bracketed(inner)}[]"
            )
        extra = schema.get("additionalProperties")
        if kind == "object" and isinstance(extra, dict):
            return f"{{ [name: string]: {self.type_of(extra)} }}"
        return self._KINDS.get(kind, "unknown")

    def alias(self, name: str, schema: dict[str, Any]) -> str:
        return f"{_comment(schema, '')}export type {name} = {self.type_of(schema)};\n"

    def object(self, name: str, schema: dict[str, Any]) -> str:
        required = set(schema.get("required", ()))
        lines = [f"{_comment(schema, '')}export interface {name} {{"]
        for member, each in schema["properties"].items():
            written = member if re.fullmatch(r"[A-Za-z_]\w*", member) else json.dumps(member)
            lines.append(_comment(self.models.resolved(each)[1], "  ").rstrip("\n"))
            lines.append(f"  {written}{'' if member in required else '?'}: {self.type_of(each)};")
        return "\n".join(line for line in lines if line) + "\n}\n"

    def file(self, head: str, aliases: list[str], objects: list[str]) -> str:
        return f"// {head}\n\n" + "\n".join((*aliases, *objects))


def _bracketed(inner: str) -> str:
    return f"({inner})" if " | " in inner else inner


def _python(value: Any) -> str:
    if isinstance(value, str):
        return f"r'{value}'" if "\\" in value and "'" not in value else json.dumps(value, ensure_ascii=False)
    return repr(value)


def _identifier(member: str) -> str:
    name = re.sub(r"\W", "_", member.lstrip("@$"))
    return f"{name}_" if keyword.iskeyword(name) else name


def _text(schema: dict[str, Any]) -> str:
    return str(schema.get("description") or schema.get("title") or "").strip()


def _docstring(schema: dict[str, Any], indent: str) -> str:
    text = _text(schema).replace("\\", "\\\\").replace('"""', "'''")
    folded = fill(text, _WIDTH, initial_indent=f'{indent}"""', subsequent_indent=indent)
    return f'{folded}"""\n' if text else ""


def _comment(schema: dict[str, Any], indent: str) -> str:
    text = _text(schema).replace("*/", "* /")
    return (
        fill(text, _WIDTH, initial_indent=f"{indent}/** ", subsequent_indent=f"{indent} * ") + " */\n" if text else ""
    )
