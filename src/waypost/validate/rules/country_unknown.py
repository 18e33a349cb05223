"""Unknown country code.

`UK` and `EL` are used by people, but the codes are GB and GR; `EN` is a language. A consumer that cannot read the
country cannot say where a shop, job or delivery is. Full names of countries are `country-not-a-code`.
Source: https://schema.org/addressCountry and ISO 3166-1 as of the registry's table, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.countries import countries
from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset(
    {"addressCountry", "applicableCountry", "returnPolicyCountry", "eligibleRegion", "nationality", "ineligibleRegion",
     "regionsAllowed"}
)  # fmt: skip

CODE = pattern(r"[A-Za-z]{2}", re.ASCII)


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if not isinstance(value, str) or not CODE.fullmatch(value.strip()):
        return
    code, known = value.strip(), countries()
    if code in known.codes:
        return
    correction = code.upper() if code.upper() in known.codes else known.written_for.get(code.upper())
    yield item.warning(
        prop,
        f"{clip(code)!r} is not a country code",
        f"write {correction}" if correction else "take the two letters of ISO 3166-1",
        index=index,
        edits=(item.rewrite(prop, correction, index),) if correction else (),
    )
