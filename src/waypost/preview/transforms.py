"""Transforms: value of a page -> values of the unified model, none for unreadable values.

The list is closed and documented in `schemas/README.md`: a second interpreter runs the same mapping files.
Every transform takes (value, `Reading`) and yields values: most yield one, `words` and `hours` several.
Transforms never raise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from html import unescape
from typing import NamedTuple, TypeAlias

from waypost.formats.numbers import as_written, digits_of
from waypost.formats.patterns import pattern
from waypost.formats.text import cut, squeezed, untagged
from waypost.formats.urls import is_identifier
from waypost.formats.web_addresses import LONGEST, address, as_uri
from waypost.models.json_value import Json, JsonObject
from waypost.models.page import Node, Value, is_present
from waypost.registry.vocabulary import Vocabulary, bare


class Reading(NamedTuple):
    """Context of a value for transforms.

    escaped  the syntax leaves character references in texts (JSON-LD does).
    base     base of relative URLs.
    choices  allowed values; empty for any.
    prop     property of the value, for transforms that depend on the property's range.
    """

    vocabulary: Vocabulary
    escaped: bool = False
    base: str | None = None
    choices: tuple[str, ...] = ()
    prop: str = ""


Transform: TypeAlias = Callable[[Value, Reading], Iterator[Json]]

_REFERENCE = pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_TAG = pattern(r"<[a-zA-Z/!?][^<>]*>")
_ALLOWED_TAG = pattern(r"</?(?:p|ul|li|br)\b", re.IGNORECASE)
_INTEGER = pattern(r"[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4}")
_NUMBER = pattern(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_MONEY = pattern(r"[0-9]{0,30}\.?[0-9]{1,30}")
_SCORE = pattern(r"([0-9]{1,9}(?:\.[0-9]{1,60})?)\s*(?:(%)|/\s*([0-9]{1,9}(?:\.[0-9]{1,9})?))?")
_MOMENT = pattern(
    r"(\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)"
    r"(?:[Tt ]((?:[01]\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?) ?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?"
)
_DURATION = pattern(
    r"P(?=[0-9T])(?:[0-9]+(?:\.[0-9]+)?Y)?(?:[0-9]+(?:\.[0-9]+)?M)?(?:[0-9]+(?:\.[0-9]+)?W)?(?:[0-9]+(?:\.[0-9]+)?D)?"
    r"(?:T(?=[0-9])(?:[0-9]+(?:\.[0-9]+)?H)?(?:[0-9]+(?:\.[0-9]+)?M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
)
_TIME = pattern(r"T?([01]?[0-9]|2[0-4]):?([0-5][0-9])(?::?[0-5][0-9](?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?")
_LANGUAGE = pattern(r"[A-Za-z]{2,3}(?:[-_][0-9A-Za-z]{1,8})*")
_PIXELS = pattern(r"([0-9]{1,9})(?:\.0+)?\s*(?:px)?")
_RANGE = pattern(r"([01]?[0-9]|2[0-4]):([0-5][0-9])\s*[-–]\s*([01]?[0-9]|2[0-4]):([0-5][0-9])")
_DAY_SPAN = pattern(r"\b([A-Za-z]{2})[a-z]*\.?(?:\s*[-–]\s*([A-Za-z]{2})[a-z]*)?")
_NAMED_BY = ("name", "headline", "text", "value")
_DAYS: tuple[str, ...] = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY_BY_START = {day[:2].casefold(): day for day in _DAYS}
_FIRST_WORDS = 70


def written(value: Value, reading: Reading) -> str:
    """A scalar as text, character references decoded once; "" for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return digits_of(value)
    if isinstance(value, str):
        text = str(value)
        # In Microdata and RDFa the HTML parser has decoded them already.
        if reading.escaped and "&" in text:
            text = _REFERENCE.sub(lambda found: unescape(found[0]), text)
        return squeezed(text)
    return ""


def escaped(value: str) -> str:
    """A text as JSON-LD must hold it so that decoding its character references gives it back."""
    return value.replace("&", "&amp;") if _REFERENCE.search(value) else value


