"""Reports as the command line writes them: one to standard output, others each to its own file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from waypost.cli._console import check_output, coloured, width_of, write
from waypost.cli._inputs import Found
from waypost.cli._reading import Kept, opened
from waypost.cli._run import UsageError
from waypost.errors import Unreadable
from waypost.models.finding import Report
from waypost.report import RuleNote, Source, View, format_names, pieces


class Target(NamedTuple):
    """A report to write: its format, and its file (None: standard output)."""

    name: str
    path: str | None


def targets(outputs: Sequence[str], name: str | None) -> list[Target]:
    """Every report to write. `FORMAT=FILE` is one more; a FILE alone takes the place of standard output."""
    asked: list[Target] = []
    plain: str | None = None
    for each in outputs:
        front, equals, path = each.partition("=")
        if equals and front in format_names():
            asked.append(Target(front, path))
        elif plain is not None:
            raise UsageError(f"--output {each}: say in which format, as in --output sarif={each}")
        else:
            plain = each
    if plain != "-":
        asked.insert(0, Target(name or "text", plain))
    else:
        asked.insert(0, Target(name or "text", None))
    files = [each.path for each in asked if each.path is not None]
    for path in files:
        check_output(path)
        if files.count(path) > 1:
            raise UsageError(f"--output: two reports would go to {path}")
    return asked


def write_reports(made: Report, asked: Sequence[Target], view: View, colour: str) -> None:
    """Write each report. A text about nothing is not written to standard output."""
    for name, path in asked:
        if path is None and name == "text" and not made.files:
            continue
        mine = view._replace(
            colour=coloured(colour, sys.stdout) if path is None else colour == "always",
            width=width_of(sys.stdout) if path is None else None,
        )
        write(pieces(made, name, mine), path)


def reader(found: Found, kept: Kept) -> Callable[[str], Source | None]:
    """Gives the page behind a path of the report, read again only when a format asks for it."""
    inputs = {each.path: each for each in found.inputs}

    def source(path: str) -> Source | None:
        from waypost.extract.encoding import decode
        from waypost.models.page import Span

        try:
            page = kept.get(path) or opened(inputs[path], allow_private=False)
        except (KeyError, Unreadable):
            return None
        text = decode(page.data, encoding="utf-8") if page.kind != "html" else decode(page.data, page.media_type)
        offset = text.offset
        return Source(text.string, lambda start, end: text.locate(Span(offset(start), offset(end))))

    return source


def notes(site: str) -> Callable[[], Mapping[str, RuleNote]]:
    def told() -> dict[str, RuleNote]:
        from waypost.service.rule_notes import rule_notes

        return rule_notes(site)

    return told
