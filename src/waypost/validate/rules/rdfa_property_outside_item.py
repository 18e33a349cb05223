"""RDFa property outside any item.

A `property` describes the nearest element around it with a `typeof`. Without such an element the property
describes the page, which has no type, so a consumer finds no item to give the value to. Properties of other
vocabularies (`og:title`) describe pages and are ignored. One finding covers the page. Entries of a list without a list
are `list-item-outside-list`.
Source: W3C RDFa Core 1.1, section 7.5 (Sequence: new subject), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.validate.item import FindingDraft, RuleContext
from waypost.validate.rules.list_item_outside_list import outside_lists
from waypost.validate.rules.microdata_orphan_property import outside_every_item

AUTHORITY = "html"
SEVERITY = "warning"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for error in context.page.read_errors:
        if error.rule != "rdfa-property-outside-item":
            continue
        if error.detail["names"] == ["itemListElement"] and outside_lists(context):
            continue  # one finding: the list is missing
        draft = outside_every_item(error, "move it into an element with typeof")
        draft.read_error = error
        yield draft
