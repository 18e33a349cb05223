"""Invalid URL.

The address has no host, a host that is not a name, or a port that is not a number, and cannot be followed. The usual
cause is an empty setting in a template ("https:///logo.png") or two addresses joined to one.
Source: https://url.spec.whatwg.org/ and https://schema.org/URL, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.formats.urls import is_local_host, parse_url, with_scheme_fixed
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS, LINKS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.url | LINKS | {"image", "logo", "screenshot", "mainEntityOfPage", "urlTemplate"}
VALUES = frozenset({"text", "thing"})
WHEN = is_unusual_url


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = value.id if isinstance(value, Node) and value.reference else value
    # A URL template of an action (RFC 6570).
    if not isinstance(text, str) or "{" in text:
        return
    text = text.strip()
    if any(c.isspace() for c in text):
        return  # url-has-whitespace or value-not-a-url
    if correction := with_scheme_fixed(text):
        reason = f"{clip(text.removesuffix(_rest(correction)))!r} is not a scheme"
        if text.startswith("//"):
            reason = "// stands in front of another scheme"
        host = parse_url(correction[:2000]).host
        is_local = is_local_host(host)
        if is_local:
            reason += f", and {host} is a host of a development machine"
        yield item.warning(
            prop, f"{clip(text)!r} is not a URL: {reason}",
            "give the public address" if is_local else f"write {clip(correction, 200)}", index=index,
            edits=(item.rewrite(prop, correction, index),) if isinstance(value, str) and not is_local else (),
        )  # fmt: skip
        return
    error = parse_url(text[:2000]).error
    # "https://a.example/https://b.example" parses, and leads nowhere.
    hint = "write the full address, from https:// on"
    if error is None and DOUBLED.match(text):
        error = "two addresses are joined"
        inner = INNER_HOST.match(text[:2000])
        if inner and is_local_host(inner[1].lower()):
            error += f", and {inner[1].lower()} is a host of a development machine"
            hint = "give the public address"
    if error is not None:
        yield item.warning(prop, f"{clip(text)!r} is not a URL: {clip(error, 100)}", hint, index=index)


def _rest(address: str) -> str:
    """Address without its scheme."""
    return address.partition("://")[2]


INNER_HOST = pattern(r"https?://[^/?#]*?https?:?//([^/?#:]+)", re.ASCII | re.IGNORECASE)
DOUBLED = pattern(r"https?://[^/?#]*https?:?//|https?:(?!//)", re.ASCII | re.IGNORECASE)
