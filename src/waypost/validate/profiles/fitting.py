"""Kinds of values: whether a value is what an entry names.

A plain kind (a date, a number, a URL) is judged here only as far as eligibility goes: can it be read at all?
What exactly is wrong with it is said by the rules of `validate/rules/`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

import msgspec

from waypost.formats.check_digits import gs1_check_digit
from waypost.formats.countries import countries, country_names, long_codes
from waypost.formats.currencies import currencies
from waypost.formats.dates import InvalidDate, moment, read_duration, read_time
from waypost.formats.languages import is_language_tag
from waypost.formats.numbers import is_plain_integer, number, rating
from waypost.formats.patterns import pattern
from waypost.formats.text import join_words
from waypost.formats.urls import parse_url
from waypost.models.page import Node, Value
from waypost.models.profile import Consumer, Enumeration, Shape
from waypost.validate.profiles.look import Look, is_reference, said, truth
from waypost.validate.profiles.paths import NAMED_BY_TEXT, Hit

Reads = Callable[[Value], bool]


_COMMON_URL = pattern(r"https?://[A-Za-z\d][A-Za-z\d.-]*[A-Za-z\d](?:/\S*)?", re.ASCII)


def _text(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, (int, Decimal)) and not isinstance(value, bool))


def _nothing(_: Value) -> bool:
    return False


def _url(value: Value) -> bool:
    if isinstance(value, Node):
        return bool(value.id or value.get("url") or value.get("contentUrl"))
    if not isinstance(value, str):
        return False
    text = value.strip()
    if _COMMON_URL.fullmatch(text):
        return True
    found = parse_url(text[:2000])
    return found.error is None and found.scheme in ("", "http", "https") and len(text.split(None, 1)) == 1


def _date(value: Value) -> bool:
    return moment(str(value) if isinstance(value, int) and not isinstance(value, bool) else value) is not None


def _time(value: Value) -> bool:
    return isinstance(value, str) and not isinstance(read_time(value), InvalidDate)


def _duration(value: Value) -> bool:
    return isinstance(value, str) and read_duration(value) is not None


def _number(value: Value) -> bool:
    return is_plain_integer(value) or number(value) is not None


def _integer(value: Value) -> bool:
    if is_plain_integer(value):
        return True
    exact = number(value)
    return exact is not None and exact == exact.to_integral_value()


def _boolean(value: Value) -> bool:
    return truth(value) is not None


def _currency(value: Value) -> bool:
    return isinstance(value, str) and value.strip() in currencies().current


def _country(value: Value) -> bool:
    """A code or a name; several in one text are read too, as video platforms write them."""
    text = value.get("name") or value.id if isinstance(value, Node) else value
    if not isinstance(text, str):
        return False
    return all(_is_country(name.strip()) for name in text.split(",")[:300]) or _is_country(text.strip())


def _is_country(name: str) -> bool:
    return name.upper() in countries().codes or name.upper() in long_codes() or name.casefold() in country_names()


def _language(value: Value) -> bool:
    text = value.get("name") if isinstance(value, Node) else value
    return isinstance(text, str) and (is_language_tag(text.strip()) or isinstance(value, Node))


def _gtin(value: Value) -> bool:
    digits = str(value).strip()
    known = digits.isascii() and digits.isdecimal() and len(digits) in (8, 12, 13, 14)
    return known and gs1_check_digit(digits[:-1]) == int(digits[-1])


def _isbn13(value: Value) -> bool:
    digits = str(value).replace("-", "").strip()
    return len(digits) == 13 and _gtin(digits)


def _rating(value: Value) -> bool:
    return rating(value) is not None


def _image(value: Value) -> bool:
    return _url(value)


def _phone(value: Value) -> bool:
    return _text(value) and any(c.isdecimal() for c in str(value))


def _email(value: Value) -> bool:
    return isinstance(value, str) and "@" in value


def _template(value: Value) -> bool:
    return isinstance(value, str) and "{" in value


def _link(value: Value) -> bool:
    """An itemscope on a link may have its address in href, which the item does not show."""
    if isinstance(value, Node):
        return bool(value.id) or value.block.syntax != "json-ld"
    return _url(value)


_YEAR = pattern(r"\d{4}", re.ASCII)


def _year(value: Value) -> bool:
    return _YEAR.fullmatch(str(value).strip()) is not None


READS: Mapping[str, Reads] = {
    "Text": _text, "HTML": _text, "URL": _url, "Date": _date, "DateTime": _date, "Time": _time, "Duration": _duration,
    "Number": _number, "Integer": _integer, "Boolean": _boolean, "currency": _currency, "country": _country,
    "language": _language, "gtin": _gtin, "isbn13": _isbn13, "rating": _rating, "image": _image, "phone": _phone,
    "email": _email, "URL template": _template, "link": _link, "temporal": _text, "year": _year,
}  # fmt: skip
_EXPECTED = {
    "Text": "a text", "HTML": "a text", "URL": "a URL", "Date": "a date", "DateTime": "a date and time",
    "Time": "a time of day", "Duration": "a duration", "Number": "a plain number", "Integer": "a whole number",
    "Boolean": "true or false", "currency": "a code of ISO 4217", "country": "a code of ISO 3166-1",
    "language": "a language tag", "gtin": "a GTIN", "isbn13": "an ISBN of 13 digits", "rating": "a rating",
    "image": "a URL or an ImageObject", "phone": "a telephone number", "email": "a mailbox",
    "URL template": "a URL with a placeholder", "link": "a URL, or an object with an @id", "temporal": "a period",
    "year": "a year",
}  # fmt: skip


class Fit(msgspec.Struct, frozen=True):
    """How a value fits: as nothing (`wrong` says why), as what is wanted, or as a shape to be judged."""

    wrong: str | None = None
    shape: str | None = None
    closed: bool = False


FITS = Fit()
_REMEMBERED = 1024


class Kinds:
    """One `value` of an entry, compiled. `is_plain`: it names nothing but plain kinds, for which rules speak."""

    __slots__ = ("_enums", "_of_types", "_reads", "_shapes", "_types", "expected", "is_plain", "shapes")

    def __init__(
        self, written: str, consumer: Consumer, types_of: Callable[[Shape], tuple[frozenset[str], ...]]
    ) -> None:
        self._reads: list[Reads] = []
        self._enums: list[Enumeration] = []
        self._of_types: dict[tuple[str, ...], Fit] = {}
        types: set[str] = set()
        self._shapes: list[tuple[str, frozenset[str], frozenset[str]]] = []
        expected: list[str] = []
        for kind in written.split("|"):
            home, _, name = kind.rpartition(":")
            if home == "enum":
                self._enums.append(consumer.enums[name])
                members = consumer.enums[name].members
                expected.append(
                    join_words(members, "or") if len(members) <= 8 else f"one of {len(members)} known values"
                )
            elif home == "types":
                types |= set(consumer.enums[name].members)
                expected.append(f"a thing of {len(consumer.enums[name].members)} known types")
            elif home == "shape":
                wanted, barred = types_of(consumer.shapes[name])
                self._shapes.append((name, wanted, barred))
                expected.append(join_words(sorted(wanted), "or"))
            elif kind in READS:
                self._reads.append(READS[kind])
                expected.append(_EXPECTED[kind])
            else:
                types.add(kind)
                expected.append(kind)
        self._types = frozenset(types)
        self.expected = join_words(dict.fromkeys(expected), "or")
        self.shapes = [name for name, _, _ in self._shapes]
        self.is_plain = not (self._enums or self._types or self._shapes)

    def glance(self, is_silent: Callable[[str], bool]) -> Reads:
        """Is there surely nothing to say about a value? False only means that it is worth a closer look.

        is_silent  of a shape: does what it asks for not count here?
        """
        first, *others = self._reads or [_nothing]
        known = self._of_types

        def settled(value: Value) -> bool:
            if isinstance(value, Node):
                fit = known.get(value.types)
                if fit is not None and fit.wrong is None and (fit.shape is None or is_silent(fit.shape)):
                    return True
            return first(value) or any(reads(value) for reads in others)

        return settled if others or not self.is_plain else first

    def fit(self, look: Look, hit: Hit) -> Fit:
        """Does a value fit one of the kinds?"""
        value = hit.value
        for reads in self._reads:
            if reads(value):
                return FITS
        if self._enums and any(_is_of(look, enum, value) for enum in self._enums):
            return FITS
        return self._as_thing(look, value) if isinstance(value, Node) else self._as_text(look, hit)

    def _as_thing(self, look: Look, node: Node) -> Fit:
        if self._enums and not (self._types or self._shapes):
            if is_reference(node) and node.id and said(node) == node.id.strip():
                return FITS  # of another vocabulary
            return Fit(f"{said(node) or 'an object'} is not {self.expected}", closed=True)
        if is_reference(node):
            return FITS
        fit = self._of_types.get(node.types)
        if fit is None:
            fit = self._as_types(look, node.types)
            if len(self._of_types) < _REMEMBERED:
                self._of_types[node.types] = fit
        return fit

    def _as_types(self, look: Look, types: tuple[str, ...]) -> Fit:
        """How an object fits that has content of its own: by its types alone."""
        if any(":" in name or name.endswith("Role") for name in types):
            return FITS
        if not types:
            return Fit(shape=self._shapes[0][0]) if self._shapes else FITS if self._types else Fit("it is an object")
        for name, wanted, barred in self._shapes:
            if look.are_a(types, wanted) and not look.are_a(types, barred):
                return Fit(shape=name)
        if look.are_a(types, self._types):
            return FITS
        if self.is_plain:
            return Fit(f"it is an object of type {' and '.join(types)}, not {self.expected}")
        return Fit(f"it is of type {' and '.join(types)} where {self.expected} is expected", closed=True)

    def _as_text(self, look: Look, hit: Hit) -> Fit:
        value = hit.value
        if isinstance(value, str) and (self._types or self._shapes):
            text = value.strip()
            if hit.prop in NAMED_BY_TEXT or "://" in text or said(text) in look.vocabulary.types:
                return FITS
            return Fit(f"it is a text where {self.expected} is expected", closed=True)
        if isinstance(value, int | Decimal) and "QuantitativeValue" in self._types and _number(value):
            return FITS
        if self.is_plain:
            return Fit(f"it is not {self.expected}")
        shown = str(value).lower() if isinstance(value, bool) else repr(said(value))
        return Fit(f"{shown} is not {self.expected}", closed=True)


def _is_of(look: Look, enum: Enumeration, value: Value) -> bool:
    """Is it one of the values? Words as written; members, types and properties by their bare names."""
    if enum.open:
        return True
    if enum.kind == "type":
        return isinstance(value, Node) and look.are_a(value.types, frozenset(enum.members))
    if isinstance(value, Node) and value.types and not value.id:
        return any(name in enum.members for name in value.types)
    return said(value) in enum.members
