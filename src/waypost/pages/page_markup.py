"""JSON-LD of the site's own pages, which the checks validate."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from waypost.pages.draft import Draft
from waypost.pages.links import Link


def of(draft: Draft, to: Link, base: str) -> Markup:
    """Content of a page's JSON-LD script. Addresses are absolute where the site's own is known, else relative."""

    def at(address: str) -> str:
        return f"{base}{address}" if base else to(address)

    graph: list[dict[str, Any]] = [_trail(draft, at)] if draft.address else []
    graph += [{**node, "url": at(draft.address)} for node in draft.structured]
    if not graph:
        return Markup("")
    text = json.dumps({"@context": "https://schema.org", "@graph": graph}, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))  # noqa: S704


def _trail(draft: Draft, at: Link) -> dict[str, Any]:
    steps = [("waypost", ""), *draft.crumbs, (draft.title, draft.address)]
    return {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": number, "name": name, "item": at(address)}
            for number, (name, address) in enumerate(steps, 1)
        ],
    }
