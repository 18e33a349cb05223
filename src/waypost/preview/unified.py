"""Unified document of a node, by the mapping of the service type.

Interpreter of `x-fields` and of the shapes in `schemas/unified.schema.json`; meaning of the keys:
`schemas/README.md`. Never raises on a malformed node: unreadable values are left out. Limits of depth and
size end cycles in the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from waypost.formats.text import spelled
from waypost.formats.web_addresses import address
from waypost.models.json_value import Json, JsonObject
from waypost.models.page import Node, Value, is_present
from waypost.preview.catalogue import Catalogue, Mapping, Member, Shape, Source
from waypost.preview.documents import NOWHERE, values_at
from waypost.preview.transforms import TRANSFORMS, Reading, text

CONTEXT = "https://schema.org"
_DEEPEST = 8
_MOST_VALUES = 20_000
_ROLES_IN_A_ROW = 4
_LAST = 1e18
"""Position of a member of a list without one."""
_SPAN = ("minValue", "maxValue", "unitCode", "unitText")
_ADDRESSES = ("http://", "https://", "/")


class Origin(NamedTuple):
    """Origin of a value in the page: value number `place` (from 0) of a node's property."""

    node: Node
    prop: str
    place: int


class Setting(NamedTuple):
    """Context of the node: page node that delegated, breadcrumb trail, URL and base URL of the page."""

    wrapper: Node | None = None
    trail: Node | None = None
    url: str | None = None
    base: str | None = None


Found: TypeAlias = "tuple[Value, Origin | None, Node]"
"""(value, origin, node with the value)"""


def unify(
    node: Node,
    mapping: Mapping,
    standard: str,
    catalogue: Catalogue,
    setting: Setting,
    origins: dict[str, list[Origin]] | None = None,
) -> JsonObject:
    """Unified document of a node. `origins`, if given, is filled: field -> origins of the values."""
    return _Reader(catalogue, setting, origins).document(node, mapping, standard)


