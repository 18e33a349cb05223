"""Snippet cards for a terminal: a search result in a box."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from waypost.formats.dates import day_in_words
from waypost.models.snippet import CardItem, Fact, Picture, Snippet, Stars
from waypost.report._eligibility import Badge, badge_of
from waypost.report._frame import visible
from waypost.report._terminal import Paint, cells, wrapped

_WIDEST = 88
_NARROWEST = 40
_SHORT = 50
_PAINT = {"eligible": "supported", "not_eligible": "retired"}
"""State of a badge -> colour."""


def draw(snippet: Snippet, *, badge: Badge | None = None, width: int = 80, colour: bool = False) -> str:
    """Card as lines of at most `width` cells, then a line with type and badge; ends with a newline.

    badge  eligibility of the page's item; None for a document that is not a page
    """
    badge = badge or badge_of(snippet.status)
    room = min(max(width, _NARROWEST), _WIDEST) - 4
    paint = Paint(colour)
    rows = [row for block in _blocks(snippet, room) for row in block]
    lines = ["╭" + "─" * (room + 2) + "╮"]
    lines += [f"│ {paint(text, how) if how else text}{' ' * (room - cells(text))} │" for text, how in rows]
    lines.append("╰" + "─" * (room + 2) + "╯")
    kind = f"{snippet.service_type} of {snippet.standard_type}: {badge.text}"
    lines += [paint(line, _PAINT.get(badge.state, "dim")) for line in wrapped(kind, room + 4)]
    return "\n".join(lines) + "\n"


_Row = tuple[str, str]
"""(line without the frame, colour)"""


def _blocks(snippet: Snippet, room: int) -> Iterator[list[_Row]]:
    """Parts of a card from top to bottom, with blank rows between groups. Doubts follow values."""
    doubts = {each.slot: f" [{each.text}]" for each in snippet.remarks}

    def doubted(slot: str, text: str | None) -> str:
        return f"{text}{doubts.get(slot, '')}" if text else ""

    site, address = doubted("site_name", snippet.site_name), doubted("display_url", snippet.display_url)
    yield _rows(site, room, "bold") + _rows(address, room, "dim")
    yield [("", "")]
    yield _rows(doubted("title", snippet.title), room, "title")
    price = doubted("price", snippet.price.text) if snippet.price else ""
    yield _rows(" · ".join(each for each in (_stars(snippet.rating), price) if each), room, "")
    byline = doubted("byline", snippet.byline)
    yield _rows(" · ".join(each for each in (byline, day_to_draw(snippet)) if each), room, "dim")
    yield _rows(doubted("description", snippet.description), room, "")
    yield _rows(" ".join(f"[{badge}]" for badge in snippet.badges), room, "bold")
    facts = facts_to_draw(snippet)
    named = [(fact.label, doubted(f"facts/{fact.key}", fact.value)) for fact in facts] + _picture(snippet.image)
    if named:
        yield [("", "")]
        yield list(_table(named, room))
    if snippet.items:
        yield [("", "")]
        for number, item in enumerate(snippet.items):
            title = doubted(f"items/{number}", item.title)
            yield list(_item(number + 1, msgspec.structs.replace(item, title=title), room))


def facts_to_draw(snippet: Snippet) -> list[Fact]:
    """Facts of a card, without the availability after a price."""
    price = snippet.price.text.split(" · ") if snippet.price else []
    return [fact for fact in snippet.facts if fact.key != "availability" or fact.value not in price]


def _rows(text: str | None, room: int, how: str) -> list[_Row]:
    return [(line, how) for line in wrapped(text, room)] if text else []


def _stars(rating: Stars | None) -> str:
    if rating is None:
        return ""
    full, half = divmod(half_stars(rating.stars), 2)
    return f"{'★' * full}{'½' * half}{'☆' * (5 - full - half)} {rating.text}"


def half_stars(stars: float) -> int:
    """Halves of stars, 0 to 10. Half up: round() would go to the even half."""
    return min(max(int(stars * 2 + 0.5), 0), 10)


def day_to_draw(snippet: Snippet) -> str | None:
    """Day of the card in words, unless a fact contains the day."""
    day = day_in_words(snippet.date) if snippet.date else None
    return None if day and any(fact.value.startswith(day) for fact in snippet.facts) else day


def _picture(image: Picture | None) -> list[tuple[str, str]]:
    if image is None:
        return []
    size = f" ({image.width} × {image.height})" if image.width and image.height else ""
    return [("Image", image.url + size)]


def _table(named: list[tuple[str, str]], room: int) -> Iterator[_Row]:
    """Rows with the labels in a separate column."""
    column = min(max(cells(visible(label)) for label, _ in named), room // 3) + 2
    for label, value in named:
        head, *more = list(wrapped(label, column - 2))
        tail = list(wrapped(value, room - column))
        for left, right in _paired([head, *more], tail):
            yield left + " " * (column - cells(left)) + right, ""


def _paired(left: list[str], right: list[str]) -> Iterator[tuple[str, str]]:
    for n in range(max(len(left), len(right))):
        yield left[n] if n < len(left) else "", right[n] if n < len(right) else ""


def _item(number: int, item: CardItem, room: int) -> Iterator[_Row]:
    """Title, and the description on the same line if short, else below."""
    head = f"{number}. "
    inline = item.description and cells(f"{head}{item.title} · {item.description}") <= min(room, _SHORT)
    title = f"{item.title} · {item.description}" if inline else item.title
    for n, line in enumerate(wrapped(title, room - len(head))):
        yield (head if n == 0 else " " * len(head)) + line, ""
    if item.description and not inline:
        for line in wrapped(item.description, room - len(head)):
            yield " " * len(head) + line, "dim"
