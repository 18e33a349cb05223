"""Amounts of money in the lines of a page, and what each is: a price of today, of before, or something else."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Literal, TypeAlias

import msgspec

from waypost.formats.currencies import currencies
from waypost.formats.numbers import number
from waypost.formats.patterns import pattern
from waypost.formats.prices import written_number
from waypost.models.page import Span
from waypost.reader.visible import STRUCK, UNCERTAIN, Text
from waypost.validate.displayed.lines import Line, span_of, text_at
from waypost.validate.displayed.word_lists import visible_words
from waypost.validate.displayed.words import Words, begins, ends, of_kind, plain

Kind: TypeAlias = Literal["current", "regular", "former", "struck", "other", "uncertain"]
"""Price of today; price of today where the page has no other; former price, by words; struck price; another amount;
price that is hidden, perhaps."""

_NUMBER = pattern(
    r"(?<![\d.,])(?:\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?(?!\d)"
    r"|\d{1,3}(?:(?:[.,' ]|’)\d{3})+(?:[.,]\d{1,2})?(?![\d])"
    r"|\d{1,9}(?:[.,]\d{1,2}(?!\d))?(?:[.,](?:-|–|—){1,2})?)"
)
_LONGEST_LABEL = 40
_RANGE = pattern(r"[-–—~]|to|bis|à|a|tot|till|til|до|až|-tól")
_PIECE = r"(?:pieces?|item|each|pack|unit|stück|stk|st|tk|kpl|szt|ks|kus|db|pcs?|ud|unid(?:ad)?|un|шт)\b"
_UNIT = pattern(
    rf"/(?! ?(?:\d+ ?)?{_PIECE})|(?:per|pro|par|por|al|a|each|pr|za|kpl|на|за)\b(?! ?{_PIECE})"
    r"|(?:kk|mo|mes|off)\b|month|mois|monat"
)
_PER_PIECE = pattern(rf"(?:/|per|pro|par|por|al|za|na|за) ?(?:1 )?{_PIECE}\.?")
_BARE = pattern(r"\d{1,3}(?:(?:[., ']|’)?\d{3})*[.,]\d\d")
_BARE_OR_WHOLE = pattern(r"\d{1,3}(?:(?:[., ']|’)?\d{3})*(?:[.,]\d\d)?")
_HARMLESS = pattern(
    r"[*.,!)(\s]*(?:\(?(?:incl|inkl|inc|iva incl|tax incl|vat incl|including|ttc|tvac|moms incl|m\. moms|each|ea\b"
    r"|inclus|bez|z vat|s dph|с ддс|税込|kdv dahil|με φπα|usd|eur|gbp|cad|aud|[A-Za-z]{3}\b\s*\Z).*)?"
)
_LONGEST_SIGN = 5
_GOES_ON = frozenset(".,")
_SMALL = pattern(r"\n(\d\d)(?=\n)")
_WITHIN = pattern(r"(\d\d)(?![\d.,])")
_MINUS = frozenset("-–−+")
_DIGIT = pattern(r"\d")
_CENTS = pattern(r"\d\d")
# Words of classes and ids.
_OF_OTHER_AMOUNTS = frozenset(
    {"ship", "shipping", "delivery", "save", "saving", "savings", "saved", "installment", "installments",
     "instalment", "instalments", "finance", "financing", "klarna", "afterpay", "affirm", "deposit", "unit",
     "unitprice", "tier", "cart", "basket", "minicart", "subtotal", "points", "reward", "rewards", "coupon", "gift",
     "membership", "omnibus", "lowest", "monthly", "swatch", "bundle", "variant", "variants", "warranty", "addon",
     "addons", "tooltip", "shippingprice", "member", "members", "subscribe", "subscription", "club", "loyalty"}
)  # fmt: skip
_OF_FORMER = frozenset(
    {"old", "was", "regular", "compare", "strike", "strikethrough", "struck", "crossed", "rrp", "msrp", "uvp",
     "original", "previous", "former", "del", "listprice", "oldprice", "wasprice"}
)  # fmt: skip
_OF_PRICE = frozenset(
    {"price", "prices", "preis", "prix", "precio", "preco", "prezzo", "prijs", "cena", "pris", "hinta", "fiyat",
     "itemprice", "productprice", "currentprice", "saleprice", "finalprice", "offerprice", "sellingprice"}
)  # fmt: skip
_NO_PRICE = frozenset(
    {"filter", "filters", "range", "slider", "min", "max", "count", "per", "history", "alert", "input"}
)
_NEAREST = 8  # words of classes that are about an amount itself
_AROUND = 14  # words of classes of the elements around it
_OWN = 4  # words of classes of its element


class Amount(msgspec.Struct, frozen=True):
    """Amount as displayed.

    numbers  possible readings: "1,299" has two.
    codes    possible currencies of the sign; all currencies without a sign.
    line     number of the line.
    named    the element is called a price.
    """

    text: str
    numbers: tuple[Decimal, ...]
    codes: frozenset[str]
    kind: Kind
    span: Span
    line: int
    named: bool = False


@cache
def _signs() -> dict[str, frozenset[str]]:
    """Sign or code of a currency -> possible codes."""
    signs = {sign: frozenset(codes.split()) for sign, codes in visible_words().signs.items()}
    return signs | {code: frozenset({code}) for code in currencies().current}


class _Found(msgspec.Struct, frozen=True):
    """Number with a sign: place of both, possible readings, possible codes."""

    start: int
    end: int
    numbers: tuple[Decimal, ...]
    codes: frozenset[str]


def _find(line: Line) -> list[_Found]:
    """Numbers of a line next to a sign of a currency."""
    found: list[_Found] = []
    joined, taken = line.joined, 0
    for match in _NUMBER.finditer(joined):
        start, end = match.start(), match.end()
        if start < taken:
            continue
        before = _sign_before(joined, taken, start)
        cents = ""
        if not before:
            # 173 and 34 in smaller type, then the sign; 19€95.
            small = _SMALL.match(joined, end)
            if small and match[0].isdecimal() and _sign_behind(joined, small.end()):
                cents, end = small[1], small.end()
        behind = "" if before else _sign_behind(joined, end)
        if behind and _belongs_to_next(line, match.end(), joined.index(behind, end), behind):
            behind = ""
        if not (before or behind):
            continue
        sign = before or behind
        first = start if behind else joined[:start].rindex(sign)
        if behind:
            end = joined.index(sign, end) + len(sign)
            within = _WITHIN.match(joined, end)
            if within and not cents and match[0].isdecimal():
                cents, end = within[1], within.end()
        codes = _signs()[sign]
        code = _sign_behind(joined, end) if before else ""
        if code in currencies().current:
            after = joined.index(code, end) + len(code)
            # $19.99 CAD, but not the sign of a next amount.
            if not _NUMBER.match(joined, after + 1):
                codes, end = frozenset({code}), after
        taken = end
        numbers = _readings(match[0], cents, line, match.end(), sign if before else "")
        if numbers and (first == 0 or joined[first - 1] not in _GOES_ON):
            found.append(_Found(first, end, numbers, codes))
    return found


def _belongs_to_next(line: Line, end: int, place: int, sign: str) -> bool:
    """Is a sign behind a number the sign of the next number, in another text and without a sign behind?"""
    if text_at(line, place) == text_at(line, end - 1):
        return False
    following = _NUMBER.match(line.joined, place + len(sign)) or _NUMBER.match(line.joined, place + len(sign) + 1)
    return following is not None and not _sign_behind(line.joined, following.end())


def _sign_before(joined: str, taken: int, start: int) -> str:
    """Sign before a number, at most a space away."""
    text = joined[max(taken, start - _LONGEST_SIGN - 1) : start]
    text = text[:-1] if text[-1:].isspace() else text
    for length in range(min(_LONGEST_SIGN, len(text)), 0, -1):
        sign = text[-length:]
        if sign in _signs() and not (sign[0].isalpha() and text[: len(text) - length][-1:].isalpha()):
            return sign
    return ""


def _sign_behind(joined: str, end: int) -> str:
    """Sign behind a number, at most a space away."""
    text = joined[end : end + _LONGEST_SIGN + 2]
    text = text[1:] if text[:1].isspace() else text
    for length in range(min(_LONGEST_SIGN, len(text)), 0, -1):
        sign = text[:length]
        if sign in _signs() and not (sign[-1].isalpha() and text[length : length + 1].isalpha()):
            return sign
    return ""


def amounts_in(lines: Sequence[Line], words: Words) -> list[Amount]:
    """Amounts of the lines, in order."""
    found: list[Amount] = []
    for number_ in range(len(lines)):
        found += amounts_in_line(lines, number_, words)
    return found


def amounts_in_line(lines: Sequence[Line], number_: int, words: Words) -> list[Amount]:
    """Amounts of one line; the line before may be the label."""
    line = lines[number_]
    # Most lines have no digit.
    if _DIGIT.search(line.joined) is None:
        return []
    found = _find(line)
    made: list[Amount] = []
    for order, each in enumerate(found):
        before = found[order - 1].end if order else 0
        behind = found[order + 1].start if order + 1 < len(found) else len(line.joined)
        kind = _kind(lines, number_, (before, each.start, each.end, behind), words)
        text = " ".join(line.joined[each.start : each.end].split())
        first = line.texts[text_at(line, each.start)]
        named = _is_named(first) or "offers" in first.hints[:_AROUND]
        made.append(Amount(text, each.numbers, each.codes, kind, span_of(line, each.start, each.end), number_, named))
    return made


def _is_named(text: Text, around: int = _AROUND) -> bool:
    """Do the classes around a text, the nearest `around` words, name a price?"""
    nearest = text.hints[:around]
    return not _OF_PRICE.isdisjoint(nearest) and _NO_PRICE.isdisjoint(text.hints[:_AROUND])


def bare_amounts(lines: Sequence[Line], words: Words) -> list[Amount]:
    """Numbers without a sign of a currency, with cents or alone in a line, in elements that are called a price."""
    found: list[Amount] = []
    for number_, line in enumerate(lines):
        for place, text in enumerate(line.texts):
            is_number = _BARE if len(line.texts) > 1 else _BARE_OR_WHOLE
            if is_number.fullmatch(text.text) is None or not _is_named(text, _OWN):
                continue
            start = line.starts[place]
            end = start + len(text.text)
            numbers = _readings(text.text, "", line, end, "")
            kind = _kind(lines, number_, (0, start, end, len(line.joined)), words)
            codes = frozenset(currencies().current)
            if numbers:
                found.append(Amount(text.text, numbers, codes, kind, span_of(line, start, end), number_, named=True))
    return found


def _readings(written: str, cents: str, line: Line, end: int, sign: str) -> tuple[Decimal, ...]:
    """Possible readings of an amount, cents in smaller type included. `sign`: the sign before the amount."""
    if cents:
        exact = number(f"{written}.{cents}")
        return (exact,) if exact is not None else ()
    found = written_number(sign + written).numbers or written_number(written.rstrip(".,-–—")).numbers
    numbers = [value for each in found if (value := number(each)) is not None and value > 0]
    last = text_at(line, max(end - 1, 0))
    # $19 and 99 in smaller type.
    if last + 1 < len(line.texts) and _CENTS.fullmatch(line.texts[last + 1].text) and written.isdecimal():
        small = number(f"0.{line.texts[last + 1].text}")
        if small is not None:
            numbers += [value + small for value in numbers]
    return tuple(numbers)


def _kind(lines: Sequence[Line], number_: int, places: tuple[int, int, int, int], words: Words) -> Kind:
    """Kind of an amount. `places`: end of the amount before, start and end of the amount, start of the next amount."""
    line = lines[number_]
    before, start, end, behind = places
    first = text_at(line, start)
    text = line.texts[first]
    nearest = frozenset(text.hints[:_NEAREST])
    if text.flags & UNCERTAIN:
        return "uncertain"
    if text.flags & STRUCK:
        return "struck"
    is_in_name = text.level == 1 and _OF_PRICE.isdisjoint(text.hints[:_OWN])
    if not nearest.isdisjoint(_OF_OTHER_AMOUNTS) or is_in_name:
        return "other"
    # In a heading the name stands before it.
    label = _label(lines, number_, before, start, words) if text.level != 1 else ""
    if label == "other" or _is_of_something(line, end, behind, words):
        return "other"
    if label == "former":
        return "former"
    return "regular" if label == "regular" or (label == "" and not nearest.isdisjoint(_OF_FORMER)) else "current"


def _label(lines: Sequence[Line], number_: int, before: int, start: int, words: Words) -> str:
    """Meaning of the words before an amount: "former", "regular", "other", "current", or "" without a meaning."""
    line = lines[number_]
    first = text_at(line, start)
    own = line.joined[max(before, line.starts[first]) : start]
    if own.rstrip()[-1:] in _MINUS and own.strip():
        return "other"
    if plain(own):
        return _read_label(own, words, is_own=True)
    if before and _RANGE.fullmatch(line.joined[before:start].strip()):
        return "other"
    if first > 0 and line.starts[first - 1] + len(line.texts[first - 1].text) > before:
        other = line.texts[first - 1]
        # "SAVE 70" in an element of its own is complete.
        if line.texts[first].after and _DIGIT.search(other.text):
            return ""
        return _read_label(other.text, words, is_own=not line.texts[first].after)
    if first == 0 and number_ > 0 and not before:
        above = lines[number_ - 1]
        # "16% off" is about the price, and no label.
        is_label = len(above.joined) <= _LONGEST_LABEL and _DIGIT.search(above.joined) is None
        if is_label and above.level == 0 and not above.texts[-1].button:
            return _read_label(above.joined, words, is_own=False)
    return ""


def _read_label(text: str, words: Words, *, is_own: bool) -> str:
    """Meaning of words before an amount. `is_own`: the words belong to the amount, whatever the meaning."""
    flat = plain(text)
    if not flat:
        return ""
    if len(flat) <= _LONGEST_LABEL:
        if flat in of_kind(words, "now"):
            return "current"
        if ends(words, "regular", flat):
            return "regular"
        if ends(words, "former", flat):
            return "former"
        if begins(words, "apart", flat, _LONGEST_LABEL) or ends(words, "apart", flat):
            return "other"
        if ends(words, "now", flat):
            return "current"
    return "other" if is_own else ""


def _is_of_something(line: Line, end: int, behind: int, words: Words) -> bool:
    """Is an amount part of a sentence, of a range, or per unit, by what follows?"""
    last = text_at(line, max(end - 1, 0))
    text = line.texts[last]
    rest = line.joined[end : min(line.starts[last] + len(text.text), behind)]
    if rest.strip():
        flat = rest.strip().casefold()
        return _HARMLESS.fullmatch(flat) is None and _PER_PIECE.fullmatch(flat) is None
    following = line.joined[end:behind].strip()
    if not following:
        return False
    is_range = behind < len(line.joined) and _RANGE.fullmatch(following) is not None
    flat = following.casefold()
    if is_range or _UNIT.match(flat):
        return True
    # Words before the next amount are its label.
    return behind == len(line.joined) and begins(words, "apart", flat, 3) != ""
