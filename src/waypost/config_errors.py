"""Errors of a configuration in the words of TOML: messages of msgspec with their key, similar names and line."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec

from waypost.config_file import ConfigError, ConfigFile, steps_of
from waypost.config_tables import Expect, FailOn, FurtherNames, Ignore, Level, Override, Sources, Tables
from waypost.formats.patterns import pattern
from waypost.formats.text import near
from waypost.models.access import FetchTable, OriginTable


def check_origins(file: ConfigFile) -> None:
    """Check the tables of origins one by one, since msgspec does not name the key of a table. Raises ConfigError."""
    fetch = (file.table or {}).get("fetch")
    origins = fetch.get("origins") if isinstance(fetch, dict) else None
    for origin, table in origins.items() if isinstance(origins, dict) else ():
        try:
            msgspec.convert(table, type=OriginTable)
        except msgspec.ValidationError as error:
            unknown = _UNKNOWN.match(str(error))
            parts = _PLACED.match(str(error))
            place = unknown[1] if unknown else (parts[2] or "").partition("[")[0] if parts else ""
            keys = [place]
            if place == "headers" and isinstance(table["headers"], dict):
                keys.append(next(name for name, value in table["headers"].items() if not isinstance(value, str)))
            line = file.line("fetch", "origins", origin, *keys)
            why = message(f"{error} - at `$.fetch.origins`" if unknown else str(error))
            raise ConfigError(f'{file.path}:{line}: fetch.origins."{origin}": {why}', str(file.path), line) from None


_UNKNOWN = pattern(r"Object contains unknown field `([^`]*)`(?: - at `\$\.?(.*)`)?")
_PLACED = pattern(r"(.*?)(?: - at `\$\.?(.*)`)?\Z", re.DOTALL)
_NO_VALUE = pattern(r"Invalid enum value '(.*)'", re.DOTALL)
_NO_KIND = pattern(r"Expected `(.*)`, got `(.*)`")
_NO_KEY = pattern(r"Object missing required field `(.*)`")
_KINDS = {
    "str": "a string", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "a table",
}  # fmt: skip
"""Kinds of values of msgspec, in the words of TOML."""


def place_of(error: str, table: dict[str, Any]) -> str:
    """Key that an error of msgspec is about."""
    if found := _UNKNOWN.match(error):
        return f"{found[2]}.{found[1]}" if found[2] else found[1]
    parts = _PLACED.match(error)
    place = (parts[2] or "") if parts else ""
    if not place.endswith("[...]"):
        return place
    # msgspec does not say which key of a table.
    place, held = place.removesuffix("[...]"), table
    for step in steps_of(place):
        held = held[step]  # type: ignore[index]
    wrong = next((key for key, level in held.items() if level not in get_args(Level)), "")
    return f"{place}.{wrong}"


def message(error: str) -> str:
    """Message for an error of msgspec, with similar keys for an unknown key."""
    if found := _UNKNOWN.match(error):
        place = found[2] or ""
        shapes: dict[str, type[msgspec.Struct]] = {
            "overrides": Override, "ignore": Ignore, "expect": Expect, "vocabulary": FurtherNames,
            "fetch.origins": OriginTable, "fetch": FetchTable, "sources": Sources,
        }  # fmt: skip
        shape = next((shape for start, shape in shapes.items() if place.startswith(start)), Tables)
        keys = [field.encode_name for field in msgspec.structs.fields(shape)]
        similar = near(found[1], keys)
        hint = f"did you mean {' or '.join(similar)}?" if similar else f"there are {', '.join(keys)}"
        return f"there is no key {found[1]!r}{f' in {place}' if place else ''}; {hint}"
    parts = _PLACED.match(error)
    assert parts is not None
    # msgspec does not say which key of a table: "rules[...]".
    place, what = (parts[2] or "").removesuffix("[...]"), _in_words(parts[1], parts[2] or "")
    return f"{place}: {what}" if place else what


def _in_words(error: str, place: str) -> str:
    """Error of msgspec about a value, in the words of TOML."""
    if found := _NO_VALUE.fullmatch(error):
        names, known = ("level", get_args(Level)) if place.endswith("[...]") else ("severity", get_args(FailOn))
        similar = near(found[1], known)
        hint = f"did you mean {similar[0]}?" if similar else f"there are {', '.join(known)}"
        return f"{found[1]!r} is not a {names}; {hint}"
    if found := _NO_KIND.fullmatch(error):
        kinds = [_KINDS.get(kind, kind) for kind in found[1].split(" | ") if kind != "null"]
        return f"write {' or '.join(kinds)}, not {_KINDS.get(found[2], found[2])}"
    if found := _NO_KEY.fullmatch(error):
        return f"{found[1]} is missing"
    return error.lower()
