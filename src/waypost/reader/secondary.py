"""Syntaxes that waypost does not validate, read on request by extruct: Open Graph, microformats and more.

extruct comes with the extra `syntaxes` and is imported only here, at the first request.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final

from waypost.errors import MissingExtra
from waypost.reader.encoding import decode

# Our name -> extruct's.
SYNTAXES: Final = {
    "opengraph": "opengraph",
    "microformat": "microformat",
    "dublincore": "dublincore",
    "rdfa-full": "rdfa",
}


def read_secondary(
    data: bytes, syntaxes: Iterable[str], *, url: str | None = None, media_type: str | None = None
) -> dict[str, list[Any]]:
    """Syntax -> extruct's results, as plain dictionaries and lists; an empty list without results or on an error.

    data        bytes of the page.
    syntaxes    names of `SYNTAXES`; unknown names are ignored.
    url         base for relative links.

    Raises `MissingExtra` when extruct is not installed.
    """
    requested = [name for name in SYNTAXES if name in set(syntaxes)]
    if not requested:
        return {}
    try:
        import extruct
    except ImportError:
        raise MissingExtra("extruct", "syntaxes", "to read " + ", ".join(requested)) from None
    text = decode(data, media_type).string
    found: dict[str, list[Any]] = {}
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)  # it logs a traceback for each odd literal
    for name in requested:
        theirs = SYNTAXES[name]
        try:
            read = extruct.extract(text, base_url=url, syntaxes=[theirs], errors="strict")
            found[name] = list(read.get(theirs, ()))
        except Exception:  # noqa: BLE001 - it raises whatever its parsers do; a page is never an error of ours
            found[name] = []
    return found
