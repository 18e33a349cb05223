"""An organization has different logos on different pages.

An organization has one logo; which of two is shown is left to chance. Often a template was forgotten when the logo
changed. Pictures of one name count as one, in whatever size, format and folder.
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
