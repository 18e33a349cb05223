"""Whether there is a page at an address of a site that lies in a folder.

No file says at which address it is published. Where nearly all pages lie where their own addresses say, the folder is
the site, and an address without a file leads nowhere; anything less certain is not known.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

PAGES = (".html", ".htm", ".xhtml")
"""What the names of pages end with."""
_LEAST_AGREEING, _LEAST_SHARE = 3, 0.8
"""So many pages, and such a part of all whose address is known, must lie where their addresses say."""
_REDIRECTS = (
    "_redirects", ".htaccess", "web.config", "vercel.json", "netlify.toml", "firebase.json", "staticwebapp.config.json",
)  # fmt: skip
_ASKED = 500
_FORMS = ("", *PAGES, *(f"/index{ending}" for ending in PAGES))


class _Root(NamedTuple):
    """A folder that is published at an address: `host`, and the first names of the path."""

    host: str
    names: tuple[str, ...]
    folder: str


class Presence:
    """Whether there is a page at an address: as far as a server said so, or a folder is the site.

    places      (file, address of its page) of the pages whose address is known
    gone        addresses that a server said are gone
    also_there  files that count as being there
    """

    def __init__(
        self,
        places: Sequence[tuple[str, str]],
        gone: frozenset[str] = frozenset(),
        also_there: frozenset[str] = frozenset(),
    ) -> None:
        self._also_there = also_there
        self._gone = gone
        self._known: dict[str, bool | None] = {}
        # Some of many are enough to tell, and fewer cost less.
        self._places = places[:: max(1, len(places) // _ASKED)]

    @cached_property
    def _root(self) -> _Root | None:
        return _root(self._places)

    def of(self, url: str) -> bool | None:
        """None where that cannot be known."""
        if url not in self._known:
            self._known[url] = False if url in self._gone else self._lies(url)
        return self._known[url]

    def _lies(self, url: str) -> bool | None:
        root = self._root
        if root is None:
            return None
        if (parts := _parts(url)) is None:
            return None
        names = tuple(unquote(each) for each in parts.path.split("/") if each)
        if parts.query or _host(parts.netloc) != root.host or names[: len(root.names)] != root.names:
            return None
        rest = names[len(root.names) :]
        if any(each in {".", ".."} or "/" in each or "\\" in each or "\0" in each for each in rest):
            return None
        if rest and "." in rest[-1] and not rest[-1].lower().endswith(PAGES):
            return None  # made by a program, or no page at all
        path = os.path.join(root.folder, *rest)  # noqa: PTH118 - many, and compared as texts
        names_ = [f"{path}{form}{packed}" for form in _FORMS for packed in ("", ".gz")]
        return any(each in self._also_there or _is_file(each) for each in names_)


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)  # noqa: PTH113 - asked often
    except (OSError, ValueError):
        return False


def _parts(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _host(netloc: str) -> str:
    return netloc.lower().removeprefix("www.")


def _root(places: Sequence[tuple[str, str]]) -> _Root | None:
    """The folder that is the site, if nearly all pages lie where their addresses say and it has a front page."""
    votes: Counter[_Root] = Counter(found for where, url in places if (found := _vote(where, url)))
    if not votes:
        return None
    root, number = votes.most_common(1)[0]
    folder = Path(root.folder)
    if number < _LEAST_AGREEING or number < _LEAST_SHARE * len(places):
        return None
    if not any(_is_file(f"{root.folder}/index{end}{gz}") for end in PAGES for gz in ("", ".gz")):
        return None
    return None if any((folder / each).exists() for each in _REDIRECTS) else root


def _vote(where: str, url: str) -> _Root | None:
    """Which folder would have to be published at which address for a file to have its address."""
    parts = _parts(url)
    if parts is None or parts.scheme not in {"http", "https"} or parts.query:
        return None
    file = _names(os.path.abspath(where).removesuffix(".gz"))  # noqa: PTH100 - as it was named
    names = _names(unquote(parts.path))
    shared = 0
    while shared < min(len(file), len(names)) and file[-1 - shared] == names[-1 - shared]:
        shared += 1
    if names and not shared:
        return None
    return _Root(_host(parts.netloc), tuple(names[: len(names) - shared]), "/".join(("", *file[: len(file) - shared])))


def _names(path: str) -> list[str]:
    """The names of a path, without what an address leaves out: the name of the index, the ending of a page."""
    names = [each for each in path.replace(os.sep, "/").split("/") if each]
    if names:
        stem, dot, ending = names[-1].rpartition(".")
        if dot and f".{ending.lower()}" in PAGES:
            names[-1:] = [] if stem == "index" else [stem]
    return names
