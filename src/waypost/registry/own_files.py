"""Requirements of a project beyond the registry: profiles and checks in files, and rules of installed packages.

A file has the form of a file of the registry: `schemas/meta/profile.schema.json` or `schemas/meta/check.schema.json`.
A package names rules as entry points of the group `waypost.rules`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from waypost.errors import WaypostError
from waypost.formats.json_lines import lines_of
from waypost.formats.text import clip, near
from waypost.models.profile import Profile

GROUP = "waypost.rules"
MAX_BYTES = 1_000_000
MOST_FILES = 1_000
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KINDS = {
    "string": "a string", "array": "a list", "object": "an object", "number": "a number", "integer": "a whole number",
    "boolean": "true or false",
}  # fmt: skip


class OwnFileError(WaypostError):
    """Unusable profile, check or rule of a project. The message names the file, the line and the member."""

    code, status = "own_file_fault", 422

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}" if path else message)
        self.path, self.line = path, line


class OwnFile(NamedTuple):
    """Profile ("acme/product") or check ("acme-sku") of a project, with the bytes of its file."""

    kind: Literal["profile", "check"]
    name: str
    path: str
    data: bytes


class PackageRule(NamedTuple):
    """Rule of an installed package: name, reference of the module, package with its version."""

    name: str
    module: str
    package: str
    version: str


def read_profile(path: Path) -> OwnFile:
    """Profile in a file of the form `meta/profile`. Raises OwnFileError."""
    data, document = _read(path)
    _check_form(path, data, document, "profile")
    try:
        profile = msgspec.json.decode(data, type=Profile)
    except msgspec.ValidationError as error:
        raise OwnFileError(str(error), str(path), 1) from None
    if profile.name.startswith("google/"):
        raise _error(path, data, ("name",), f"name: {profile.name!r} is waypost's own; begin with a name of yours")
    return OwnFile("profile", profile.name, str(path), data)


def read_checks(path: Path) -> list[OwnFile]:
    """Check in a file of the form `meta/check`, or the checks of a folder. Raises OwnFileError."""
    if not path.is_dir():
        return [_read_check(path)]
    files = sorted(path.rglob("*.json"))
    if not files:
        raise OwnFileError("there is no check (.json) in this folder", str(path))
    if len(files) > MOST_FILES:
        raise OwnFileError(f"there are more than {MOST_FILES} files in this folder", str(path))
    return [_read_check(file) for file in files]


def _read_check(path: Path) -> OwnFile:
    data, document = _read(path)
    _check_form(path, data, document, "check")
    if not _NAME.fullmatch(path.stem):
        raise OwnFileError(
            f"the file's name is the rule's: write lower-case words with hyphens, not {path.stem!r}", str(path)
        )
    if document["kind"] == "read-error":
        raise _error(path, data, ("kind",), "kind: a project checks a value or a pair; read errors are waypost's own")
    return OwnFile("check", path.stem, str(path), data)


def package_rules(name: str) -> tuple[PackageRule, ...]:
    """Rules of an installed package, by its name on the package index. Imports nothing. Raises OwnFileError."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
    except (PackageNotFoundError, ValueError):
        raise OwnFileError(
            f"there is no package {name!r} in this Python; install it where waypost is installed{_installed()}"
        ) from None
    rules = [point for point in found.entry_points if point.group == GROUP]
    if not rules:
        raise OwnFileError(f"the package {name!r} has no entry point of the group {GROUP}{_installed()}")
    for point in rules:
        if not _NAME.fullmatch(point.name):
            raise OwnFileError(f"the package {name!r}: {point.name!r} is not a name; write words with hyphens")
    return tuple(PackageRule(point.name, point.value, name, found.version) for point in rules)


def _installed() -> str:
    """Names of the packages with rules, for a message."""
    from importlib.metadata import entry_points

    names = sorted({point.dist.name for point in entry_points(group=GROUP) if point.dist})
    return f"; installed with rules: {', '.join(names)}" if names else ""


