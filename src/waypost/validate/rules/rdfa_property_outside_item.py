"""RDFa property outside any item.

A `property` describes the nearest element around it with a `typeof`. Without such an element the property
describes the page, which has no type, so a consumer finds no item to give the value to. Properties of other
vocabularies (`og:title`) describe pages and are ignored. One finding covers the page.
Source: W3C RDFa Core 1.1, section 7.5 (Sequence: new subject), read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft
from waypost.validate.rules.microdata_orphan_property import outside_every_item

AUTHORITY = "html"
SEVERITY = "warning"


def explain(read_error: ReadError) -> FindingDraft:
    return outside_every_item(read_error, "move it into an element with typeof")
