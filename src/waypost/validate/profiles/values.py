"""Kinds of values: does a value fit a kind accepted by an entry?

For a plain kind (a date, a number, a URL) only readability is checked, as far as eligibility depends on the value. The
code rules in `validate/rules/` report the exact error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

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
from waypost.validate.profiles.model import EvaluationContext, Fit, PathMatch
from waypost.validate.profiles.nodes import is_reference, text_of, truth
from waypost.validate.profiles.paths import NAMED_BY_TEXT
from waypost.validate.ratings import scale_missed
from waypost.validate.spelling import is_type_misspelt

Reader: TypeAlias = Callable[[Value], bool]
"""Can a value be read as one kind?"""

# The usual URL, which fits without being parsed.
_COMMON_URL = pattern(r"https?://[A-Za-z\d][A-Za-z\d.-]*[A-Za-z\d](?:/\S*)?", re.ASCII)
_WEB_URL = pattern(r"https?://[^ ]+")
# One address of the web, or path from the root, with spaces in it.
_SPACED_URL = pattern(r"(?:https?://[^ /]+)?/(?:(?! (?:https?:)?//)[^\t\r\n])*", re.ASCII | re.IGNORECASE)


def _text(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, (int, Decimal)) and not isinstance(value, bool))


def _url(value: Value) -> bool:
    if isinstance(value, Node):
        return bool(value.id or value.get("url") or value.get("contentUrl"))
    if not isinstance(value, str):
        return False
    text = value.strip()
    if _COMMON_URL.fullmatch(text):
        return True
    if len(text.split(None, 1)) != 1:
        if not _SPACED_URL.fullmatch(text[:2000]):
            return False
        text = text.replace(" ", "%20")  # as browsers and crawlers do
    found = parse_url(text[:2000])
    return found.error is None and found.scheme in ("", "http", "https")


def is_web_url(value: Value) -> bool:
    """Is the value a text that is an absolute URL of the web and nothing else?"""
    return isinstance(value, str) and _WEB_URL.fullmatch(value.strip()) is not None


def _date(value: Value) -> bool:
    # A year as a number of JSON: `2026`.
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
    """Is the value a code or name of a country, or a list of codes and names as video platforms write?"""
    text = value.get("name") or value.id if isinstance(value, Node) else value
    if not isinstance(text, str):
        return False
    # As a list first; a name may have a comma itself ("Korea, Republic of").
    return all(_is_country(name.strip()) for name in text.split(",")[:300]) or _is_country(text.strip())


def _is_country(name: str) -> bool:
    return name.upper() in countries().codes or name.upper() in long_codes() or name.casefold() in country_names()


def _language(value: Value) -> bool:
    text = value.get("name") if isinstance(value, Node) else value
    # The name of a Language is in words: "German".
    return isinstance(text, str) and (is_language_tag(text.strip()) or isinstance(value, Node))


def _gtin(value: Value) -> bool:
    digits = str(value).strip()
    # Lengths of GTIN-8, GTIN-12 (UPC), GTIN-13 (EAN) and GTIN-14.
    known = digits.isascii() and digits.isdecimal() and len(digits) in (8, 12, 13, 14)
    return known and gs1_check_digit(digits[:-1]) == int(digits[-1])


def _isbn13(value: Value) -> bool:
    digits = str(value).replace("-", "").strip()
    return len(digits) == 13 and _gtin(digits)


def _rating(value: Value) -> bool:
    return rating(value) is not None


def _phone(value: Value) -> bool:
    return _text(value) and any(c.isdecimal() for c in str(value))


def _email(value: Value) -> bool:
    return isinstance(value, str) and "@" in value


def _template(value: Value) -> bool:
    return isinstance(value, str) and "{" in value


def _link(value: Value) -> bool:
    """Is the value a URL or a node with one? The href of a Microdata or RDFa link is not a property of the node."""
    if isinstance(value, Node):
        return bool(value.id) or value.block.syntax != "json-ld"
    return _url(value)


_YEAR = pattern(r"\d{4}", re.ASCII)


def _year(value: Value) -> bool:
    return _YEAR.fullmatch(str(value).strip()) is not None


READERS: Mapping[str, Reader] = {
    "Text": _text, "HTML": _text, "URL": _url, "Date": _date, "DateTime": _date, "Time": _time, "Duration": _duration,
    "Number": _number, "Integer": _integer, "Boolean": _boolean, "currency": _currency, "country": _country,
    "language": _language, "gtin": _gtin, "isbn13": _isbn13, "rating": _rating, "image": _url, "phone": _phone,
    "email": _email, "URL template": _template, "link": _link, "temporal": _text, "year": _year,
}  # fmt: skip
_DESCRIPTIONS = {
    "Text": "a text", "HTML": "a text", "URL": "a URL", "Date": "a date", "DateTime": "a date and time",
    "Time": "a time of day", "Duration": "a duration", "Number": "a plain number", "Integer": "a whole number",
    "Boolean": "true or false", "currency": "a currency code (ISO 4217)", "country": "a country code (ISO 3166-1)",
    "language": "a language tag", "gtin": "a GTIN", "isbn13": "an ISBN of 13 digits", "rating": "a rating",
    "image": "a URL or an ImageObject", "phone": "a telephone number", "email": "an e-mail address",
    "URL template": "a URL with a placeholder", "link": "a URL, or an object with an @id", "temporal": "a period",
    "year": "a year",
}  # fmt: skip


FITS = Fit()
OUTSIDE = "it lies outside its scale"
MISSPELT = "its type is written in the wrong letter case"
_FIT_OUTSIDE = Fit(OUTSIDE)
_MOST_FITS = 1024


_MOST_NAMED = 8
_FIRST_NAMED = 4


def _named(members: Sequence[str], what: str) -> str:
    """Members of an enumeration in words; of many the first ones."""
    if len(members) <= _MOST_NAMED:
        return join_words(members, "or")
    return f"{', '.join(members[:_FIRST_NAMED])} or another of {len(members)} {what}"


class AcceptedKinds:
    """Kinds accepted by a `value` of an entry, compiled.

    expected  the kinds in words, for messages.
    is_plain  the kinds are plain: code rules check the values.
    """

    __slots__ = ("_enums", "_fits_by_types", "_has_scale", "_readers", "_shapes", "_types", "expected", "is_plain")

    def __init__(
        self, written: str, consumer: Consumer, types_of: Callable[[Shape], tuple[frozenset[str], ...]]
    ) -> None:
        self._readers: list[Reader] = []
        self._enums: list[Enumeration] = []
        self._fits_by_types: dict[tuple[str, ...], Fit] = {}
        self._shapes: list[tuple[str, frozenset[str], frozenset[str]]] = []
        types: set[str] = set()
        expected: list[str] = []
        for kind in written.split("|"):
            home, _, name = kind.rpartition(":")
            if home == "enum":
                self._enums.append(consumer.enums[name])
                expected.append(_named(consumer.enums[name].members, "values"))
            elif home == "types":
                types |= set(consumer.enums[name].members)
                expected.append(_named(consumer.enums[name].members, "types"))
            elif home == "shape":
                included, excluded = types_of(consumer.shapes[name])
                self._shapes.append((name, included, excluded))
                expected.append(join_words(sorted(included), "or"))
            elif kind in READERS:
                self._readers.append(READERS[kind])
                expected.append(_DESCRIPTIONS[kind])
            else:
                types.add(kind)
                expected.append(kind)
        self._types = frozenset(types)
        self.expected = join_words(dict.fromkeys(expected), "or")
        self.is_plain = not (self._enums or self._types or self._shapes)
        self._has_scale = written == "rating"

    def fit(self, context: EvaluationContext, match: PathMatch) -> Fit:
        """Does a value fit one of the kinds?"""
        value = match.value
        for reader in self._readers:
            if reader(value):
                return _FIT_OUTSIDE if self._has_scale and scale_missed(match.node, value) else FITS
        if self._enums and any(_is_of(context, enum, value) for enum in self._enums):
            return FITS
        return self._fit_node(context, value) if isinstance(value, Node) else self._fit_text(context, match)

    def _fit_node(self, context: EvaluationContext, node: Node) -> Fit:
        if self._enums and not (self._types or self._shapes):
            if is_reference(node) and node.id and text_of(node) == node.id.strip():
                return FITS  # of another vocabulary
            return Fit(f"it is {text_of(node) or 'an object'} where {self.expected} is expected", certain=True)
        if node.miscased and is_type_misspelt(node):
            return Fit(MISSPELT)  # reported by `type-wrong-case`
        if is_reference(node):
            return FITS  # its properties, and so its type, may be on another page
        fit = self._fits_by_types.get(node.types)
        if fit is None:
            fit = self._fit_types(context, node.types)
            if len(self._fits_by_types) < _MOST_FITS:
                self._fits_by_types[node.types] = fit
        return fit

    def _fit_types(self, context: EvaluationContext, types: tuple[str, ...]) -> Fit:
        """Fit of an object with properties, by types alone."""
        # Types of other vocabularies are beyond judgement, and a Role stands in front of the value.
        if any(":" in name or name.endswith("Role") for name in types):
            return FITS
        if not types:
            return Fit(shape=self._shapes[0][0]) if self._shapes else FITS if self._types else Fit("it is an object")
        for name, included, excluded in self._shapes:
            if context.are_a(types, included) and not context.are_a(types, excluded):
                return Fit(shape=name)
        if context.are_a(types, self._types):
            return FITS
        if self.is_plain and self.expected.endswith("ImageObject") and "ImageObject" in types:
            return Fit("it is an ImageObject without an address: url or contentUrl")
        if self.is_plain:
            return Fit(f"it is an object of type {' and '.join(types)}, not {self.expected}")
        return Fit(f"it is of type {' and '.join(types)} where {self.expected} is expected", certain=True)

    def _fit_text(self, context: EvaluationContext, match: PathMatch) -> Fit:
        value = match.value
        if isinstance(value, str) and (self._types or self._shapes):
            text = value.strip()
            if match.prop in NAMED_BY_TEXT or "://" in text or text_of(text) in context.vocabulary.types:
                return FITS
            return Fit(f"it is a text where {self.expected} is expected", certain=True)
        # A bare number is read as a quantity without a unit.
        if isinstance(value, int | Decimal) and "QuantitativeValue" in self._types and _number(value):
            return FITS
        if self.is_plain:
            return Fit(f"it is not {self.expected}")
        displayed = str(value).lower() if isinstance(value, bool) else repr(text_of(value))
        return Fit(f"it is {displayed} where {self.expected} is expected", certain=True)


def _is_of(context: EvaluationContext, enum: Enumeration, value: Value) -> bool:
    """Is the value a member? Words compare as written; members, types and properties by their bare names."""
    if enum.open:
        return True
    if enum.kind == "type":
        return isinstance(value, Node) and context.are_a(value.types, frozenset(enum.members))
    if isinstance(value, Node) and value.types and not value.id:
        return any(name in enum.members for name in value.types)
    text = text_of(value)
    return text in enum.members or (enum.any_case and text is not None and text.lower() in enum.members)
