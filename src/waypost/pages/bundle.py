"""The browser's engine as the site ships it: its scripts joined into a few parts, each with the data that it reads.

Everything comes from the files that the command line and the service run, so the site shows the same version
digest. `site/js/order.json` says which script belongs to which part: a page begins with what it shows first, and the
rest comes when it is needed. The data is packed because it is half of what a reader of the site loads: names in a walk
down the tree of types, properties under the types they belong to. `site/js/engine/vocabulary.js` reads it back.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from waypost import __version__
from waypost.formats.values import countries, currencies
from waypost.registry import Registry, assets
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.rulebook import rules_by_name
from waypost.validate.value_kinds import KINDS

GLOBAL = "WaypostRegistry"
"""The global that the data of the parts fills: `Waypost.load(WaypostRegistry)`."""

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
_OF_CARDS = ("title", "x-standard-type", "x-source-types", "x-excludes", "x-rank", "x-card")


def scripts(registry: Registry, drawn: Iterable[str] = ()) -> dict[str, bytes]:
    """The parts of the engine, each with its data, by short name. They are classic scripts, to be run in this order;
    every one adds to what the first needs alone.

    drawn       types whose cards can be drawn without the part for reading, besides those that mappings start from

    drawing.js  the card of a document of the unified model, and the global `Waypost`.
    reading.js  pages and JSON-LD as documents of the model, with the whole vocabulary.
    judging.js  what `validate` says of them.
    mending.js  JSON that is not valid.
    """
    data = {
        "drawing": drawing_data(registry, drawn),
        "reading": {"reading": reading_data(registry)},
        "judging": {"judging": judging_data(registry)},
    }
    return {
        f"{part}.js": (_assigning(data[part]) if part in data else b"") + script for part, script in parts().items()
    }


def parts() -> dict[str, bytes]:
    """The scripts of each part that `site/js/order.json` lists, in that order, as one. A part takes from `Waypost.own`
    what it uses of those it needs, and leaves there what others use."""
    folder = assets.folder("site") / "js"
    order: dict[str, dict[str, list[str]]] = json.loads((folder / "order.json").read_bytes())
    written = tuple(
        (part, tuple(told["needs"]), "\n".join((folder / each).read_text("utf-8") for each in told["scripts"]))
        for part, told in order.items()
    )
    if written not in _parts:
        _parts.clear()
        _parts[written] = _joined(written)
    return _parts[written]


_Written = tuple[tuple[str, tuple[str, ...], str], ...]
_parts: dict[_Written, dict[str, bytes]] = {}


def made() -> dict[_Written, dict[str, bytes]]:
    """The parts as they were made last, by what they were made of, for another process."""
    parts()
    return _parts


def take(others: dict[_Written, dict[str, bytes]]) -> None:
    """What another process has made."""
    _parts.update(others)


def _joined(written: _Written) -> dict[str, bytes]:
    tokens = {part: _tokens(script) for part, _, script in written}
    declared = {part: _declared(each) for part, each in tokens.items()}
    used = {part: _used(each) for part, each in tokens.items()}
    made: dict[str, bytes] = {}
    for part, needs, _ in written:
        taken = [name for needed in needs for name in declared[needed] if name in used[part]]
        users = [used[other] for other, its, _ in written if part in its]
        left = [name for name in declared[part] if any(name in each for each in users)]
        made[part] = (
            'globalThis.Waypost||={own:{}};(own=>{"use strict";'
            + (f"const{{{','.join(taken)}}}=own;" if taken else "")
            + "".join(tokens[part])
            + (f"Object.assign(own,{{{','.join(left)}}})" if left else "")
            + "})(Waypost.own);\n"
        ).encode()
    return made


def drawing_data(registry: Registry, drawn: Iterable[str] = ()) -> dict[str, Any]:
    """What the browser needs to draw the card of a document."""
    starts = [name for document in registry.mappings.values() for name in document["x-source-types"]]
    types = frozenset(line for name in (*starts, *drawn) for line in registry.vocabulary.ancestors(name))
    return {
        "version": registry.version,
        "tool": __version__,
        "types": packed_types(registry.vocabulary, types),
        "unified": _without(registry.unified, _FOR_PEOPLE | _words_of_reading(registry)),
        "mappings": [{key: document[key] for key in _OF_CARDS} for document in registry.mappings.values()],
        "delegates": [_without(each, {"because"}) for each in registry.document("picking.json")["delegates"]],
        "words": {key: value for key, value in registry.document("card-words.json").items() if key != "description"},
        "standings": list(_standings(registry)),
    }


def reading_data(registry: Registry) -> dict[str, Any]:
    """What it needs besides to make such documents of a page: where the mappings and shapes take each member from."""
    return {
        "vocabulary": {
            "types": packed_types(registry.vocabulary),
            "properties": packed_properties(registry.vocabulary),
        },
        "fields": {title: document["x-fields"] for title, document in registry.mappings.items()},
        "shapes": dict(_shapes(registry)),
    }


def _words_of_reading(registry: Registry) -> frozenset[str]:
    return frozenset(
        word
        for schema in registry.unified["$defs"].values()
        for holder in (schema, *schema.get("properties", {}).values())
        for word in holder
        if word.startswith("x-")
    )


def _shapes(registry: Registry) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of each definition that is read from a node of a page: its `x-` words, and its members' under `members`."""

    def own(holder: dict[str, Any]) -> dict[str, Any]:
        return {word: value for word, value in holder.items() if word.startswith("x-")}

    for name, schema in registry.unified["$defs"].items():
        members = {each: own(part) for each, part in schema.get("properties", {}).items()}
        if any("x-from" in part for part in members.values()):
            yield name, {**own(schema), "members": members}


