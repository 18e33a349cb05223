"""Tables and keys of a configuration file, as written; format: `schemas/api/config.schema.json`."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from waypost.models.access import FetchTable

Level: TypeAlias = Literal["off", "info", "warning", "error"]


class Ignore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ignored findings: of `rules` (names of rules or profiles; empty: all) in `files`, with the reason."""

    reason: str
    files: tuple[str, ...] = ("**",)
    rules: tuple[str, ...] = ()


class Expect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Markup required of pages: each of `types`, and an item eligible for each of `profiles`; else any item.

    at_least  number of pages.
    share     part of the pages in `files`, above 0 up to 1. Without both numbers: every page.
    """

    files: tuple[str, ...] = ("**",)
    types: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    at_least: int | None = None
    share: float | None = None


class FurtherNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names of types and properties that the project uses beyond those of the shipped schema.org release."""

    also: tuple[str, ...] = ()


class Sources(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Further files with the sources of pages, beyond those known by name."""

    files: tuple[str, ...] = ()


class SiteTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where waypost is published, as the site of `waypost build --config` names it: address and name of the package."""

    repository: str | None = None
    package: str | None = None


FailOn: TypeAlias = Literal["error", "warning", "info", "never"]


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Settings for some files; later overrides win. `max_warnings` counts the files of an override together."""

    files: tuple[str, ...]
    profiles: tuple[str, ...] | None = None
    rules: dict[str, Level] = {}
    fail_on: FailOn | None = None
    max_warnings: int | None = None


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Configuration file as written, or the table `[tool.waypost]`."""

    extends: str | tuple[str, ...] = ()
    profiles: tuple[str, ...] | None = None
    checks: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    rules: dict[str, Level] = {}
    overrides: tuple[Override, ...] = ()
    ignore: tuple[Ignore, ...] = ()
    expect: tuple[Expect, ...] = ()
    exclude: tuple[str, ...] | None = None
    baseline: str | None = None
    feeds: tuple[str, ...] | None = None
    fail_on: FailOn | None = None
    max_warnings: int | None = None
    base_url: str | None = None
    gitignore: bool | None = None
    cache: bool | str | None = None
    warm: bool | None = None
    vocabulary: FurtherNames | None = None
    fetch: FetchTable | None = None
    sources: Sources | None = None
    site: SiteTable | None = None
