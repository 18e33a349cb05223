"""Owner, repository and site address of the project: reserved names until the decision.

`tools/set_project.py` writes the names here and into each file with a copy. Reports show no reserved name.
"""

from __future__ import annotations

OWNER = "waypost-owner"
REPOSITORY = "https://git.example/waypost-owner/waypost"
SITE = "https://waypost.example/"

_RESERVED = (".example", ".test", ".invalid", ".localhost")


def public(address: str) -> str:
    """The address, or empty text for a reserved host name."""
    host = address.partition("://")[2].partition("/")[0]
    return "" if host.endswith(_RESERVED) else address


def site() -> str:
    """Address of the public site, empty until decided."""
    return public(SITE)


def home() -> str:
    """Address of the site, else of the repository, empty until decided."""
    return site() or public(REPOSITORY)
