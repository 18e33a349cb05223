"""Author name includes a title or job.

Google asks for the name alone: a title goes to `honorificPrefix` or `honorificSuffix`, a job to `jobTitle`.
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
VALUES = frozenset({"thing"})

TITLE = pattern(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Sir|Chef)\.? |(?:Professor|Doctor) )\S.*"
    r"|.*\S,? (?:MD|M\.D\.|PhD|Ph\.D\.|RD|MBA|Esq\.?)"
    r"|.*\S, (?:[\w ]+ )?(?:[Ee]ditor|[Rr]eporter|[Ww]riter|[Cc]orrespondent|CEO)"
)


def check_value(work: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    # Only of a person: a company may be called "Dr. Martens".
    name = value.get("name") if isinstance(value, Node) and "Person" in value.types else None
    if isinstance(name, str) and len(name) < 200 and TITLE.fullmatch(name.strip()):
        yield work.info(
            prop,
            f"the author's name {clip(name)!r} has a title or a job in it",
            "give the name alone; honorificPrefix and jobTitle hold the rest",
            index=index,
        )