def _scalar(value: Value, members: tuple[str, ...] = ()) -> Value:
    """Scalar value; of a node, the first scalar among some members."""
    if not isinstance(value, Node):
        return value
    found = (each for member in members for each in value.props.get(member, ()))
    return next((each for each in found if not isinstance(each, Node) and is_present(each)), None)


def text(value: Value, reading: Reading) -> Iterator[str]:
    found = written(_scalar(value, _NAMED_BY), reading)
    if found:
        yield found


def plain(value: Value, reading: Reading) -> Iterator[str]:
    """Text without tags."""
    for found in text(value, reading):
        bared = untagged(found)
        if bared:
            yield bared


def rich(value: Value, reading: Reading) -> Iterator[str]:
    """Text with no tags but p, ul, li and br, without their attributes."""
    for found in text(value, reading):
        cleaned = squeezed(_TAG.sub(_bare_tag, found))
        if cleaned:
            yield cleaned


def _bare_tag(found: re.Match[str]) -> str:
    allowed = _ALLOWED_TAG.match(found[0])
    return f"{allowed[0].lower()}>" if allowed is not None else " "


def first_words(value: Value, reading: Reading) -> Iterator[str]:
    """The start of a text, for things that have no title."""
    for found in plain(value, reading):
        yield cut(found, _FIRST_WORDS)


def words(value: Value, reading: Reading) -> Iterator[str]:
    """A list in one text, split at its commas."""
    for found in text(value, reading):
        for part in found.split(","):
            if part.strip():
                yield part.strip()


def url(value: Value, reading: Reading) -> Iterator[str]:
    if isinstance(value, Node):
        own = _scalar(value, ("url", "contentUrl"))
        value = own if own is not None else value.id
    if isinstance(value, str):
        found = address(written(value, reading), reading.base)
        if found:
            yield found


def page_url(value: Value, reading: Reading) -> Iterator[str]:
    """An address without its fragment."""
    for found in url(value, reading):
        yield found.partition("#")[0]


def identity(value: Value, reading: Reading) -> Iterator[str]:
    """An address of the web, or a name as in `urn:isbn:9783161484100`."""
    if isinstance(value, str):
        found = address(value, reading.base)
        if found:
            yield found
        elif is_identifier(value) and len(value) < LONGEST:
            yield as_uri("".join(squeezed(value).split()))


def moment(value: Value, reading: Reading) -> Iterator[str]:
    """ISO 8601, as written except for the spelling of the offset and a space in place of the T."""
    found = _MOMENT.fullmatch(written(_scalar(value, ("value",)), reading))
    if not found:
        return
    date, time, offset = found.groups()
    if not time:
        yield date
    # A time behind a month or a year says nothing.
    elif len(date) == 10:
        yield f"{date}T{time}{_offset(offset)}"


def _offset(found: str | None) -> str:
    if not found or found in "Zz":
        return "Z" if found else ""
    digits = found[1:].replace(":", "")
    return f"{found[0]}{digits[:2]}:{digits[2:] or '00'}"


def time_of_day(value: Value, reading: Reading) -> Iterator[str]:
    """hh:mm"""
    found = _TIME.fullmatch(written(_scalar(value), reading))
    if found:
        yield f"{int(found[1]):02}:{found[2]}"


def duration(value: Value, reading: Reading) -> Iterator[str]:
    found = written(_scalar(value, ("value",)), reading).upper().replace(",", ".")
    if _DURATION.fullmatch(found):
        yield found


def number(value: Value, reading: Reading) -> Iterator[int | float]:
    value = _scalar(value, ("value",))
    if isinstance(value, bool):
        return
    found = written(value, reading)
    if _NUMBER.fullmatch(found):
        yield as_written(found)


def score(value: Value, reading: Reading) -> Iterator[int | float]:
    """A rating: a number, a share (85%) or a fraction (4/5)."""
    found = _score(value, reading)
    if found:
        yield as_written(found[1])


def scale_top(value: Value, reading: Reading) -> Iterator[int | float]:
    """The best value that a share or a fraction implies."""
    found = _score(value, reading)
    if found and (found[2] or found[3]):
        yield 100 if found[2] else as_written(found[3])


def scale_bottom(value: Value, reading: Reading) -> Iterator[int]:
    """The worst value that a share implies."""
    found = _score(value, reading)
    if found and found[2]:
        yield 0


