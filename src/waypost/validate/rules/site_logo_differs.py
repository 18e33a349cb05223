"""An organization has different logos on different pages.

An organization has a single logo; given two, chance decides which is shown. Often a template was forgotten when
the logo changed. Pictures with the same file name count as the same logo, in any size, format and folder.
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


def check_site(site: Site) -> Iterator[Remark]:
    from waypost.validate.whole import contradicted

    for case in site.cases:
        if case.prop == "logo":
            yield contradicted(case, f"the logo of {clip(case.of)}", "name one picture on all pages")
