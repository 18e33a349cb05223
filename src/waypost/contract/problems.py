"""The problems the service answers with (RFC 9457), from `schemas/api/problems.json`."""

from __future__ import annotations

from functools import cache

import msgspec

from waypost.registry import assets

FILE = "api/problems.json"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of problem. `type` is set where a registered type of the IANA is used instead of our own page."""

    code: str
    status: int
    title: str
    when: str
    do: str
    type: str = ""

    def address(self, site_url: str) -> str:
        """The URI in a body's `type`, which leads to the page about it."""
        return self.type or f"{site_url}/problems/{self.code}/"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    problems: list[Problem]


@cache
def problems() -> dict[str, Problem]:
    """Every problem by its code, in the order of their statuses."""
    data = (assets.folder("schemas") / FILE).read_bytes()
    return {each.code: each for each in msgspec.json.decode(data, type=_File).problems}
