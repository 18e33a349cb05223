"""Profiles: requirements of a consumer (a search engine) on markup for one rich result, one JSON file a result.

Files: `schemas/profiles/`, format: `schemas/meta/profile.schema.json`, which documents every member.
A condition stays as written: an object such as {"present": "nutrition.calories"}.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Condition: TypeAlias = dict[str, Any]
Literals: TypeAlias = str | int | float | bool
Status = Literal["supported", "restricted", "retired"]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Requirement of a profile: exactly one of `path`, `any_of`, `any_of_groups` and `absent`.

    Paths are dotted and step into lists; `name[filter]` selects objects; a first `^` steps to the parent.
    `value`: allowed kinds of value, joined by `|`. Sizes of images are pixels. `reported_by`: the rule that
    reports a wrong number of items instead of the profile. `time`: a date alone is not enough. `waits`: the
    result is missed without an error of the page. `misfit`: a text or
    number that does not fit costs no result, as the consumer's report says.
    """

    path: str | None = None
    any_of: tuple[str, ...] = ()
    any_of_groups: tuple[tuple[str, ...], ...] = ()
    absent: str | None = None
    each: str | None = None
    when: Condition | None = None

    value: str | None = None
    values: dict[str, str] = {}
    some: bool = False
    prefer: str | None = None
    many: bool = False
    exclusive: bool = False
    unique: bool = False
    equals: Literals | None = None
    includes: tuple[str, ...] = ()
    pattern: str | None = None
    min: float | None = None
    max: float | None = None
    gt: float | None = None
    min_decimals: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    min_items_total: int | None = None
    min_width: int | None = None
    min_height: int | None = None
    ideal_width: int | None = None
    aspect: str | None = None
    formats: tuple[str, ...] = ()
    interaction_types: tuple[str, ...] = ()
    default: Literals | None = None
    display_limit: int | None = None
    time: bool = False
    waits: bool = False
    misfit: Literal["warning"] | None = None

    rule: str | None = None
    basis: Literal["table", "prose", "example", "inferred", "tool"] = "table"
    row: Literal["required", "recommended"] = "required"
    severity: Literal["error", "warning", "info"] | None = None
    beta: bool = False
    reported_by: str | None = msgspec.field(default=None, name="told_by")


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Requirements on an object, for entries with `shape:NAME`. `rule`: profile that is evaluated at the object.

    loses   consequence of a missing requirement, in words.
    """

    types: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    rule: str | None = None
    loses: str | None = None
    notes: str | None = None
    required: tuple[Entry, ...] = ()
    recommended: tuple[Entry, ...] = ()
    limits: tuple[Entry, ...] = ()


class Enumeration(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Values known to a consumer. `open`: other values are allowed. `any_case`: letter case does not count."""

    kind: Literal["member", "word", "property", "type"]
    members: tuple[str, ...]
    open: bool = False
    any_case: bool = False
    note: str | None = None


class Consumer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Data shared by all profiles of one consumer."""

    name: str
    title: str
    as_of: str
    newest_source: str
    sources: dict[str, str]
    values: dict[str, str]
    filters: dict[str, Condition]
    off_vocabulary: dict[str, str]
    enums: dict[str, Enumeration]
    shapes: dict[str, Shape]


class SourceReview(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Review of a profile against copies of the consumer's documentation. `open`: unanswered questions."""

    date: str
    sources: tuple[str, ...]
    confidence: Literal["high", "medium", "low"]
    newest_copy: str | None = None
    open: tuple[str, ...] = ()


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rich result of a consumer.

    name           consumer and result, "google/recipe".
    heading        title of the page and of lines in lists, "Recipe rich result".
    types          nodes of these types and subtypes are candidates, except nodes of `exclude_types` and nodes
                   that match only by a type of `exclude_alone`.
    applies_when   condition under which the consumer reads a candidate.
    supposed_when  condition under which an earned result counts although `applies_when` is unknown.
    summary        list whose entries, `item_types` with a URL, owe no more than the list requires of them.
    identified_by  properties of which a node needs one for a result without requirements.
    mapping        service types of the result, joined by `|`.
    retired_on     first day without the result, YYYY-MM-DD.
    """

    name: str
    title: str
    heading: str
    status: Status
    types: tuple[str, ...]
    doc: str
    checked: SourceReview
    notes: str
    retired_on: str | None = None
    exclude_types: tuple[str, ...] = ()
    exclude_alone: tuple[str, ...] = ()
    identified_by: tuple[str, ...] = ()
    applies_when: Condition | None = None
    supposed_when: Condition | None = None
    summary: bool = False
    formats: tuple[str, ...] = ()
    item_types: tuple[str, ...] = ()
    list_min_items: int | None = None
    mapping: str | None = None
    required: tuple[Entry, ...] = ()
    recommended: tuple[Entry, ...] = ()
    limits: tuple[Entry, ...] = ()
