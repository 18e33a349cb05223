"""Snippet requests: data about a site and an item, before a page is published.

`kind` is `schema`, a WebSite made of the site alone, or the kind of a mapping (`x-kind`): then the request carries
`document`, members of the unified model, or `markup`, HTML or JSON-LD. Missing members of the document are filled
from the site, and reported.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from waypost.errors import NothingToShow, Unreadable
from waypost.models.snippet import Preview
from waypost.preview import Choice, make_snippet
from waypost.preview.card import host_of
from waypost.preview.catalogue import catalogue_of
from waypost.preview.cleaning import safe_document
from waypost.preview.documents import NOWHERE
from waypost.registry import Registry

WEBSITE = "schema"
CONTEXT = "https://schema.org"


class SnippetResult(NamedTuple):
    """Result of a request. `filled`: names of members taken from the site; `dropped`: JSON Pointers into the document,
    of addresses that are not of the web."""

    preview: Preview
    filled: tuple[str, ...]
    dropped: tuple[str, ...] = ()


class InvalidDocument(Unreadable):
    """Document of a request that does not conform to the unified model. `document`: with the members filled in."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__("document", "it does not conform to the schema of the unified model (GET /v1/schema/Unified)")
        self.document = document


def kinds(registry: Registry) -> dict[str, str]:
    """Kind -> service type for every mapping, without `schema`."""
    return {document["x-kind"]: service for service, document in registry.mappings.items()}


def from_request(
    kind: str,
    registry: Registry,
    *,
    site: dict[str, Any] | None = None,
    document: dict[str, Any] | None = None,
    markup: str | None = None,
    url: str | None = None,
    item: int | None = None,
    now: datetime | None = None,
) -> SnippetResult:
    """Document and card of a request. `url`: URL of the markup, by default the site's. `item`: number of the item.

    Raises NothingToShow without a card or for an item of another kind; InvalidDocument for a document outside
    the unified model.
    """
    if kind == WEBSITE:
        return SnippetResult(make_snippet(_website(site or {}), registry, now=now), tuple(site or ()))
    service = kinds(registry)[kind]
    if markup is not None:
        chosen = Choice(service, item)
        made = make_snippet(markup.encode("utf-8", "replace"), registry, url=url or _home(site), now=now, choice=chosen)
        return SnippetResult(_named(_of_kind(made, service), site), ())
    whole, filled = _filled(document or {}, service, site, registry)
    if not catalogue_of(registry).is_unified(whole):
        raise InvalidDocument(whole)
    # Filled once more without them: the site's own address takes the place of a dropped one.
    dropped = safe_document(document or {}, registry).dropped
    if dropped:
        members = {name: value for name, value in (document or {}).items() if f"/{name}" not in dropped}
        whole, filled = _filled(members, service, site, registry)
    return SnippetResult(_of_kind(make_snippet(whole, registry, now=now), service), filled, dropped)


def _of_kind(preview: Preview, service: str) -> Preview:
    if preview.service_type != service:
        raise NothingToShow(f"that is a {preview.standard_type}, which makes a {preview.service_type}, not a {service}")
    return preview


def _named(preview: Preview, site: dict[str, Any] | None) -> Preview:
    """Card with the site's name, where the markup gives none and the host stands in its place."""
    card, name = preview.snippet, (site or {}).get("name")
    if not name or card.site_name not in {None, host_of(card.url)}:
        return preview
    return msgspec.structs.replace(preview, snippet=msgspec.structs.replace(card, site_name=name))


def _home(site: dict[str, Any] | None) -> str | None:
    domain = (site or {}).get("domain")
    return f"https://{domain}/" if domain else None


def _website(site: dict[str, Any]) -> dict[str, Any]:
    home = _home(site) or NOWHERE
    found = {"@context": CONTEXT, "@type": "WebSite", "id": home, "name": site.get("name", ""), "url": home}
    if site.get("description"):
        found["description"] = site["description"]
    return found


def _filled(
    document: dict[str, Any], service: str, site: dict[str, Any] | None, registry: Registry
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(complete document, names of members taken from the site)"""
    home = _home(site)
    name = (site or {}).get("name")
    offered: dict[str, Any] = {"url": home} if home else {}
    if name:
        offered["provider"] = {"@type": "Organization", "name": name} | ({"url": home} if home else {})
        offered["isPartOf"] = {"@type": "WebSite", "name": name} | ({"url": home} if home else {})
    known = registry.mappings[service]["properties"]
    filled = {key: value for key, value in offered.items() if key not in document and key in known}
    base = {"@context": CONTEXT, "@type": registry.mappings[service]["x-standard-type"]}
    whole = base | document | filled
    whole.setdefault("url", NOWHERE)
    whole.setdefault("id", whole["url"])
    return whole, tuple(filled)
