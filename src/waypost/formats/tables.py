"""Tables as HTML, whose cells name their column, so that they keep their meaning where a row is drawn as a list."""

from __future__ import annotations

import re

_TABLE = re.compile(r'<table class="list(?! (?:matrix|compare))[^>]*>.*?</table>', re.DOTALL)
_HEAD = re.compile(r"<thead>.*?</thead>", re.DOTALL)
_ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b")
_NAME = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def with_column_names(html: str) -> str:
    """HTML whose tables of the class `list` have their columns' names at the cells, as `data-column`.

    The first cell of a row says what the row is about and needs none; nor does the other of two, which says only that.
    Tables without a head, matrices and comparisons are left as they are.
    """
    return _TABLE.sub(_named, html)


def _named(table: re.Match[str]) -> str:
    head = _HEAD.search(table[0])
    if head is None or "colspan" in table[0]:
        return table[0]
    names = [_TAG.sub("", name).strip().replace('"', "&quot;") for name in _NAME.findall(head[0])]
    if len(names) == 2:
        return table[0]

    def row(found: re.Match[str]) -> str:
        columns = iter(names[:1] and ["", *names[1:]])

        def cell(tag: re.Match[str]) -> str:
            name = next(columns, "")
            return f'{tag[0]} data-column="{name}"' if name and tag[1] == "td" else tag[0]

        return _CELL.sub(cell, found[0])

    return table[0][: head.end()] + _ROW.sub(row, table[0][head.end() :])
