"""Guides by generator and framework: `site/docs/stacks/NAME.md`, with the texts that they have in common."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from typing import Any

from waypost.errors import RegistryError
from waypost.registry import assets

FOLDER = "docs/stacks"
# Reading order; further files of the folder follow by name.
_ORDER = ("hugo", "jekyll", "eleventy", "astro", "nextjs", "nuxt", "wordpress", "shopify", "django", "flask", "fastapi",
          "rails", "laravel", "scrapy", "monorepo")  # fmt: skip
_HEAD = re.compile(r"\A\+\+\+\n(.*?)^\+\+\+\n+", re.DOTALL | re.MULTILINE)
_SHARED = re.compile(r"^<!-- shared: ([\w-]+) -->\n", re.MULTILINE)
_VALUE = re.compile(r"\[\[([a-z]+)\]\]")
_OPTIONAL = re.compile(r"^(.*)\[\[(\w+)\?\]\]\n", re.MULTILINE)


def names() -> list[str]:
    """Names of the guides, in order."""
    there = {path.stem for path in (assets.folder("site") / FOLDER).glob("*.md")}
    return [name for name in _ORDER if name in there] + sorted(there - set(_ORDER))


@lru_cache(maxsize=64)
def head(name: str) -> dict[str, Any]:
    """Values between the two lines `+++` at the start of a guide. Raises RegistryError."""
    found = _HEAD.match(_source(name))
    try:
        return tomllib.loads(found[1]) if found else {}
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"site/{FOLDER}/{name}.md", f"the values at its start are not TOML: {error}") from None


@lru_cache(maxsize=64)
def text(name: str) -> str:
    """Markdown of a guide. A line `<!-- shared: PART -->` stands for a text of the folder `shared`, in which
    `[[key]]` is a value from the start of the guide; a line with `[[key?]]` at its end goes where there is none. Raises
    RegistryError.
    """
    values = head(name)

    def value(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise RegistryError(f"site/{FOLDER}/{name}.md", f"a shared text needs the value {found[1]!r} at its start")
        return str(values[found[1]])

    def optional(found: re.Match[str]) -> str:
        return f"{found[1]}{values[found[2]]}\n" if found[2] in values else ""

    def shared(found: re.Match[str]) -> str:
        path = assets.folder("site") / FOLDER / "shared" / f"{found[1]}.md"
        if not path.is_file():
            raise RegistryError(f"site/{FOLDER}/{name}.md", f"there is no shared text {found[1]!r}")
        return _VALUE.sub(value, _OPTIONAL.sub(optional, path.read_text("utf-8")))

    return _SHARED.sub(shared, _HEAD.sub("", _source(name)))


def _source(name: str) -> str:
    return (assets.folder("site") / FOLDER / f"{name}.md").read_text("utf-8")
