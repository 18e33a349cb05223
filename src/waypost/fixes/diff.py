"""Unified diffs of fixed pages, as `diff -u` prints them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waypost.fixes.edits import Edit, apply_edits

_CONTEXT = 3
"""Lines of context around a change."""


class _Range(NamedTuple):
    """Change of the lines `old` to `old_end` (exclusive, from 0) into the lines `new` to `new_end`."""

    old: int
    old_end: int
    new: int
    new_end: int


class _Lines:
    def __init__(self, data: bytes) -> None:
        # `splitlines` of bytes also splits at a lone CR, which `diff` does not.
        self.lines = data.splitlines(keepends=True) if b"\r" not in data else _split(data)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def of(self, at: int) -> int:
        """Line number (from 0) of an offset."""
        return max(min(bisect_right(self.starts, at) - 1, len(self.lines) - 1), 0)


def _split(data: bytes) -> list[bytes]:
    """Lines as in diff: only LF ends a line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def unified_diff(path: str, data: bytes, changes: Sequence[Edit], codec: str = "utf-8") -> Iterator[str]:
    """Diff of `data` and the changed data, line by line."""
    # Computed from the edits instead of comparing the texts, so that large pages cost little.
    if not changes:
        return
    after = apply_edits(data, changes)
    if codec.startswith("utf-16"):  # line ends take two bytes: compare the pages in UTF-8
        data, after = (version.decode(codec, "replace").encode() for version in (data, after))
        changes, codec = [_whole(data, after)], "utf-8"
    old, new = _Lines(data), _Lines(after)
    yield f"--- {path}\n+++ {path}\n"
    for group in _groups(_ranges(changes, old, new)):
        yield from _hunk(group, old.lines, new.lines, codec)


def _whole(data: bytes, after: bytes) -> Edit:
    """Edit that turns `data` into `after`: from the first difference to the last."""
    most = min(len(data), len(after))
    start = next((n for n in range(most) if data[n] != after[n]), most)
    same = next((n for n in range(most - start) if data[-1 - n] != after[-1 - n]), most - start)
    return Edit(start, len(data) - same, after[start : len(after) - same])


def _ranges(changes: Sequence[Edit], old: _Lines, new: _Lines) -> list[_Range]:
    """Ranges of changed lines; changes that share a line share a range."""
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
    """Groups of ranges with overlapping context."""
    group: list[_Range] = []
    for lines in ranges:
        # As in diff: hunks that would touch are one.
        if group and lines.old - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(lines)
    yield group


def _hunk(group: Sequence[_Range], old: Sequence[bytes], new: Sequence[bytes], codec: str) -> Iterator[str]:
    first, last = group[0], group[-1]
    before = min(_CONTEXT, first.old)
    behind = min(_CONTEXT, len(old) - last.old_end)
    start, end = first.old - before, last.old_end + behind
    new_start, new_end = first.new - before, last.new_end + behind
    yield f"@@ -{_span(start, end)} +{_span(new_start, new_end)} @@\n"
    at = start
    for change in group:
        yield from (_line(" ", line, codec) for line in old[at : change.old])
        yield from (_line("-", line, codec) for line in old[change.old : change.old_end])
        yield from (_line("+", line, codec) for line in new[change.new : change.new_end])
        at = change.old_end
    yield from (_line(" ", line, codec) for line in old[at:end])


def _span(start: int, end: int) -> str:
    # An empty range names the line before it: `@@ -0,0 +1,3 @@`.
    return f"{start + (start < end)},{end - start}"


def _line(sign: str, line: bytes, codec: str) -> str:
    text = f"{sign}{line.decode(codec, 'backslashreplace')}"
    return text if text.endswith("\n") else f"{text}\n\\ No newline at end of file\n"
