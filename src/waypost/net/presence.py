"""Existence of pages at URLs of a site in a folder.

Files do not name the URL of their publication. Where nearly all pages are at the path of their own URL, the folder is
the site, and a URL without a file does not exist; anything less certain is unknown.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from waypost.formats.file_kinds import PAGES

_LEAST_AGREEING, _LEAST_SHARE = 3, 0.8
"""Least number of pages at the path of their URL, and least share of the pages with a known URL."""
_MOST_KNOWN = 4_096
_REDIRECTS = (
    "_redirects", ".htaccess", "web.config", "vercel.json", "netlify.toml", "firebase.json", "staticwebapp.config.json",
)  # fmt: skip
SAMPLE = 500
"""Pages with a known URL that are compared, at least, where there are more."""
_FORMS = ("", *PAGES, *(f"/index{ending}" for ending in PAGES))


class _Root(NamedTuple):
    """Folder with the URL of its publication: `host`, and the first names of the path."""

    host: str
    names: tuple[str, ...]
    folder: str


class Presence:
    """Existence of pages at URLs, known from a server or from a folder that is the site.

    places      (file, URL) of the pages with a known URL
    gone        URLs that are gone by the answer of a server
    also_there  further files that count as existing
    """

    def __init__(
        self,
        places: Sequence[tuple[str, str]],
        gone: frozenset[str] = frozenset(),
        also_there: frozenset[str] = frozenset(),
    ) -> None:
        self._also_there = also_there
        self._gone = gone
        self._known = lru_cache(_MOST_KNOWN)(self._exists)
        # A sample is enough to find the root.
        self._places = places[:: max(1, len(places) // SAMPLE)]

    @cached_property
    def _root(self) -> _Root | None:
        return _root(self._places)

    def of(self, url: str) -> bool | None:
        """Whether a page exists at a URL; None where unknown."""
        return False if url in self._gone else self._known(url)

    def _exists(self, url: str) -> bool | None:
        root, parts = self._root, _parts(url)
        if root is None or parts is None or parts.query or _host(parts.netloc) != root.host:
            return None
        names = tuple(unquote(name) for name in parts.path.split("/") if name)
        rest = names[len(root.names) :]
        if names[: len(root.names)] != root.names or not all(map(_is_file_name, rest)):
            return None
        if rest and "." in rest[-1] and not rest[-1].lower().endswith(PAGES):
            # A file of another kind may be made by the server, or not be a page.
            return None
        path = os.path.join(root.folder, *rest)  # noqa: PTH118 - many, and compared as texts
        files = [f"{path}{form}{packed}" for form in _FORMS for packed in ("", ".gz")]
        return any(file in self._also_there or _is_file(file) for file in files)


def _is_file_name(name: str) -> bool:
    """Whether a decoded segment of a path names one file, and leads nowhere else."""
    return name not in {".", ".."} and not any(sign in name for sign in "/\\\0")


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)  # noqa: PTH113 - called often
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
    """Root of the site, if nearly all pages agree on it, with a front page and without a file of redirects."""
    votes: Counter[_Root] = Counter(found for where, url in places if (found := _vote(where, url)))
    if not votes:
        return None
    root, number = votes.most_common(1)[0]
    folder = Path(root.folder)
    # A few pages may agree by chance, and a folder may hold several sites.
    if number < _LEAST_AGREEING or number < _LEAST_SHARE * len(places):
        return None
    if not any(_is_file(f"{root.folder}/index{end}{gz}") for end in PAGES for gz in ("", ".gz")):
        return None
    # A server with redirects answers at addresses that have no file.
    return None if any((folder / name).exists() for name in _REDIRECTS) else root


def _vote(where: str, url: str) -> _Root | None:
    """Root that a file and its URL imply, or None."""
    parts = _parts(url)
    if parts is None or parts.scheme not in {"http", "https"} or parts.query:
        return None
    file = _names(os.path.abspath(where).removesuffix(".gz"))  # noqa: PTH100 - as it was named
    names = _names(unquote(parts.path))
    shared = 0
    # What file and address share at their end is the page; what remains in front of it is the root.
    while shared < min(len(file), len(names)) and file[-1 - shared] == names[-1 - shared]:
        shared += 1
    if names and not shared:
        return None
    return _Root(_host(parts.netloc), tuple(names[: len(names) - shared]), "/".join(("", *file[: len(file) - shared])))


def _names(path: str) -> list[str]:
    """Names of a path, without the parts that URLs omit: the index file and the suffix of a page."""
    names = [name for name in path.replace(os.sep, "/").split("/") if name]
    if names:
        stem, dot, ending = names[-1].rpartition(".")
        if dot and f".{ending.lower()}" in PAGES:
            names[-1:] = [] if stem == "index" else [stem]
    return names
