"""Browser engine of the site: scripts joined into parts, with the registry data for the scripts.

The data comes from the files loaded by the command line and the service, so the site shows the same version digest.
A page loads the part for drawing first, later parts on demand (`waypost.pages.engine_parts`). The data is packed,
because unpacked data would be half of the download: types as a walk down the tree, properties by domain.
`site/js/engine/vocabulary.js` unpacks it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from waypost import __version__
from waypost.formats.countries import countries
from waypost.formats.currencies import currencies
from waypost.formats.date_guesses import month_names
from waypost.pages.engine_parts import parts, rules_in_scripts
from waypost.preview import surfaces
from waypost.registry import Registry, assets
from waypost.registry.report_sentences import message_pages, packed_sentences
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.displayed.word_lists import visible_words
from waypost.validate.rulebook import rules_of
from waypost.validate.value_kinds import KINDS

GLOBAL = "WaypostRegistry"
"""Global variable that holds the data of the parts: `Waypost.load(WaypostRegistry)`."""

KIND_MARKS = {"date": "@", "time": "~", "number": "#", "integer": "%", "boolean": "?", "url": "/", "duration": "*",
              "enumeration": "&"}  # fmt: skip
"""Mark before the name of a property whose values are of one plain kind."""

_DEPTHS = "0123456789abcdefghijklmnopqrstuvwxyz"
_FOR_PEOPLE = frozenset({"$schema", "$id", "title", "description", "examples", "$comment"})
_NOT_READ = frozenset(
    {"doc", "heading", "checked", "sources", "as_of", "newest_source", "off_vocabulary", "note", "mapping", "formats",
     "aspect", "display_limit", "interaction_types", "item_types", "min_width", "min_height", "ideal_width",
     "min_decimals"}
)  # fmt: skip
_WITH_VOCABULARY = frozenset({"drawing", "reading", "validating"})
_NOTICE = "/*! Terms and their relations: schema.org {}, CC BY-SA 3.0, creativecommons.org/licenses/by-sa/3.0/ */\n"
"""Licence of the vocabulary table, in each script that holds a part of it (schemas/vocabulary/NOTICE.md)."""
_OF_CARDS = ("title", "x-standard-type", "x-source-types", "x-excludes", "x-rank", "x-card")


def scripts(
    registry: Registry, drawn: Iterable[str] = (), usual: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, bytes]:
    """Parts of the engine with data, by short name: classic scripts, to be run in this order.

    drawn       further types with cards drawn without reading.js, next to the source types of mappings
    usual       what a company's configuration says for pages that are pasted

    drawing.js  cards of unified documents, and the global `Waypost`
    reading.js  pages and JSON-LD as unified documents, with the whole vocabulary
    validating.js  findings of `validate`
    advising.js generators of pages
    rdfa.js     pages with RDFa
    repairing.js  recovery of invalid JSON
    surfaces.js  how a page may show on each surface
    guessing.js  values written for people as machines read them
    displayed.js markup against the text that people see, with the words of 25 languages
    """
    data = {
        "drawing": drawing_data(registry, drawn),
        "reading": {"reading": reading_data(registry)},
        "validating": {"validating": validating_data(registry, usual)},
        "advising": {"advising": generators_data(registry)},
        "surfaces": {"surfaces": surfaces_data(registry)},
        "guessing": {"guessing": month_names(), "withdrawn": _withdrawn()},
        "displayed": {"displayed": msgspec.to_builtins(visible_words())},
    }
    notice = _NOTICE.format(registry.vocabulary.release).encode()
    return {
        f"{part}.js": notice * (part in _WITH_VOCABULARY) + (_assigning(data[part]) if part in data else b"") + script
        for part, script in parts().items()
    }


def drawing_data(registry: Registry, drawn: Iterable[str] = ()) -> dict[str, Any]:
    """Data to draw the card of a unified document."""
    starts = [name for document in registry.mappings.values() for name in document["x-source-types"]]
    # Ancestors too: whether a type is a subtype decides about badges and slots.
    types = frozenset(line for name in (*starts, *drawn) for line in registry.vocabulary.ancestors(name))
    return {
        "version": registry.version,
        "tool": __version__,
        "types": packed_types(registry.vocabulary, types),
        "unified": _without(registry.unified, _FOR_PEOPLE | _words_of_reading(registry)),
        "mappings": [{key: document[key] for key in _OF_CARDS} for document in registry.mappings.values()],
        "delegates": [_without(delegate, {"because"}) for delegate in registry.document("picking.json")["delegates"]],
        "words": {key: value for key, value in registry.document("card-words.json").items() if key != "description"},
        "standings": list(_standings(registry)),
    }


def reading_data(registry: Registry) -> dict[str, Any]:
    """Further data to read a page: vocabulary, and the sources of members in mappings and shapes."""
    return {
        "vocabulary": {
            "types": packed_types(registry.vocabulary),
            "properties": packed_properties(registry.vocabulary),
            "release": f"{registry.vocabulary.release} of {registry.vocabulary.date}",
        },
        "fields": {title: document["x-fields"] for title, document in registry.mappings.items()},
        "shapes": dict(_shapes(registry)),
    }


def surfaces_data(registry: Registry) -> dict[str, Any]:
    """Views, layouts of results, lengths and widths, with every member of their shapes."""
    found = surfaces.specification(registry)
    file = json.loads((assets.folder("site") / "widths.json").read_text("utf-8"))
    return {
        "views": msgspec.to_builtins(found.views),
        "layouts": msgspec.to_builtins(found.layouts),
        "limits": msgspec.to_builtins(list(found.limits.values())),
        "widths": file["characters"],
        "em": file["units_per_em"],
        "retired": msgspec.to_builtins(found.retired),
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
    """Definitions read from a node of a page: name, `x-` keywords, and under `members` the keywords of the members."""

    def own(holder: dict[str, Any]) -> dict[str, Any]:
        return {word: value for word, value in holder.items() if word.startswith("x-")}

    for name, schema in registry.unified["$defs"].items():
        members = {member: own(part) for member, part in schema.get("properties", {}).items()}
        if any("x-from" in part for part in members.values()):
            yield name, {**own(schema), "members": members}


def validating_data(registry: Registry, usual: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Further data to validate a page. `usual` as in `scripts`."""
    rules = rules_of(registry)
    checks = {Path(path).stem: _without_docs(registry.document(path)) for path in registry.below("checks/")}
    by_profile = [name for name, rule in rules.items() if rule.engine == "profiles"]
    # What is in none of the three only the command line and the service report.
    known = {*checks, *by_profile, *rules_in_scripts()}
    return {
        "elsewhere": " ".join(name for name in rules if name not in known),
        "byProfile": " ".join(by_profile),
        "members": packed_members(registry.vocabulary),
        "checks": checks,
        "consumers": [_consumer(registry.document(f"profiles/{name}.json")) for name in registry.consumers],
        "profiles": [_profile(registry.document(f"profiles/{name}.json")) for name in registry.profiles],
        **_of_company(registry, usual),
        "tables": _tables(),
        "sentences": packed_sentences(registry),
        "messagePages": message_pages(registry),
        "absence": _absence(registry),
        "otherNames": _without(registry.document("other-names.json"), {"description", "source", "read"}),
    }