def _score(value: Value, reading: Reading) -> re.Match[str] | None:
    return None if isinstance(value, bool | Node) else _SCORE.fullmatch(written(value, reading))


def count(value: Value, reading: Reading) -> Iterator[int]:
    """A whole number; separators of thousands are read."""
    value = _scalar(value, ("value",))
    if isinstance(value, bool):
        return
    found = written(value, reading)
    if _INTEGER.fullmatch(found):
        yield int(found.replace(",", ""))


def position(value: Value, reading: Reading) -> Iterator[int]:
    """A place in a list; a fraction is none."""
    for found in number(value, reading):
        if isinstance(found, int):
            yield found


def pixels(value: Value, reading: Reading) -> Iterator[int]:
    """A whole number of pixels: 1200, "1200", "1200px"."""
    found = _PIXELS.fullmatch(written(_scalar(value, ("value", "name")), reading))
    if found:
        yield int(found[1])


def money(value: Value, reading: Reading) -> Iterator[str]:
    """A decimal number exactly as written, as text."""
    if isinstance(value, bool | Node):
        return
    found = written(value, reading)
    if _MONEY.fullmatch(found):
        yield found


def boolean(value: Value, reading: Reading) -> Iterator[bool]:
    if isinstance(value, bool):
        yield value
    elif isinstance(value, str):
        found = (bare(written(value, reading)) or "").casefold()
        if found in {"true", "false"}:
            yield found == "true"


def _folded(value: str) -> str:
    return "".join(char for char in value.casefold() if char.isalnum())


def _chosen(found: str, reading: Reading) -> Iterator[str]:
    """Allowed value equal except for letter case and punctuation; every value without a list of choices."""
    if not reading.choices:
        yield found
        return
    folded = _folded(found)
    for choice in reading.choices:
        if _folded(choice) == folded:
            yield choice
            return


def _term(value: Value, reading: Reading) -> str:
    """The bare name of a schema.org term, or what else is written."""
    if isinstance(value, Node):
        own = _scalar(value, _NAMED_BY)
        value = own if own is not None else value.id or (value.types[0] if value.types else None)
    found = written(value, reading)
    name = bare(found)
    return name or found


def term(value: Value, reading: Reading) -> Iterator[str]:
    """A text; a schema.org IRI becomes its bare name."""
    found = _term(value, reading)
    if found:
        yield found


def enum(value: Value, reading: Reading) -> Iterator[str]:
    """A member of an enumeration, by whatever form of its name, as the bare name."""
    found = _term(value, reading)
    if found:
        yield from _chosen(found, reading)


def day(value: Value, reading: Reading) -> Iterator[str]:
    """A day of the week, by name, abbreviation or IRI."""
    found = _term(value, reading)
    if _folded(found) == "publicholidays":
        yield "PublicHolidays"
    elif found[:2].casefold() in _DAY_BY_START and found.isalpha():
        yield _DAY_BY_START[found[:2].casefold()]


def hours(value: Value, reading: Reading) -> Iterator[JsonObject]:
    """Opening hours in one text, like `Mo-Fr 09:00-17:00`."""
    found = written(_scalar(value), reading)
    days = _days(_RANGE.sub(" ", found))
    for span in _RANGE.finditer(found[:500]):
        entry: JsonObject = {"dayOfWeek": days} if days else {}
        entry["opens"] = f"{int(span[1]):02}:{span[2]}"
        entry["closes"] = f"{int(span[3]):02}:{span[4]}"
        yield entry


def _days(found: str) -> list[str]:
    """Mo-Fr, Sa -> their names in order of the week."""
    chosen: set[int] = set()
    for span in _DAY_SPAN.finditer(found[:500]):
        first, last = span[1], span[2]
        if first.casefold() not in _DAY_BY_START or (last and last.casefold() not in _DAY_BY_START):
            continue
        start = _DAYS.index(_DAY_BY_START[first.casefold()])
        end = _DAYS.index(_DAY_BY_START[last.casefold()]) if last else start
        # Modulo: Sa-Mo goes over the end of the week.
        for step in range((end - start + 7) % 7 + 1):
            chosen.add((start + step) % 7)
    return [_DAYS[each] for each in sorted(chosen)]


