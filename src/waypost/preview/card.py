"""Card of a unified document, by the `x-card` of the mapping.

Interpreter of `x-card`; meaning of the keys: `schemas/README.md`. Accepts every document with a name, also
without a page, and never raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal

from waypost.formats.dates import day_in_words, day_of, is_future, is_past
from waypost.formats.dates import moment as moment_of
from waypost.formats.numbers import price as price_of
from waypost.formats.numbers import tenths
from waypost.formats.placeholders import is_left_over, is_unfilled
from waypost.formats.text import cut, squeezed, untagged
from waypost.formats.web_addresses import address_parts, without_percents
from waypost.models.json_value import Json, JsonObject
from waypost.models.snippet import CardItem, Fact, Picture, Price, Remark, Snippet, Stars, Status
from waypost.preview.catalogue import Catalogue, Mapping
from waypost.preview.documents import NOWHERE, values_at
from waypost.preview.show import (
    PRICES,
    SHOWS,
    Wording,
    has_price,
    in_currency,
    joined,
    price_holders,
    tier_of,
    words_for_code,
)

_ARROW = " › "
_STATUSES: tuple[Status, ...] = ("supported", "restricted", "retired")


def make_card(
    document: JsonObject, mapping: Mapping, catalogue: Catalogue, now: datetime, about: Iterable[str] = ()
) -> Snippet:
    """Card of a unified document.

    now    aware UTC time for comparisons with dates and retired results.
    about  types whose profiles decide the status; the document's own by default.
    """
    card, words = mapping.card, catalogue.words
    lengths = words["lengths"]
    url = document.get("url")
    url = url if isinstance(url, str) and url != NOWHERE else None
    host = host_of(url)
    title = squeezed(str(document["name"]))
    site_name = first_text(document, card["site"])
    address = display_url(url, host, document)
    description = first_text(document, card["description"])
    names = [each for each in _values(document, card["byline"]) if isinstance(each, str)]
    rating = next((each for each in _values(document, card["rating"]) if isinstance(each, dict)), None)
    price = _price(_every(document, card["price"]), words, now)
    facts = tuple(_facts(document, card["facts"], words))
    items = tuple(_items(document, card["items"], words, now))
    is_code = card.get("code", False)
    standard = str(document["@type"])
    types = tuple(about)
    remarks = [
        *_remarks("title", [title], words["labels"]["texts"], words, code=is_code),
        *_remarks("site_name", [site_name or ""], words["labels"]["others"], words),
        *_remarks("display_url", address.split(_ARROW)[1:] if address else [], [], words),
        *_remarks("description", [description or ""], words["labels"]["texts"], words, code=is_code),
        *_remarks("byline", names, words["labels"]["others"], words),
        *_remarks("price", [price.text if price else ""], [], words),
        *(
            remark
            for fact in facts
            for remark in _remarks(f"facts/{fact.key}", fact.value.split(", "), words["labels"]["others"], words)
        ),
        *(
            remark
            for n, item in enumerate(items)
            for remark in _remarks(f"items/{n}", [item.title, item.description or ""], [], words, code=is_code)
        ),
    ]
    return Snippet(
        service_type=mapping.service,
        standard_type=standard,
        status=status(mapping.service, types or (standard,), catalogue, now),
        title=cut(title, lengths["title"]),
        url=url,
        display_url=address,
        site_name=cut(site_name, lengths["title"]) if site_name else host,
        description=cut(description, lengths["description"]) if description else None,
        image=_picture(document, card["image"]),
        byline=joined(cut(each, lengths["title"]) for each in names),
        date=next((each for each in _values(document, card["date"]) if moment_of(each)), None),
        rating=star_rating(rating),
        price=price,
        facts=facts,
        badges=tuple(each["text"] for each in card["badges"] if _holds(document, each["when"], now)),
        items=items,
        remarks=tuple(remarks),
    )


def _remarks(
    slot: str,
    values: list[str],
    labels: list[str],
    words: JsonObject,
    *,
    code: bool = False,
) -> Iterator[Remark]:
    """The first doubt about the values of a slot. `code`: the texts may be about code."""
    for value in values:
        if is_unfilled(value) if code else is_left_over(value):
            yield Remark(slot, words["remarks"]["placeholder"])
            return
        label = _label_in(value, labels, by=slot == "byline")
        if label:
            yield Remark(slot, words["remarks"]["label"].replace("{label}", label))
            return


def _label_in(value: str, labels: list[str], *, by: bool) -> str:
    """Label that a value begins with, as in "By: Ann" and, with `by`, "Posted by Ann"; "" without one."""
    head, colon, rest = (part.strip() for part in value.partition(":"))
    low = value.lower()
    lead_in = next((each for each in labels if by and each.endswith("by") and low.startswith(f"{each} ")), "")
    label = f"{head}:" if colon and rest and head.lower() in labels else value[: len(lead_in)]
    return label if len(value) > len(label) + 1 else ""


def status(service: str, types: tuple[str, ...], catalogue: Catalogue, now: datetime) -> Status:
    """Search engine's status of a result at a time; the best of several profiles counts."""
    found: set[str] = set()
    for standing in catalogue.standings:
        if service in standing.services and catalogue.vocabulary.are_a(types, frozenset(standing.types)):
            # Until the day of retirement a result is shown as before.
            before = standing.retired_on is not None and day_of(now) < standing.retired_on
            found.add("supported" if before else standing.status)
    return next((each for each in _STATUSES if each in found), "none")