def judging_data(registry: Registry) -> dict[str, Any]:
    """What the browser needs besides to judge a page."""
    rules = rules_by_name()
    return {
        "rules": " ".join(rules),
        "byProfile": " ".join(name for name, rule in rules.items() if rule.engine == "profiles"),
        "members": packed_members(registry.vocabulary),
        "consumers": [_consumer(registry.document(path)) for path in registry.below("profiles/")],
        "profiles": [_profile(registry.document(f"profiles/{name}.json")) for name in registry.profiles],
        "tables": _tables(),
    }


def packed_types(vocabulary: Vocabulary, only: Container[str] | None = None) -> str:
    """Types as a walk down the tree: depth, name, further parents, "!" for the attic, ">" and what supersedes it.
    `only` some of them: with each, all that it descends from."""
    below: dict[str, list[str]] = defaultdict(list)
    for name, term in vocabulary.types.items():
        if only is None or name in only:
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
    r"(?:\s+|//[^\n]*|/\*.*?\*/)*"
    r"(?:(?P<word>[\w$#]+)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<template>`)"
    r"|(?P<mark>.)|\Z)",
    re.DOTALL,
)
_IN_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_BEFORE_REGEX = frozenset("=(,:[!&|?{};+-*<>~^%")
_DEEPER = {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}
_WORDS_BEFORE_REGEX = frozenset({"return", "typeof", "case", "in", "of", "yield", "void", "else"})


def smaller(script: str) -> str:
    """A script without comments and white space that separates nothing; its statements must end with semicolons."""
    return "".join(_tokens(script))


@lru_cache(maxsize=64)
def _tokens(script: str) -> tuple[str, ...]:
    return tuple(_smaller(script, 0, [])[0])


@lru_cache(maxsize=16)
def _declared(tokens: tuple[str, ...]) -> list[str]:
    """The names that a script declares at its top and does not change: those of constants, classes and functions."""
    names: list[str] = []
    depth = 0
    for at, word in enumerate(tokens):
        if depth == 0 and word in {"class", "function"} and tokens[at + 1] == " ":
            names.append(tokens[at + 2])
        if depth == 0 and word == "const":
            names += _constants(tokens, at + 1)
        depth += _DEEPER.get(word, 0)
    return names


def _constants(tokens: Sequence[str], at: int) -> Iterator[str]:
    """The names of one `const` statement, from behind that word."""
    depth, naming = 0, True
    for word in tokens[at:]:
        if depth == 0 and word == ";":
            return
        if word == "=":
            naming = naming and depth > 0
        elif word == "," and depth == 0:
            naming = True
        elif naming and word[0] not in "[]{}, ":
            yield word
        depth += _DEEPER.get(word, 0)


@lru_cache(maxsize=16)
def _used(tokens: tuple[str, ...]) -> set[str]:
    """The words of a script that may be names of something it did not declare: neither members nor keys."""
    words = [each for each in tokens if each != " "]
    found: set[str] = set()
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if word[0] == "`":
            found.update(re.findall(r"[A-Za-z_$][\w$]*", word))
        elif before == "." and words[at - 2 : at] != [".", "."]:
            continue
        elif not (before in {"{", ","} and words[at + 1 : at + 2] == [":"]):
            found.add(word)
    return found


def _smaller(script: str, at: int, made: list[str], *, nested: bool = False) -> tuple[list[str], int]:
    """The tokens from an offset on, and where they end: with the text, or at the brace that closes a piece."""
    depth = 0
    last = ""
    while found := _TOKEN.match(script, at):
        kind = found.lastgroup
        if kind is None:
            return made, len(script)
        piece, end = found[kind], found.end()
        start = end - len(piece)
        if kind == "mark":
            if nested and piece == "}" and depth == 0:
                return made, start
            depth += (piece == "{") - (piece == "}")
            if piece == "/" and _may_be_regex(last) and (regex := _REGEX.match(script, start)):
                piece, end = regex[0], regex.end()
        elif kind == "template":
            piece, end = _template(script, start)
        if start > at and last and _would_join(last, piece):
            made.append(" ")
        made.append(piece)
        last, at = piece, end
    raise AssertionError("every text is a token or the end")


def _template(script: str, at: int) -> tuple[str, int]:
    """A template literal: its text as it is, what stands in its braces made smaller."""
    pieces = ["`"]
    at += 1
    while text := _IN_TEMPLATE.match(script, at):
        pieces.append(text[0])
        at = text.end()
        if script.startswith("`", at):
            break
        assert script.startswith("${", at), "a template literal that does not end"
        inside, at = _smaller(script, at + 2, [], nested=True)
        pieces += ["${", *inside, "}"]
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
