"""Average rating of an item, and the number of ratings and reviews, against the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from waypost.formats.numbers import number, rating, spelling
from waypost.formats.patterns import pattern
from waypost.formats.prices import written_number
from waypost.models.page import Node, Span
from waypost.reader.visible import UNCERTAIN
from waypost.validate.displayed.lines import Line, until_next_heading
from waypost.validate.displayed.page import Difference, Displayed, texts_of
from waypost.validate.displayed.words import Words, plain

_STARS = pattern(r"[★☆⭐]")
_NEXT_TO_STARS = pattern(r"[★☆⭐]\s*\(?(\d[.,]\d{1,2})(?![\d.,])|(?<![\d.,])(\d[.,]\d{1,2})\s*[★⭐]")
_ALONE = pattern(r"\(?(\d[.,]\d{1,2})\)?")
_COUNT_ALONE = pattern(r"\(\s*(\d{1,3}(?:(?:[.,' ]|’)\d{3})+|\d{1,7})\s*\)")
_AFTER_WORDS = pattern(r"([^\d()]+?)\s*(?::\s*|\(\s*)(\d{1,3}(?:(?:[.,' ]|’)\d{3})+|\d{1,7})\s*\)?")
_OF_RATINGS = frozenset(
    {"rating", "ratings", "stars", "star", "score", "review", "reviews", "average", "ratingvalue", "reviewcount",
     "ratingcount", "rate"}
)  # fmt: skip
_OF_COUNTS = _OF_RATINGS | {"ratingstars", "starrating", "reviewscount", "numreviews", "reviewsnumber"}
_OF_OTHERS = frozenset({"seller", "sellers", "store", "shop", "merchant", "vendor", "testimonial", "comment", "author"})
_MOST_LINES = 80
_MOST_LINES_APART = 160
_LONGEST_WORDS = 60
_COUNTED = ("reviews", "ratings")
_OUT_OF = pattern(r"(?<![\d.,/-])(\d{1,2}(?:[.,]\d{1,2})?)(\s*/\s*|\s*[^\d\n/]{1,16}?\s+)(5|10)(?![\d.,%/-])")
_WITH_STARS = pattern(r"(?<![\d.,])(\d[.,]\d{1,2})\s*([^\W\d_]+)")
_COUNT = pattern(
    r"(?<![\d.,/])(\d{1,3}(?:(?:[.,' ]|’)\d{3})+(?!\d)|\d{1,3}[.,]\d(?=\s?[kKmM]\b)|\d{1,7})"
    r"(?:\s?([kKmM]\b|\+))?"
)
_NUMBER_BEHIND = pattern(r"\s*[:(]\s*\d")
_ONE_WORD = pattern(r"([^\W\d_]+)[^\S\n]+")
_DIGIT = pattern(r"\d")
_THOUSANDS = {"k": 1_000, "m": 1_000_000}


class Seen(NamedTuple):
    """Number on the page. `scale`: "out of" how many; None where it does not say. `rounded`: "1.2K" or "99+"."""

    text: str
    value: Decimal
    span: Span
    scale: Decimal | None = None
    rounded: bool = False


def rating_differences(display: Displayed, item: Node, lines: Iterable[Line]) -> Iterator[Difference]:
    """Differences of the average rating and of its counts from the only ones that the page displays."""
    for node in item.nodes("aggregateRating"):
        if not display.vocabulary.are_a(node.types, frozenset({"AggregateRating"})):
            continue
        near = until_next_heading(lines, _MOST_LINES)
        values, counts = ratings_in(near, display.words), counts_in(near, display.words)
        if not counts and node.props.keys() & {"reviewCount", "ratingCount"}:
            # Reviews (321) may stand apart, over the reviews.
            counts = worded_counts(list(islice(display.lines, _MOST_LINES_APART)), display.words)
        yield from _value_difference(display, node, values)
        yield from _count_difference(display, node, counts)
        return


def ratings_in(lines: list[Line], words: Words) -> list[Seen]:
    """Ratings in the lines that are of no single review or seller."""
    found: list[Seen] = []
    for line in lines:
        if _is_of_others(line) or _DIGIT.search(line.joined) is None:
            continue
        is_marked = not _OF_RATINGS.isdisjoint(line.texts[0].hints) or _STARS.search(line.joined) is not None
        for match in _OUT_OF.finditer(line.joined):
            if plain(match[2]) not in words.of("out_of") and match[2].strip() != "/":
                continue
            value, scale = Decimal(match[1].replace(",", ".")), Decimal(match[3])
            if value <= scale and (is_marked or not match[1].isdecimal()):
                found.append(Seen(_flat(match[0]), value, line.span(*match.span()), scale))
        for match in _WITH_STARS.finditer(line.joined) if not found else ():
            if match[2].casefold() in words.of("stars"):
                value = Decimal(match[1].replace(",", "."))
                found.append(Seen(_flat(match[0]), value, line.span(*match.span())))
        if not found:
            found += _bare(line)
    return found


def _bare(line: Line) -> Iterator[Seen]:
    """Ratings without words: beside stars, or alone in an element for ratings."""
    for match in _NEXT_TO_STARS.finditer(line.joined):
        yield Seen(_flat(match[0]), Decimal((match[1] or match[2]).replace(",", ".")), line.span(*match.span()))
        return
    for number_, text in enumerate(line.texts):
        alone = _ALONE.fullmatch(text.text)
        if alone and not _OF_RATINGS.isdisjoint(text.hints[:6]):
            start = line.starts[number_]
            yield Seen(alone[1], Decimal(alone[1].replace(",", ".")), line.span(start, start + len(text.text)))


def counts_in(lines: list[Line], words: Words) -> list[Seen]:
    """Numbers of ratings or reviews in the lines."""
    found: list[Seen] = []
    for line in lines:
        if _is_of_others(line) or _DIGIT.search(line.joined) is None:
            continue
        counts = [seen for match in _COUNT.finditer(line.joined) if (seen := _count(match, line, words))]
        is_marked = any(not _OF_COUNTS.isdisjoint(text.hints[:8]) for text in line.texts)
        if not counts and (is_marked or _STARS.search(line.joined)):
            matches = _COUNT_ALONE.finditer(line.joined)
            counts = [seen for match in matches if (seen := _seen(match[1], "", line, match.span()))]
        found += counts
    return found


def worded_counts(lines: list[Line], words: Words) -> list[Seen]:
    """Numbers in short lines after words for ratings or reviews: Reviews (321)."""
    found: list[Seen] = []
    for line in lines:
        match = _AFTER_WORDS.fullmatch(line.joined) if len(line.joined) <= _LONGEST_WORDS else None
        if match and not _is_of_others(line) and any(words.is_one(kind, match[1]) for kind in _COUNTED):
            seen = _seen(match[2], "", line, (0, len(line.joined)))
            found += [seen] if seen else []
    return found


def _count(match: re.Match[str], line: Line, words: Words) -> Seen | None:
    """Number before or behind a word for reviews or ratings."""
    start, end = match.span()
    behind = line.joined[end : end + _LONGEST_WORDS]
    length = _counted(behind, words)
    if length:
        return _seen(match[1], match[2] or "", line, (start, end + length))
    # Reviews (321), Reviews: 321
    before = line.joined[max(0, start - _LONGEST_WORDS) : start]
    label = before.rstrip("( :\n")
    if label != before.rstrip() and any(words.ends(kind, label) for kind in _COUNTED):
        return _seen(match[1], "", line, (start, end))
    return None


def _counted(text: str, words: Words) -> int:
    """Length of the words for reviews or ratings with which a text begins, at most two other words before them."""
    at = len(text) - len(text.lstrip())
    for number_ in range(3):
        rest = text[at:]
        for kind in _COUNTED:
            phrase = words.begins(kind, rest, _LONGEST_WORDS)
            # A number behind the words belongs to them: Reviews (321).
            if phrase and not _NUMBER_BEHIND.match(rest, len(phrase)):
                return at + len(phrase)
        following = _ONE_WORD.match(rest)
        if following is None or words.is_one("stars", following[1]) or "\n" in text[: at + following.end()]:
            return 0
        at += following.end()
        if number_ == 2:
            break
    return 0


def _seen(digits: str, times: str, line: Line, place: tuple[int, int]) -> Seen | None:
    text = _flat(line.joined[place[0] : place[1]])
    if times and times != "+":
        value = Decimal(digits.replace(",", ".")) * _THOUSANDS[times.lower()]
        return Seen(text, value, line.span(*place), rounded=True)
    numbers = written_number(digits, whole=True).numbers
    if len(numbers) != 1:
        return None
    return Seen(text, Decimal(numbers[0]), line.span(*place), rounded=times == "+")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _is_of_others(line: Line) -> bool:
    return any(text.flags & UNCERTAIN or not _OF_OTHERS.isdisjoint(text.hints[:10]) for text in line.texts)


def _value_difference(display: Displayed, node: Node, found: list[Seen]) -> Iterator[Difference]:
    if len({(each.value, each.scale) for each in found}) != 1:
        return
    seen = found[0]
    best = number(str(node.get("bestRating") or 5)) or Decimal(5)
    worst = number(str(node.get("worstRating") or 1))
    for index, text in texts_of(node, "ratingValue"):
        read = rating(text.replace(",", "."))
        if read is None or read.out_of is not None or worst is None or worst > 1:
            return
        factor = best / seen.scale if seen.scale else Decimal(1)
        if seen.scale is None and (seen.value > best or best != 5):
            return
        if abs(read.value - seen.value * factor) > _tolerance(seen.value) * factor and not display.is_displayed(
            node, "ratingValue", index
        ):
            yield Difference(node, "ratingValue", index, "rating", text, seen.text, seen.span)
        return


def _tolerance(value: Decimal) -> Decimal:
    """Largest difference by rounding: to the digits displayed, or to half a star."""
    digits = spelling(value).partition(".")[2]
    if not digits:
        return Decimal("0.99")
    return Decimal("0.26") if digits == "5" else Decimal("0.0101") if len(digits) > 1 else Decimal("0.101")


def _count_difference(display: Displayed, node: Node, found: list[Seen]) -> Iterator[Difference]:
    if len({each.value for each in found}) != 1:
        return
    seen = found[0]
    written = [
        (prop, index, text, value)
        for prop in ("reviewCount", "ratingCount")
        for index, text in texts_of(node, prop)
        if (value := number(text)) is not None
    ]
    if not written or any(_is_count(value, seen) for *_, value in written):
        return
    prop, index, text, _ = written[0]
    if not any(display.is_displayed(node, each[0], each[1]) for each in written):
        what = "number of reviews" if prop == "reviewCount" else "number of ratings"
        yield Difference(node, prop, index, what, text, seen.text, seen.span)


def _is_count(value: Decimal, seen: Seen) -> bool:
    """Is a count of the markup the one displayed, which may be rounded or a lower bound?"""
    if not seen.rounded:
        return value == seen.value
    return seen.value * Decimal("0.94") <= value if "+" in seen.text else abs(value - seen.value) <= seen.value / 10