def _select(document: Json, spec: Json) -> list[Json]:
    """Values at a path; `where` filters the values of the first step."""
    if isinstance(spec, str):
        return values_at(document, spec)
    head, _, rest = spec["path"].partition(".")
    where: JsonObject = spec.get("where", {})
    found: list[Json] = []
    for entry in values_at(document, head):
        if all(isinstance(entry, dict) and _same(entry.get(key), value) for key, value in where.items()):
            found += values_at(entry, rest) if rest else [entry]
    return found


def _same(one: Json, other: Json) -> bool:
    """Equal, and true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _values(document: Json, specs: Iterable[Json]) -> list[Json]:
    """The values of the first of several paths that has any."""
    for spec in specs:
        found = _select(document, spec)
        if found:
            return found
    return []


def _every(document: Json, specs: Iterable[Json]) -> list[Json]:
    return [value for spec in specs for value in _select(document, spec)]


def first_text(document: Json, specs: Iterable[Json]) -> str | None:
    for spec in specs:
        for value in _select(document, spec):
            if isinstance(value, str) and untagged(value):
                return untagged(value)
    return None


def host_of(url: str | None) -> str | None:
    """Host of a URL without "www.", as cards show it."""
    parts = address_parts(url)
    return (parts.host.removeprefix("www.") or None) if parts else None


def display_url(url: str | None, host: str | None, document: JsonObject) -> str | None:
    """Host, then the trail without the page itself and without the home page; else the path without its end."""
    if not url or not host:
        return None
    crumbs = [each for each in values_at(document, "breadcrumb") if isinstance(each, dict)]
    if crumbs:
        last = crumbs[-1]
        # The last step of a trail is often the page itself, with or without its address; the card names it already.
        itself = "item" not in last or _page(last["item"]) == _page(url) or last.get("name") == document["name"]
        displayed = crumbs[:-1] if itself else crumbs
        names = [str(each["name"]) for each in displayed if "name" in each and not _is_home(each.get("item"), host)]
    else:
        parts = address_parts(url)
        segments = [each for each in parts.path.split("/") if each] if parts else []
        names = [squeezed(without_percents(each)) for each in segments[:-1]]
    return _ARROW.join([host, *(cut(name, 40) for name in names[:6])])


def _page(url: Json) -> str:
    return str(url).partition("#")[0].rstrip("/")


def _is_home(url: Json, host: str) -> bool:
    if not isinstance(url, str) or host_of(url) != host:
        return False
    parts = address_parts(url)
    return parts is not None and parts.path in ("", "/") and not parts.query


def _picture(document: Json, specs: Iterable[Json]) -> Picture | None:
    for value in _values(document, specs):
        if isinstance(value, dict) and isinstance(value.get("url"), str):
            return Picture(
                url=value["url"], width=value.get("width"), height=value.get("height"), caption=value.get("caption")
            )
    return None


def star_rating(rating: JsonObject | None) -> Stars | None:
    """A rating inside its scale; others no result shows."""
    if rating is None:
        return None
    value: Json = rating.get("ratingValue")
    best: Json = rating.get("bestRating")
    worst: Json = rating.get("worstRating")
    if not (_is_number(value) and _is_number(best) and _is_number(worst)):
        return None
    if best <= worst or not worst <= value <= best:
        return None
    # Any scale is drawn on five stars, the worst value as one.
    stars = tenths(1 + (value - worst) / (best - worst) * 4)
    count = next((each for key in ("ratingCount", "reviewCount") if isinstance(each := rating.get(key), int)), None)
    text = f"{value:g}/{best:g}" + (f" ({count:,})" if count else "")
    return Stars(value=value, best=best, stars=stars, count=count, text=text)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _price(offers: list[Json], words: JsonObject, now: datetime) -> Price | None:
    """The span of prices of the offers that are easiest to buy, in the currency of the first."""
    priced = [each for each in offers if isinstance(each, dict) and has_price(each)]
    if not priced:
        return None
    best = min(tier_of(each, words) for each in priced)
    easiest = [each for each in priced if tier_of(each, words) == best]
    prices = [each for offer in easiest for each in _prices(offer)]
    # Prices in two currencies have no span.
    currency = prices[0][1]
    known = sorted(
        {text: number for text, code, number in prices if code == currency}.items(), key=lambda each: each[1]
    )
    low, high = known[0][0], known[-1][0]
    ends = [low] if known[0][1] == known[-1][1] else [low, high]
    text = " – ".join("Free" if price_of(each) == 0 else in_currency(each, currency, words) for each in ends)
    notes = [f"{_bound(easiest) if len(ends) == 1 else ''}{text}"]
    if currency is None and text != "Free":
        notes.append("currency not given")
    if best:
        notes.append(words_for_code(easiest[0]["availability"], Wording(words, {})))
    notes += _dates_of_sale(easiest, now)
    return Price(text=" · ".join(notes), low=low, high=high, currency=currency)


def _bound(offers: list[JsonObject]) -> str:
    """ "From " or "Up to ", where the offers give one end of a range."""
    keys = {key for offer in offers for holder in price_holders(offer) for key in PRICES if holder.get(key)}
    if not keys - {"lowPrice", "minPrice"}:
        return "From "
    return "Up to " if not keys - {"highPrice", "maxPrice"} else ""


def _dates_of_sale(offers: list[JsonObject], now: datetime) -> Iterator[str]:
    """Why none of the offers is valid at the time: all have ended, or none has begun."""
    ends = [offer.get("validThrough", offer.get("priceValidUntil")) for offer in offers]
    over = [moment for each in ends if (moment := moment_of(each)) and is_past(moment, now)]
    if len(over) == len(offers):
        yield f"expired on {day_in_words(str(ends[0]))}"
    starts = [offer.get("validFrom") for offer in offers]
    ahead = [moment for each in starts if (moment := moment_of(each)) and is_future(moment, now)]
    if len(ahead) == len(offers):
        yield f"from {day_in_words(str(starts[0]))}"


def _prices(offer: JsonObject) -> Iterator[tuple[str, str | None, Decimal]]:
    """(as written, currency, number) of the offer itself, else of its price line without kind and member tier."""
    for holder in price_holders(offer):
        texts = (each for key in PRICES if isinstance(each := holder.get(key), str))
        found = [(each, number) for each in texts if (number := price_of(each)) is not None]
        if found:
            code = holder.get("priceCurrency", offer.get("priceCurrency"))
            yield from ((text, code if isinstance(code, str) else None, number) for text, number in found)
            return


def _facts(document: JsonObject, specs: Iterable[JsonObject], words: JsonObject) -> Iterator[Fact]:
    for spec in specs:
        wording = Wording(words, document, spec.get("most", 10))
        value = SHOWS[spec["show"]](_values(document, spec["from"]), wording)
        if value:
            yield Fact(key=spec["key"], label=spec["label"], value=cut(value, words["lengths"]["description"]))


def _holds(document: JsonObject, conditions: Iterable[JsonObject], now: datetime) -> bool:
    return all(_is_so(condition, _select(document, condition), now) for condition in conditions)


def _is_so(condition: JsonObject, values: list[Json], now: datetime) -> bool:
    """Whether a condition holds: is, in, present, past or future."""
    if "is" in condition:
        return any(_same(value, condition["is"]) for value in values)
    if "in" in condition:
        return any(value in condition["in"] for value in values if isinstance(value, str))
    if "present" in condition:
        return bool(bool(values) == condition["present"])
    moments = [moment for value in values if (moment := moment_of(value))]
    if "past" in condition:
        return bool(any(is_past(each, now) for each in moments) == condition["past"])
    return bool(any(is_future(each, now) for each in moments) == condition["future"])


def _items(document: JsonObject, spec: JsonObject, words: JsonObject, now: datetime) -> Iterator[CardItem]:
    left = spec["most"]
    for group in spec["groups"]:
        if not _holds(document, group.get("when", []), now):
            continue
        for entry in _select(
            document, {"path": group["from"], "where": group.get("where", {})} if "where" in group else group["from"]
        ):
            title = first_text(entry, group["title"]) if isinstance(entry, dict) else None
            if not title or left <= 0:
                continue
            left -= 1
            most = group.get("cut", words["lengths"]["description"])
            parts = (_part(entry, part, words) for part in group["description"])
            line_text = " · ".join(part for part in parts if part)
            url = next(
                (each for path in group["url"] for each in values_at(entry, path) if isinstance(each, str)), None
            )
            yield CardItem(
                title=cut(title, most=words["lengths"]["description"]),
                url=url,
                description=cut(line_text, most) or None,
            )


def _part(entry: JsonObject, part: JsonObject, words: JsonObject) -> str | None:
    """Part of an item's line: a constant, or a value with a suffix."""
    if "say" in part:
        return str(part["say"])
    value = SHOWS[part.get("show", "text")](_select(entry, part["path"]), Wording(words, entry))
    after = part["after_one"] if value == "1" and "after_one" in part else part.get("after", "")
    return f"{value}{after}" if value else None
