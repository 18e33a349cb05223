"""Numbers and prices written for people."""

from __future__ import annotations

from typing import NamedTuple

from waypost.formats.patterns import pattern

_MOST = 64
_FREE = frozenset({"free", "free of charge", "gratis", "kostenlos", "gratuit"})
_CODE_OR_SIGN = pattern(
    r"^(?:[A-Z]{3}|[A-Z]{0,2}[$€£¥₹₽₺₩₫₴฿₪₱₦]|zł|Kč|kr\.?|R[ps]\.?|RM|TL)\s*"
    r"|\s*(?:[A-Z]{3}|[$€£¥₹₽₺₩₫₴฿₪₱₦]|zł|Kč|kr\.?|[Ee]uros?|[Dd]ollars?|TL|Ft|lei|лв\.?|руб\.?|грн\.?|円|元|원)\Z"
)
_WITHOUT_CENTS = pattern(r"[¥₩₫円원]|Rp|Ft")
"""Marks of currencies whose prices are written without cents: the last three digits are thousands."""
_WITH_THOUSANDS = pattern(r"[$£₹] ?[0-9]{1,3},[0-9]{3}(?![0-9])")
"""Signs in front of the number, as where a comma sets thousands apart: $40,000."""
_DASH = pattern(r"(?<=[0-9])[:.,][-–—]{1,2}\Z")
"""Dash in place of the cents: 299:- and 12,–."""
_LAKHS = pattern(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]{1,2})?")
_GROUPED = pattern(r"([0-9]{1,3}(?:([.,'’_ ])[0-9]{3})(?:\2[0-9]{3})*)(?:([.,])([0-9]{1,6}))?")
_DECIMAL = pattern(r"([0-9]*)[.,]([0-9]{0,20})")
_AMONG_WORDS = pattern(r"([^0-9]*?)([0-9](?:[0-9.,'’_ ]*[0-9])?)([^0-9]*)")
_RANGE = pattern(r"([^0-9]*?)([0-9][0-9.,'’_]*) ?(?:-|–|—|to|bis|à|a|until) ?([0-9][0-9.,'’_]*)[^0-9]*")
_SIGN = pattern(r"([-+\u2212]) ?(?=[0-9.,])")
# The digits of scripts in which shops write prices; others have no reading.
_OF_SCRIPTS = {
    first + digit: str(digit) for first in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for digit in range(10)
} | {0x66B: ".", 0x66C: ","}


class WrittenNumber(NamedTuple):
    """Plain numbers that a text can mean.

    numbers  no number, one, or two where a mark may be the decimal point: "1,299" is 1299 or 1.299.
    apart    further words, or a unit, stand next to the number: "3 kg".
    """

    numbers: tuple[str, ...]
    apart: bool = False


NO_NUMBER = WrittenNumber(())


def written_number(text: str, *, whole: bool = False) -> WrittenNumber:
    """Plain numbers that a text written for people can mean. `whole`: a count, without decimals.

    All digits stay, also zeros in front and behind: "3,50" is 3.50.
    """
    flat = _flat(text)
    if len(flat) > _MOST:
        return NO_NUMBER
    if numbers := _readings(flat, whole):
        return WrittenNumber(_whole(numbers) if whole else numbers)
    found = _AMONG_WORDS.fullmatch(flat)
    # "v2" is no number, and a minus after a word may be a hyphen.
    if found is None or (found[1] and found[1][-1].isalpha()):
        return NO_NUMBER
    sign = "-" if found[1] in ("-", "\u2212") else ""
    if not sign and found[1].rstrip()[-1:] in ("-", "\u2212", ".", ","):
        return NO_NUMBER
    is_whole = whole or _has_thousands(flat)
    numbers = tuple(sign + each for each in _unsigned(found[2], is_whole))
    return WrittenNumber(_whole(numbers) if whole else numbers, apart=True) if numbers else NO_NUMBER


def written_range(text: str) -> tuple[str, str] | None:
    """Both plain numbers of "10-50" or "$20 to $30"; None for another text, or where a number has two readings."""
    flat = _flat(text)
    found = _RANGE.fullmatch(flat.replace("$", "").replace("€", "").replace("£", "")) if len(flat) <= _MOST else None
    if found is None or (found[1] and found[1][-1].isalpha()):
        return None
    low, high = _unsigned(found[2].rstrip(".,"), False), _unsigned(found[3].rstrip(".,"), False)
    return (low[0], high[0]) if len(low) == len(high) == 1 else None


def plain_price(text: str) -> str | None:
    """Plain number for a price written for people; None where two readings are possible.

    "$1,299.00" -> "1299.00", "64,90 €" -> "64.90", "1.299,00" -> "1299.00", "299:-" -> "299", "1,49,999" -> "149999",
    "free" -> "0"; "1.299" alone and "1,299" have two readings, "from 5 to 10" has none.
    """
    flat = _flat(text)
    if len(flat) > _MOST:
        return None
    if flat.casefold() in _FREE:
        return "0"
    numbers = _readings(flat, whole=False)
    return numbers[0] if len(numbers) == 1 else None


def price_currency(text: str) -> str | None:
    """Sign or code of a currency that stands in a price written for people."""
    flat = _flat(text)
    found = _CODE_OR_SIGN.search(flat) if len(flat) <= _MOST else None
    return found[0].strip() or None if found else None


def _flat(text: str) -> str:
    """Text on one line, with the digits 0 to 9. Long texts, which are prose, stay as they are."""
    return text if len(text) > 4 * _MOST else " ".join(text.split()).translate(_OF_SCRIPTS)


def _readings(flat: str, whole: bool) -> tuple[str, ...]:
    """Plain numbers of a text that is a number, perhaps with a sign or a code of a currency."""
    number = _CODE_OR_SIGN.sub("", flat).strip()
    is_whole = whole or _has_thousands(flat) or _DASH.search(number) is not None
    number = _DASH.sub("", number)
    sign = _SIGN.match(number)
    minus = "-" if sign and sign[1] != "+" else ""
    return tuple(minus + each for each in _unsigned(number[sign.end() :] if sign else number, is_whole))


def _has_thousands(flat: str) -> bool:
    return bool(_WITHOUT_CENTS.search(flat) or _WITH_THOUSANDS.search(flat))


def _whole(numbers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in numbers if not each.partition(".")[2].strip("0"))


def _unsigned(number: str, is_whole: bool) -> tuple[str, ...]:
    if number.isascii() and number.isdecimal():
        return (number,)
    if grouped := _GROUPED.fullmatch(number):
        whole, group, point, cents = grouped[1], grouped[2], grouped[3], grouped[4]
        digits = "".join(c for c in whole if c.isdecimal())
        if point:
            return (f"{digits}.{cents}",) if group != point else ()
        # 1.299 may be a little more than one, and 0,125 is less than one.
        decimal = number.replace(",", ".")
        if group in (".", ",") and len(digits) <= 6 and digits.startswith("0"):
            return (decimal,)
        return (digits,) if group not in (".", ",") or len(digits) > 6 or is_whole else (digits, decimal)
    if _LAKHS.fullmatch(number):
        return (number.replace(",", ""),)
    found = _DECIMAL.fullmatch(number)
    if found is None or not (found[1] or found[2]):
        return ()
    return (f"{found[1] or '0'}.{found[2]}" if found[2] else found[1],)
