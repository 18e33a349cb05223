"""Notes about a page that are not findings: without structured data, not read in full, changed by scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waypost.formats.text import join_words
from waypost.models.finding import Absence, FileReport, NodeVerdict, RenderedChange, Rendering, label_of
from waypost.report._causes import MOST_NAMES, NAMED, eligible_for, results
from waypost.report._words import count


def absence_lines(files: Sequence[FileReport]) -> Iterator[str]:
    """Line about a page without structured data, with the reason; of several pages a line for each reason."""
    if len(files) == 1:
        (file,) = files
        if file.absence is not None and file.absence.text:
            yield f"no structured data: {absence_in_words(file.absence)}"
        return
    pages: dict[str | None, list[str]] = {}
    numbers: Counter[str | None] = Counter()
    for file in files:
        if file.absence is not None:
            numbers[file.absence.text] += 1
            named = pages.setdefault(file.absence.text, [])
            if len(named) <= NAMED:
                named.append(file.path)
    for text, number in numbers.most_common():
        named = pages[text]
        if number > NAMED:
            named = [*named[: NAMED - 1], f"{number - NAMED + 1:,} more"]
        yield f"{count(number, 'page')} without structured data: {join_words(named)}{f' ({text})' if text else ''}"


def unread_lines(files: Sequence[FileReport]) -> Iterator[str]:
    """Line about unread parts of a page with structured data; about several pages a line for every reason."""
    pages: dict[str, list[str]] = {}
    for file in files:
        if file.unread is not None and file.unread.text:
            text = absence_in_words(file.unread) if len(files) == 1 else file.unread.text
            pages.setdefault(text, []).append(file.path)
    for text, paths in pages.items():
        yield f"not read: {text}" if len(files) == 1 else f"not read in full: {_paths(paths)} ({text})"


def rendering_lines(files: Sequence[FileReport]) -> Iterator[str]:
    """Lines about items of a page changed by scripts; about several pages a line for every kind of change."""
    made = [(file, file.rendering) for file in files if file.rendering is not None]
    failed: dict[str, list[str]] = {}
    for file, rendering in made:
        if rendering.outcome == "failed":
            failed.setdefault(rendering.why or "", []).append(file.path)
    if len(files) == 1:
        for _, rendering in made:
            yield from _rendering_of_page(rendering)
    else:
        for kind, words in _CHANGES_IN_WORDS.items():
            pages = [file.path for file, rendering in made if any(each.kind == kind for each in rendering.changes)]
            if pages:
                yield f"{words} on {count(len(pages), 'page')}: {_paths(pages)}"
    for why, paths in failed.items():
        yield f"not rendered: {_paths(paths)} ({why}): {UNRENDERED}"


UNRENDERED = "what scripts write there was not read"
_CHANGES_IN_WORDS = {
    "added": "items that exist only after scripts", "removed": "items that scripts remove",
    "changed": "items that scripts change",
}  # fmt: skip


def _rendering_of_page(rendering: Rendering) -> Iterator[str]:
    nodes = {(node.types, node.name, node.line): node for node in rendering.verdicts}
    for change in rendering.changes:
        node = nodes.get((change.types, change.name, change.rendered_line or 0))
        yield f"{label_of(change.types, change.name)}: {change_in_words(change, node)}"
    if rendering.outcome == "rendered" and not rendering.changes and rendering.items:
        yield f"rendered: its scripts change nothing of {count(len(rendering.items), 'item')}"
    if rendering.errors:
        yield f"a script of the page failed: {rendering.errors[0]}"
    for denied in rendering.denied[:NAMED]:
        times = f" ({denied.count:,} times)" if denied.count > 1 else ""
        yield f"not requested for the page: {denied.kind} of {denied.host}{times}, {denied.why}"


def change_in_words(change: RenderedChange, node: NodeVerdict | None = None) -> str:
    """Change of an item by scripts, the verdict afterwards, and the script. `node`: verdict in the rendered page."""
    match change.kind:
        case "removed":
            return f"scripts remove it (line {change.line} of the page as it is sent)"
        case "added":
            text = f"exists only after scripts, line {change.rendered_line} of the rendered page"
        case _:
            names = join_words([value.property for value in change.values[:MOST_NAMES]])
            more = f" and {len(change.values) - MOST_NAMES} more" if len(change.values) > MOST_NAMES else ""
            text = f"differs after scripts: {names}{more}"
    if node is not None and change.kind == "added":
        missed = [f"not eligible for {results([each.profile])}: {each.why}" for each in node.not_eligible]
        text += f"; {eligible_for(node) if node.eligible else '; '.join(missed) or 'no rich result of its own'}"
    return text + (f"; written by {change.script}" if change.script else "")


def _paths(paths: Sequence[str]) -> str:
    """Paths, the first few of many."""
    if len(paths) <= NAMED:
        return join_words(paths)
    return join_words([*paths[: NAMED - 1], f"{len(paths) - NAMED + 1:,} more"])


class Notice(NamedTuple):
    """Note about a page, not a finding, with a title for people and a name for machines."""

    name: str
    title: str
    text: str
    line: int | None


def notices(file: FileReport) -> Iterator[Notice]:
    """Notes for annotations: a reason to be without structured data, as an app shell; unread parts; no rendering.

    No note about further pages without structured data: most need none, and the absence of a named profile is an error.
    """
    if file.absence is not None and (text := absence_in_words(file.absence)):
        yield Notice("no-structured-data", "no structured data", text, file.absence.line)
    if file.unread is not None and (text := absence_in_words(file.unread)):
        yield Notice("not-read", "not read", text, file.unread.line)
    if file.rendering is not None and file.rendering.outcome == "failed":
        yield Notice("not-rendered", "not rendered", f"{file.rendering.why}; {UNRENDERED}", None)


def absence_in_words(absence: Absence) -> str:
    """Reason for the absence of structured data, its place, and what to do; empty without a reason."""
    where = f", see line {absence.line:,}" if absence.line is not None else ""
    return f"{absence.text}{where}{f'; {absence.hint}' if absence.hint else ''}" if absence.text else ""
