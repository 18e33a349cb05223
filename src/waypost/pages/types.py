"""What a mapping file says, put into rows for the pages of types and fields."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from waypost.pages.shown import coloured
from waypost.registry import Registry
from waypost.snippet import make_snippet

# Where a source stands, when it is not the node itself.
_ELSEWHERE = {
    "page": "{} of the page",
    "wrapper": "{} of the page that wraps it",
    "trail": "{} of the page's BreadcrumbList",
    "list": "{} of the list around it",
    "self": "the node itself",
}


def fields_of(mapping: dict[str, Any]) -> list[dict[str, Any]]:
    """The unified fields a mapping fills, each with its sources in words, in order of preference."""
    return [{"name": name, "sources": _sources(told)} for name, told in mapping["x-fields"].items()]


def _sources(told: dict[str, Any]) -> list[str]:
    return [word for word in map(_source, told.get("from", ())) if word]


def _source(source: Any) -> str:
    if isinstance(source, str):
        return source
    if "field" in source:
        return f"our own {source['field']}"
    path = str(source.get("path", ""))
    if "of" in source:
        return _ELSEWHERE.get(source["of"], "{} of " + str(source["of"])).format(path)
    return path


def used_by(field: str, registry: Registry) -> list[dict[str, Any]]:
    """The types that fill a field, each with the sources it takes it from."""
    return [
        {"standard": mapping["x-standard-type"], "sources": _sources(mapping["x-fields"][field])}
        for mapping in registry.mappings.values()
        if field in mapping["x-fields"]
    ]


def examples_of(cases: Path | None, service: str, registry: Registry, now: datetime) -> list[dict[str, Any]]:
    """The worked examples of a service type: markup, unified document and snippet, made at build time."""
    folders = sorted((cases / "snippets").glob(f"{service}*")) if cases else []
    shown = []
    for folder in folders:
        markup = (folder / "input.json").read_bytes()
        made = make_snippet(markup, registry, now=now)
        if made.service_type != service:
            continue
        variant = folder.name.removeprefix(service).strip("-")
        shown.append(
            {
                "title": f"A worked example ({variant})" if variant else "A worked example",
                "markup": coloured(json.dumps(json.loads(markup), indent=2, ensure_ascii=False)),
                "unified": coloured(json.dumps(made.unified, indent=2, ensure_ascii=False)),
                "snippet": msgspec.to_builtins(made.snippet),
            }
        )
    return shown
