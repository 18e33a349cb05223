"""Unsupported URL scheme.

`javascript:`, `vbscript:`, `file:`, `blob:` or `data:` leads nowhere for anyone outside this page; an image as
`data:` cannot be indexed. Image and media addresses must be fetched over http or https. An e-mail address, a phone
number or a file server (`mailto:`, `tel:`, `ftp:`) is not a page either: information, as cards and documents leave the
value out. Browsers ignore control characters and line ends in a scheme, and readers of JSON-LD decode character
references: `java<line end>script:` and `&#106;avascript:` are the same address. No card, document or export of
waypost has such an address.
Source: https://developers.google.com/search/docs/appearance/structured-data/image-license-metadata and
https://schema.org/URL, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip, unescaped
from waypost.formats.urls import RUNNABLE, scheme_of, with_scheme_fixed
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS, LINKS

AUTHORITY = "google"
SEVERITY = "warning"
PROPERTIES = KINDS.url | LINKS | {"image", "logo", "screenshot", "thumbnail", "mainEntityOfPage", "urlTemplate"}
VALUES = frozenset({"text", "thing"})
WHEN = is_unusual_url

NOWHERE = RUNNABLE | {"file", "blob", "about", "chrome", "content"}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = value.id if isinstance(value, Node) and value.reference else value
    if not isinstance(text, str):
        return
    # `&#106;avascript:` is a script in HTML.
    address = unescaped(text[:2000])
    scheme = scheme_of(address)
    # Reported by image-lazy-placeholder, with the real address.
    if scheme in NOWHERE and item.context.page.lazy_image(item.node, prop, index) is None:
        yield item.warning(
            prop, f"{prop} is a {scheme}: address ({clip(text, 40)!r})", "give one with https://", index=index
        )
    # A template may lead into an app.
    elif (
        prop != "urlTemplate"
        and scheme
        and scheme not in KNOWN_SCHEMES
        and OTHER_SCHEME.match(address)
        and not with_scheme_fixed(address)
    ):
        yield item.info(
            prop,
            f"{prop} is not a web address ({clip(address, 40)!r}): cards and documents leave it out",
            "give one with https://",
            index=index,
        )


KNOWN_SCHEMES = NOWHERE | {"http", "https", "urn"}
OTHER_SCHEME = pattern(r"(?:[a-z][a-z0-9+-]*:(?!\d+(?:/|\Z))|(?:tel|sms|fax|callto):)\S+\Z", re.ASCII | re.IGNORECASE)
"""Address of a scheme: no host with a port, and no words behind a colon."""
