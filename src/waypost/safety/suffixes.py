"""Public suffix list: suffixes below which names are given out, by registries or by private owners.

The list comes with the package `publicsuffixlist`, dated in its version. Its text is searched for the rules of a top
level when a host of it is met, because the package's reader takes longer for all of them than the rest of a first
decision. The rules are those of publicsuffix.org/list, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import ada_url
import publicsuffixlist

_EXACT, _BELOW, _EXCEPT = 1, 2, 4
_REGISTRIES = 8
"""Factor of the marks of the registries' part; the three bits below hold the marks of the whole list."""
_SPACES = (b"\n", b" ", b"\t", b"\r")


class Suffixes(NamedTuple):
    """Public suffix of a host by the whole list, and by the registries' part alone.

    `known` is False where no rule of the registries' part matches: the suffix is then the last label.
    """

    whole: str
    registry: str
    known: bool


def suffixes_of(host: str) -> Suffixes:
    """Suffixes of a host, given in lower case, in A-labels or Unicode, without a trailing dot."""
    last = host.rpartition(".")[2]
    rules = _rules_below(last)
    whole = registry = longer = ""
    tail = host
    # From the longest tail: the longest matching rule prevails, and an exception over all (publicsuffix.org/list,
    # algorithm).
    while tail and not registry:
        if marks := rules.get(tail):
            whole = whole or _matched(marks, tail, longer)
            registry = _matched(marks // _REGISTRIES, tail, longer)
        longer, tail = tail, tail.partition(".")[2]
    return Suffixes(whole or last, registry or last, bool(registry))


def _matched(marks: int, tail: str, longer: str) -> str:
    """Suffix by the rule for a tail of the host, or empty; `longer` is the tail with the next label, or empty."""
    if marks & _EXCEPT:
        return tail.partition(".")[2]
    if marks & _BELOW:
        return longer or tail
    return tail if marks & _EXACT else ""


@lru_cache(maxsize=4096)
def _rules_below(last: str) -> dict[str, int]:
    """Marks of the rules for hosts with a last label, by name; a name as the list writes it, and in A-labels.

    The label is searched in the text of the list: all 10,000 rules would be a tenth of a first decision.
    """
    data, others_from = _list()
    # Hosts come in A-labels; the list writes Unicode.
    labels = {last, ada_url.idna_to_unicode(last)} if last.startswith("xn--") else {last}
    rules: dict[str, int] = {}
    for label in labels:
        for at, name in _lines_ending(data, label.encode()):
            marks = _EXACT
            if name[0] == "!":
                name, marks = name[1:], _EXCEPT
            elif name[0] == "*":
                name, marks = name[2:], _BELOW
            marks *= 1 if at > others_from else 1 + _REGISTRIES
            rules[name] = rules.get(name, 0) | marks
            if not name.isascii():
                spelled = ada_url.idna_to_ascii(name).decode("ascii")
                rules[spelled] = rules.get(spelled, 0) | marks
    return rules


def read_all() -> None:
    """Sort the rules of the list by their last label, for a process that meets hosts of many top levels."""
    if _BY_LABEL:
        return
    data, _ = _list()
    found: dict[bytes, list[tuple[int, str]]] = {}
    start = 0
    for line in data.split(b"\n"):
        rule = line.split(None, 1)[0] if line.strip() else b""
        if rule and not rule.startswith(b"/"):
            found.setdefault(rule.rpartition(b".")[2].removeprefix(b"!"), []).append((start, rule.decode()))
        start += len(line) + 1
    _BY_LABEL.update(found)


_BY_LABEL: dict[bytes, list[tuple[int, str]]] = {}
"""Places and texts of the rules by last label, once they were sorted."""


def _lines_ending(data: bytes, label: bytes) -> Iterator[tuple[int, str]]:
    """Place and text of the rules with a last label. A rule ends at the first space of its line."""
    if _BY_LABEL:
        yield from _BY_LABEL.get(label, ())
        return
    for space in _SPACES:
        end = data.find(label + space)
        while end >= 0:
            start = data.rfind(b"\n", 0, end) + 1
            line = data[start : end + len(label)]
            if line.rpartition(b".")[2].removeprefix(b"!") == label and not line.startswith(b"/"):
                yield start, line.decode()
            end = data.find(label + space, end + 1)


@cache
def _list() -> tuple[bytes, int]:
    """Text of the list, and the place of the end of the registries' part, which comes first."""
    data = Path(publicsuffixlist.PSLFILE).read_bytes()
    return data, data.index(b"===END ICANN DOMAINS===")