def _read(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise OwnFileError((error.strerror or str(error)).lower(), str(path)) from None
    if len(data) > MAX_BYTES:
        raise OwnFileError(f"the file is larger than {MAX_BYTES:,} bytes", str(path))
    try:
        document = json.loads(data)
    except json.JSONDecodeError as error:
        raise OwnFileError(f"this is not JSON ({error.msg})", str(path), error.lineno) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise OwnFileError(f"this is not JSON ({error})", str(path), 1) from None
    if not isinstance(document, dict):
        raise OwnFileError("write an object", str(path), 1)
    return data, document


def error_at(own: OwnFile, member: str, message: str) -> OwnFileError:
    """Error about a member of a file, written as in `cases[0].message`."""
    steps = [int(step[1:-1]) if step.startswith("[") else step for step in re.findall(r"[^.\[\]]+|\[[0-9]+\]", member)]
    return _error(Path(own.path), own.data, steps, message)


def _error(path: Path, data: bytes, member: Iterable[str | int], message: str) -> OwnFileError:
    lines, steps = lines_of(data.decode()), tuple(member)
    while steps and steps not in lines:
        steps = steps[:-1]
    return OwnFileError(message, str(path), lines.get(steps, 1))


def _check_form(path: Path, data: bytes, document: dict[str, Any], kind: str) -> None:
    """Compare a document with the published schema of its kind. Raises OwnFileError."""
    import jsonschema
    from jsonschema.exceptions import best_match

    from waypost.registry.registry import shared_registry

    schema = shared_registry().document(f"meta/{kind}.schema.json")
    errors = [*jsonschema.Draft202012Validator(schema).iter_errors(document)]
    if not errors:
        return
    # Members count as unknown where the part of the schema that names them does not hold: that part has the error.
    error = best_match([each for each in errors if not _is_consequence(each)] or errors)
    place = tuple(error.absolute_path)
    member, message = _in_words(error)
    place = (*place, member) if member else place
    written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
    raise _error(path, data, place, f"{written}: {message}" if written else message)


def _is_consequence(error: Any) -> bool:
    """Whether a document has no unknown member, although an error says so."""
    return error.validator == "unevaluatedProperties" and set(error.instance) <= _members(error.schema)


def _in_words(error: Any) -> tuple[str, str]:
    """(member below the place of the error, message) for an error of jsonschema."""
    value, expected = error.instance, error.validator_value
    if error.validator in {"additionalProperties", "unevaluatedProperties"}:
        known = _members(error.schema)
        unknown = next((name for name in value if name not in known), "")
        similar = near(unknown, known)
        hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(sorted(known))}"
        return unknown, f"there is no such member; {hint}"
    if error.validator == "required":
        missing = next(name for name in expected if name not in value)
        return "", f"the member {missing!r} is missing"
    if error.validator == "enum":
        similar = near(str(value), map(str, expected))
        hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(map(str, expected))}"
        return "", f"{value!r} is not known here; {hint}"
    if error.validator == "type":
        kinds = [expected] if isinstance(expected, str) else expected
        return "", f"write {' or '.join(_KINDS.get(kind, kind) for kind in kinds)}"
    if error.validator == "pattern":
        return "", f"{clip(str(value), 40)!r} has not the form {expected}"
    return "", clip(str(error.message), 200)


def _members(schema: dict[str, Any]) -> set[str]:
    """Names of the members of a schema, with those of its conditions."""
    found = set(schema.get("properties", ()))
    for part in schema.get("allOf", ()):
        found |= set(part.get("then", {}).get("properties", ()))
    return found


def consumer_of(name: str, google: bytes) -> bytes:
    """Consumer for the profiles of a project: kinds of values, enumerations and shapes as waypost knows them."""
    document = json.loads(google)
    for shape in document["shapes"].values():
        if "rule" in shape:
            shape["rule"] = f"{document['name']}/{shape['rule']}"
    return json.dumps(document | {"name": name, "title": name}).encode()