def language(value: Value, reading: Reading) -> Iterator[str]:
    """A BCP 47 tag; of a Language, the tag among its names."""
    values = [value] if not isinstance(value, Node) else [_scalar(value, (each,)) for each in ("alternateName", "name")]
    for each in values:
        found = written(each, reading)
        if _LANGUAGE.fullmatch(found):
            yield found.replace("_", "-")
            return


def type_name(types: tuple[str, ...], vocabulary: Vocabulary) -> str | None:
    """Most specific known type, the first written of equals."""
    known = [name for name in types if name in vocabulary.types]
    for name in known:
        if not any(other != name and vocabulary.is_a(other, name) for other in known):
            return name
    return known[0] if known else None


def type_(value: Value, reading: Reading) -> Iterator[str]:
    """The type of a node."""
    if isinstance(value, Node):
        found = type_name(value.types, reading.vocabulary)
        if found:
            yield found


def tidy(value: Value, reading: Reading) -> Iterator[Json]:
    """Any value: scalars unchanged, nodes as objects with a bare @type, limited in depth and size."""
    found = _Tidying(reading).value(value, reading.prop, ())
    if found is not None:
        yield found


class _Tidying:
    """Conversion of a value for `tidy`. Nodes may form cycles, so depth and size are limited."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.left = 300

    def value(self, value: Value, prop: str, above: tuple[Node, ...]) -> Json:
        self.left -= 1
        if self.left < 0:
            return None
        if isinstance(value, bool):
            return value
        if isinstance(value, int | Decimal):
            return next(number(value, self.reading), None)
        if not isinstance(value, Node) or (value.id and not value.props):
            found = next(term(value, self.reading), None)
            return self.in_property_type(found, prop) if isinstance(found, str) else None
        if value in above or len(above) >= _TIDY_DEPTH:
            return None
        return self.node(value, above)

    def in_property_type(self, found: str, prop: str) -> Json:
        """String as a number or boolean by the property's range: Microdata and RDFa have only strings."""
        definition = self.reading.vocabulary.properties.get(prop)
        ranges = definition.r if definition else ()
        if any(each in _NUMBER_RANGES for each in ranges) and _PLAIN_NUMBER.fullmatch(found):
            return as_written(found)
        if "Boolean" in ranges and found.casefold() in {"true", "false"}:
            return found.casefold() == "true"
        return found

    def node(self, node: Node, above: tuple[Node, ...]) -> Json:
        found: JsonObject = {}
        name = type_name(node.types, self.reading.vocabulary)
        if name:
            found["@type"] = name
        for prop, values in node.props.items():
            if bare(prop) != prop or self.left < 0:
                continue
            present: list[Json] = []
            for each in values:
                part = self.value(each, prop, (*above, node)) if self.left > 0 else None
                if part is not None:
                    present.append(part)
            if present:
                found[prop] = present[0] if len(present) == 1 else present
        if name == "QuantitativeValue" and len(found) == 2 and "value" in found:
            return found["value"]
        return found if found.keys() - {"@type"} else None


_TIDY_DEPTH = 4
_NUMBER_RANGES = frozenset({"Number", "Integer", "Float"})
_PLAIN_NUMBER = pattern(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{0,14}[1-9])?")


def notes(value: Value, reading: Reading) -> Iterator[str]:
    """Points of a pro and con list, one text each."""
    yield from text(value, reading)


TRANSFORMS: dict[str, Transform] = {
    "boolean": boolean,
    "choice": enum,
    "count": count,
    "date": moment,
    "day": day,
    "duration": duration,
    "enum": enum,
    "first-words": first_words,
    "hours": hours,
    "html": rich,
    "id": identity,
    "language": language,
    "money": money,
    "notes": notes,
    "number": number,
    "page-url": page_url,
    "pixels": pixels,
    "plain": plain,
    "position": position,
    "scale-bottom": scale_bottom,
    "scale-top": scale_top,
    "score": score,
    "term": term,
    "text": text,
    "tidy": tidy,
    "time": time_of_day,
    "type": type_,
    "url": url,
    "words": words,
}
