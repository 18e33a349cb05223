"""Invalid language code in inLanguage.

Consumers read `en`, `de-AT` or `zh-Hant`; "English", `en_US` and `en-UK-gb` say nothing to them. The name of a
language belongs to an object of type Language.
Source: https://schema.org/inLanguage and RFC 5646, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.languages import is_language_tag
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"inLanguage", "availableLanguage", "knowsLanguage"})
VALUES = frozenset({"text"})

NAMED = frozenset({"availableLanguage", "knowsLanguage"})


def is_no_tag(value: Value) -> bool:
    return isinstance(value, str) and not is_language_tag(value.strip())


WHEN = is_no_tag


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = str(value).strip()
    if prop in NAMED and "_" not in text:
        return  # these properties are shown to people, and schema.org's own pages name languages there
    right = text.replace("_", "-")
    correction = right if right != text and is_language_tag(right) else None
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a language tag",
        f"write {correction}" if correction else "write a language tag (BCP 47)",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )
