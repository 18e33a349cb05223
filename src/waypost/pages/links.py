"""Addresses of the site, and links between pages.

Links are relative and name `index.html`: a build works from a folder, a sub-path or any host.
"""

from __future__ import annotations

from collections.abc import Callable

Link = Callable[[str], str]


def relative_to(file: str, root: str = "") -> Link:
    """Links from a page to an address ("rules/", "rules/#json") or a file of the site.

    root    path of the site on a host ("/", "/site/"), for a page served at any address
    """
    up = root or "../" * file.count("/")

    def to(target: str) -> str:
        path, hash_, fragment = target.partition("#")
        # A browser opens a file by its name: file:// has no index pages.
        if not path or path.endswith("/"):
            path += "index.html"
        return up + path + hash_ + fragment

    return to


def field(name: str) -> str:
    """Address of the page about a unified field."""
    return f"model/{name.lstrip('@')}/"


def rule(name: str) -> str:
    """Address of a rule or a profile, as in the links of findings."""
    # Profiles are named by consumer and result (`google/recipe`), rules have no slash.
    return f"profiles/{name}/" if "/" in name else f"rules/{name}/"
