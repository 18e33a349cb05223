"""The e-mail address is none.

Nobody can be written to at it: the @ or the domain is missing, it has a space, or two addresses stand in one text.
A `mailto:` in front is accepted by most readers.
Source: https://schema.org/email and RFC 5321 (4.1.2), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "vocabulary"
SEVERITY = "warning"
PROPERTIES = frozenset({"email"})

MAILBOX = pattern(r"(?:mailto:)?[^\s@<>,;]{1,64}@(?:[^\s@<>,;.]{1,63}\.)+[^\s@<>,;.?]{2,63}\.?(?:\?\S*)?")


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, str) and not (len(value) < 400 and MAILBOX.fullmatch(value.strip())):
        yield item.warning(
            prop, f"{clip(value)!r} is no e-mail address", "write one address, as in name@example.com", index=index
        )
