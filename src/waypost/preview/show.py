"""Texts of a card for values of a unified document: the closed list of `show` words in `x-card`.

A function takes the values and a `Wording`, and returns a text, or None without a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from waypost.formats.dates import day_in_words
from waypost.formats.dates import moment as moment_of
from waypost.formats.numbers import price, thousands
from waypost.formats.patterns import pattern
from waypost.formats.text import untagged
from waypost.models.json_value import Json, JsonObject

_SPAN = pattern(
    r"P(?:([0-9]+\.?[0-9]*|\.[0-9]+)Y)?(?:([0-9]+\.?[0-9]*|\.[0-9]+)M)?"
    r"(?:([0-9]+\.?[0-9]*|\.[0-9]+)W)?(?:([0-9]+\.?[0-9]*|\.[0-9]+)D)?"
    r"(?:T(?:([0-9]+\.?[0-9]*|\.[0-9]+)H)?(?:([0-9]+\.?[0-9]*|\.[0-9]+)M)?(?:([0-9]+\.?[0-9]*|\.[0-9]+)S)?)?"
)
_HUMP = pattern(r"(?<=[a-z])(?=[A-Z])")
_WEEK: tuple[str, ...] = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Wording(NamedTuple):
    """Words for codes (`schemas/card-words.json`), the document, and the maximum number of values."""

    words: JsonObject
    document: JsonObject
    most: int = 10


Show: TypeAlias = Callable[[list[Json], Wording], str | None]


def scalar_text(value: Json) -> str:
    """A scalar as a card writes it; of an object, its name."""
    if isinstance(value, dict):
        value = value.get("name")
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return ""
    return f"{value:g}" if isinstance(value, float) else untagged(str(value))


def text(values: list[Json], _: Wording) -> str | None:
    return next((result for value in values if (result := scalar_text(value))), None)


def several(values: list[Json], wording: Wording) -> str | None:
    result = list(dict.fromkeys(each for value in values if (each := scalar_text(value))))
    return ", ".join(result[: wording.most]) or None


def number(values: list[Json], _: Wording) -> str | None:
    found = next((value for value in values if isinstance(value, int | float) and not isinstance(value, bool)), None)
    return None if found is None else f"{found:,}"


def how_many(values: list[Json], _: Wording) -> str | None:
    return f"{len(values):,}" if values else None


def moment_in_words(value: str) -> str:
    """12 December 2026, 19:30, in the offset that the page gives."""
    return day_in_words(value) + (f", {value[11:16]}" if len(value) > 10 else "")


def _moments(values: list[Json]) -> list[str]:
    """Dates of the calendar among values; the 31st of February is none."""
    return [value for value in values if isinstance(value, str) and moment_of(value)]


def date(values: list[Json], _: Wording) -> str | None:
    return next((day_in_words(value) for value in _moments(values)), None)


def moment(values: list[Json], wording: Wording) -> str | None:
    """12 December 2026, 19:30 – 22:00; 12 December 2026 – 14 December 2026."""
    start = next(iter(_moments(values)), None)
    if start is None:
        return None
    result, end = moment_in_words(start), next(iter(_moments([wording.document.get("endDate")])), None)
    if end is None or end == start:
        return result
    if end[:10] != start[:10]:
        return f"{result} – {moment_in_words(end)}"
    return f"{result} – {end[11:16]}" if len(start) > 10 and len(end) > 10 else result


def year(values: list[Json], _: Wording) -> str | None:
    return next((result[:4] for value in values if (result := scalar_text(value))[:4].isdecimal()), None)


_MOST_UNITS = 1e9


def _units(value: Json) -> list[float] | None:
    """years, months, weeks, days, hours, minutes, seconds of an ISO 8601 duration; None where no card has room."""
    found = _SPAN.fullmatch(value) if isinstance(value, str) else None
    units = [float(each or "0") for each in found.groups()] if found else []
    return units if units and max(units) < _MOST_UNITS else None


def time_span(values: list[Json], _: Wording) -> str | None:
    """1 h 20 min"""
    for value in values:
        units = _units(value)
        if units is None:
            continue
        years, months, weeks, days, hours, minutes, seconds = units
        # In minutes first, so that PT90M and PT1H30M read alike.
        whole = round(hours * 60 + minutes + seconds / 60)
        hour = whole // 60
        if hour >= 24:
            days = days + hour // 24
            hour = hour % 24
        names = ((years, "y"), (months, "mo"), (weeks, "wk"), (days, "d"), (hour, "h"), (whole % 60, "min"))
        result = [f"{amount:g} {unit}" for amount, unit in names if amount != 0]
        return " ".join(result) or f"{seconds:g} s"
    return None


def clock(values: list[Json], _: Wording) -> str | None:
    """12:41, 1:02:03; a number is of seconds."""
    for value in values:
        units = _units(value)
        if units is not None:
            seconds = int(units[3] * 86_400 + units[4] * 3_600 + units[5] * 60 + units[6])
        elif isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9:
            seconds = int(value)
        else:
            continue
        hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
        return f"{hour}:{minute:02}:{second:02}" if hour else f"{minute}:{second:02}"
    return None


def _address(value: Json) -> str:
    if not isinstance(value, dict):
        return scalar_text(value)
    town = " ".join(each for key in ("postalCode", "addressLocality") if (each := scalar_text(value.get(key))))
    parts = (
        scalar_text(value.get("streetAddress")),
        town,
        scalar_text(value.get("addressRegion")),
        scalar_text(value.get("addressCountry")),
    )
    return ", ".join(part for part in parts if part)


def address(values: list[Json], _: Wording) -> str | None:
    return next((result for value in values if (result := _address(value))), None)


def _place(value: Json) -> str:
    if not isinstance(value, dict):
        return scalar_text(value)
    if value.get("@type") == "VirtualLocation":
        return "Online"
    parts = (scalar_text(value.get("name")), _address(value.get("address")))
    return ", ".join(part for part in parts if part)


def place(values: list[Json], wording: Wording) -> str | None:
    result = list(dict.fromkeys(each for value in values if (each := _place(value))))
    return "; ".join(result[: min(wording.most, 3)]) or None


def workplace(values: list[Json], wording: Wording) -> str | None:
    """Remote (Germany, Austria); Berlin, DE"""
    result: list[str] = []
    for value in values:
        if isinstance(value, dict) and value.get("@type") == "VirtualLocation":
            regions = wording.document.get("eligibleRegion")
            names = [scalar_text(each) for each in regions] if isinstance(regions, list) else []
            result.append(f"Remote ({', '.join(names[:5])})" if names else "Remote")
        elif isinstance(value, dict):
            where = value.get("address")
            near = {k: v for k, v in where.items() if k in _TOWN} if isinstance(where, dict) else {}
            result.append(_address(near) or _place(value))
    return "; ".join(list(dict.fromkeys(each for each in result if each))[:3]) or None


_TOWN = {"addressLocality", "addressRegion", "addressCountry"}


def in_words(values: list[Json], wording: Wording) -> str | None:
    """Codes by their words: FULL_TIME is Full-time, SportsApplication is Sports."""
    result = (words_for_code(scalar_text(value), wording) for value in values)
    return ", ".join([each for each in dict.fromkeys(result) if each][: wording.most]) or None


def words_for_code(value: str, wording: Wording) -> str:
    known = wording.words["words"].get(value)
    if known:
        return str(known)
    for ending in wording.words["endings"]:
        if value.endswith(ending) and value != ending and value.isalpha():
            spaced = _HUMP.sub(" ", value.removesuffix(ending))
            return spaced[:1].upper() + spaced[1:].lower()
    return value


def hours(values: list[Json], wording: Wording) -> str | None:
    """Mon–Fri 06:30–18:00; Sat 06:30–12:30. Hours of a season are left out where there are others."""
    entries = [value for value in values if isinstance(value, dict)]
    usual = [each for each in entries if "validFrom" not in each and "validThrough" not in each]
    result: list[str] = []
    for entry in (usual or entries)[:14]:
        opens, closes = entry.get("opens"), entry.get("closes")
        if not (isinstance(opens, str) and isinstance(closes, str)):
            continue
        # As Google documents days that are closed.
        times = "closed" if opens == closes == "00:00" else f"{opens}–{closes}"
        result.append(f"{_days(entry.get('dayOfWeek'), wording)} {times}".strip())
    return "; ".join(dict.fromkeys(result)) or None


def _days(value: Json, wording: Wording) -> str:
    """Mon–Fri, Sun"""
    names = [day for day in value if isinstance(day, str)] if isinstance(value, list) else []
    places = sorted({_WEEK.index(day) for day in names if day in _WEEK})
    runs: list[list[int]] = []
    for day in places:
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    short = wording.words["days"]
    result = [short[_WEEK[run[0]]] + (f"–{short[_WEEK[run[-1]]]}" if len(run) > 1 else "") for run in runs]
    result += [short[day] for day in names if day not in _WEEK and day in short]
    return ", ".join(result)


def in_currency(value: str, currency: str | None, words: JsonObject) -> str:
    """€1,299.00: thousands are separated, the rest is as written."""
    whole, point, rest = value.partition(".")
    digits = whole or "0"
    is_grouped = digits.isascii() and digits.isdecimal() and len(whole) < 40
    grouped = f"{thousands(digits)}{point}{rest}" if is_grouped else value
    if not currency:
        return grouped
    sign = words["currency"].get(currency)
    return f"{sign}{grouped}" if sign else f"{currency} {grouped}"


def _money_span(low: Json, high: Json, currency: Json, words: JsonObject) -> str:
    code = currency if isinstance(currency, str) else None
    ends = [each for each in dict.fromkeys((low, high)) if price(each) is not None]
    return " – ".join(in_currency(each, code, words) for each in ends)


def salary(values: list[Json], wording: Wording) -> str | None:
    """€58,000 – €72,000 per year"""
    for value in values:
        if isinstance(value, dict):
            low, high = value.get("minValue", value.get("value")), value.get("maxValue", value.get("value"))
            result = _money_span(low, high, value.get("currency"), wording.words)
            if result:
                return f"{result} {wording.words['pay'].get(value.get('unitText'), '')}".strip()
    return None


def tier_of(offer: JsonObject, words: JsonObject) -> int:
    """0 for an offer that can be bought now, as far as it says; 1 for one to order; 2 for one that cannot be bought."""
    state = offer.get("availability")
    return 0 if state is None or state in words["buyable"] else 1 if state in words["to_order"] else 2


def availability(values: list[Json], wording: Wording) -> str | None:
    """Availability of the offer that is easiest to buy, the first of equals; None where that one does not say."""
    offers = [each for each in values if isinstance(each, dict) and ("availability" in each or has_price(each))]
    best = min(tier_of(each, wording.words) for each in offers) if offers else 0
    states = [each.get("availability") for each in offers if tier_of(each, wording.words) == best]
    return next((words_for_code(scalar_text(state), wording) for state in states if state), None)


PRICES = ("price", "lowPrice", "highPrice", "minPrice", "maxPrice")


def has_price(offer: JsonObject) -> bool:
    """Does an offer have a readable price, its own or in a price line?"""
    return any(price(holder.get(key)) is not None for holder in price_holders(offer) for key in PRICES)


def price_holders(offer: JsonObject) -> list[JsonObject]:
    """The offer, then its price lines without kind and member tier: struck-out and member prices are not the price."""
    lines = offer.get("priceSpecification")
    held = [each for each in lines if isinstance(each, dict)] if isinstance(lines, list) else []
    return [offer, *(each for each in held if "priceType" not in each and "validForMemberTier" not in each)]


def list_price(values: list[Json], wording: Wording) -> str | None:
    """Price before a reduction, as an offer's price line of that kind gives it."""
    for offer in values:
        lines = offer.get("priceSpecification") if isinstance(offer, dict) else None
        for line in lines if isinstance(lines, list) else ():
            if isinstance(line, dict) and line.get("priceType") in _BEFORE:
                code = line.get("priceCurrency", offer.get("priceCurrency"))
                result = _money_span(line.get("price"), line.get("price"), code, wording.words)
                if result:
                    return result
    return None


