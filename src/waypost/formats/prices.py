"""Prices written for people."""

from __future__ import annotations

from waypost.formats.patterns import pattern

_MOST = 64
_FREE = frozenset({"free", "free of charge", "gratis", "kostenlos", "gratuit"})
_MONEY = pattern(r"[\d.,'’ ]*\d[\d.,'’ ]*")
_CODE_OR_SIGN = pattern(
    r"^(?:[A-Z]{3}|[A-Z]{0,2}[$€£¥₹₽₺₩₫₴฿₪₱₦]|zł|Kč|kr\.?|R[ps]\.?|RM|TL)\s*"
    r"|\s*(?:[A-Z]{3}|[$€£¥₹₽₺₩₫₴฿₪₱₦]|zł|Kč|kr\.?|[Ee]uros?|[Dd]ollars?|TL|Ft|lei|лв\.?|руб\.?|грн\.?|円|元|원)$"
)
_WITHOUT_CENTS = pattern(r"[¥₩₫円원]|Rp|Ft")
"""Marks of currencies whose prices are written without cents: the last three digits are thousands."""
_DASH = pattern(r"(?<=\d)[:.,][-–—]{1,2}$")
"""Dash in place of the cents: 299:- and 12,–."""
_LAKHS = pattern(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d{1,2})?")
_GROUPED = pattern(r"\d{1,3}(?:(?P<group>[.,'’ ])\d{3})(?:(?P=group)\d{3})*(?:(?P<point>[.,])(?P<cents>\d{1,2}))?")
_CENTS = pattern(r"(\d+)[.,](\d{1,2})")


def plain_price(text: str) -> str | None:
    """Plain number for a price written for people; None where two readings are possible.

    "$1,299.00" -> "1299.00", "64,90 €" -> "64.90", "1.299,00" -> "1299.00", "299:-" -> "299", "1,49,999" -> "149999",
    "free" -> "0"; "1.299" alone and "1,299" have two readings, "from 5 to 10" has none.
    """
    flat = " ".join(text.split())
    if len(flat) > _MOST:
        return None
    if flat.casefold() in _FREE:
        return "0"
    number = _CODE_OR_SIGN.sub("", flat).strip()
    is_whole = bool(_DASH.search(number) or _WITHOUT_CENTS.search(flat))
    flat = _DASH.sub("", number)
    if not _MONEY.fullmatch(flat):
        return None
    if flat.isascii() and flat.isdecimal():
        return flat
    if found := _CENTS.fullmatch(flat):
        return f"{found[1]}.{found[2]}"
    if _LAKHS.fullmatch(flat):
        return flat.replace(",", "")
    return _without_groups(flat, is_whole=is_whole)


def _without_groups(flat: str, *, is_whole: bool) -> str | None:
    """Number whose thousands are set apart by one mark, without the marks; None where the mark may be the point."""
    found = _GROUPED.fullmatch(flat)
    if found is None or found["group"] == found["point"]:
        return None
    groups = sum(flat.count(mark) for mark in ".,'’ ")
    if found["point"] is None and groups == 1 and found["group"] in ".," and not is_whole:
        return None  # 1.299 may be a little more than one
    whole = flat[: found.start("point")] if found["point"] else flat
    digits = "".join(c for c in whole if c.isdecimal())
    return f"{digits}.{found['cents']}" if found["point"] else digits
