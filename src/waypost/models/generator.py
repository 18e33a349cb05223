"""Generator of pages: a program for structured data, by `schemas/meta/generator.schema.json`."""

from __future__ import annotations

from typing import Literal

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """Sign of a generator in a page. `pattern` is a regular expression, except for `place` "class": a word."""

    place: Literal["meta", "comment", "script", "class"] = msgspec.field(name="in")
    pattern: str


class Setting(msgspec.Struct, frozen=True):
    """Setting or template, with the fixed findings: all without a name.

    since, before  versions of the generator with the setting, as in "9.2"; without a version on the page, the newest.
    """

    text: str
    source: str
    read: str
    types: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    since: str = ""
    before: str = ""


class Generator(msgspec.Struct, frozen=True):
    """Program for structured data: marks in a page, written items, and settings."""

    name: str
    precedence: int
    marks: tuple[Mark, ...]
    syntaxes: frozenset[str]
    types: frozenset[str]
    fixes: tuple[Setting, ...]
    template: Setting | None = None
