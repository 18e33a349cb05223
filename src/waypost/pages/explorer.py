"""Explorer: one table of every type, field, rule and rich result; and the list of the registry's files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from waypost.models.profile import Profile
from waypost.pages import links
from waypost.pages.draft import Draft
from waypost.pages.frame import heading_id, rule_groups, rules_about
from waypost.pages.heads import draft
from waypost.pages.mapping_text import consumed_by, kind_of, paths_of
from waypost.registry import Registry
from waypost.validate.rulebook import Rule


def explorer(registry: Registry, fields: list[dict[str, Any]]) -> Draft:
    results = list(map(_result_row, registry.profiles.values()))
    groups = [
        TableGroup("Types", ("Type", "About", "Card"), list(_type_rows(registry))),
        TableGroup("Rich results", ("Rich result", "Types", "Status"), results),
        TableGroup("Fields of the unified model", ("Field", "About", "Value"), list(_field_rows(registry, fields))),
        *(
            TableGroup(f"Rules: {heading}", ("Rule", "Severity"), list(map(_rule_row, rules)))
            for heading, rules in rule_groups().items()
        ),
    ]
    kinds = sorted({row.data for group in groups for row in group.rows} - {""})
    structured = (_dataset(registry),)
    return draft("explorer/", "explorer.html", {"groups": groups, "kinds": kinds}, structured=structured)


@dataclass(frozen=True)
class Row:
    """Row of the explorer's table.

    consumers  who uses the row: a search engine, the cards, or any reader of the page; for the table's filter
    title      title of the page, if not the name
    by         authority
    status     severity of a rule, status of a rich result
    data       kind of data of a field
    counts     number of fields and rules
    """

    name: str
    link: str
    kind: str
    more: str
    consumers: str
    about: str = ""
    title: str = ""
    by: str = ""
    status: str = ""
    data: str = ""
    counts: str = ""


@dataclass(frozen=True)
class TableGroup:
    """Rows under a heading, folded on the page."""

    heading: str
    columns: tuple[str, ...]
    rows: list[Row]

    @property
    def id(self) -> str:
        return heading_id(self.heading.replace(":", ""))


_GOOGLE, _CARDS, _READERS = "google", "cards", "readers"


def _type_rows(registry: Registry) -> Iterator[Row]:
    for mapping in registry.mappings.values():
        name = mapping["x-standard-type"]
        results = [p for p in registry.profiles.values() if mapping["title"] in (p.mapping or "").split("|")]
        yield Row(
            name=name,
            link=f"types/{name}/",
            kind="type",
            about=mapping["description"],
            more=mapping["title"],
            # A retired rich result is not a reason to find the type under Google.
            consumers=f"{_CARDS} {_GOOGLE}" if any(profile.status != "retired" for profile in results) else _CARDS,
            counts=f"{len(mapping['properties'])} fields, {len(rules_about(name, registry))} rules",
        )


def _field_rows(registry: Registry, fields: list[dict[str, Any]]) -> Iterator[Row]:
    consumed = {m["title"]: consumed_by(m["title"], registry) for m in registry.mappings.values()}
    for field in fields:
        name = field["name"]
        users = [m for m in registry.mappings.values() if name in m["properties"]]
        is_consumed = any(
            path.split(".")[0] in consumed[m["title"]] for m in users for path in paths_of(m["x-fields"].get(name, {}))
        )
        yield Row(
            name=name,
            link=links.field(name),
            kind="field",
            about=str(field["description"]),
            more=kind_of(field, registry.unified["$defs"]),
            consumers=f"{_CARDS} {_GOOGLE}" if is_consumed else _CARDS,
            data=_data_of(field, registry.unified["$defs"]),
            counts=f"{len(users)} types" if len(users) != 1 else f"{users[0]['x-standard-type']} only",
        )


def _rule_row(rule: Rule) -> Row:
    return Row(
        name=rule.name,
        link=links.rule(rule.name),
        kind="rule",
        title=rule.title,
        more=rule.severity,
        status=rule.severity,
        by=rule.authority,
        consumers={"google": _GOOGLE, "waypost": _CARDS}.get(rule.authority, _READERS),
    )


def _result_row(profile: Profile) -> Row:
    return Row(
        name=profile.name,
        link=links.rule(profile.name),
        kind="result",
        title=profile.heading,
        about=", ".join(profile.types),
        more=profile.status,
        status=profile.status,
        by="google",
        consumers=_GOOGLE,
    )


_DATA = {
    "Url": "URL", "Moment": "date or time", "Duration": "duration", "string": "text", "boolean": "true or false",
    "number": "number", "integer": "number", "object": "object",
}  # fmt: skip


def _data_of(schema: dict[str, Any], shapes: dict[str, Any]) -> str:
    """Kind of data of a field, in a word for the table's filter; for a list, the kind of the members."""
    if schema.get("type") == "array":
        return _data_of(schema["items"], shapes)
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name:
        return _DATA.get(name) or _data_of(shapes[name], shapes)
    if "enum" in schema or "const" in schema:
        return "one of a list"
    if "anyOf" in schema:
        ways = {_data_of(option, shapes) for option in schema["anyOf"]}
        return ways.pop() if len(ways) == 1 else "several"
    return _DATA[schema["type"]]


def _dataset(registry: Registry) -> dict[str, Any]:
    return {
        "@type": "Dataset",
        "name": "The waypost registry",
        "description": f"JSON Schema files of {len(registry.mappings)} structured-data types, one unified model of 54 "
        "fields, and what search engines require before they show a rich result, each with a dated source.",
        "license": ["https://spdx.org/licenses/MIT.html", "https://creativecommons.org/licenses/by-sa/3.0/"],
        "creator": {"@type": "Organization", "name": "The waypost authors"},
        "version": registry.version,
        "isAccessibleForFree": True,
    }


def files(registry: Registry) -> Draft:
    files = [(path, len(data)) for path, data in registry.files.items()]
    values = {"files": files, "digest": registry.version}
    return draft("schemas/", "schemas.html", values, structured=(_dataset(registry),))