def _of_company(registry: Registry, usual: Mapping[str, Any]) -> dict[str, Any]:
    """What a company adds, next to its checks and profiles: names of rules in Python, and the usual settings."""
    packages = {rule.name: rule.package for rule in registry.package_rules}
    return {key: value for key, value in (("packages", packages), ("usual", dict(usual))) if value}


def _absence(registry: Registry) -> dict[str, Any]:
    """Reasons for the absence of structured data, without what is for reviewers or saves time in Python."""
    document = registry.document("absence.json")
    lists = {
        name: [_without(reason, {"source", "read", "words", "after"}) for reason in document[name]]
        for name in ("reasons", "in_part")
    }
    return {"hints": document["hints"], **lists}


def generators_data(registry: Registry) -> list[dict[str, Any]]:
    """Generators by precedence, without what is for reviewers."""
    documents = map(registry.document, registry.below("generators/"))
    ordered = sorted(documents, key=lambda document: (document["precedence"], document["name"]))
    return [_without(document, {"precedence", "read"}) for document in ordered]


def _without_docs(check: dict[str, Any]) -> dict[str, Any]:
    is_of_reading = check["kind"] == "read-error"  # of most: the kind goes without saying
    dropped = {"title", "description", "source", "read", *(["kind"] if is_of_reading else [])}
    return {key: value for key, value in check.items() if key not in dropped}


def packed_types(vocabulary: Vocabulary, only: Container[str] | None = None) -> str:
    """Types as a walk down the tree: depth, name, further parents, "!" for the attic, ">" and successors.

    only   the types to include, together with the ancestors; None for every type
    """
    below: dict[str, list[str]] = defaultdict(list)
    for name, term in vocabulary.types.items():
        if only is None or name in only:
            # A type stands below its first parent; further parents are named next to it.
            below[term.p[0] if term.p else ""].append(name)

    def walk(parent: str, depth: int) -> Iterator[str]:
        for name in below[parent]:
            term = vocabulary.types[name]
            attic = "!" if term.l == "attic" else ""
            yield _DEPTHS[depth] + ",".join((name, *term.p[1:])) + attic + _late(term.s)
            yield from walk(name, depth + 1)

    return " ".join(walk("", 0))


