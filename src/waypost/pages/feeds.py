"""Files about the site for machines: sitemap, robots, llms.txt, headers, and pages as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import msgspec

from waypost.pages.draft import Draft

_UNPLACED = "http://127.0.0.1:8000/"
"""Address of the site where none is configured: `waypost up` serves it there. A sitemap needs absolute addresses."""
_SUMMARY = (
    "Structured data validated exactly, previewed as cards, and a safety decision before an agent acts. "
    "Every page has a Markdown copy: index.md next to its index.html."
)
_OPTIONAL = {"Recorded decision", "Problem", "Operation"}
_HEADINGS = {
    "Guide": "Guides",
    "Index": "Lists",
    "Tool": "Tools",
    "Type": "Types",
    "Mapping": "Mappings",
    "Field": "Fields",
    "Rule": "Rules",
    "Rich result": "Rich results",
    "Reason code": "Reason codes",
    "Unknown": "Unknowns",
    "Evidence": "Evidence",
    "Signal": "Signals",
    "Policy": "Policies",
    "Earlier policy": "Policies",
    "Operation": "Operations",
    "Problem": "Problems",
    "Recorded decision": "Recorded decisions",
}


def as_json(data: Any) -> bytes:
    """Data of a page as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n"


def about(
    drafts: Iterable[Draft], markdown: Mapping[str, str], base: str, headers: Mapping[str, str]
) -> dict[str, bytes]:
    """sitemap.xml, robots.txt, llms.txt, llms-full.txt and _headers.

    The sitemap has no `lastmod`, because a build has no clock.
    """
    # 404.html is on no list.
    indexed = [draft for draft in drafts if draft.robots]
    place = base or _UNPLACED
    urls = "".join(f"<url><loc>{escape(place + draft.address)}</loc></url>\n" for draft in indexed)
    # sitemaps.org: robots.txt names a sitemap by its absolute address.
    robots = "User-agent: *\nAllow: /\n" + (f"Sitemap: {base}sitemap.xml\n" if base else "")
    return {
        "sitemap.xml": (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'
        ).encode(),
        "robots.txt": robots.encode(),
        "llms.txt": _llms(indexed, base).encode(),
        "llms-full.txt": "\n\n---\n\n".join(
            f"<!-- {base}{draft.address}index.md -->\n\n{markdown[draft.address]}"
            for draft in indexed
            if draft.kind not in _OPTIONAL
        ).encode(),
        "_headers": _headers(headers).encode(),
    }


def security_txt(base: str, now: datetime) -> dict[str, bytes]:
    """Security contact (RFC 9116) at both paths that the RFC names; empty unless the site is a whole host.

    The file expires 360 days after the fixed day of the build: a release renews it. A service serves a file of its own
    (`security_contact`).
    """
    # RFC 9116, section 3.1: the file is about the host at whose root it stands.
    if not base or urlsplit(base).path != "/":
        return {}
    lines = [
        f"Contact: {base}security/",
        f"Expires: {(now + timedelta(days=360)).strftime('%Y-%m-%dT00:00:00Z')}",
        "Preferred-Languages: en",
        f"Canonical: {base}.well-known/security.txt",
        f"Policy: {base}security/",
    ]
    text = ("\n".join(lines) + "\n").encode()
    return {".well-known/security.txt": text, "security.txt": text}


def _llms(drafts: list[Draft], base: str) -> str:
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.kind, []).append(draft)
    lines = ["# waypost", "", f"> {_SUMMARY}", ""]
    required = [kind for kind in _HEADINGS if kind in groups and kind not in _OPTIONAL]
    for kind in required:
        lines += [f"## {_HEADINGS[kind]}", "", *(_line(draft, base) for draft in groups[kind]), ""]
    optional = [draft for kind in _HEADINGS if kind in _OPTIONAL for draft in groups.get(kind, ())]
    if optional:
        lines += ["## Optional", "", *(_line(draft, base) for draft in optional), ""]
    return "\n".join(lines)


def _line(draft: Draft, base: str) -> str:
    return f"- [{draft.title}]({base}{draft.address}index.md): {draft.description}"


def _headers(headers: Mapping[str, str]) -> str:
    """Headers in the format of static hosts: a path, then its headers."""
    every = "".join(f"  {name.title()}: {value}\n" for name, value in headers.items())
    return (
        f"/*\n{every}\n/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n\n"
        "/*.md\n  Content-Type: text/markdown; charset=utf-8\n\n"
        "/changelog/feed.xml\n  Content-Type: application/atom+xml; charset=utf-8\n"
    )
