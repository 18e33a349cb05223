"""The public suffix list as one table: below which suffixes are names given out, and by whom.

The list is the one that the package `publicsuffixlist` carries, dated in its version. It is read here in one go, for
the whole list and for the registries' part together, because the package's own reader takes longer for each of the
two than everything else a first decision needs. The rules are those of publicsuffix.org/list, read 2026-11-20.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import ada_url
import publicsuffixlist

_EXACT, _BELOW, _EXCEPT = 1, 2, 4
_REGISTRIES = 8
"""What a mark is multiplied with for the registries' part; the whole list's marks are the three bits below."""


class Suffixes(NamedTuple):
    """The public suffix of a host by the whole list, and by the part that registries answer for.

    `listed` says that the registries' part knows it: a name that no rule matches has its last label as a suffix.
    """

    whole: str
    registry: str
    listed: bool


def suffixes_of(host: str) -> Suffixes:
    """The suffixes of a host in lower case, in A-labels or in Unicode, without a trailing dot."""
    rules = _rules()
    whole = registry = longer = ""
    tail = host
    while tail and not registry:
        if marks := rules.get(tail):
            whole = whole or _matched(marks, tail, longer)
            registry = _matched(marks // _REGISTRIES, tail, longer)
        longer, tail = tail, tail.partition(".")[2]
    last = host.rpartition(".")[2]
    return Suffixes(whole or last, registry or last, bool(registry))


def _matched(marks: int, tail: str, longer: str) -> str:
    """What a rule for this tail of the host makes the suffix; `longer` is the tail with one more label, or empty."""
    if marks & _EXCEPT:
        return tail.partition(".")[2]
    if marks & _BELOW:
        return longer or tail
    return tail if marks & _EXACT else ""


@cache
def _rules() -> dict[str, int]:
    """Name -> its marks. The registries' part of the file comes first."""
    text = Path(publicsuffixlist.PSLFILE).read_text(encoding="utf-8")
    registries, _, others = text.partition("===END ICANN DOMAINS===")
    rules: dict[str, int] = {}
    for part, lists in ((registries, 1 + _REGISTRIES), (others, 1)):
        for line in part.split("\n"):
            if not line or line[0] == "/":
                continue
            name, marks = line.partition(" ")[0], _EXACT * lists
            if name[0] == "!":
                name, marks = name[1:], _EXCEPT * lists
            elif name[0] == "*":
                name, marks = name[2:], _BELOW * lists
            rules[name] = rules.get(name, 0) | marks
            if not name.isascii():
                spelled = ada_url.idna_to_ascii(name).decode("ascii")
                rules[spelled] = rules.get(spelled, 0) | marks
    return rules
