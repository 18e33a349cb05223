"""Public suffix list as one table: suffixes below which names are given out, by registries or by private owners.

The list comes with the package `publicsuffixlist`, dated in its version. A single pass reads both its parts, because
the package's reader takes longer for one part than the rest of a first decision. The rules are those of
publicsuffix.org/list, read 2026-11-20.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import ada_url
import publicsuffixlist

_EXACT, _BELOW, _EXCEPT = 1, 2, 4
_REGISTRIES = 8
"""Factor of the marks of the registries' part; the three bits below hold the marks of the whole list."""


class Suffixes(NamedTuple):
    """Public suffix of a host by the whole list, and by the registries' part alone.

    `known` is False where no rule of the registries' part matches: the suffix is then the last label.
    """

    whole: str
    registry: str
    known: bool


def suffixes_of(host: str) -> Suffixes:
    """Suffixes of a host, given in lower case, in A-labels or Unicode, without a trailing dot."""
    rules = _rules()
    whole = registry = longer = ""
    tail = host
    # From the longest tail: the longest matching rule prevails, and an exception over all (publicsuffix.org/list,
    # algorithm).
    while tail and not registry:
        if marks := rules.get(tail):
            whole = whole or _matched(marks, tail, longer)
            registry = _matched(marks // _REGISTRIES, tail, longer)
        longer, tail = tail, tail.partition(".")[2]
    last = host.rpartition(".")[2]
    return Suffixes(whole or last, registry or last, bool(registry))


def _matched(marks: int, tail: str, longer: str) -> str:
    """Suffix by the rule for a tail of the host, or empty; `longer` is the tail with the next label, or empty."""
    if marks & _EXCEPT:
        return tail.partition(".")[2]
    if marks & _BELOW:
        return longer or tail
    return tail if marks & _EXACT else ""


@cache
def _rules() -> dict[str, int]:
    """Marks of the rules by name. The registries' part of the file comes first."""
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
            # Hosts come in A-labels; the list writes Unicode.
            if not name.isascii():
                spelled = ada_url.idna_to_ascii(name).decode("ascii")
                rules[spelled] = rules.get(spelled, 0) | marks
    return rules
