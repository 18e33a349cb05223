"""Messages of consumers' own reports, such as Search Console's, as data: `schemas/messages/`.

The grammar is `schemas/meta/messages.schema.json`. A template is a wording with the rules that report the same; a
message is a template that was seen for a path of a profile, with its severity, day and source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from waypost.registry.registry import Registry


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Wording of a template in another language, from a page that documents it."""

    language: Literal["ar", "de", "es", "fr", "ja", "ko", "nl", "pt", "tr", "zh"]
    text: str
    seen: str
    source: str


class Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Wording of a message: {field} stands for a property, {fields} for several.

    fix       repair in one or two sentences.
    rules     rules that report the same, the nearest first.
    critical  whether the report calls the message critical in every place.
    """

    name: str
    text: str
    description: str
    fix: str
    rules: tuple[str, ...]
    seen: str
    source: str
    also: tuple[str, ...] = ()
    critical: bool = False
    wordings: tuple[Wording, ...] = ()


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Message from a report. `critical`: the report calls the item not eligible; `path` as in the profile.

    field  name in the message, unless equal to the end of the path, such as <parent_node>.
    """

    template: str
    profile: str
    path: str
    critical: bool
    seen: str
    source: str
    field: str | None = None
    note: str | None = None


class Messages(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Messages of one report of a consumer, by wording and by place."""

    consumer: str
    report: str
    about: str
    as_of: str
    templates: tuple[Template, ...]
    messages: tuple[Message, ...]


SLOT = re.compile(r"\{fields?\}")
"""Place of the properties in a wording."""


class Sentence(NamedTuple):
    """Message with the properties filled in, seen in one or more places.

    within  path of the object that has the properties, as in the latest message; empty for the item
    """

    template: Template
    fields: tuple[str, ...]
    within: str
    messages: tuple[Message, ...]

    @property
    def slug(self) -> str:
        """Last step of the address of the sentence's page, unique below its template."""
        return slug_of(self.fields)

    @property
    def text(self) -> str:
        return filled(self.template.text, self.fields, self.within)


def slug_of(fields: tuple[str, ...]) -> str:
    """Names of properties as a step of an address: offers, review -> offers-review."""
    return "-".join(re.sub(r"[^\w]+", "-", name).strip("-") for name in fields)


def filled(wording: str, fields: tuple[str, ...], within: str = "") -> str:
    """Wording with the properties filled in, in the quotation marks of the report."""
    names = [f'"{name}"' for name in fields]
    several = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
    text = SLOT.sub(several, wording).strip()
    return f'{text} (in "{within}")' if within else text


def sentences(messages: Messages) -> Iterator[Sentence]:
    """Sentences of a report by template, in the order of the file. A template without properties has no sentence."""
    for template in messages.templates:
        if not SLOT.search(template.text):
            continue
        found: dict[tuple[str, ...], list[tuple[str, Message]]] = {}
        for message in messages.messages:
            if message.template == template.name:
                within, fields = names_of(message)
                found.setdefault(fields, []).append((within, message))
        for fields, seen in found.items():
            latest = max(seen, key=lambda each: each[1].seen)
            yield Sentence(template, fields, latest[0], tuple(message for _, message in seen))


def names_of(message: Message) -> tuple[str, tuple[str, ...]]:
    """(path of the object, names of the properties), as in a message."""
    if message.field:
        return "", (message.field,)
    ways = [path.split(".") for path in message.path.split("|")]
    shared = 0
    while all(len(way) > shared + 1 and way[shared] == ways[0][shared] for way in ways):
        shared += 1
    return ".".join(ways[0][:shared]), tuple(".".join(way[shared:]) for way in ways)


@lru_cache(maxsize=4)
def report_messages(registry: Registry) -> tuple[Messages, ...]:
    """Messages of every consumer with a report."""
    return tuple(msgspec.json.decode(registry.files[path], type=Messages) for path in registry.below("messages/"))
