"""Unknown enumeration value.

Where the vocabulary lists the possible values, a consumer reads only the listed values: an availability of
`probably` or `https://schema.org/Available` has no meaning. Values of other vocabularies, such as GoodRelations
IRIs, are ignored, and so are enumerations without listed members.
Source: schema.org release 30.1 (members of enumerations), read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip, join_words
from waypost.models.page import Node, Value
from waypost.registry.vocabulary import bare
from waypost.validate.enumerations import intended_member, is_member, is_read_by_google, members_for
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import KINDS

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = KINDS.enumeration | {"suitableForDiet"}


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    text = value.id if isinstance(value, Node) and value.reference else value
    if not isinstance(text, str) or (name := bare(text.strip())) is None:
        return
    vocabulary = item.context.registry.vocabulary
    known = members_for(vocabulary, prop)
    # A near miss is reported by enumeration-value-misspelled.
    if not known or is_member(vocabulary, prop, name) or intended_member(vocabulary, prop, text) is not None:
        return
    # An address at schema.org claims to be a member; a bare word may be meant as a text.
    report = item.warning if is_read_by_google(prop) or text.strip() != name else item.info
    displayed = join_words(sorted(known)[:12], "or") if len(known) <= 12 else f"one of {len(known)} members"
    yield report(prop, f"{clip(text)!r} is not a value of {prop}", f"{prop} takes {displayed}", index=index)
