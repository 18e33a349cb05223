"""Head of a page for surfaces: title, description, Open Graph and X, addresses and icon, each with a place.

The reader stores structured data alone; a preview searches the text again, once.
"""

from __future__ import annotations

import re
from html import unescape

from waypost.formats.patterns import pattern
from waypost.formats.text import squeezed
from waypost.models.page import Page, Span
from waypost.models.surface import Slot

MOST_READ = 1_000_000
"""Characters of a page to search; a head is at the beginning."""
_TAGS = pattern(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea|template|noscript|svg)\b.*?(?:</\1\b|\Z)"
    r"|<(title)\b[^>]*>([^<]*)|<(h1)\b[^>]*>(.{0,2000}?)</h1|<(meta|link)(?=[\s/])((?:[^>\"']|\"[^\"]*\"|'[^']*')*)>",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)
_ATTRIBUTE = pattern(r"([a-z:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE | re.ASCII)
_TAG = pattern(r"<[^<>]*>")
_ICONS = ("icon", "apple-touch-icon", "apple-touch-icon-precomposed")


def head_of(page: Page) -> dict[str, Slot]:
    """Values of a page's head by name: "title", "description", "h1", "canonical", "icon", "og:title", "twitter:card" …

    The first of each name counts. Spans are those of the values.
    """
    found: dict[str, Slot] = {}
    if not page.is_html:
        return found
    for match in _TAGS.finditer(page.text[:MOST_READ]):
        if match[2] or match[4]:
            group = 3 if match[2] else 5
            text = squeezed(unescape(_TAG.sub("", match[group])))
            name = match[2] or match[4]
            place = Span(match.start(group), match.end(group))
            _add(found, name.lower(), text, f"<{name.lower()}>", place)
        elif match[6]:
            _add_named(found, match[6].lower(), match[7], match.start(7))
    return found


def _add_named(found: dict[str, Slot], tag: str, attributes: str, start: int) -> None:
    given: dict[str, tuple[str, Span]] = {}
    for each in _ATTRIBUTE.finditer(attributes):
        group = next(number for number in (2, 3, 4) if each[number] is not None)
        span = Span(start + each.start(group), start + each.end(group))
        given.setdefault(each[1].lower(), (squeezed(unescape(each[group])), span))
    if tag == "meta":
        content = given.get("content")
        for key in ("property", "name"):
            if content and key in given:
                name = given[key][0].lower()
                _add(found, name, content[0], name if ":" in name else f"meta {name}", content[1])
        return
    href = given.get("href")
    names = given["rel"][0].lower().split() if href and "rel" in given else []
    if href and "canonical" in names:
        _add(found, "canonical", href[0], "link canonical", href[1])
    if href and any(name in _ICONS for name in names):
        _add(found, "icon", href[0], "link icon", href[1])


def _add(found: dict[str, Slot], name: str, text: str, written: str, span: Span) -> None:
    if text and name not in found:
        found[name] = Slot(text, written, (span,))
