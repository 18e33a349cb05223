"""URL points to a local or private host.

`localhost`, `127.0.0.1` and names that end in `.local` are a different machine for every reader of the page; such
addresses get in from a developer's computer or a build server. A name without a dot, as in `//media/logo.png`, is a
host that no visitor can find: there is one slash too many, or the domain is missing.
Source: RFC 6761 (6.3), RFC 6762 and RFC 5735, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.formats.urls import is_local_host, parse_url, with_scheme_fixed
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS, LINKS

AUTHORITY = "waypost"
SEVERITY = "warning"
PROPERTIES = KINDS.url | LINKS | {"image", "logo", "screenshot", "mainEntityOfPage", "urlTemplate"}
VALUES = frozenset({"text", "thing"})
WHEN = is_unusual_url


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = value.id if isinstance(value, Node) and value.reference else value
    if not isinstance(text, str):
        return
    start = text.lstrip()[:4].lower()
    if start != "http" and start[:2] != "//":
        return
    # The host stands at the front, however long the address is.
    host = parse_url(text[:2000] if start == "http" else f"https:{text.lstrip()[:2000]}").host
    # Of "//http://localhost/" `url-invalid` says both.
    if host and is_local_host(host) and not with_scheme_fixed(text.strip()):
        yield item.warning(
            prop,
            f"{clip(text)!r} points to {host}, which visitors cannot reach",
            "give the public address",
            index=index,
        )
