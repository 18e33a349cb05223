"""JSON-LD from a unified document, by the mapping files in reverse.

Every entry goes to the first possible source; reading the result gives the same document.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from waypost.preview.catalogue import Catalogue, Mapping, Member, Shape, Source
from waypost.preview.documents import NOWHERE
from waypost.preview.transforms import escaped
from waypost.preview.unified import CONTEXT, from_fields

Thing = dict[str, Any]


def to_json_ld(document: Thing, mapping: Mapping, catalogue: Catalogue) -> Thing:
    """JSON-LD of a document: a node, or a graph of node and trail; a profile page around a profile."""
    return _Writer(document, mapping, catalogue).write()


class _Writer:
    def __init__(self, document: Thing, mapping: Mapping, catalogue: Catalogue) -> None:
        self.document = document
        self.mapping = mapping
        self.shapes = catalogue.shapes
        self.vocabulary = catalogue.vocabulary
        self.node: Thing = {"@type": document["@type"]}
        self.wrapper: Thing = {}
        self.trail: Thing = {}

    def write(self) -> Thing:
        url, own = self.document["url"], self.document["id"]
        # An id that is the page's address says nothing next to `url`.
        if own not in (url, NOWHERE):
            self.node["@id"] = own
        if url != NOWHERE:
            self.node["url"] = url
        for name, member in self.mapping.fields.items():
            if name in self.document and name not in ("id", "url") and not self._follows(member, self.document[name]):
                self._field(member, self.document[name])
        main = self.node
        if self.wrapper:
            self.wrapper.setdefault("@type", "ProfilePage")
            main = {**self.wrapper, "mainEntity": self.node}
        if self.trail:
            graph = [main, {"@type": "BreadcrumbList", **self.trail}]
            return {"@context": CONTEXT, "@graph": graph}
        return {"@context": CONTEXT, **main}

    def _follows(self, member: Member, value: Any) -> bool:
        """Whether reading finds the same value through another field, so that writing is unnecessary."""
        return bool(next(from_fields(member, self.document), None) == value)

    def _field(self, member: Member, value: Any) -> None:
        entries = value if member.many and isinstance(value, list) else [value]
        groups: dict[int, list[Any]] = {}
        for entry, chosen in zip(entries, self._assigned(member, entries), strict=True):
            groups.setdefault(chosen, []).append(entry)
        for chosen, group in groups.items():
            self._put(member, member.sources[chosen], group)

    def _assigned(self, member: Member, entries: list[Any]) -> list[int]:
        """Number of the source per entry: the narrowest that keeps the order of the entries on reading."""
        narrow, default = self._ways(member)
        allowed = [
            [n for n in narrow if self._claims(member, member.sources[n], entry)] + [default] for entry in entries
        ]
        # From the end: a source may be used only where no later entry needs an earlier one, since reading goes source
        # by source.
        highest = len(member.sources)
        caps: list[int] = []
        for options in reversed(allowed):
            highest = max((n for n in options if n <= highest), default=min(options))
            caps.append(highest)
        chosen: list[int] = []
        lowest = 0
        for options, cap in zip(allowed, reversed(caps), strict=True):
            fitting = [n for n in options if lowest <= n <= cap and not (self._is_itself(member, n) and n in chosen)]
            lowest = fitting[0] if fitting else options[-1]
            chosen.append(lowest)
        return chosen

    def _is_itself(self, member: Member, number: int) -> bool:
        return member.sources[number].path == "."

    def _ways(self, member: Member) -> tuple[list[int], int]:
        """(sources for some entries, default source for the rest)"""
        usable = [n for n, source in enumerate(member.sources) if source.back and not source.field]
        if member.kinds in (("code",), ("property",)):
            rest = "identifier" if member.kinds == ("code",) else "additionalProperty"
            default = next(n for n in usable if member.sources[n].path == rest)
            return [n for n in usable if n != default], default
        narrow = [n for n in usable if self._is_narrow(member.sources[n])]
        broad = [n for n in usable if n not in narrow]
        return narrow, broad[0] if broad else usable[0]

    def _is_narrow(self, source: Source) -> bool:
        return bool(source.only or source.add or source.table or source.types)

    def _claims(self, member: Member, source: Source, entry: Any) -> bool:
        if member.kinds in (("code",), ("property",)):
            return bool(entry["propertyID"] == source.path and entry.keys() == {"propertyID", "value"})
        if not isinstance(entry, dict):
            return not source.table
        if source.table:
            return entry in source.table.values()
        if source.types and not self.vocabulary.are_a((self.document["@type"],), frozenset(source.types)):
            return False
        if any(entry.get(key) != value for key, value in source.add.items()):
            return False
        return not source.only or entry.keys() <= {*source.only, *source.add}

    def _put(self, member: Member, source: Source, group: list[Any]) -> None:
        target = {"wrapper": self.wrapper, "trail": self.trail}.get(source.of, self.node)
        if source.path == ".":
            shape = self.shapes[source.as_ or member.kinds[-1]]
            for entry in group:
                for key, value in self._shape(shape, entry, source).items():
                    if key != "@type" or source.of == "wrapper":
                        target.setdefault(key, value)
            return
        values = [each for entry in group for each in self._entry(member, source, entry)]
        _set(target, source.path, values, self.mapping.via)

    def _entry(self, member: Member, source: Source, entry: Any) -> Iterable[Any]:
        if source.table:
            return [key for key, value in source.table.items() if value == entry][:1]
        if member.kinds == ("code",):
            return [self._code(source, entry)]
        if member.kinds == ("property",):
            return self._property(source, entry)
        if isinstance(entry, dict) and member.kinds[-1] in self.shapes:
            shape = next((self.shapes[kind] for kind in member.kinds if self._fits(self.shapes[kind], entry)), None)
            return [self._shape(shape or self.shapes[member.kinds[-1]], entry, source)]
        return [self._scalar(source.as_ or member.kinds[-1], entry)]

    def _fits(self, shape: Shape, entry: Thing) -> bool:
        return entry.keys() <= shape.members.keys() and all(name in entry for name in shape.required)

    def _code(self, source: Source, entry: Thing) -> Any:
        value = escaped(entry["value"])
        if entry["propertyID"] == source.path:
            return value
        return {"@type": "PropertyValue", "propertyID": escaped(entry["propertyID"]), "value": value}

    def _property(self, source: Source, entry: Thing) -> list[Any]:
        if entry["propertyID"] == source.path and source.path != "additionalProperty":
            values = entry["value"] if isinstance(entry["value"], list) else [entry["value"]]
            return [self._scalar(source.as_ or "tidy", value) for value in values]
        made: Thing = {"@type": "PropertyValue"}
        named = "propertyID" if "name" in entry else "name"
        made[named] = escaped(entry["propertyID"])
        if "name" in entry:
            made["name"] = escaped(entry["name"])
        return [made | {"value": self._scalar("tidy", entry["value"])}]

    def _scalar(self, kind: str, value: Any) -> Any:
        if kind == "tidy":
            return self._tidy(value)
        if kind in ("enum", "day") and isinstance(value, str):
            known = (
                value in self.vocabulary.members
                or value in self.vocabulary.types
                or value in self.vocabulary.properties
            )
            return f"https://schema.org/{value}" if known else escaped(value)
        return escaped(value) if isinstance(value, str) else value

    def _tidy(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._tidy(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._tidy(each) for each in value]
        return escaped(value) if isinstance(value, str) else value

    def _shape(self, shape: Shape, entry: Thing, source: Source | None = None) -> Thing:
        """Object as a node of schema.org."""
        added = source.add.keys() if source else ()
        made: Thing = {"@type": shape.type} if shape.type else {}
        for name, member in shape.members.items():
            if name not in entry or member.kinds == ("none",) or (name in added and name != "@type"):
                continue
            self._member(shape, member, entry[name], made)
        return made

    def _member(self, shape: Shape, member: Member, value: Any, made: Thing) -> None:
        if member.kinds == ("notes",):
            made[member.name] = _item_list(value)
            return
        entries = value if member.many and isinstance(value, list) else [value]
        chosen = self._assigned(member, entries)
        for number in dict.fromkeys(chosen):
            source = member.sources[number]
            group = [entry for entry, each in zip(entries, chosen, strict=True) if each == number]
            values = [each for entry in group for each in self._entry(member, source, entry)]
            _set(made, source.path, values, shape.via)


def _item_list(texts: list[str]) -> Thing:
    entries = [{"@type": "ListItem", "position": n, "name": escaped(text)} for n, text in enumerate(texts, 1)]
    return {"@type": "ItemList", "itemListElement": entries}


def _set(target: Thing, path: str, values: list[Any], via: dict[str, str]) -> None:
    """Set a dotted path, creating nodes on the way; a single value is not a list."""
    *steps, last = path.split(".")
    for step in steps:
        inner = target.setdefault(step, {})
        if step in via:
            inner.setdefault("@type", via[step])
        target = inner
    if values:
        target[last] = values[0] if len(values) == 1 else values
