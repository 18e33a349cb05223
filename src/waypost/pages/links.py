"""Addresses of the site and the links between its pages.

Links are relative and name `index.html`, so that one build works from a folder, a sub-path or any host.
"""

from __future__ import annotations

from collections.abc import Callable

Link = Callable[[str], str]


def relative_to(file: str, root: str = "") -> Link:
    """Links from a page to an address ("rules/", "rules/#json") or a file of the site.

    root    path of the site on its host ("/", "/site/"), for a page that is served at any address
    """
    up = root or "../" * file.count("/")

    def to(target: str) -> str:
        path, hash_, fragment = target.partition("#")
        if not path or path.endswith("/"):
            path += "index.html"
        return up + path + hash_ + fragment

    return to


def field(name: str) -> str:
    """Address of a unified field's page."""
    return f"model/{name.lstrip('@')}/"


def rule(name: str) -> str:
    """Address of a rule or a profile, as findings link to it."""
    return f"profiles/{name}/" if "/" in name else f"rules/{name}/"
