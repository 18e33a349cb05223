"""Conditions shared by several value rules as `WHEN`: is the value unusual enough for a check?

Nearly every URL, date, number and author on a page is ordinary. The dispatcher evaluates a shared condition once for
the rules with the condition. tests/test_quick_checks.py checks these rules against ordinary values: no findings.
"""

from __future__ import annotations

import re

from waypost.formats.dates import Moment, read
from waypost.formats.numbers import is_plain_integer
from waypost.formats.patterns import pattern
from waypost.models.page import Node, Value

# An http(s) URL of a public host name, without whitespace, brackets or broken percent-encoding.
_ORDINARY_URL = pattern(
    r"https?://(?!localhost|127\.|10\.|192\.168\.)(?:[A-Za-z0-9](?:[A-Za-z0-9\-_]*[A-Za-z0-9])?\.)+"
    r"(?!local\b|internal\b|lan\b|localhost\b)[A-Za-z]{2,24}(?::\d{1,4})?(?:[/?#][^\s{}<>\[\]%]*(?:%[0-9A-Fa-f]{2}[^\s{}<>\[\]%]*)*)?",
    re.ASCII,
)
_LONGEST_URL = 300
# Two words of letters, of which neither is a title nor leads in a name; or a single word.
_ORDINARY_NAME = pattern(
    r"(?:(?!(?:by|dr|prof|professor|doctor|mr|mrs|ms|sir|chef)\b)[^\W\d_]+ (?!(?:md|phd|rd|mba|esq)\b))?[^\W\d_]+",
    re.IGNORECASE,
)
_LONGEST_NAME = 100


def is_ordinary_url(value: Value) -> bool:
    """Is the value the text of a well-formed http(s) URL of a public host?"""
    return isinstance(value, str) and len(value) < _LONGEST_URL and _ORDINARY_URL.fullmatch(value) is not None


def is_unusual_url(value: Value) -> bool:
    """Is the value, or the `@id` of a reference, anything but an ordinary URL?

    A node with properties is not a URL and not unusual.
    """
    if isinstance(value, Node):
        return value.reference and value.id is not None and not is_ordinary_url(value.id)
    return not is_ordinary_url(value)


def is_unusual_name(value: Value) -> bool:
    """Has the text, or the name of the node, anything but one or two plain words?"""
    name = value.get("name") if isinstance(value, Node) else value
    return isinstance(name, str) and (len(name) >= _LONGEST_NAME or _ORDINARY_NAME.fullmatch(name) is None)


def is_unusual_date(value: Value) -> bool:
    """Is the value anything but a day, a month or an instant with its offset in the common ISO 8601 form?

    Four digits may be a year or a time of day.
    """
    found = read(value) if isinstance(value, str) else None
    if not isinstance(found, Moment) or found.notes:
        return True
    return not (found.zoned or found.form in ("date", "month"))


def is_unusual_number(value: Value) -> bool:
    """Is the value anything but a whole number of at most 15 digits?"""
    return not is_plain_integer(value)
