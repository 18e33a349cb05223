"""Pages before rendering, and the inputs of a build."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from waypost.registry import Registry, assets
from waypost.registry.world import World

Entry = tuple[str, str, str]
"""Line of the side navigation: text, address, note."""


class Group(NamedTuple):
    """A headed list of the side navigation."""

    heading: str
    entries: tuple[Entry, ...]
    note: str = ""


class Draft(NamedTuple):
    """Page to render.

    address     path below the site's root: "rules/price-invalid/", "" for home, "404.html" for a single file
    title       heading of the page; the <title> adds the site's name
    crumbs      (title, address) of the pages above, home left out
    kind        kind of page in search results: "Rule", "Type", "Guide"
    words       further words for the search, next to title and description
    data        content of the page's `index.json`; no file for None
    structured  JSON-LD nodes next to the breadcrumbs, which every page has
    robots      False to keep search engines from indexing the page
    """

    address: str
    template: str
    title: str
    description: str
    crumbs: tuple[tuple[str, str], ...] = ()
    values: Mapping[str, Any] = MappingProxyType({})
    kind: str = "Page"
    words: str = ""
    data: Any = None
    structured: tuple[dict[str, Any], ...] = ()
    robots: bool = True

    @property
    def file(self) -> str:
        return self.address if self.address.endswith(".html") else f"{self.address}index.html"


@dataclass(frozen=True, eq=False)
class Source:
    """Inputs of a build of the site.

    now    the clock of the examples: a fixed day, for equal bytes from equal files
    cases  the test cases: the examples on the pages
    read   files parsed during the build, by a key of the reader
    usual  what the configuration of a company says for pages that are pasted: profiles, names, levels of rules
    """

    registry: Registry
    world: World
    now: datetime
    cases: Path = field(default_factory=assets.cases)
    read: dict[Any, Any] = field(default_factory=dict)
    usual: Mapping[str, Any] = field(default_factory=dict)
