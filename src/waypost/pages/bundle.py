"""The browser's engine as the site ships it: its scripts joined into one, and the registry as data it reads.

Everything comes from the files that the command line and the service run, so the site shows the same version
digest. The data is packed because it is most of what a reader of the site loads: names in a walk down the tree of
types, properties under the types they belong to. `site/js/engine/vocabulary.js` reads it back.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from waypost import __version__, assets
from waypost.registry import Registry
from waypost.validate.kinds import KINDS
from waypost.validate.rulebook import rulebook
from waypost.values import countries, currencies
from waypost.vocabulary import Vocabulary

GLOBAL = "WaypostRegistry"
"""The global that the data files fill: `Waypost.load(WaypostRegistry)`."""

KIND_MARKS = {"date": "@", "time": "~", "number": "#", "integer": "%", "boolean": "?", "url": "/", "duration": "*",
              "enumeration": "&"}  # fmt: skip
"""What stands before the name of a property whose values are of one plain kind."""

_DEPTHS = "0123456789abcdefghijklmnopqrstuvwxyz"
_FOR_PEOPLE = frozenset({"$schema", "$id", "title", "description", "examples", "$comment"})
_NOT_READ = frozenset(
    {"doc", "checked", "sources", "as_of", "newest_source", "off_vocabulary", "note", "mapping", "formats", "aspect",
     "display_limit", "interaction_types", "item_types", "list_min_items", "min_width", "min_height", "ideal_width",
     "min_decimals"}
)  # fmt: skip
_MAPPING = ("title", "x-standard-type", "x-source-types", "x-excludes", "x-rank", "x-fields", "x-card")


def scripts(registry: Registry) -> dict[str, bytes]:
    """The engine and its data, by short name. Each is a classic script that may be loaded in any order before use.

    engine.js    the global `Waypost`.
    registry.js  what reading and previews need.
    judging.js   what `validate` needs besides.
    """
    return {
        "engine.js": joined("waypost"),
        "registry.js": _assigning(preview_data(registry)),
        "judging.js": _assigning({"judging": judging_data(registry)}),
    }


def joined(name: str) -> bytes:
    """The scripts that `site/js/order.json` lists under a name, in that order, as one that leaves one global."""
    folder = assets.folder("site") / "js"
    order: list[str] = json.loads((folder / "order.json").read_bytes())[name]
    text = "\n".join((folder / each).read_text("utf-8") for each in order)
    return f'globalThis.Waypost=(()=>{{"use strict";{smaller(text)}return Waypost}})();\n'.encode()


def preview_data(registry: Registry) -> dict[str, Any]:
    """What the browser needs to read a page and draw its card."""
    return {
        "version": registry.version,
        "tool": __version__,
        "vocabulary": {
            "types": packed_types(registry.vocabulary),
            "properties": packed_properties(registry.vocabulary),
        },
        "unified": _without(registry.unified, _FOR_PEOPLE),
        "mappings": [{key: document[key] for key in _MAPPING} for document in registry.mappings.values()],
        "delegates": [_without(each, {"because"}) for each in registry.document("picking.json")["delegates"]],
        "words": {key: value for key, value in registry.document("card-words.json").items() if key != "description"},
        "standings": list(_standings(registry)),
    }


def judging_data(registry: Registry) -> dict[str, Any]:
    """What the browser needs besides to judge a page."""
    rules = rulebook()
    return {
        "rules": " ".join(rules),
        "byProfile": " ".join(name for name, rule in rules.items() if rule.engine == "profiles"),
        "members": packed_members(registry.vocabulary),
        "consumers": [_consumer(registry.document(path)) for path in registry.below("profiles/")],
        "profiles": [_profile(registry.document(f"profiles/{name}.json")) for name in registry.profiles],
        "tables": _tables(),
    }


def packed_types(vocabulary: Vocabulary) -> str:
    """Types as a walk down the tree: depth, name, further parents, "!" for the attic, ">" and what supersedes it."""
    below: dict[str, list[str]] = defaultdict(list)
    for name, term in vocabulary.types.items():
        below[term.p[0] if term.p else ""].append(name)

    def walk(parent: str, depth: int) -> Iterator[str]:
        for name in below[parent]:
            term = vocabulary.types[name]
            attic = "!" if term.l == "attic" else ""
            yield _DEPTHS[depth] + ",".join((name, *term.p[1:])) + attic + _late(term.s)
            yield from walk(name, depth + 1)

    return " ".join(walk("", 0))


def packed_properties(vocabulary: Vocabulary) -> str:
    """A line for each set of domains: these, then each property with marks of its kind, ranges and successors."""
    by_domains: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, term in vocabulary.properties.items():
        marks = "".join(mark for kind, mark in KIND_MARKS.items() if name in getattr(KINDS, kind))
        attic = "!" if name in KINDS.attic else ""
        ranges = f"={','.join(term.r)}" if term.r else ""
        by_domains[term.d].append(marks + name + attic + ranges + _late(term.s))
    return "\n".join(" ".join((",".join(domains), *names)) for domains, names in by_domains.items())


def packed_members(vocabulary: Vocabulary) -> str:
    """A line for each enumeration: its types, then its members."""
    by_types: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, term in vocabulary.members.items():
        by_types[term.t].append(name)
    return "\n".join(" ".join((",".join(types), *names)) for types, names in by_types.items())


def _late(successors: Iterable[str]) -> str:
    names = ",".join(successors)
    return f">{names}" if names else ""


def _standings(registry: Registry) -> Iterator[dict[str, Any]]:
    for path in registry.below("profiles/google/"):
        document = registry.document(path)
        if document.get("mapping"):
            yield {
                "services": document["mapping"].split("|"),
                "types": document["types"],
                "status": document["status"],
                **({"retired_on": document["retired_on"]} if document.get("retired_on") else {}),
            }


def _consumer(document: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = _without({key: document[key] for key in ("name", "filters", "enums")}, {"note"})
    return kept | {"shapes": _without(document["shapes"], _NOT_READ | {"notes"})}


def _profile(document: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = _without(document, _NOT_READ)
    if document["status"] != "restricted":
        kept.pop("notes", None)  # they are the hint of that finding alone
    if "types" not in kept:
        kept["types"] = [kept.pop("type")]
    return kept


def _without(value: Any, dropped: Iterable[str], *, names: bool = False) -> Any:
    """A document without some members; `names` says that the keys here are names, not words of the schema."""
    if isinstance(value, dict):
        kept = value.items() if names else ((key, part) for key, part in value.items() if key not in dropped)
        return {key: _without(part, dropped, names=key in {"properties", "$defs"} and not names) for key, part in kept}
    return [_without(part, dropped) for part in value] if isinstance(value, list) else value


def _tables() -> dict[str, str]:
    """Codes of currencies and countries: rows of tab-separated values."""
    money, lands = currencies(), countries()
    names: dict[str, list[str]] = defaultdict(list)
    for name, code in lands.names.items():
        names[code].append(name.casefold())
    return {
        "currencies": " ".join(money.current),
        "withdrawn": _rows((code, gone["year"], gone["now"]) for code, gone in money.withdrawn.items()),
        "signs": _rows(money.signs.items()),
        "countries": _rows((code, long, *names[code]) for code, (long, _) in lands.codes.items()),
        "countryErrors": _rows(lands.written_for.items()),
    }


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return "\n".join("\t".join(map(str, row)) for row in rows)


def _assigning(data: dict[str, Any]) -> bytes:
    """A script that adds data to the global. JSON in a string is read several times faster than an object literal."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    quoted = written.replace("\\", "\\\\").replace("'", "\\'").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"globalThis.{GLOBAL}=Object.assign(globalThis.{GLOBAL}||{{}},JSON.parse('{quoted}'));\n".encode()


