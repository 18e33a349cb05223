"""What a consumer asks of markup before it shows a result: requirement data, one file a result.

The files lie in `schemas/profiles/`; `schemas/meta/profile.schema.json` guards them and says what each
member means. A condition stays as written: an object such as {"present": "nutrition.calories"}.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Condition: TypeAlias = dict[str, Any]
Literals: TypeAlias = str | int | float | bool
Status = Literal["supported", "restricted", "retired"]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One thing that is asked for: exactly one of `path`, `any_of`, `any_of_groups` and `absent`.

    Paths are dotted; lists are walked through; `name[filter]` keeps some of the objects; a first `^` steps
    to the holder. `value` names the kinds that fit, joined by `|`. Sizes of images are in pixels. `told_by` names
    the rule that speaks where the number of items is not kept.
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

    rule: str | None = None
    basis: Literal["table", "prose", "example", "inferred", "tool"] = "table"
    row: Literal["required", "recommended"] = "required"
    severity: Literal["error", "warning", "info"] | None = None
    beta: bool = False
    told_by: str | None = None


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an object must be where an entry says `shape:NAME`. `rule` names a profile that is judged there.

    loses   what is lost when the object lacks something it needs, in words.
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
    """The values a consumer reads. `open`: they are suggestions."""

    kind: Literal["member", "word", "property", "type"]
    members: tuple[str, ...]
    open: bool = False
    note: str | None = None


class Consumer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What all profiles of one consumer share."""

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


class Checked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When the entries were compared with which copies of the consumer's pages, and what stayed open."""

    date: str
    sources: tuple[str, ...]
    confidence: Literal["high", "medium", "low"]
    newest_copy: str | None = None
    open: tuple[str, ...] = ()


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One result of one consumer.

    name           consumer and result, "google/recipe".
    types          nodes of these types, subtypes included, ask for it; none of `exclude_types`, and none
                   for which only a type of `exclude_alone` speaks.
    applies_when   the condition under which the consumer looks at such a node at all.
    mapping        the service types it serves, joined by `|`.
    retired_on     the day from which it is shown no more, YYYY-MM-DD.
    """

    name: str
    title: str
    status: Status
    types: tuple[str, ...]
    doc: str
    checked: Checked
    notes: str
    retired_on: str | None = None
    exclude_types: tuple[str, ...] = ()
    exclude_alone: tuple[str, ...] = ()
    applies_when: Condition | None = None
    formats: tuple[str, ...] = ()
    item_types: tuple[str, ...] = ()
    list_min_items: int | None = None
    mapping: str | None = None
    required: tuple[Entry, ...] = ()
    recommended: tuple[Entry, ...] = ()
    limits: tuple[Entry, ...] = ()
