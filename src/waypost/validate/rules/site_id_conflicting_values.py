"""One `@id` stands for different facts on different pages.

Everything with one `@id` is one thing, on whatever page it is told of. It has one name, one date, one number: with
two, whoever reads the whole site picks one of them. Told at the first page that deviates from most others. A page
that says less than another does not contradict it, nor does one in another language, a price in another currency,
a longer form of the same name, or a day without its time.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.formats.text import clip

if TYPE_CHECKING:
    from waypost.validate.whole import Remark, Site

AUTHORITY = "waypost"
SEVERITY = "warning"


def check_site(site: Site) -> Iterator[Remark]:
    from waypost.validate.whole import SINGLE, contradicted

    for case in site.cases:
        if case.is_id and case.prop in SINGLE:
            yield contradicted(
                case,
                f"{case.prop} of {clip(case.of)}",
                "say the same everywhere, or give different things different ids",
            )