class _Reader:
    """Builder of a document."""

    def __init__(self, catalogue: Catalogue, setting: Setting, origins: dict[str, list[Origin]] | None) -> None:
        self.catalogue = catalogue
        self.vocabulary = catalogue.vocabulary
        self.setting = setting
        self.origins = origins
        self.left = _MOST_VALUES
        self.made: JsonObject = {}

    def document(self, node: Node, mapping: Mapping, standard: str) -> JsonObject:
        made: JsonObject = {"@context": CONTEXT, "@type": standard}
        self.made = made
        for name, member in mapping.fields.items():
            held = self.member(member, node, 0, name)
            if held is not None:
                made[name] = held
        # Only now: these read fields that the first pass has made.
        for name, member in mapping.fields.items():
            if name not in made:
                value = next(from_fields(member, made), None)
                if value is not None:
                    made[name] = value
        made.setdefault("url", NOWHERE)
        made.setdefault("id", made["url"])
        return {name: made[name] for name in self.catalogue.order if name in made}

    def member(self, member: Member, node: Node, depth: int, field: str = "") -> Json:
        """Value of a field or member, None without a value."""
        entries: list[Json] = []
        for source in member.sources:
            if source.field:
                continue
            entries += self.source(member, source, node, depth, field, len(entries))
            # Sources are alternatives in the order of preference, unless all are taken.
            if entries and not member.take_all and (member.many or not member.join):
                break
        if member.never:
            entries = [each for each in entries if each not in member.never]
        if not entries:
            return None
        if member.join:
            return member.join.join(entries)
        if not member.many:
            return entries[0]
        if member.sort:
            entries = sorted(entries, key=lambda each: each.get(member.sort, 0))
        return entries if member.unique is None else list(_distinct(entries, member.unique))

    def source(self, member: Member, source: Source, node: Node, depth: int, field: str, before: int) -> list[Json]:
        """Entries from a source."""
        kinds = (source.as_,) if source.as_ else member.kinds
        if source.only or source.path == ".":
            return self._itself(source, kinds, node, depth)
        found = self._values(source, node, many=member.many)
        if member.kinds[0] == "property" and source.path != "additionalProperty":
            return self._property(source, found, field)
        entries: list[Json] = []
        for value, origin, holder in found:
            for entry in self._entries(member, source, kinds, value, holder, depth, before + len(entries)):
                entries.append(entry)
                self._note(field, origin)
            if entries and not member.many and not member.join and not source.same:
                break
        # Holders that disagree leave no value that could be right for all.
        if source.same and any(entry != entries[0] for entry in entries):
            return []
        return entries

    def _note(self, field: str, origin: Origin | None) -> None:
        if self.origins is not None and field and origin is not None:
            self.origins.setdefault(field, []).append(origin)

    def _scope(self, source: Source, node: Node) -> Node | None:
        if source.of == "wrapper":
            return self.setting.wrapper
        return self.setting.trail if source.of == "trail" else node

    def _itself(self, source: Source, kinds: tuple[str, ...], node: Node, depth: int) -> list[Json]:
        """Item (or page node) itself as a shape."""
        scope = self._scope(source, node)
        if scope is None or (source.types and not self.vocabulary.are_a(scope.types, frozenset(source.types))):
            return []
        shape = self.catalogue.shapes[kinds[-1]]
        made = self._build(shape, scope, depth, source.only)
        if not made:
            return []
        shared = {name: self.made[name] for name in source.share if self.made.get(name, NOWHERE) != NOWHERE}
        whole = made | source.add | shared
        return [{name: whole[name] for name in shape.members if name in whole}]

    def _values(self, source: Source, node: Node, *, many: bool) -> Iterable[Found]:
        if source.of == "page":
            return [(self.setting.url, None, node)]
        scope = self._scope(source, node)
        if scope is None:
            return []
        found = self.walk(scope, source.path)
        if many:
            found = self._unlisted(found)
        if source.types:
            found = (each for each in found if self._is_a(each[0], source.types))
        if source.not_:
            found = (each for each in found if not self._is_a(each[0], source.not_))
        return found

    def _is_a(self, value: Value, types: tuple[str, ...]) -> bool:
        return isinstance(value, Node) and self.vocabulary.are_a(value.types, frozenset(types))

    def walk(self, node: Node, path: str) -> Iterable[Found]:
        """Every present value at a dotted path; strings have no further steps."""
        holders: Iterable[Node] = [node]
        steps = path.split(".")
        for step in steps[:-1]:
            holders = [value for each in holders for value, _, _ in self._own(each, step) if isinstance(value, Node)]
        return (found for each in holders for found in self._own(each, steps[-1]))

    def _own(self, node: Node, prop: str) -> Iterator[Found]:
        """Present values of a property; a Role is replaced by the qualified value."""
        if prop == "@id":
            yield node.id, None, node
            return
        if prop == "@type":
            yield node, None, node
            return
        for index, value in enumerate(node.props.get(prop, ())):
            # Counts visited values, not steps: a graph in which every node holds the others has that many ways.
            self.left -= 1
            if self.left < 0:
                return
            if is_present(value):
                yield self._behind_roles(value, prop), Origin(node, prop, index), node

    def _behind_roles(self, value: Value, prop: str) -> Value:
        for _ in range(_ROLES_IN_A_ROW):
            if not isinstance(value, Node) or not self._is_a(value, ("Role",)):
                break
            inner = value.get(prop)
            if inner is None:
                break
            value = inner
        return value

    def _unlisted(self, found: Iterable[Found]) -> Iterator[Found]:
        """Values with every ItemList replaced by the members, sorted by position."""
        for value, origin, holder in found:
            if not isinstance(value, Node) or "ItemList" not in value.types:
                yield value, origin, holder
                continue
            members = [each for each, _, _ in self._own(value, "itemListElement")]
            for member in sorted(members, key=self._position):
                item = member.get("item") if isinstance(member, Node) and "ListItem" in member.types else None
                yield (item if item is not None else member), origin, value

    def _position(self, value: Value) -> float:
        if isinstance(value, Node):
            found = next(TRANSFORMS["number"](value.get("position"), Reading(self.vocabulary)), None)
            if isinstance(found, int | float):
                return found
        return _LAST

    def _reading(self, holder: Node, choices: tuple[str, ...] = (), prop: str = "") -> Reading:
        return Reading(self.vocabulary, holder.block.syntax == "json-ld", self.setting.base, choices, prop)

    def _entries(
        self,
        member: Member,
        source: Source,
        kinds: tuple[str, ...],
        value: Value,
        holder: Node,
        depth: int,
        before: int,
    ) -> Iterator[Json]:
        """Entries of the field for a value of the page."""
        reading = self._reading(holder, member.choices)
        if source.unless and any(each == self.made.get(source.unless) for each in text(value, reading)):
            return
        if source.table:
            word = next(TRANSFORMS["term"](value, reading), "")
            if word in source.table:
                yield dict(source.table[word])
            return
        for entry in self._converted(kinds, value, reading, depth, source, before):
            if source.join:
                more = next(
                    (each for found, _, _ in self._own(holder, source.join) for each in text(found, reading)), ""
                )
                yield f"{entry} {more}".strip()
            elif source.into:
                yield {source.into: entry} | source.add
            elif source.add or source.fill:
                yield self._filled(kinds[-1], source, holder, dict(entry) | source.add)
            else:
                yield entry

    def _filled(self, shape: str, source: Source, holder: Node, entry: JsonObject) -> JsonObject:
        """Entry with missing members filled from properties of the parent node."""
        for name, prop in source.fill.items():
            if name not in entry:
                kinds = self.catalogue.shapes[shape].members[name].kinds
                found = (
                    each
                    for value, _, _ in self._own(holder, prop)
                    for each in TRANSFORMS[kinds[-1]](value, self._reading(holder))
                )
                value = next(found, None)
                if value is not None:
                    entry[name] = value
        members = self.catalogue.shapes[shape].members
        return {name: entry[name] for name in members if name in entry}

    def _converted(
        self, kinds: tuple[str, ...], value: Value, reading: Reading, depth: int, source: Source, before: int
    ) -> Iterator[Json]:
        if kinds[0] in ("code", "property"):
            made = self._named(kinds[0], value, source.path, reading)
            if made:
                yield made
        elif kinds[-1] in TRANSFORMS:
            yield from TRANSFORMS[kinds[-1]](value, reading)
        else:
            made = self._shaped(kinds, value, reading, depth)
            if made:
                yield _placed(self.catalogue.shapes[kinds[-1]], made, before + 1)

    def _named(self, kind: str, value: Value, prop: str, reading: Reading) -> JsonObject | None:
        """PropertyValue as {propertyID, value, name?}; a plain value under the name of the property."""
        if not isinstance(value, Node):
            found = next(text(value, reading), None)
            return {"propertyID": prop, "value": found} if found and kind == "code" else None
        name = next(text(value.get("name"), reading), None)
        code = next(text(value.get("propertyID"), reading), None)
        if kind == "code":
            found = next(text(value.get("value"), reading), None)
            return {"propertyID": code or name or prop, "value": found} if found else None
        held = value.get("value")
        inside = self._tidy(held, "value", reading) if held is not None else self._span(value, reading)
        if inside is None or not (code or name):
            return None
        made = {"propertyID": code or name, "value": inside}
        return made | {"name": name} if code and name else made

    def _tidy(self, value: Value, prop: str, reading: Reading) -> Json:
        return next(TRANSFORMS["tidy"](value, reading._replace(prop=prop)), None)

    def _span(self, node: Node, reading: Reading) -> JsonObject | None:
        """Range of a PropertyValue without a value."""
        parts = {prop: self._tidy(node.get(prop), prop, reading) for prop in _SPAN if node.get(prop) is not None}
        present = {prop: part for prop, part in parts.items() if part is not None}
        return present or None

    def _property(self, source: Source, found: Iterable[Found], field: str) -> list[Json]:
        """Values of a property as a single entry."""
        values: list[Json] = []
        for value, origin, holder in found:
            for each in TRANSFORMS[source.as_ or "tidy"](value, self._reading(holder, prop=source.path)):
                values.append(each)
                self._note(field, origin)
        return [{"propertyID": source.path, "value": values[0] if len(values) == 1 else values}] if values else []

    def _shaped(self, kinds: tuple[str, ...], value: Value, reading: Reading, depth: int) -> JsonObject | None:
        shapes = [self.catalogue.shapes[kind] for kind in kinds]
        if isinstance(value, Node) and value.props:
            shape = next((each for each in shapes if each.types and self._is_a(value, each.types)), shapes[-1])
            return self._build(shape, value, depth)
        if isinstance(value, Node):
            # A type alone says nothing that a card could show.
            if value.types and not value.id:
                return None
            return self._pointed(shapes[-1], value.id, reading)
        return self._from_text(shapes[-1], value, reading)

    def _pointed(self, shape: Shape, target: str | None, reading: Reading) -> JsonObject | None:
        """Object from a URL alone, for shapes with a member for the URL."""
        # An id with a fragment names a node, not an address to follow.
        if not shape.url or not target or "#" in target:
            return None
        found = address(target, reading.base)
        return _finished(shape, {shape.url: found}) if found else None

    def _from_text(self, shape: Shape, value: Value, reading: Reading) -> JsonObject | None:
        """Object from a string, for shapes with a member for the string."""
        if shape.url and isinstance(value, str) and _begins_as_address(value):
            found = address(value, reading.base)
            return _finished(shape, {shape.url: found}) if found else None
        if not shape.text:
            return None
        made: JsonObject = {}
        for name, member in shape.members.items():
            kinds = [source.as_ for source in member.sources if source.path == shape.text and source.as_]
            if name == shape.text or kinds:
                texts = list(TRANSFORMS[(kinds or member.kinds)[0]](value, reading))
                if texts:
                    made[name] = texts if member.many else texts[0]
        return _finished(shape, made) if shape.text in made else None

    def _build(self, shape: Shape, node: Node, depth: int, only: tuple[str, ...] = ()) -> JsonObject | None:
        """Object from a node; None without readable or required members."""
        if depth >= _DEEPEST or self.left < 0:
            return None
        made: JsonObject = {}
        for name, member in shape.members.items():
            if (only and name not in only) or member.kinds[0] == "none":
                continue
            value = self.member(member, node, depth + 1)
            if value is not None:
                made[name] = value
        if not made.keys() - {"@type"} and made.get("@type") not in shape.bare:
            return None
        return made if only else _finished(shape, made)


