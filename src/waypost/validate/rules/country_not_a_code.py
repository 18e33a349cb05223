"""Country is not a two-letter code.

Both are allowed by the vocabulary and often understood, but the two letters of ISO 3166-1 are what consumers ask
for, and the only form that is the same in every language.
Source: https://developers.google.com/search/docs/appearance/structured-data/local-business, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.countries import country_names, long_codes
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "info"
PROPERTIES = frozenset({"addressCountry", "applicableCountry", "returnPolicyCountry"})


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = value.get("name") if isinstance(value, Node) else value
    # Two letters are checked by country-unknown.
    if not isinstance(text, str) or len(text.strip()) < 3:
        return
    name = text.strip()
    code = country_names().get(name.casefold()) or long_codes().get(name.upper())
    if code is None:
        return
    at_text = not isinstance(value, Node)
    yield item.info(
        prop,
        f"the country is written {clip(name)!r}",
        f"write {code}",
        index=index,
        edits=(item.rewrite(prop, code, index),) if at_text else (),
    )