def packed_properties(vocabulary: Vocabulary) -> str:
    """Properties by domain, a line a set of domains: the domains, then names with kind, ranges and successors."""
    by_domains: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, term in vocabulary.properties.items():
        marks = "".join(mark for kind, mark in KIND_MARKS.items() if name in getattr(KINDS, kind))
        attic = "!" if name in KINDS.attic else ""
        ranges = f"={','.join(term.r)}" if term.r else ""
        by_domains[term.d].append(marks + name + attic + ranges + _late(term.s))
    return "\n".join(" ".join((",".join(domains), *names)) for domains, names in by_domains.items())


def packed_members(vocabulary: Vocabulary) -> str:
    """Enumerations, a line a set of types: the types, the members' start and end as `DE*Charity`, the rest of each."""
    by_types: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, term in vocabulary.members.items():
        by_types[term.t].append(name)
    lines: list[str] = []
    for types, names in by_types.items():
        start = _common_start(names)
        end = _common_start([name[len(start) :][::-1] for name in names])[::-1]
        rests = (name[len(start) : len(name) - len(end)] for name in names)
        lines.append(" ".join((",".join(types), f"{start}*{end}", *rests)))
    return "\n".join(lines)


def _common_start(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    differs = (n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differs, len(first))]


def _late(successors: Iterable[str]) -> str:
    names = ",".join(successors)
    return f">{names}" if names else ""


def _standings(registry: Registry) -> Iterator[dict[str, Any]]:
    for path in registry.below("profiles/google/"):
        document = registry.document(path)
        # Standings are shown with cards, which only types with a mapping have.
        if document.get("mapping"):
            yield {
                "services": document["mapping"].split("|"),
                "types": document["types"],
                "status": document["status"],
                **({"retired_on": document["retired_on"]} if document.get("retired_on") else {}),
            }


def _consumer(document: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = _without({key: document[key] for key in ("name", "filters", "enums")}, {"note"})
    shapes: dict[str, Any] = _without(document["shapes"], _NOT_READ | {"notes"})
    for shape in shapes.values():
        _drop_unread(shape)
    return data | {"shapes": shapes}


def _drop_unread(data: dict[str, Any]) -> None:
    """Drop what is not read of entries: the reason of a recommendation, and on what it is based."""
    for entry in data.get("recommended", ()):
        if "pattern" not in entry:
            entry.pop("rule", None)
        for key in ("basis", "row", "severity"):
            entry.pop(key, None)
    for part in ("required", "recommended", "limits"):
        for entry in data.get(part, ()):
            entry.pop("many", None)


def _profile(document: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = _without(document, _NOT_READ)
    if document["status"] != "restricted" and "supposed_when" not in document:
        data.pop("notes", None)  # notes are shown only as the hint about a restricted or conditional result
    if "summary" in document:
        data["item_types"] = document["item_types"]
    if data["status"] == "supported":
        del data["status"]  # of most
    _drop_unread(data)
    if "types" not in data:
        data["types"] = [data.pop("type")]
    return data


def _without(value: Any, dropped: Iterable[str], *, names: bool = False) -> Any:
    """A document without some members. `names`: the keys are names, not keywords of a schema."""
    if isinstance(value, dict):
        data = value.items() if names else ((key, part) for key, part in value.items() if key not in dropped)
        # A property may be called `title` or `description`: names are never dropped.
        return {key: _without(part, dropped, names=key in {"properties", "$defs"} and not names) for key, part in data}
    return [_without(part, dropped) for part in value] if isinstance(value, list) else value


def _tables() -> dict[str, str]:
    """Codes of currencies and countries: rows of tab-separated values."""
    money, lands = currencies(), countries()
    names: dict[str, list[str]] = defaultdict(list)
    for name, code in lands.names.items():
        names[code].append(name.casefold())
    return {
        "currencies": " ".join(money.current),
        "signs": _rows(money.signs.items()),
        "countries": _rows((code, long, *names[code]) for code, (long, _) in lands.codes.items()),
        "countryErrors": _rows(lands.written_for.items()),
    }


def _withdrawn() -> dict[str, list[str | int | None]]:
    """Withdrawn currency -> year and successor."""
    return {code: [gone["year"], gone["now"]] for code, gone in currencies().withdrawn.items()}


def _rows(rows: Iterable[Iterable[object]]) -> str:
    return "\n".join("\t".join(map(str, row)) for row in rows)


def _assigning(data: dict[str, Any]) -> bytes:
    """Script to add data to the global, as a JSON string: browsers parse JSON faster than an object literal."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # JSON allows U+2028 and U+2029, which end a line in scripts before ES2019.
    quoted = written.replace("\\", "\\\\").replace("'", "\\'").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"globalThis.{GLOBAL}=Object.assign(globalThis.{GLOBAL}||{{}},JSON.parse('{quoted}'));\n".encode()
