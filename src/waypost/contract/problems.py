"""Problem types of the service (RFC 9457), from `schemas/api/problems.json`."""

from __future__ import annotations

from functools import cache

import msgspec

from waypost.registry import assets

FILE = "api/problems.json"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Problem type. `type` is set if a type registered with IANA is used instead of a page of the site."""

    code: str
    status: int
    title: str
    when: str
    do: str
    type: str = ""

    def address(self, site_url: str) -> str:
        """URI for the member `type` of a problem document: the registered type, or the page about the problem."""
        return self.type or f"{site_url}/problems/{self.code}/"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    problems: list[Problem]


@cache
def problems() -> dict[str, Problem]:
    """Problem types by code, ordered by status."""
    data = (assets.folder("schemas") / FILE).read_bytes()
    return {problem.code: problem for problem in msgspec.json.decode(data, type=_File).problems}