_BEFORE = frozenset({"ListPrice", "StrikethroughPrice", "MSRP", "SRP"})


def delivery(values: list[Json], wording: Wording) -> str | None:
    """Free delivery, or the price, of the first offer with shipping details."""
    for value in values:
        rate = value.get("shippingRate") if isinstance(value, dict) else None
        if isinstance(rate, dict):
            low, high = rate.get("value", rate.get("minValue")), rate.get("value", rate.get("maxValue"))
            if price(high) == 0:
                return "Free delivery"
            result = _money_span(low, high, rate.get("currency"), wording.words)
            if result:
                return result
    return None


_RETURNS = {
    "MerchantReturnNotPermitted": "No returns",
    "MerchantReturnUnlimitedWindow": "Returns at any time",
    "MerchantReturnFiniteReturnWindow": "Returns accepted",
}


def returns(values: list[Json], _: Wording) -> str | None:
    """60-day returns, free"""
    for value in values:
        if not isinstance(value, dict):
            continue
        days, kind = value.get("merchantReturnDays"), value.get("returnPolicyCategory")
        finite = (
            isinstance(days, int)
            and days > 0
            and kind not in ("MerchantReturnNotPermitted", "MerchantReturnUnlimitedWindow")
        )
        result = f"{days}-day returns" if finite else _RETURNS.get(str(kind), "")
        if result:
            free = value.get("returnFees") == "FreeReturn" and kind != "MerchantReturnNotPermitted"
            return f"{result}, free" if free else result
    return None


SHOWS: dict[str, Show] = {
    "address": address,
    "availability": availability,
    "clock": clock,
    "count": how_many,
    "date": date,
    "delivery": delivery,
    "hours": hours,
    "list": several,
    "list-price": list_price,
    "moment": moment,
    "number": number,
    "place": place,
    "returns": returns,
    "salary": salary,
    "text": text,
    "time-span": time_span,
    "words": in_words,
    "workplace": workplace,
    "year": year,
}


def joined(names: Iterable[str]) -> str | None:
    """a, b, c and 2 more"""
    every = list(dict.fromkeys(name for name in names if name))
    rest = len(every) - 3
    return (", ".join(every[:3]) + (f" and {rest} more" if rest > 0 else "")) or None
