"""Average rating of an item, and the number of ratings and reviews, against the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

import msgspec

from waypost.formats.numbers import number, rating, spelling
from waypost.formats.patterns import pattern
from waypost.formats.prices import written_number
from waypost.models.page import Node, Span
from waypost.reader.visible import UNCERTAIN
from waypost.validate.displayed.lines import Line, each_line, first_lines, span_of, until_next_heading
from waypost.validate.displayed.page import Difference, Displayed, is_displayed, texts_of
from waypost.validate.displayed.words import Words, begins, ends, is_one, of_kind, plain

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
_OF_TOTALS = frozenset(
    {"ratings", "average", "aggregate", "overall", "summary", "total", "reviewcount", "ratingcount", "reviewscount",
     "numreviews", "reviewsnumber"}
)  # fmt: skip
_OF_ONE_REVIEW = frozenset({"review", "reviewer", "user", "member", "profile", "item", "helpful"})
_OF_OTHERS = frozenset({"seller", "sellers", "store", "shop", "merchant", "vendor", "testimonial", "comment", "author"})
_MOST_LINES = 80
_MOST_LINES_APART = 160
_LONGEST_WORDS = 60
_COUNTED = ("reviews", "ratings")
_OUT_OF = pattern(r"(?<![\d.,/-])(\d{1,2}(?:[.,]\d{1,2})?)(\s*/\s*|\s*[^\d\n/]{1,16}?\s+)(5|10)(?![\d.,%/-])")
_WITH_STARS = pattern(r"(?<![\d.,])(\d[.,]\d{1,2})\s*([^\W\d_]+)")
_COUNT = pattern(
    r"(?<![\d.,/])(\d{1,3}(?:(?:[.,' ]|’)\d{3})+(?!\d)|\d{1,3}[.,]\d(?=\s?[kKmM]\b)|\d{1,7}(?![.,]?\d))"
    r"(?:\s?([kKmM]\b|\+))?"
)
_NUMBER_BEHIND = pattern(r"\s*[:(]\s*\d")
_ONE_WORD = pattern(r"([^\W\d_]+)[^\S\n]+")
_DIGIT = pattern(r"\d")
_THOUSANDS = {"k": 1_000, "m": 1_000_000}


class Seen(msgspec.Struct, frozen=True):
    """Number on the page. `scale`: "out of" how many; None where it does not say. `rounded`: "1.2K" or "99+"."""

    text: str
    value: Decimal
    span: Span
    scale: Decimal | None = None
    rounded: bool = False


def rating_differences(display: Displayed, item: Node, lines: list[Line] | None) -> Iterator[Difference]:
    """Differences of the average rating and of its counts from the only ones that the page displays.

    lines  near the item; None for all of the page, which are read as far as needed.
    """
    for node in item.nodes("aggregateRating"):
        if not display.vocabulary.are_a(node.types, frozenset({"AggregateRating"})):
            continue
        # The page is read up to the first number of a kind, and further only where that differs.
        yield from _value_difference(display, node, ratings_in(_near(display, lines), display.words))
        yield from _count_difference(display, node, _counts_of(display, lines))
        return


def _near(display: Displayed, lines: list[Line] | None) -> Iterator[Line]:
    return until_next_heading(each_line(display.lines) if lines is None else lines, _MOST_LINES)


def _counts_of(display: Displayed, lines: list[Line] | None) -> Iterator[Seen]:
    is_found = False
    for each in counts_in(_near(display, lines), display.words):
        is_found = True
        yield each
    if is_found:
        return
    # Reviews (321) may stand apart, over the reviews.
    apart = [
        line
        for line in first_lines(display.lines, _MOST_LINES_APART)
        if len(line.joined) <= _LONGEST_WORDS and _DIGIT.search(line.joined)
    ]
    counts = worded_counts(apart, display.words)
    yield from counts or counts_in([line for line in apart if _is_total(line)], display.words)


def ratings_in(lines: Iterable[Line], words: Words) -> Iterator[Seen]:
    """Ratings in the lines that are of no single review or seller."""
    is_found = False
    for line in lines:
        found: list[Seen] = []
        if _DIGIT.search(line.joined) is None or _is_of_others(line):
            continue
        is_marked = not _OF_RATINGS.isdisjoint(line.texts[0].hints) or _STARS.search(line.joined) is not None
        for match in _OUT_OF.finditer(line.joined):
            if plain(match[2]) not in of_kind(words, "out_of") and match[2].strip() != "/":
                continue
            value, scale = _decimal(match[1]), _decimal(match[3])
            if value is None or scale is None or value > scale:
                continue
            if is_marked or not match[1].isdecimal():
                found.append(Seen(_flat(match[0]), value, span_of(line, match.start(), match.end()), scale))
        if not is_found and not found:
            found = _with_words(line, words)
        if not is_found and not found:
            found = _bare(line)
        is_found = is_found or len(found) > 0
        yield from found


def _with_words(line: Line, words: Words) -> list[Seen]:
    """Ratings before a word for stars."""
    found: list[Seen] = []
    for match in _WITH_STARS.finditer(line.joined):
        value = _decimal(match[1])
        if value is not None and match[2].casefold() in of_kind(words, "stars"):
            found.append(Seen(_flat(match[0]), value, span_of(line, match.start(), match.end())))
    return found


def _bare(line: Line) -> list[Seen]:
    """Ratings without words: beside stars, or alone in an element for ratings."""
    starred = _NEXT_TO_STARS.search(line.joined)
    if starred:
        value = _decimal(starred[1] or starred[2])
        span = span_of(line, starred.start(), starred.end())
        return [Seen(_flat(starred[0]), value, span)] if value is not None else []
    found: list[Seen] = []
    for number_, text in enumerate(line.texts):
        alone = _ALONE.fullmatch(text.text)
        if alone is None or _OF_RATINGS.isdisjoint(text.hints[:6]):
            continue
        start, value = line.starts[number_], _decimal(alone[1])
        if value is not None:
            found.append(Seen(alone[1], value, span_of(line, start, start + len(text.text))))
    return found


def _decimal(text: str) -> Decimal | None:
    """Number with a point or a comma."""
    return number(text.replace(",", "."))


def counts_in(lines: Iterable[Line], words: Words) -> Iterator[Seen]:
    """Numbers of ratings or reviews in the lines."""
    for line in lines:
        if _DIGIT.search(line.joined) is None or _is_of_others(line):
            continue
        counts = _counts_with_words(line, words)
        if not counts and (_is_marked(line) or _STARS.search(line.joined)):
            for match in _COUNT_ALONE.finditer(line.joined):
                seen = _seen(match[1], "", line, match.start(), match.end())
                if seen is not None:
                    counts.append(seen)
        yield from counts


def worded_counts(lines: list[Line], words: Words) -> list[Seen]:
    """Numbers in lines after words for ratings or reviews: Reviews (321)."""
    found: list[Seen] = []
    for line in lines:
        match = _AFTER_WORDS.fullmatch(line.joined)
        if match and not _is_of_others(line) and any(is_one(words, kind, match[1]) for kind in _COUNTED):
            seen = _seen(match[2], "", line, 0, len(line.joined))
            if seen is not None:
                found.append(seen)
    return found


def _counts_with_words(line: Line, words: Words) -> list[Seen]:
    """Numbers before or behind a word for reviews or ratings."""
    found: list[Seen] = []
    for match in _COUNT.finditer(line.joined):
        start, end = match.start(), match.end()
        length = _counted(line.joined[end : end + _LONGEST_WORDS], words)
        if length:
            seen = _seen(match[1], match[2] or "", line, start, end + length)
        else:
            # Reviews (321), Reviews: 321
            before = line.joined[max(0, start - _LONGEST_WORDS) : start]
            label = before.rstrip("( :\n")
            is_label = label != before.rstrip() and any(ends(words, kind, label) for kind in _COUNTED)
            seen = _seen(match[1], "", line, start, end) if is_label else None
        if seen is not None:
            found.append(seen)
    return found


def _counted(text: str, words: Words) -> int:
    """Length of the words for reviews or ratings with which a text begins, at most two other words before them."""
    at = len(text) - len(text.lstrip())
    for number_ in range(3):
        rest = text[at:]
        for kind in _COUNTED:
            phrase = begins(words, kind, rest, _LONGEST_WORDS)
            # A number behind the words belongs to them: Reviews (321).
            if phrase and not _NUMBER_BEHIND.match(rest, len(phrase)):
                return at + len(phrase)
        following = _ONE_WORD.match(rest)
        if following is None or is_one(words, "stars", following[1]) or "\n" in text[: at + following.end()]:
            return 0
        at += following.end()
        if number_ == 2:
            break
    return 0


def _seen(digits: str, times: str, line: Line, start: int, end: int) -> Seen | None:
    text, span = _flat(line.joined[start:end]), span_of(line, start, end)
    if times and times != "+":
        value = _decimal(digits)
        return Seen(text, value * _THOUSANDS[times.lower()], span, rounded=True) if value is not None else None
    numbers = written_number(digits, whole=True).numbers
    value = number(numbers[0]) if len(numbers) == 1 else None
    return Seen(text, value, span, rounded=times == "+") if value is not None else None


def _flat(text: str) -> str:
    return " ".join(text.split())


def _is_marked(line: Line) -> bool:
    """Do the names of elements say that a line is about ratings?"""
    return any(not _OF_COUNTS.isdisjoint(text.hints[:8]) for text in line.texts)


def _is_total(line: Line) -> bool:
    """Do the names of elements say that a line sums up, and is of no single review? A reviewer has 12 reviews, too."""
    return any(
        not _OF_TOTALS.isdisjoint(text.hints[:8]) and _OF_ONE_REVIEW.isdisjoint(text.hints[:8]) for text in line.texts
    )


def _is_of_others(line: Line) -> bool:
    return any(text.flags & UNCERTAIN or not _OF_OTHERS.isdisjoint(text.hints[:10]) for text in line.texts)


def _value_difference(display: Displayed, node: Node, found: Iterator[Seen]) -> Iterator[Difference]:
    best, worst = _bound(node, "bestRating", "5"), _bound(node, "worstRating", "1")
    if best is None or not best > 0:
        best = Decimal(5)
    for index, text in texts_of(node, "ratingValue"):
        read = rating(text.replace(",", "."))
        if read is None or read.out_of is not None or worst is None or worst > 1:
            return
        seen = next(found, None)
        if seen is None or is_displayed(display, node, "ratingValue", index):
            return
        if seen.scale is None and (seen.value > best or best != 5):
            return
        # 4.5 of 5 is 9 of 10.
        scale, most = (Decimal(1), Decimal(1)) if seen.scale is None else (seen.scale, best)
        difference = abs(read.value * scale - seen.value * most)
        is_other = difference > _tolerance(seen.value) * most
        if is_other and all(each.value == seen.value and each.scale == seen.scale for each in found):
            yield Difference(node, "ratingValue", index, "rating", text, seen.text, seen.span)
        return


def _bound(node: Node, prop: str, usual: str) -> Decimal | None:
    """Bound of a scale; the usual one where none is stated."""
    for _, text in texts_of(node, prop):
        if text:
            return number(text)
    return number(usual) if node.get(prop) is None else None


def _tolerance(value: Decimal) -> Decimal:
    """Largest difference by rounding: to the digits displayed, or to half a star."""
    digits = spelling(value).partition(".")[2]
    if not digits:
        return Decimal("0.99")
    return Decimal("0.26") if digits == "5" else Decimal("0.0101") if len(digits) > 1 else Decimal("0.101")


class _Count(msgspec.Struct, frozen=True):
    """Count in the markup."""

    prop: str
    place: int
    text: str
    value: Decimal


def _count_difference(display: Displayed, node: Node, found: Iterator[Seen]) -> Iterator[Difference]:
    written = [
        _Count(prop, index, text, value)
        for prop in ("reviewCount", "ratingCount")
        for index, text in texts_of(node, prop)
        if (value := number(text)) is not None
    ]
    if not written or any(is_displayed(display, node, each.prop, each.place) for each in written):
        return
    first, seen = written[0], next(found, None)
    if seen is None or any(_is_count(each.value, seen) for each in written):
        return
    if all(each.value == seen.value for each in found):
        what = "number of reviews" if first.prop == "reviewCount" else "number of ratings"
        yield Difference(node, first.prop, first.place, what, first.text, seen.text, seen.span)


def _is_count(value: Decimal, seen: Seen) -> bool:
    """Is a count of the markup the one displayed, which may be rounded or a lower bound?"""
    if not seen.rounded:
        return value == seen.value
    if "+" in seen.text:
        return seen.value * Decimal("0.94") <= value
    return abs(value - seen.value) <= seen.value * Decimal("0.1")
