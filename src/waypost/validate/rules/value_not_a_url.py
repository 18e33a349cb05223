"""Text where a URL is expected.

A consumer follows a URL or drops the value: "see our website" or a bare name leads nowhere. `sameAs` in particular
takes the address of a page about the same item, not its name.
Source: schema.org release 30.1 (rangeIncludes URL only) and https://schema.org/sameAs, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_unusual_url
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
# Google reads an address alone in the last six.
PROPERTIES = KINDS.url | {"acquireLicensePage", "inCodeSet", "license", "menu", "urlTemplate", "usageInfo"}
VALUES = frozenset({"text", "number", "boolean"})
WHEN = is_unusual_url


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = str(value).strip()
    if isinstance(value, str) and not _is_words(text, prop):
        return
    # The license of another work may be named.
    if prop == "license" and not item.is_a("ImageObject", "Dataset"):
        return
    yield item.warning(
        prop,
        f"{clip(text)!r} is not a URL",
        f"{prop} takes a URL: write the full address, from https:// on",
        index=index,
    )


def _is_words(text: str, prop: str) -> bool:
    if PARTS_OF_AN_ADDRESS.search(text):
        return False
    # `sameAs` takes an address: a bare name is none; elsewhere one word may be a relative address.
    return text.startswith("@") or SPACE.search(text) is not None or (prop == "sameAs" and text.isalnum())


PARTS_OF_AN_ADDRESS = pattern(r"[/:?#]|^\.")
SPACE = pattern(r"\s")
