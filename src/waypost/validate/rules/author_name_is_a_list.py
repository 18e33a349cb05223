"""Several authors in one name.

Give every author as a separate value; "Ann Example and Ben Example" is read as a single person. Only a text or a
Person is checked, because organizations may have names of this form.
Source: https://developers.google.com/search/docs/appearance/structured-data/article#author-bp, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_name

AUTHORITY = "google"
SEVERITY = "info"
APPLIES_TO = frozenset({"Article", "Recipe", "Review", "SocialMediaPosting", "Comment", "Question", "Answer"})
PROPERTIES = frozenset({"author"})
WHEN = is_unusual_name

# "And" in English, German, French, Spanish, Italian, Danish, Swedish and Dutch.
JOINT = pattern(r"\s+(?:and|&|und|et|y|e|og|och|en)\s+|,\s+|;\s*|\s*/\s*")


def check_value(work: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    # An organization may well be called "Smith and Sons".
    name = value.get("name") if isinstance(value, Node) and "Person" in value.types else value
    if not isinstance(name, str) or len(name) > 300:
        return
    if len(name.split()) < 3 and "," not in name and ";" not in name and "/" not in name:
        return  # no joint can be in it
    # Each part must look like a full name: "Ben & Jerry" may be one author, "Ben Cohen & Jerry Greenfield" are two.
    people = [part.split() for part in JOINT.split(name.strip())]
    if len(people) > 1 and all(2 <= len(words) <= 4 and all(word[:1].isupper() for word in words) for words in people):
        yield work.info(
            prop, f"{clip(name)!r} names {len(people)} authors", "list each author as a value of its own", index=index
        )
