"""Name of a page for reports: the text of its `<title>` and its canonical address."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from waypost.formats.patterns import pattern

_HEAD = 200_000
"""Characters that are searched: both stand in the head of a page."""
_LONGEST = 200
_TITLE = pattern(r"(?is)<title\b[^>]*>(.*?)</title\s*>")
_COMMENT = pattern(r"(?s)<!--.*?-->")
_LINK = pattern(r"(?i)<link\b[^>]*>")
_CANONICAL = pattern(r"""(?i)\brel\s*=\s*(?:"[^"]*\bcanonical\b[^"]*"|'[^']*\bcanonical\b[^']*'|canonical\b)""")
_HREF = pattern(r"""(?i)\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""")


class PageName(NamedTuple):
    """Title and canonical address of a page; each is empty where the page has none."""

    title: str = ""
    address: str = ""


def name_of(text: str) -> PageName:
    """Name of a page from its source. Text that is no HTML has none.

    A search in the text and no parser: a report names its pages by it, no finding depends on it.
    """
    head = _COMMENT.sub("", text[:_HEAD])
    found = _TITLE.search(head)
    title = " ".join(unescape(found[1]).split()) if found else ""
    return PageName(title[:_LONGEST], next(_addresses(head), ""))


def _addresses(head: str) -> Iterator[str]:
    """Absolute addresses of canonical links."""
    for link in _LINK.finditer(head):
        if _CANONICAL.search(link[0]) and (found := _HREF.search(link[0])):
            address = unescape(next(filter(None, found.groups()), "")).strip()
            if address.startswith(("https://", "http://")):
                yield address[:2000]
