"""Author name starts with words such as "by".

"By Ann Example", "By: Ann" or "Posted by Ann" is shown as the name. The property already says that the value is the
author.
Source: https://developers.google.com/search/docs/appearance/structured-data/article#author-bp, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_name

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"Article", "Recipe", "Review", "SocialMediaPosting", "Comment", "Question", "Answer"})
PROPERTIES = frozenset({"author"})
WHEN = is_unusual_name

LEAD_IN = pattern(
    r"(?:(?:(?:written|posted|published|reviewed|recipe|words|story|text) by|by)(?: ?:|(?=\s))|aut(?:h?or|eur) ?:)"
    r"\s*(?=\S)",
    re.IGNORECASE,
)


def check_value(work: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    name = value.get("name") if isinstance(value, Node) else value
    found = LEAD_IN.match(name.strip()) if isinstance(name, str) and len(name) < 200 else None
    if found and isinstance(name, str):
        rest = name.strip()[found.end() :]
        yield work.warning(prop, f"the author's name is written {clip(name)!r}", f"write {clip(rest)}", index=index)
