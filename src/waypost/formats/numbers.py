"""What plain values say: numbers, prices, codes, check digits, addresses. Pure functions and small tables.

Nothing here knows about pages. "Plain" follows what consumers read: a JSON number, or a text with a decimal
point, no thousands separator and no sign of a currency or unit.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from waypost.formats.patterns import pattern

_DATA = Path(__file__).resolve().parent.parent / "data"
_NUMBER = pattern(r"[+-]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_MOST = 64
_HUGE = Decimal("1e60")
_LARGEST_EXPONENT = 400


class Currencies(msgspec.Struct, frozen=True):
    """ISO 4217: code -> name; withdrawn code -> {"year", "now"}; what people write instead -> code."""

    current: dict[str, str]
    withdrawn: dict[str, dict[str, str | int]]
    signs: dict[str, str]


class Countries(msgspec.Struct, frozen=True):
    """ISO 3166-1: alpha-2 -> (alpha-3, name); English name -> alpha-2; wrong codes in use -> alpha-2."""

    codes: dict[str, tuple[str, str]]
    names: dict[str, str]
    written_for: dict[str, str]


@cache
def currencies() -> Currencies:
    return msgspec.json.decode((_DATA / "currencies.json").read_bytes(), type=Currencies)


@cache
def countries() -> Countries:
    return msgspec.json.decode((_DATA / "countries.json").read_bytes(), type=Countries)


@cache
def long_codes() -> dict[str, str]:
    """ISO 3166-1 alpha-3 -> alpha-2."""
    return {alpha3: alpha2 for alpha2, (alpha3, _) in countries().codes.items()}


@cache
def country_names() -> dict[str, str]:
    """English country names in lower case -> alpha-2."""
    return {name.casefold(): code for name, code in countries().names.items()}


def exact(written: str) -> Decimal | None:
    """A JSON number as written; None if nobody could compute with it."""
    try:
        value = Decimal(written)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= _LARGEST_EXPONENT else None


def number(value: object) -> Decimal | None:
    """A number or the text of one ("4.5", "-3", "1e3"), else None. True and False are no numbers."""
    if isinstance(value, str):
        return _number_of(value) if len(value) <= _MOST else _written(value)
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        exact = Decimal(value)
        return exact if abs(exact) < _HUGE else None
    return None


def _written(text: str) -> Decimal | None:
    text = text.strip()
    return Decimal(text) if len(text) <= _MOST and _NUMBER.fullmatch(text) else None


_number_of = lru_cache(maxsize=4096)(_written)


_MANY = 10**9


def is_whole(value: object) -> bool:
    """Is it what most numbers are: a few digits, no more? False only means: worth a closer look."""
    if value.__class__ is int:
        return 0 <= value < _MANY
    return isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20


class Rating(NamedTuple):
    """A rating as written: the number, and what it is out of where it says so itself ("90%", "6/10")."""

    value: Decimal
    out_of: Decimal | None


_FRACTION = pattern(r"([+-]?\d{1,9}(?:\.\d{1,9})?) ?/ ?(\d{1,9}(?:\.\d{1,9})?)", re.ASCII)
_PERCENT = pattern(r"([+-]?\d{1,9}(?:\.\d{1,9})?) ?%", re.ASCII)


def rating(value: object) -> Rating | None:
    """A number, a percentage or a fraction, else None."""
    plain = number(value)
    if plain is not None:
        return Rating(plain, None)
    if not isinstance(value, str) or len(value) > _MOST:
        return None
    if found := _PERCENT.fullmatch(value.strip()):
        return Rating(Decimal(found[1]), Decimal(100))
    if found := _FRACTION.fullmatch(value.strip()):
        return Rating(Decimal(found[1]), Decimal(found[2]))
    return None


_FREE = frozenset({"free", "free of charge", "gratis", "kostenlos", "gratuit"})
_MONEY = pattern(r"[\d.,'’ ]*\d[\d.,'’ ]*")
_CODE_OR_SIGN = pattern(
    r"^(?:[A-Z]{3}|[A-Z]{0,2}[$€£¥₹₽₺₩₫₴]|zł|Kč|kr\.?)\s*|\s*(?:[A-Z]{3}|[$€£¥₹₽₺₩₫₴]|zł|Kč|kr\.?)$"
)
_GROUPED = pattern(r"\d{1,3}(?:(?P<group>[.,'’ ])\d{3})(?:(?P=group)\d{3})*(?:(?P<point>[.,])(?P<cents>\d{1,2}))?")
_CENTS = pattern(r"(\d+)[.,](\d{1,2})")


def plain_price(text: str) -> str | None:
    """The plain number that a price written for people can only mean; None where two readings are possible.

    "$1,299.00" -> "1299.00", "64,90 €" -> "64.90", "1.299,00" -> "1299.00", "free" -> "0"; "1.299" alone and
    "1,299" have two readings, "from 5 to 10" has none.
    """
    flat = " ".join(text.split())
    if len(flat) > _MOST:
        return None
    if flat.casefold() in _FREE:
        return "0"
    flat = _CODE_OR_SIGN.sub("", flat).strip()
    if not _MONEY.fullmatch(flat):
        return None
    if flat.isascii() and flat.isdecimal():
        return flat
    if found := _CENTS.fullmatch(flat):
        return f"{found[1]}.{found[2]}"
    found = _GROUPED.fullmatch(flat)
    if found is None or found["group"] == found["point"]:
        return None
    groups = sum(flat.count(mark) for mark in ".,'’ ")
    if found["point"] is None and groups == 1 and found["group"] in ".,":
        return None  # 1.299 may be one and a bit
    whole = flat[: found.start("point")] if found["point"] else flat
    digits = "".join(c for c in whole if c.isdecimal())
    return f"{digits}.{found['cents']}" if found["point"] else digits


def gs1_check_digit(digits: str) -> int:
    """The check digit of a GTIN whose other digits are `digits` (GS1 General Specifications, 7.9)."""
    total = sum(int(digit) * (3 if n % 2 == 0 else 1) for n, digit in enumerate(reversed(digits)))
    return -total % 10


def isbn10_check_digit(digits: str) -> str:
    """The last character of an ISBN-10 whose first nine digits are `digits` (ISO 2108); X is ten."""
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, range(10, 1, -1), strict=True)) % 11
    return "X" if rest == 10 else str(rest)


def issn_check_digit(digits: str) -> str:
    """The last character of an ISSN whose first seven digits are `digits` (ISO 3297); X is ten."""
    rest = -sum(int(digit) * weight for digit, weight in zip(digits, range(8, 1, -1), strict=True)) % 11
    return "X" if rest == 10 else str(rest)


_LANGUAGE = pattern(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?"
    r"(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?"
    r"|x(?:-[a-z\d]{1,8})+|i-[a-z]{2,8}",
    re.ASCII | re.IGNORECASE,
)


def is_language_tag(text: str) -> bool:
    """Is it formed like a BCP 47 language tag (RFC 5646 section 2.1)? Whether it is registered is not asked.

    Languages of four to eight letters are allowed by the grammar, but none is registered: "English" is no tag.
    """
    return len(text) <= _MOST and _LANGUAGE.fullmatch(text) is not None


class Address(NamedTuple):
    """What a text is as a URL: its scheme ("" when relative) and host, in lower case. `fault` says why it is none."""

    scheme: str
    host: str
    fault: str | None = None


_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.\-]*):")


def address(text: str) -> Address:
    """Read a text as a URL, relative ones included; never raises."""
    text = text.strip()
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    if scheme not in ("http", "https") and not text.startswith("//"):
        return Address(scheme, "")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as fault:
        return Address(scheme, "", str(fault))
    if not host:
        return Address(scheme, "", "it names no host")
    if any(c in '<>"^`{|}\\ %' or c.isspace() for c in host) or ".." in host or host.startswith("."):
        return Address(scheme, host, f"{host!r} is no host name")
    return Address(scheme, host)
