"""RDFa type without a vocabulary.

`typeof="Person"` means something only inside an element with `vocab="https://schema.org/"`; otherwise the
word is ignored, and with it every bare property name inside. waypost checks the item as schema.org's type.
Source: W3C RDFa Lite 1.1, section 2.1 (vocab, typeof and property), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, RuleContext
from waypost.validate.rules.list_item_outside_list import outside_lists

AUTHORITY = "html"
SEVERITY = "error"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for error in context.page.read_errors:
        if error.rule != "rdfa-vocab-missing":
            continue
        name = error.detail["name"]
        if name == "ListItem" and outside_lists(context):
            continue  # one finding: the element around the entries is missing, with its vocab
        yield FindingDraft(
            severity="error",
            message=f"no vocab applies here, so the type {clip(name)} means nothing",
            hint='add vocab="https://schema.org/" to this tag or to one around it',
            read_error=error,
        )
