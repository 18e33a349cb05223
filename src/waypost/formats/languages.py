"""Language tags of BCP 47."""

from __future__ import annotations

import re

from waypost.formats.patterns import pattern

_MOST = 64
_LANGUAGE = pattern(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?"
    r"(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?"
    r"|x(?:-[a-z\d]{1,8})+|i-[a-z]{2,8}",
    re.ASCII | re.IGNORECASE,
)


def is_language_tag(text: str) -> bool:
    """Whether a text has the form of a BCP 47 language tag (RFC 5646 section 2.1), registered or not.

    The grammar allows languages of four to eight letters, but none is registered: "English" is not a tag.
    """
    return len(text) <= _MOST and _LANGUAGE.fullmatch(text) is not None
