"""An organization is described differently on different pages.

Examples are the same address with two names, or the same name with two numbers or two homes: a reader of several
pages cannot tell which is true. Give the organization an `@id` and describe it in full on one page; the remaining
pages need only refer to the id. A longer form of the same name is no difference. Branches (every kind of
LocalBusiness) are ignored: branches share a name and differ in the rest.
Source: https://developers.google.com/search/docs/appearance/structured-data/organization, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.formats.text import clip

if TYPE_CHECKING:
    from waypost.validate.whole import Remark, Site

AUTHORITY = "waypost"
SEVERITY = "warning"
_LEFT_TO_OTHERS = frozenset({"logo", "sameAs"})


def check_site(site: Site) -> Iterator[Remark]:
    from waypost.validate.whole import contradicted

    for case in site.cases:
        if case.prop not in _LEFT_TO_OTHERS and (not case.is_id or case.prop == "url"):
            yield contradicted(
                case, f"{case.prop} of the organization {clip(case.of)}", "say the same everywhere, under one @id"
            )