def _begins_as_address(text: str) -> bool:
    beginning = text.lstrip()[:8].lower()
    return any(beginning.startswith(each) for each in _ADDRESSES)


def _finished(shape: Shape, made: JsonObject) -> JsonObject | None:
    """Object with defaults, in the order of the shape; None without a required member."""
    for name, member in shape.members.items():
        if member.default is not None:
            made.setdefault(name, member.default)
    if not _complete(shape, made):
        return None
    return {name: made[name] for name in shape.members if name in made}


def _complete(shape: Shape, made: JsonObject) -> bool:
    """Whether all required members are present, except members that are added later, such as the position."""
    return all(name in made or shape.members[name].kinds[0] in ("none", "position") for name in shape.required)


def _placed(shape: Shape, made: JsonObject, place: int) -> JsonObject:
    """Object with the position in the list as default."""
    if all(member.kinds[0] != "position" or name in made for name, member in shape.members.items()):
        return made
    return {
        name: made.get(name, place) for name, m in shape.members.items() if name in made or m.kinds[0] == "position"
    }


def from_fields(member: Member, document: JsonObject) -> Iterator[str]:
    """Strings for a field from other fields of the document."""
    for source in member.sources:
        found = [each for each in values_at(document, source.field) if isinstance(each, str)] if source.field else []
        if found:
            yield found[-1 if source.pick == "last" else 0]


def _distinct(entries: Iterable[Json], names: tuple[str, ...]) -> Iterator[Json]:
    """Entries in order without repeats; equality in `names`, or in all members without names."""
    seen: set[str] = set()
    for entry in entries:
        key = spelled([entry.get(name) for name in names] if names else entry)
        if key not in seen:
            seen.add(key)
            yield entry
