"""Where a page's links lead: the hosts alone."""

from __future__ import annotations

import ada_url

from waypost.reader.encoding import decode
from waypost.reader.prefix import Source
from waypost.reader.tree import Tree

MOST_LINKS = 5000


def linked_hosts(data: bytes, url: str, media_type: str | None = None) -> frozenset[str]:
    """Hosts of a page's first links, as they go on the wire. Never raises on a page.

    data  bytes of the HTTP body.
    url   address of the page.
    """
    text = decode(data, media_type)
    source = Source(data if text.is_ascii_compatible else text.string.encode("utf-8", "replace"))
    if source.repeated_root() is not None:
        return frozenset()  # a page made to be slow has no links that count
    tree = Tree(text.string)
    found = set()
    for link in tree.select("a[href], area[href]")[:MOST_LINKS]:
        try:
            parsed = ada_url.URL(link.attr("href") or "", base=url)
        except ValueError:
            continue
        if parsed.protocol in {"http:", "https:"}:
            # "example.com." is the same host, written as absolute in DNS (RFC 1034, section 3.1).
            found.add(parsed.hostname.rstrip("."))
    return frozenset(found)