_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<template>`)"
    r"|(?P<word>[\w$#]+)"
    r"|(?P<space>\s+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_BEFORE_REGEX = frozenset("=(,:[!&|?{};+-*<>~^%")
_WORDS_BEFORE_REGEX = frozenset({"return", "typeof", "case", "in", "of", "yield", "void", "else"})


@lru_cache(maxsize=16)
def smaller(script: str) -> str:
    """A script without comments and white space that separates nothing; its statements must end with semicolons."""
    return "".join(_smaller(script, 0, [])[0])


def _smaller(script: str, at: int, made: list[str], *, nested: bool = False) -> tuple[list[str], int]:
    """The tokens from an offset on, and where they end: with the text, or at the brace that closes a piece."""
    depth = 0
    last = ""
    gap = False
    while at < len(script):
        regex = _REGEX.match(script, at) if script[at] == "/" and _may_be_regex(last) else None
        found = _TOKEN.match(script, at)
        assert found is not None
        if found["comment"] or found["space"]:
            gap, at = True, found.end()
            continue
        if nested and found[0] == "}" and depth == 0:
            break
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if regex is not None:
            token, at = regex[0], regex.end()
        elif found["template"]:
            token, at = _template(script, at)
        else:
            token, at = found[0], found.end()
        if gap and last and _would_join(last, token):
            made.append(" ")
        made.append(token)
        last, gap = token, False
    return made, at


def _template(script: str, at: int) -> tuple[str, int]:
    """A template literal: its text as it is, what stands in its braces made smaller."""
    pieces = ["`"]
    at += 1
    while script[at] != "`":
        if script[at] == "\\":
            pieces.append(script[at : at + 2])
            at += 2
        elif script.startswith("${", at):
            inside, at = _smaller(script, at + 2, [], nested=True)
            pieces += ["${", *inside, "}"]
            at += 1
        else:
            pieces.append(script[at])
            at += 1
    return "".join((*pieces, "`")), at + 1


def _may_be_regex(last: str) -> bool:
    return not last or last in _WORDS_BEFORE_REGEX or (last[-1] in _BEFORE_REGEX and len(last) == 1)


def _would_join(last: str, token: str) -> bool:
    """Would two tokens side by side be read as another one?"""
    one, two = last[-1], token[0]
    if (one.isalnum() or one in "_$") and (two.isalnum() or two in "_$#"):
        return True
    return one == two and one in "+-"
