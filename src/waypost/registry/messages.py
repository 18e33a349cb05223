"""Messages of consumers' own reports, such as Search Console's, as data: `schemas/messages/`.

The grammar is `schemas/meta/messages.schema.json`. A template is a wording with the rules that report the same; a
message is a template that was seen for a path of a profile, with its severity, day and source.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from waypost.registry.registry import Registry


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Wording of a message: {field} stands for a property, {fields} for several."""

    name: str
    text: str
    description: str
    rules: tuple[str, ...]
    also: tuple[str, ...] = ()
    critical: bool = False
    seen: str | None = None
    source: str | None = None


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Message as it was seen. `critical`: the report calls the item not eligible; `path` as in the profile."""

    template: str
    profile: str
    path: str
    critical: bool
    seen: str
    source: str
    note: str | None = None


class Messages(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Messages of one report of a consumer, by wording and by place."""

    consumer: str
    report: str
    about: str
    as_of: str
    templates: tuple[Template, ...]
    messages: tuple[Message, ...]


@lru_cache(maxsize=4)
def report_messages(registry: Registry) -> tuple[Messages, ...]:
    """Messages of every consumer with a report."""
    return tuple(msgspec.json.decode(registry.files[path], type=Messages) for path in registry.below("messages/"))
