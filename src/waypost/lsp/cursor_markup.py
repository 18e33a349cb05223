"""Cursors in markup: attributes of Microdata and RDFa, also in JSX, and comments that ignore findings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from waypost.lsp.cursor import Container

_LONGEST_TAG: Final = 20_000
_VALUE = r"""(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^"'{}>])"""
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>[a-zA-Z][\w.:-]*)(?P<rest>{_VALUE}*?)(?P<empty>/?)>")
_ATTRIBUTE = re.compile(
    r"""(?:^|[\s"'}])(?P<name>[\w:-]+)(?:\s*=\s*(?:"(?P<double>[^"]*)"?|'(?P<single>[^']*)'?|(?P<bare>[^\s"'{>]+)))?"""
)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_RAW = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b[^>]*>.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE)
_IGNORE = re.compile(
    r"""(?:(?P<sign><!--|/\*|//|\#)\s*waypost-ignore(?:-start|-file)?|data-waypost-ignore\s*=\s*["'])"""
    r"""(?P<names>[\s,\w/-]*)\Z"""
)
Kind = Literal["property", "type", "reference", "value"]
_KINDS: Final[dict[str, Kind]] = {
    "itemprop": "property", "property": "property", "itemtype": "type", "typeof": "type", "itemid": "reference",
    "resource": "reference", "href": "value", "content": "value", "rel": "property",
}  # fmt: skip


class MarkupCursor(NamedTuple):
    """Place of the cursor in the value of an attribute.

    start, end  code points of the word that a completion replaces.
    around      item around the element.
    key         property of the element; None without one.
    is_rdfa     names stand without the address of schema.org.
    """

    start: int
    end: int
    kind: Kind
    around: Container
    key: str | None
    is_rdfa: bool


@dataclass(eq=False)
class _Open:
    """Open element. `item`: the item of the element, None without one."""

    name: str
    item: Container | None


def in_attribute(text: str, offset: int) -> MarkupCursor | None:
    """Cursor in an attribute of Microdata or RDFa."""
    low = text.rfind("<", max(offset - _LONGEST_TAG, 0), offset)
    if low < 0 or re.match(r"<[a-zA-Z]", text[low : low + 2]) is None:
        return None
    whole = re.match(rf"<[a-zA-Z][\w.:-]*{_VALUE}*", text[low : low + _LONGEST_TAG])
    end = low + whole.end() if whole else offset
    tag = text[low : max(end, offset)]
    here = next((each for each in _ATTRIBUTE.finditer(tag) if _holds(each, offset - low)), None)
    kind = _KINDS.get(here["name"].lower()) if here else None
    if here is None or kind is None:
        return None
    attributes = _attributes(tag)
    around = _item_around(text, low)
    key = attributes.get("itemprop") or attributes.get("property")
    if around is None and (kind not in {"type", "reference"}):
        return None
    if kind == "value" and not key:
        return None
    start, stop = _word(text, offset, low + _span(here)[0], low + _span(here)[1])
    return MarkupCursor(start, stop, kind, around or Container(), key, here["name"].lower() in {"typeof", "property"})


def _span(attribute: re.Match[str]) -> tuple[int, int]:
    group = next((name for name in ("double", "single", "bare") if attribute[name] is not None), None)
    return attribute.span(group) if group else (-1, -1)


def _holds(attribute: re.Match[str], at: int) -> bool:
    low, high = _span(attribute)
    return low <= at <= high


def _word(text: str, offset: int, low: int, high: int) -> tuple[int, int]:
    """Range of the word of a list around an offset."""
    start = max((found.end() for found in re.finditer(r"\s", text[low:offset])), default=0) + low
    end = re.compile(r"\s|\Z").search(text, offset, high)
    return start, end.start() if end else high


def _attributes(tag: str) -> dict[str, str]:
    return {
        each["name"].lower(): next((each[name] for name in ("double", "single", "bare") if each[name] is not None), "")
        for each in _ATTRIBUTE.finditer(tag.partition(" ")[2] and tag[tag.find(" ") :])
    }


def _item_around(text: str, end: int) -> Container | None:
    """Item around an offset, by the tags before it."""
    neutral = _RAW.sub(lambda found: " " * len(found[0]), text[:end])
    open_: list[_Open] = []
    for tag in _TAG.finditer(neutral):
        name = tag["name"].lower()
        if tag["close"]:
            at = max((n for n, each in enumerate(open_) if each.name == name), default=-1)
            if at >= 0:
                del open_[at:]
            continue
        if tag["empty"] or name in _VOID:
            continue
        open_.append(_Open(name, _item(_attributes(tag[0]), open_)))
    return _innermost(open_)


def _innermost(open_: list[_Open]) -> Container | None:
    return next((each.item for each in reversed(open_) if each.item is not None), None)


def _item(attributes: dict[str, str], open_: list[_Open]) -> Container | None:
    written = attributes.get("itemtype") or attributes.get("typeof")
    if "itemscope" not in attributes and not written:
        return None
    via = attributes.get("itemprop") or attributes.get("property")
    return Container("{", _innermost(open_), via, (written or "").split())


def in_comment(text: str, offset: int, *, is_code: bool) -> tuple[int, int, frozenset[str]] | None:
    """(start, end, further names) of the name of a rule in a comment or attribute that ignores findings.

    is_code  comments are those of code, else those of HTML.
    """
    low = max(offset - 1_200, 0)
    found = _IGNORE.search(text, low, offset)
    if found is None or (found["names"] and not re.match(r"[\s\w]", found["names"])):
        return None
    if is_code != ((found["sign"] or "<!--") != "<!--"):
        return None
    is_attribute = text[found.start() :].startswith("data-")
    if not is_attribute and not found["names"][:1].isspace():
        return None  # the word `waypost-ignore` itself
    start = found.start("names") + max((each.end() for each in re.finditer(r"[\s,]", found["names"])), default=0)
    end = re.compile(r"[\w/-]*").match(text, start)
    others = frozenset(re.split(r"[\s,]+", found["names"][: start - found.start("names")]))
    return start, end.end() if end else offset, others
