"""What was changed in a page, as `diff -u` shows it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waypost.fix.edits import Edit, applied

_CONTEXT = 3
"""Lines shown around a change."""


class _Range(NamedTuple):
    """The lines `old` to `old_end` (exclusive, from 0) became `new` to `new_end`."""

    old: int
    old_end: int
    new: int
    new_end: int


class _Lines:
    def __init__(self, data: bytes) -> None:
        self.lines = data.splitlines(keepends=True) if b"\r" not in data else _split(data)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def of(self, at: int) -> int:
        """The number of the line that an offset is in."""
        return max(min(bisect_right(self.starts, at) - 1, len(self.lines) - 1), 0)


def _split(data: bytes) -> list[bytes]:
    """Lines as diff knows them: LF alone ends one."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def difference(path: str, data: bytes, changes: Sequence[Edit], codec: str = "utf-8") -> Iterator[str]:
    """The changes to `data`, line by line; found from the changes alone, so that the size of a page costs little."""
    if not changes:
        return
    after = applied(data, changes)
    if codec.startswith("utf-16"):  # whose line ends are no single byte
        data, after = (each.decode(codec, "replace").encode() for each in (data, after))
        changes, codec = [_whole(data, after)], "utf-8"
    old, new = _Lines(data), _Lines(after)
    yield f"--- {path}\n+++ {path}\n"
    for group in _groups(_ranges(changes, old, new)):
        yield from _hunk(group, old.lines, new.lines, codec)


def _whole(data: bytes, after: bytes) -> Edit:
    """One edit that makes `after` of `data`: from the first difference to the last."""
    most = min(len(data), len(after))
    start = next((n for n in range(most) if data[n] != after[n]), most)
    same = next((n for n in range(most - start) if data[-1 - n] != after[-1 - n]), most - start)
    return Edit(start, len(data) - same, after[start : len(after) - same])


def _ranges(changes: Sequence[Edit], old: _Lines, new: _Lines) -> list[_Range]:
    """The lines that changes touch, those that share a line together."""
    found: list[_Range] = []
    shift = 0
    for change in changes:
        start = change.start + shift
        end = start + len(change.data)
        shift += len(change.data) - (change.end - change.start)
        made = _Range(old.of(change.start), old.of(change.end) + 1, new.of(start), new.of(end) + 1)
        if found and (made.old < found[-1].old_end or made.new < found[-1].new_end):
            made = _Range(found[-1].old, made.old_end, found[-1].new, made.new_end)
            found.pop()
        found.append(made)
    return found


def _groups(ranges: Sequence[_Range]) -> Iterator[list[_Range]]:
    """Ranges whose surroundings meet."""
    group: list[_Range] = []
    for each in ranges:
        if group and each.old - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(each)
    yield group


def _hunk(group: Sequence[_Range], old: Sequence[bytes], new: Sequence[bytes], codec: str) -> Iterator[str]:
    first, last = group[0], group[-1]
    before = min(_CONTEXT, first.old)
    behind = min(_CONTEXT, len(old) - last.old_end)
    start, end = first.old - before, last.old_end + behind
    new_start, new_end = first.new - before, last.new_end + behind
    yield f"@@ -{_span(start, end)} +{_span(new_start, new_end)} @@\n"
    at = start
    for each in group:
        yield from (_line(" ", line, codec) for line in old[at : each.old])
        yield from (_line("-", line, codec) for line in old[each.old : each.old_end])
        yield from (_line("+", line, codec) for line in new[each.new : each.new_end])
        at = each.old_end
    yield from (_line(" ", line, codec) for line in old[at:end])


def _span(start: int, end: int) -> str:
    return f"{start + (start < end)},{end - start}"


def _line(sign: str, line: bytes, codec: str) -> str:
    text = f"{sign}{line.decode(codec, 'backslashreplace')}"
    return text if text.endswith("\n") else f"{text}\n\\ No newline at end of file\n"
