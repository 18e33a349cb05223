"""Texts of the parts of a URL: their parameters, and the URLs in them."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from waypost.errors import InvalidUrl
from waypost.registry.places import unquote_fully
from waypost.safety.destination_values import (
    FOREIGN,
    hidden_in,
    readable,
)
from waypost.safety.target import UrlParts, split

MOST_PARAMETERS = 200
ABSOLUTE = re.compile(r"https?:\S", re.IGNORECASE)
RELATIVE_SCHEME = re.compile(r"\s*[/\\]{2,}[^/\\\s]")
_HOST_FIRST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,24}\.?(?::\d+)?(?:[/?#]|$)", re.IGNORECASE)
Parameters = list[tuple[str, str]]


def all_of(parts: UrlParts) -> str:
    """Path, query and fragment, with spaces in between."""
    return f"{parts.path} {parts.query} {parts.fragment}"


def parameters_of(parts: UrlParts) -> Parameters:
    """Parameters of query and fragment, names as written. Raises ValueError for too many."""
    # A fragment may be the place of an app of one page, with a query of its own: `#/login?next=...`.
    query = parts.fragment.partition("?")[2] if parts.fragment.startswith(("/", "!")) else ""
    texts = [text for text in (parts.query, parts.fragment, query) if text]
    return [pair for text in texts for pair in parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)]


def url_in(value: str) -> str:
    """First absolute URL in a value, decoded as often as needed; empty for none."""
    text = readable(value)
    if not (found := ABSOLUTE.search(text)):
        text = next((each for each in hidden_in(text) if ABSOLUTE.search(each)), text)
        found = ABSOLUTE.search(text)
    if found:
        return text[found.start() :].strip()
    return f"https:{text.strip()}" if RELATIVE_SCHEME.match(text) else ""


def host_first(value: str) -> str:
    """URL of a value without a scheme; empty for a value without a host in front."""
    text = unquote_fully(value).strip()
    return f"https://{text}" if _HOST_FIRST.match(text) else ""


def split_or_none(text: str) -> UrlParts | None:
    if text == FOREIGN:
        return None
    try:
        # Browsers drop these characters inside a URL, where `split` would refuse them (WHATWG URL 4.4).
        return split(re.sub(r"[\x00-\x20\x7f-\x9f]", "", text))
    except InvalidUrl:
        return None
