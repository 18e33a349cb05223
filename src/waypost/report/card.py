"""Snippet cards for a terminal: a search result in a box."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.snippet import CardItem, Picture, Price, Snippet, Stars
from waypost.report._eligibility import Badge, badge_of
from waypost.report._frame import visible
from waypost.report._terminal import Paint, cells, width_of

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
    """Parts of a card from top to bottom, with blank rows between groups."""
    yield _rows(snippet.site_name, room, "bold") + _rows(snippet.display_url, room, "dim")
    yield [("", "")]
    yield _rows(snippet.title, room, "title")
    yield _rows(_figures(snippet.rating, snippet.price), room, "")
    yield _rows(" · ".join(each for each in (snippet.byline, _day(snippet)) if each), room, "dim")
    yield _rows(snippet.description, room, "")
    yield _rows(" ".join(f"[{badge}]" for badge in snippet.badges), room, "bold")
    named = [(fact.label, fact.value) for fact in snippet.facts] + _picture(snippet.image)
    if named:
        yield [("", "")]
        yield list(_table(named, room))
    if snippet.items:
        yield [("", "")]
        for number, item in enumerate(snippet.items, 1):
            yield list(_item(number, item, room))


def _rows(text: str | None, room: int, how: str) -> list[_Row]:
    return [(line, how) for line in wrapped(text, room)] if text else []


def _figures(rating: Stars | None, price: Price | None) -> str:
    parts = []
    if rating:
        # Half up: round() would go to the even half. A rating beyond its scale stays in the row.
        full, half = divmod(min(max(int(rating.stars * 2 + 0.5), 0), 10), 2)
        parts.append(f"{'★' * full}{'½' * half}{'☆' * (5 - full - half)} {rating.text}")
    if price:
        parts.append(price.text)
    return " · ".join(parts)


def _day(snippet: Snippet) -> str | None:
    """Day of the card, unless a fact contains the day."""
    day = snippet.date[:10] if snippet.date else None
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


def wrapped(text: str, room: int) -> Iterator[str]:
    """Lines of at most `room` cells, broken at spaces, and inside a word only where the word is too long."""
    line = ""
    for word in visible(text).split(" "):
        for piece in _pieces(word, room):
            if line and cells(line) + 1 + cells(piece) > room:
                yield line
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
    if line:
        yield line


def _pieces(word: str, room: int) -> Iterator[str]:
    start, used = 0, 0
    for at, char in enumerate(word):
        size = width_of(char)
        if used + size > room:
            yield word[start:at]
            start, used = at, 0
        used += size
    if word[start:]:
        yield word[start:]
