"""Texts of a page about itself: title, description and words for the search, at the head of its template.

    {#- page
    title: Unified model
    description: One record of {{ fields|length }} fields for all types.
    kind: Index
    words: unified document fields
    above: Types
    -#}

A value may name the values of the page. `above` is the section of the site that the page belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jinja2

from waypost.errors import RegistryError
from waypost.pages.draft import Draft
from waypost.pages.frame import SECTIONS
from waypost.registry import assets

_OPENING, _END = "{#- page\n", "-#}"
_TEXTS = jinja2.Environment(undefined=jinja2.StrictUndefined)  # noqa: S701 - plain texts, escaped where they are placed


def draft(address: str, template: str, values: Mapping[str, Any] | None = None, **further: Any) -> Draft:
    """Draft of the page whose texts stand in its template; `further` members of the draft come from the caller.

    Raises RegistryError for a template without a head.
    """
    values = values or {}
    content = (assets.folder("site") / "templates" / template).read_text("utf-8")
    if not content.startswith(_OPENING):
        raise RegistryError(f"site/templates/{template}", "the texts of the page are missing at its head")
    texts = {name: text.render(values) for name, text in _read(content.partition(_END)[0]).items()}
    section = texts.pop("above", "")
    crumbs = ((section, dict(SECTIONS)[section]),) if section else ()
    return Draft(address=address, template=template, values=values, **({"crumbs": crumbs} | texts | further))


@lru_cache(maxsize=256)
def _read(head: str) -> dict[str, jinja2.Template]:
    lines = head.removeprefix(_OPENING).splitlines()
    return {name: _TEXTS.from_string(text) for name, _, text in (line.partition(": ") for line in lines)}
