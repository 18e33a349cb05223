"""Comparison of two states of a site as text, Markdown, HTML or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby
from typing import Literal

import msgspec

from waypost.models.comparison import Change, ChangeKind, Comparison, Place
from waypost.models.finding import result_name
from waypost.report._frame import visible
from waypost.report._terminal import Paint
from waypost.report._words import count

Form = Literal["text", "markdown", "html", "json"]
FORMS: tuple[Form, ...] = ("text", "markdown", "html", "json")
_TITLES: dict[ChangeKind, str] = {
    "lost-eligibility": "Rich results lost",
    "won-eligibility": "Rich results won",
    "new-error": "New errors",
    "new-warning": "New warnings",
    "fixed": "Findings gone",
    "changed-value": "Changed values of cards",
    "gone-entity": "Entities gone",
    "new-entity": "New entities",
    "gone-page": "Pages gone",
    "new-page": "New pages",
    "unreadable": "Unreadable pages",
}
_COLOURS: dict[ChangeKind, str] = {
    "lost-eligibility": "error", "new-error": "error", "unreadable": "error", "new-warning": "warning",
    "won-eligibility": "good", "fixed": "good",
}  # fmt: skip
_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>|"})
_STYLE = """
:root{color-scheme:light dark;--ground:#f7f6f2;--ink:#151b23;--line:#dfdbd0;--quiet:#5d6570}
@media(prefers-color-scheme:dark){:root{--ground:#10151c;--ink:#edf0f3;--line:#2d3947;--quiet:#98a4b1}}
body{font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink);max-width:60rem;margin:0 auto;
  padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
ul ul{color:var(--quiet)}
""".strip()


def pieces(compared: Comparison, form: Form, paint: Paint) -> Iterator[str]:
    """Report in parts. `paint` colours the text for a terminal."""
    if form == "json":
        yield msgspec.json.format(msgspec.json.encode(compared), indent=2).decode() + "\n"
        return
    write: Callable[[Comparison], Iterator[str]] = {"markdown": _markdown, "html": _html}.get(
        form, lambda each: _text(each, paint)
    )
    yield from write(compared)


def headline(compared: Comparison) -> str:
    """Comparison in a sentence."""
    numbers = (
        f"{count(compared.pages_before, 'page')} before, {compared.pages_after:,} after, {compared.same:,} unchanged"
    )
    return f"{numbers}; {count(len(compared.changes), 'change') if compared.changes else 'no change'}"


def _grouped(compared: Comparison) -> Iterator[tuple[ChangeKind, list[Change]]]:
    for kind, changes in groupby(compared.changes, key=lambda change: change.kind):
        yield kind, list(changes)


def _subject(change: Change) -> str:
    """Change in a line, without its pages."""
    where = f" in {change.folder}/" if change.folder else ""
    pages = f"{count(change.pages, 'page')}{where}"
    if change.kind in {"lost-eligibility", "won-eligibility"}:
        return f"{result_name(change.what)}: {pages}"
    if not change.what:
        return pages
    return f"{change.what}: {pages}" + (f": {change.text}" if change.text else "")


def _place(place: Place) -> str:
    at = place.path + (f":{place.line}" if place.line else "")
    if place.before is not None and place.after is not None:
        return f"{at}: {place.before} -> {place.after}"
    if place.before is not None:
        return f"{at}: was {place.before}"
    return f"{at}: {place.after}" if place.after is not None else at


def _more(change: Change) -> str:
    left = change.pages - len(change.places)
    return f"and {left:,} more" if left else ""


def _lines(change: Change) -> Iterator[str]:
    yield from (visible(_place(place)) for place in change.places)
    if more := _more(change):
        yield more


def _text(compared: Comparison, paint: Paint) -> Iterator[str]:
    yield f"{headline(compared)}\n"
    yield from (f"{note}\n" for note in compared.notes)
    for kind, changes in _grouped(compared):
        yield f"\n{paint(_TITLES[kind], _COLOURS.get(kind, 'bold'))}\n"
        for change in changes:
            yield f"{visible(_subject(change))}\n"
            yield from (f"  {line}\n" for line in _lines(change))


def _markdown(compared: Comparison) -> Iterator[str]:
    yield f"## Structured data: {headline(compared).translate(_SPECIAL)}\n"
    yield from (f"\n{note}\n" for note in compared.notes)
    for kind, changes in _grouped(compared):
        yield f"\n### {_TITLES[kind]}\n\n"
        for change in changes:
            yield f"- {_one_line(_subject(change))}\n"
            yield from (f"  - {_one_line(line)}\n" for line in _lines(change))


def _one_line(text: str) -> str:
    return " ".join(visible(text).translate(_SPECIAL).split())


def _html(compared: Comparison) -> Iterator[str]:
    title = escape(headline(compared))
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title} | waypost</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{escape(visible(compared.before))} compared with {escape(visible(compared.after))}.</p>\n"
    )
    yield from (f"<p>{escape(note)}</p>\n" for note in compared.notes)
    for kind, changes in _grouped(compared):
        yield f"<h2>{_TITLES[kind]}</h2>\n<ul>\n"
        for change in changes:
            inner = "".join(f"<li>{escape(line)}</li>" for line in _lines(change))
            yield f"<li>{escape(visible(_subject(change)))}\n<ul>{inner}</ul></li>\n"
        yield "</ul>\n"
    yield "</body>\n</html>\n"
