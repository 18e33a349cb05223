"""Comparison of two states of a site as text, Markdown, HTML or JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby
from typing import Literal

import msgspec

from waypost.formats.page_name import PageName
from waypost.models.comparison import Change, ChangeKind, Comparison, Place
from waypost.models.finding import result_name
from waypost.report._frame import visible
from waypost.report._style import STYLE, address_link, brand
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
_STYLE = STYLE + "\nul ul{color:var(--ink-3)}\nh2{border-bottom:1px solid var(--line);padding-bottom:.25rem}"
NamesOfPages = Callable[[str], PageName]
"""Path of a page -> title and canonical address."""


def _no_name(_path: str) -> PageName:
    return PageName()


def pieces(compared: Comparison, form: Form, paint: Paint, name_of: NamesOfPages = _no_name) -> Iterator[str]:
    """Report in parts. `paint` colours the text for a terminal; `name_of` names the pages of the HTML."""
    if form == "json":
        yield msgspec.json.format(msgspec.json.encode(compared), indent=2).decode() + "\n"
        return
    if form == "html":
        yield from _html(compared, name_of)
        return
    yield from _markdown(compared) if form == "markdown" else _text(compared, paint)


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
    """Change in a line, without the pages."""
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


def _html(compared: Comparison, name_of: NamesOfPages) -> Iterator[str]:
    title = escape(headline(compared))
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title} | waypost</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"{brand('comparison of two states of a site')}<h1>{title}</h1>\n"
        f"<p>{escape(visible(compared.before))} compared with {escape(visible(compared.after))}.</p>\n"
    )
    yield from (f"<p>{escape(note)}</p>\n" for note in compared.notes)
    for kind, changes in _grouped(compared):
        yield f"<h2>{_TITLES[kind]}</h2>\n<ul>\n"
        for change in changes:
            inner = "".join(_place_item(place, name_of(place.path)) for place in change.places)
            inner += f"<li>{more}</li>" if (more := _more(change)) else ""
            yield f"<li>{escape(visible(_subject(change)))}\n<ul>{inner}</ul></li>\n"
        yield "</ul>\n"
    yield "</body>\n</html>\n"


def _place_item(place: Place, name: PageName) -> str:
    title = f"<b>{escape(visible(name.title))}</b> " if name.title else ""
    address = f" {link}" if (link := address_link(name, place.path)) else ""
    return f"<li>{title}{escape(visible(_place(place)))}{address}</li>"
