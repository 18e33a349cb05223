"""Puts faults into clean pages, one at a time, and counts how many are named at their exact place.

    python benchmarks/defects.py [--pages FOLDER] [--show N]

The clean pages are written by this script: every document of `benchmarks/clean/` (and the JSON documents of
FOLDER, if they are clean) in several layouts of JSON-LD inside a page, as Microdata and as RDFa. Since the script
writes them, it knows where every key and value stands, by its own count. A fault counts as found when a
finding of one of the rules named for it starts at exactly the place it was put; it counts as noisy when another
finding appears, there or elsewhere, that the clean page did not have and that does not follow from the fault.
"""

from __future__ import annotations

import argparse
import copy
import html
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from waypost.models.finding import Finding
from waypost.registry import Registry, load
from waypost.validate import validate_page

HERE = Path(__file__).resolve().parent
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = "https://www.example.com/page"

Pointer = tuple[str | int, ...]
Part = str  # "key" | "value" | "node"


class Text:
    """Text in the making that remembers where each key, value and node of a document stands."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.at = 0
        self.marks: dict[tuple[Pointer, Part], tuple[int, int]] = {}

    def put(self, text: str, pointer: Pointer | None = None, part: Part = "value") -> None:
        if pointer is not None:
            self.marks.setdefault((pointer, part), (self.at, self.at + len(text)))
        self.parts.append(text)
        self.at += len(text)

    def done(self) -> str:
        return "".join(self.parts)


class Layout(NamedTuple):
    """How a page is written: indentation (None is compact), line ends, what stands in front."""

    name: str
    indent: str | None
    newline: str
    head: str


LAYOUTS = (
    Layout("two spaces", "  ", "\n", "<title>A page</title>"),
    Layout("compact", None, "\n", "<title>Päge ☃ 𝄞</title><meta name=description content='ünïcode'>"),
    Layout("tabs, CRLF", "\t", "\r\n", "<title>A\r\npage</title>\r\n<!-- 中文 -->\r\n"),
)


def write_json(text: Text, value: Any, pointer: Pointer, layout: Layout, depth: int = 0) -> None:
    """One JSON value, with marks for its keys, values and nodes."""

    def line(deeper: int) -> str:
        return "" if layout.indent is None else layout.newline + layout.indent * deeper

    gap = "" if layout.indent is None else " "
    if isinstance(value, dict):
        text.put("{", pointer, "node")
        for number, (key, each) in enumerate(value.items()):
            text.put(("," if number else "") + line(depth + 1))
            text.put(json.dumps(key, ensure_ascii=False), (*pointer, key), "key")
            text.put(":" + gap)
            write_json(text, each, (*pointer, key), layout, depth + 1)
        text.put(line(depth) + "}")
    elif isinstance(value, list):
        text.put("[", pointer, "list")
        for number, each in enumerate(value):
            text.put(("," if number else "") + line(depth + 1))
            write_json(text, each, (*pointer, number), layout, depth + 1)
        text.put(line(depth) + "]")
    else:
        text.put(json.dumps(value, ensure_ascii=False), pointer, "value")


def json_page(document: dict[str, Any], layout: Layout) -> Text:
    text = Text()
    newline = layout.newline
    text.put(f'<!doctype html>{newline}<html lang="en"><head>{layout.head}{newline}')
    text.put('<script type="application/ld+json">')
    text.put(newline)
    write_json(text, document, (), layout)
    text.put(f"{newline}</script>{newline}</head><body><p>Text</p></body></html>{newline}")
    return text


LINKS = {"url", "image", "logo", "thumbnailUrl", "contentUrl", "embedUrl", "sameAs", "item", "@id", "itemCondition",
         "availability", "eventStatus", "mainEntityOfPage"}  # fmt: skip


class Dialect(NamedTuple):
    """How a syntax of attributes writes an item, its type and its properties."""

    name: str
    top: str
    opening: str
    before_type: str
    prop: str


MICRODATA = Dialect("microdata", "", " itemscope", ' itemtype="https://schema.org/', "itemprop")
RDFA = Dialect("rdfa", ' vocab="https://schema.org/"', "", ' typeof="', "property")


def markup_page(document: dict[str, Any], dialect: Dialect) -> Text | None:
    """The document as Microdata or RDFa; None for what they have no words for (@graph, several types ...)."""
    text = Text()
    text.put(f'<!doctype html>\n<html lang="en"><head><title>A page</title></head><body{dialect.top}>\n')
    if not _item(text, document, (), None, dialect):
        return None
    text.put("</body></html>\n")
    return text


def _item(text: Text, node: dict[str, Any], pointer: Pointer, prop: str | None, dialect: Dialect) -> bool:
    kind = node.get("@type")
    if not isinstance(kind, str):
        return False
    text.put("<div", pointer, "node")
    if prop:
        text.put(f' {dialect.prop}="{prop}"')
    text.put(dialect.opening + dialect.before_type[: dialect.before_type.index('"') + 1])
    text.put(dialect.before_type.partition('"')[2] + kind, (*pointer, "@type"))
    text.put('">\n')
    for key, value in node.items():
        if key in {"@context", "@type"}:
            continue
        if key.startswith("@"):
            return False
        for number, each in enumerate(value if isinstance(value, list) else [value]):
            at: Pointer = (*pointer, key, number) if isinstance(value, list) else (*pointer, key)
            if isinstance(each, dict):
                if not _item(text, each, at, key, dialect):
                    return False
            else:
                _leaf(text, key, each, at, dialect)
    text.put("</div>\n")
    return True


def _leaf(text: Text, key: str, value: Any, pointer: Pointer, dialect: Dialect) -> None:
    written = html.escape({True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else str(value))
    link = key in LINKS and isinstance(value, str) and value.startswith("http")
    text.put(f'<{"link" if link else "meta"} {dialect.prop}="')
    text.put(key, pointer, "key")
    text.put(f'" {"href" if link else "content"}="')
    text.put(written, pointer, "value")
    text.put('">\n')


class Defect(NamedTuple):
    """A fault put into a document: where it must be named, by one of which rules, and what may follow from it."""

    kind: str
    document: dict[str, Any]
    pointer: Pointer
    part: Part
    rules: frozenset[str]
    follows: frozenset[str] = frozenset()


def walk(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Every value of a document with its pointer, the document first."""
    yield pointer, value
    children: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in children:
        yield from walk(each, (*pointer, key))


def changed(document: dict[str, Any], pointer: Pointer, value: Any) -> dict[str, Any]:
    """A copy with another value at a pointer."""
    made = copy.deepcopy(document)
    holder: Any = made
    for step in pointer[:-1]:
        holder = holder[step]
    holder[pointer[-1]] = value
    return made


def renamed(document: dict[str, Any], pointer: Pointer, name: str) -> dict[str, Any]:
    """A copy with another key at a pointer, in the same position."""
    made = copy.deepcopy(document)
    holder: Any = made
    for step in pointer[:-1]:
        holder = holder[step]
    pairs = [(name if key == pointer[-1] else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(pairs)
    return made


def rules(*names: str) -> frozenset[str]:
    return frozenset(names)


# What a missing or unreadable value may bring with it at the node that needs it.
MISSING = rules("required-property-missing", "recommended-property-missing", "feature-not-eligible")


class ValueDefect(NamedTuple):
    """Replace the value of a property with another."""

    kind: str
    properties: frozenset[str]
    value: Any
    rules: frozenset[str]


def on(*names: str) -> frozenset[str]:
    return frozenset(names)


DATES = on("datePublished", "dateModified", "datePosted", "uploadDate", "startDate", "endDate", "validThrough",
           "dateCreated", "priceValidUntil", "validFrom")  # fmt: skip
DURATIONS = on("totalTime", "prepTime", "cookTime", "duration", "courseWorkload")
VALUE_DEFECTS = (
    ValueDefect("a date in words", DATES, "3rd of March", rules("date-invalid")),
    ValueDefect("a date with slashes", DATES, "13/31/2026", rules("date-invalid")),
    ValueDefect("a day that is not", DATES, "2026-02-30", rules("date-not-in-calendar")),
    ValueDefect("a duration in words", DURATIONS, "half an hour", rules("duration-invalid")),
    ValueDefect("a duration without P", DURATIONS, "30M", rules("duration-invalid")),
    ValueDefect("a currency that is not", on("priceCurrency", "currency"), "EURO", rules("currency-unknown")),
    ValueDefect("a currency sign", on("priceCurrency", "currency"), "€", rules("currency-unknown")),
    ValueDefect("a price with its currency", on("price", "lowPrice", "highPrice"), "12.90 EUR", rules("price-invalid")),
    ValueDefect("a price with a comma", on("price", "lowPrice", "highPrice"), "1.234,50", rules("price-invalid")),
    ValueDefect("a negative price", on("price", "lowPrice"), "-3", rules("price-negative")),
    ValueDefect("a rating out of range", on("ratingValue"), "97", rules("rating-out-of-range")),
    ValueDefect("a rating in words", on("ratingValue"), "very good", rules("rating-not-a-number")),
    ValueDefect("a negative count", on("ratingCount", "reviewCount"), "-4", rules("rating-count-invalid")),
    ValueDefect("a wrong check digit", on("gtin13", "gtin"), "4006381333932", rules("gtin-check-digit")),
    ValueDefect("a GTIN of nine digits", on("gtin13", "gtin"), "400638133", rules("gtin-length", "gtin-check-digit")),
    ValueDefect("an availability that is not", on("availability"), "https://schema.org/InStok",
               rules("enumeration-value-unknown", "enumeration-member-unknown", "availability-unknown")),
    ValueDefect("a condition that is not", on("itemCondition"), "https://schema.org/AsNew",
               rules("enumeration-value-unknown", "enumeration-member-unknown", "item-condition-unknown")),
    ValueDefect("an event status that is not", on("eventStatus"), "https://schema.org/EventOff",
               rules("enumeration-value-unknown", "enumeration-member-unknown", "event-status-unknown")),
    ValueDefect("an employment type in lower case", on("employmentType"), "full time",
               rules("enumeration-value-unknown", "employment-type-unknown")),
    ValueDefect("a link with a space", on("url", "sameAs", "contentUrl", "embedUrl"), "https://www.example.com/a b c",
               rules("url-has-whitespace", "url-invalid")),
    ValueDefect("a script as link", on("url", "sameAs", "contentUrl"), "javascript:void(0)", rules("url-scheme-odd")),
    ValueDefect("an empty text", on("name", "headline", "title", "description"), "",
               rules("empty-value", "required-property-missing")),
    ValueDefect("a blank text", on("name", "headline", "title", "description"), "   ",
               rules("empty-value", "required-property-missing")),
    ValueDefect("a template's leftover", on("name", "headline", "title", "description"), "{{ page.title }}",
               rules("placeholder-value")),
    ValueDefect("a double escape", on("name", "headline", "description"), "Salt &amp;amp; pepper",
               rules("text-double-escaped")),
    ValueDefect("markup in a headline", on("headline", "name"), "A <b>bold</b> claim", rules("html-in-text")),
    ValueDefect("a country that is not", on("addressCountry"), "XQ", rules("country-unknown")),
    ValueDefect("a latitude beyond the pole", on("latitude"), "123.45678", rules("coordinate-out-of-range")),
    ValueDefect("an opening time that is not", on("opens"), "25:99", rules("time-invalid", "opening-hours-invalid")),
    ValueDefect("a day of no week", on("dayOfWeek"), "https://schema.org/Caturday",
               rules("enumeration-value-unknown", "day-of-week-unknown", "enumeration-member-unknown")),
    ValueDefect("an e-mail address without @", on("email"), "shop.example.com", rules("email-invalid")),
    ValueDefect("a link without its scheme", on("url", "sameAs", "contentUrl"), "www.example.com/a",
               rules("url-without-scheme")),
    ValueDefect("a link to this machine", on("url", "sameAs", "contentUrl", "image"), "http://localhost:8000/a",
               rules("url-local-host")),
    ValueDefect("a link without a host", on("url", "contentUrl", "image"), "https:///a.png", rules("url-invalid")),
    ValueDefect("a date that software prints", DATES, "0001-01-01T00:00:00Z", rules("date-is-a-placeholder")),
    ValueDefect("false for a text", on("name", "headline", "description"), False,
               rules("boolean-where-value-expected", "value-unfit")),
    ValueDefect("undefined", on("name", "headline", "title", "description"), "undefined", rules("placeholder-value")),
    ValueDefect("a lone dash", on("name", "headline", "telephone", "streetAddress"), "-", rules("placeholder-value")),
    ValueDefect("a count in words", on("userInteractionCount", "answerCount", "commentCount", "offerCount"), "many",
               rules("integer-expected", "number-invalid")),
    ValueDefect("a telephone in words", on("telephone"), "call us", rules("telephone-without-digits")),
    ValueDefect("calories without a number", on("calories"), "kcal", rules("nutrition-without-amount")),
    ValueDefect("a language in words", on("inLanguage"), "english language", rules("in-language-invalid")),
    ValueDefect("an offset without a colon", on("datePublished", "startDate", "uploadDate"),
               "2026-11-03T06:30:00+0100", rules("offset-without-colon")),
)  # fmt: skip


# Another date may well be on the wrong side of its neighbour, or of today, too.
ORDER = rules("date-modified-before-published", "event-ends-before-start", "job-closes-before-posted",
              "job-posting-expired", "offer-expired", "valid-through-before-valid-from", "video-expired")  # fmt: skip


def value_defects(document: dict[str, Any]) -> Iterator[Defect]:
    for pointer, value in walk(document):
        if not pointer or isinstance(value, (dict, list)):
            continue
        key = pointer[-1] if isinstance(pointer[-1], str) else pointer[-2] if len(pointer) > 1 else ""
        for error in VALUE_DEFECTS:
            if key in error.properties and value != error.value:
                made = changed(document, pointer, error.value)
                follows = MISSING | ORDER if key in DATES else MISSING
                yield Defect(error.kind, made, pointer, "value", error.rules, follows)


def name_defects(document: dict[str, Any]) -> Iterator[Defect]:
    """Keys and types that are misspelled, in the wrong case, out of place."""
    for pointer, value in walk(document):
        if not isinstance(value, dict):
            continue
        if isinstance(value.get("@type"), str):
            wrong = value["@type"]
            kind = (*pointer, "@type")
            folded = wrong[0].lower() + wrong[1:]
            follows = MISSING | rules(
                "unknown-type",
                "wrong-type-of-thing",
                "value-type-mismatch",
                "reference-dangling",
                "property-not-of-type",
            )
            if wrong not in {"Offer", "Person"} or pointer:
                yield Defect("a type in lower case", changed(document, kind, folded), kind, "value",
                            rules("type-wrong-case"), follows)  # fmt: skip
            yield Defect("a type misspelled", changed(document, kind, wrong + "x"), kind, "value",
                        rules("unknown-type"), follows)  # fmt: skip
            extra = copy.deepcopy(document)
            holder: Any = extra
            for step in pointer:
                holder = holder[step]
            for name, message, rule in (
                ("descripton", "a property misspelled", "unknown-property"),
                ("muscleAction", "a property of another type", "property-not-of-type"),
            ):
                more = copy.deepcopy(extra)
                holder = more
                for step in pointer:
                    holder = holder[step]
                holder[name] = "12 g"
                yield Defect(message, more, (*pointer, name), "key", rules(rule))
        for key in value:
            if key.startswith("@") or key.lower() == key:
                continue
            made = renamed(document, (*pointer, key), key.lower())
            yield Defect("a property in lower case", made, (*pointer, key.lower()), "key",
                        rules("property-wrong-case"), rules("value-type-mismatch"))  # fmt: skip


REQUIRED = {
    "Recipe": ("name", "image"), "Event": ("name", "startDate", "location"), "JobPosting": ("title", "description",
    "datePosted", "hiringOrganization"), "VideoObject": ("name", "thumbnailUrl", "uploadDate"),
    "LocalBusiness": ("name", "address"), "Bakery": ("name", "address"), "SoftwareApplication": ("name",),
    "Product": ("name",), "MusicEvent": ("name", "startDate", "location"),
}  # fmt: skip


def lack_defects(document: dict[str, Any]) -> Iterator[Defect]:
    """Required properties that are missing from the root: named at the node that lacks them."""
    for name in REQUIRED.get(str(document.get("@type")), ()):
        if name in document:
            made = {key: value for key, value in document.items() if key != name}
            yield Defect("a required property missing", made, (), "node", rules("required-property-missing"), MISSING)


def order_defects(document: dict[str, Any]) -> Iterator[Defect]:
    """Two values that do not go together."""
    pairs = (
        ("an end before its start", "endDate", "2019-01-01T10:00:00+00:00", "event-ends-before-start", "startDate"),
        ("changed before published", "dateModified", "2011-01-01", "date-modified-before-published", "datePublished"),
        ("a job that has ended", "validThrough", "2026-06-30T00:00:00+00:00", "job-posting-expired", "datePosted"),
        ("an offer that has ended", "priceValidUntil", "2026-01-31", "offer-expired", "price"),
        ("low above high", "lowPrice", "99999", "low-price-above-high-price", "highPrice"),
        ("worst above best", "worstRating", "99", "rating-bounds-reversed", "bestRating"),
    )
    for pointer, value in walk(document):
        if not isinstance(value, dict):
            continue
        for kind, name, text, rule, adjacent in pairs:
            if name in value and adjacent in value and not isinstance(value[name], (dict, list)):
                at = (*pointer, name)
                follows = MISSING | ORDER | rules("rating-out-of-range")
                yield Defect(kind, changed(document, at, text), at, "value", rules(rule), follows)
        counts = [name for name in ("ratingCount", "reviewCount") if name in value]
        if counts:
            made = document
            for name in counts:
                made = changed(made, (*pointer, name), 0)
            yield Defect("a rating of nobody", made, (*pointer, counts[0]), "value",
                        rules("rating-count-zero"), MISSING | rules("rating-count-zero"))  # fmt: skip
        publisher = value.get("publisher")
        if isinstance(publisher, dict):
            at = (*pointer, "publisher")
            made = changed(document, at, {"@id": "#nobody"})
            yield Defect("a reference to nothing", made, (*at, "@id"), "value", rules("reference-dangling"), MISSING)


class TextDefect(NamedTuple):
    """Change the text of a JSON block; `at` finds the place in (text, marks) or gives None."""

    kind: str
    rules: frozenset[str]
    make: Callable[[str, dict[tuple[Pointer, Part], tuple[int, int]]], tuple[str, int] | None]
    follows: frozenset[str] = frozenset()


def _first(marks: dict[tuple[Pointer, Part], tuple[int, int]], part: Part, kind: Callable[[Pointer], bool]) -> Any:
    return next((span for (pointer, p), span in marks.items() if p == part and kind(pointer)), None)


def _insert(text: str, at: int, what: str) -> str:
    return text[:at] + what + text[at:]


def _trailing_comma(text: str, marks: Any) -> tuple[str, int]:
    end = text.rindex("}", 0, text.index("</script>"))
    at = len(text[:end].rstrip())
    return _insert(text, at, ","), at


def _in_string(what: str, shift: int = 0) -> Callable[[str, Any], tuple[str, int] | None]:
    def make(text: str, marks: Any) -> tuple[str, int] | None:
        for (pointer, part), (start, end) in marks.items():
            if part == "value" and pointer and pointer[-1] in {"name", "description"} and end - start > 8:
                return _insert(text, start + 4, what), start + 4 + shift
        return None

    return make


def _key_quotes(quote: str) -> Callable[[str, Any], tuple[str, int] | None]:
    def make(text: str, marks: Any) -> tuple[str, int] | None:
        found = _first(marks, "key", lambda p: p[-1] in {"name", "headline", "url"})
        if not found:
            return None
        start, end = found
        return text[:start] + quote + text[start + 1 : end - 1] + quote + text[end:], start

    return make


def _literal(word: str) -> Callable[[str, Any], tuple[str, int] | None]:
    def make(text: str, marks: Any) -> tuple[str, int] | None:
        found = _first(marks, "value", lambda p: bool(p) and p[-1] in {"name", "headline", "description"})
        return (text[: found[0]] + word + text[found[1] :], found[0]) if found else None

    return make


def _before(what: str) -> Callable[[str, Any], tuple[str, int] | None]:
    return lambda text, marks: (_insert(text, marks[(), "node"][0], what), marks[(), "node"][0])


def _after(what: str) -> Callable[[str, Any], tuple[str, int] | None]:
    def make(text: str, marks: Any) -> tuple[str, int]:
        end = text.rindex("}", 0, text.index("</script>")) + 1
        return _insert(text, end, what), end + len(what) - len(what.lstrip())

    return make


def _missing_comma(text: str, marks: Any) -> tuple[str, int] | None:
    keys = [span for (pointer, part), span in marks.items() if part == "key" and len(pointer) == 1]
    if len(keys) < 3:
        return None
    comma = text.rindex(",", 0, keys[2][0])
    return text[:comma] + text[comma + 1 :].replace("", "", 1), keys[2][0] - 1


def _duplicate(text: str, marks: Any) -> tuple[str, int] | None:
    found = _first(marks, "key", lambda p: len(p) == 1 and p[-1] in {"name", "headline", "title"})
    if not found:
        return None
    key = text[found[0] : found[1]]
    copy_ = f'{key}: "Something else", '
    return _insert(text, found[0], copy_), found[0] + len(copy_)


def _no_colon(text: str, marks: Any) -> tuple[str, int] | None:
    found = _first(marks, "key", lambda p: p[-1] in {"name", "headline", "url"})
    if not found:
        return None
    colon = text.index(":", found[1])
    value = colon + 1 + len(text[colon + 1 :]) - len(text[colon + 1 :].lstrip())
    return text[: found[1]] + " " + text[value:], found[0]


def _quote_inside(text: str, marks: Any) -> tuple[str, int] | None:
    made = _in_string('"wide" ')(text, marks)
    return made and (made[0], made[1])


def _curly(text: str, marks: Any) -> tuple[str, int] | None:
    found = _first(marks, "key", lambda p: p[-1] in {"name", "headline", "url"})
    if not found:
        return None
    start, end = found
    return text[:start] + "“" + text[start + 1 : end - 1] + "”" + text[end:], start


def _cut_off(text: str, marks: Any) -> tuple[str, int]:
    end = text.rindex("}", 0, text.index("</script>"))
    return text[:end] + text[end + 1 :], len(text[:end].rstrip()) - 1


def _context(written: str) -> Callable[[str, Any], tuple[str, int] | None]:
    def make(text: str, marks: Any) -> tuple[str, int] | None:
        start, end = marks[("@context",), "value"]
        return text[:start] + written + text[end:], start

    return make


def _no_context(text: str, marks: Any) -> tuple[str, int] | None:
    start = marks[("@context",), "key"][0]
    return text[:start] + text[text.index(",", start) + 1 :], marks[(), "node"][0]


def _keyword(text: str, marks: Any) -> tuple[str, int] | None:
    start, end = marks[("@type",), "key"]
    return text[:start] + '"@typ"' + text[end:], start


def _wrapped(before: str, after: str) -> Callable[[str, Any], tuple[str, int] | None]:
    def make(text: str, marks: Any) -> tuple[str, int] | None:
        start = marks[(), "node"][0]
        end = text.rindex("}", 0, text.index("</script>")) + 1
        return text[:start] + before + text[start:end] + after + text[end:], start

    return make


def _encoded(text: str, marks: Any) -> tuple[str, int] | None:
    start = marks[(), "node"][0]
    end = text.rindex("}", 0, text.index("</script>")) + 1
    made = text[:start] + text[start:end].replace('"', "&quot;") + text[end:]
    return made, made.index("&quot;", start)


TEXT_DEFECTS = (
    TextDefect("a missing colon", rules("json-missing-colon"), _no_colon),
    TextDefect("quotes inside a text", rules("json-unescaped-quote"), _quote_inside),
    TextDefect("curly quotes round a key", rules("json-typographic-quotes"), _curly),
    TextDefect("the last brace missing", rules("json-missing-bracket", "json-unterminated"), _cut_off),
    TextDefect("True", rules("json-literal-case"), _literal("True"),
              rules("boolean-where-value-expected")),
    TextDefect("a word without quotes", rules("json-unquoted-value"), _literal("hello")),
    TextDefect("a context of another host", rules("jsonld-context-misspelled"), _context('"https://shema.org"')),
    TextDefect("a context without its scheme", rules("jsonld-context-misspelled"), _context('"schema.org"')),
    TextDefect("a context that is a number", rules("jsonld-context-invalid"), _context("7")),
    TextDefect("no context", rules("jsonld-context-missing"), _no_context),
    TextDefect("a keyword misspelled", rules("jsonld-unknown-keyword"), _keyword, rules("type-missing")),
    TextDefect("a CDATA wrapper", rules("json-cdata-wrapper"), _wrapped("<![CDATA[", "]]>")),
    TextDefect("an HTML comment wrapper", rules("json-html-comment-wrapper"), _wrapped("<!--", "-->")),
    TextDefect("encoded for HTML", rules("json-entity-encoded"), _encoded),
    TextDefect("a trailing comma", rules("json-trailing-comma"), _trailing_comma),
    TextDefect("a comment in front", rules("json-comment"), _before("/* made by hand */ ")),
    TextDefect("a line comment inside", rules("json-comment"), lambda t, m: (
        _insert(t, m[(), "node"][0] + 1, "// hello\n"), m[(), "node"][0] + 1)),
    TextDefect("a raw line break in a text", rules("json-control-character"), _in_string("\n")),
    TextDefect("a bad escape", rules("json-bad-escape"), _in_string("\\x27")),
    TextDefect("single quotes round a key", rules("json-single-quotes"), _key_quotes("'")),
    TextDefect("a key without quotes", rules("json-unquoted-key"), _key_quotes("")),
    TextDefect("NaN", rules("json-not-a-number"), _literal("NaN")),
    TextDefect("None", rules("json-literal-case", "json-unreadable"), _literal("None")),
    TextDefect("a missing comma", rules("json-missing-comma"), _missing_comma),
    TextDefect("a key twice", rules("json-duplicate-key"), _duplicate),
    TextDefect("a second value", rules("json-two-values"), _after("\n{}")),
    TextDefect("text after the end", rules("json-trailing-text"), _after(" and so on")),
    TextDefect("a semicolon after the end", rules("json-trailing-semicolon", "json-trailing-text"), _after(";")),
)  # fmt: skip


def _replaced(old: str, new: str, shift: int = 0) -> Callable[[str, Any], tuple[str, int] | None]:
    """Replace the first `old`; the fault stands `shift` code points behind its beginning."""

    def make(text: str, marks: Any) -> tuple[str, int] | None:
        at = text.find(old)
        return None if at < 0 else (text[:at] + new + text[at + len(old) :], at + shift)

    return make


def _typed(before: str, after: str = "") -> Callable[[str, Any], tuple[str, int] | None]:
    """Put something else in front of the name of the root's type."""

    def make(text: str, marks: Any) -> tuple[str, int] | None:
        start, end = marks[("@type",), "value"]
        name = text[start:end].rpartition("/")[2]
        return text[:start] + before + name + after + text[end:], start

    return make


ORPHANS = rules("microdata-orphan-property")
MARKUP_DEFECTS = {
    MICRODATA: (
        TextDefect("itemtype without itemscope", rules("microdata-itemtype-without-itemscope"),
                  _replaced(' itemscope itemtype="', ' itemtype="', len(' itemtype="')), ORPHANS),
        TextDefect("a type of another host", rules("type-address-wrong"), _typed("https://shema.org/")),
        TextDefect("a type behind a broken scheme", rules("type-address-wrong"), _typed("htps://schema.org/")),
        TextDefect("a type without its address", rules("microdata-itemtype-not-absolute"), _typed("")),
        TextDefect("a type of the old vocabulary", rules("data-vocabulary-org"), _typed("http://data-vocabulary.org/")),
        TextDefect("a property outside every item", ORPHANS,
                  _replaced("<body>", '<body><p itemprop="name">A</p>', len('<body><p itemprop="'))),
        TextDefect("an itemref to nothing", rules("microdata-itemref-missing-target"),
                  _replaced(" itemscope", ' itemref="nowhere" itemscope', len(' itemref="'))),
        TextDefect("a meta with its value in value", rules("empty-value", "required-property-missing"),
                  _replaced('<meta itemprop="name" content=', '<meta itemprop="name" value=')),
        TextDefect("an image in data-src", rules("image-lazy-placeholder"),
                  lambda t, m: None if t.count('itemprop="image"') > 1 else
                  _replaced('<link itemprop="image" href=', '<img itemprop="image" data-src=')(t, m)),
        TextDefect("a link without href", rules("empty-value"),
                  _replaced('<link itemprop="url" href=', '<a itemprop="url" title=')),
    ),
    RDFA: (
        TextDefect("no vocab", rules("rdfa-vocab-missing"),
                  lambda t, m: (t.replace(RDFA.top, "", 1), m[("@type",), "value"][0] - len(RDFA.top))),
        TextDefect("vocab without its slash", rules("rdfa-vocab-misspelled"),
                  _replaced('schema.org/"', 'schema.org"', -len("https://"))),
        TextDefect("vocab of another host", rules("rdfa-vocab-misspelled"),
                  _replaced("https://schema.org/", "https://shema.org/")),
        TextDefect("a prefix without its slash", rules("rdfa-vocab-misspelled"),
                  _replaced(RDFA.top, ' prefix="s: https://schema.org"' + RDFA.top, len(' prefix="s: '))),
        TextDefect("a property outside every thing", rules("rdfa-property-outside-item"),
                  _replaced('/">', '/"><p property="name">A</p>', len('/"><p property="'))),
    ),
}  # fmt: skip


def clean_documents(folder: Path | None) -> Iterator[tuple[str, dict[str, Any]]]:
    paths = sorted((HERE / "clean").glob("*.json"))
    paths += sorted(folder.rglob("*.json")) if folder else []
    for path in paths:
        document = json.loads(path.read_bytes())
        if isinstance(document, dict):
            yield path.stem, document


def checked(data: bytes, registry: Registry) -> list[Finding]:
    found = validate_page(data, registry, url=URL, now=NOW).findings
    return [finding for finding in found if finding.severity != "info"]


class Tally:
    """What was put in, found, missed, and what appeared elsewhere."""

    def __init__(self) -> None:
        self.put: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.noise: Counter[tuple[str, str]] = Counter()
        self.noisy = 0
        self.missed: list[str] = []
        self.strange: list[str] = []

    def take(
        self, kind: str, where: str, offset: int, expected: frozenset[str], follows: frozenset[str],
        after: list[Finding],
    ) -> None:  # fmt: skip
        self.put[kind] += 1
        hits = [f for f in after if f.rule in expected and f.start == offset]
        if hits:
            self.found[kind] += 1
        else:
            near = [f"{f.rule}@{f.start}" for f in after if f.rule in expected][:3]
            self.missed.append(
                f"{kind}: {where}, wanted {sorted(expected)} at {offset}, got {near or [f.rule for f in after]}"
            )
        new = [f for f in after if f.rule not in follows and not (f.start == offset and f.rule in expected)]
        self.noisy += bool(new)
        for finding in new:
            self.noise[kind, finding.rule] += 1
            self.strange.append(f"{kind}: {where}: {finding.rule} {finding.message}")


def defects_of(document: dict[str, Any]) -> Iterator[Defect]:
    for source in (value_defects, name_defects, lack_defects, order_defects):
        yield from source(document)


def forms(document: dict[str, Any], layout: Layout) -> Iterator[tuple[str, Text]]:
    """The document in each syntax that has words for it."""
    yield "json-ld", json_page(document, layout)
    for dialect in (MICRODATA, RDFA):
        text = markup_page(document, dialect)
        if text is not None:
            yield dialect.name, text


def run(folder: Path | None) -> Tally:
    registry = load()
    tally = Tally()
    for number, (name, document) in enumerate(clean_documents(folder)):
        found = {syntax: checked(text.done().encode(), registry) for syntax, text in forms(document, LAYOUTS[0])}
        for syntax, findings in found.items():
            if findings:
                print(f"not clean, left out: {name} {syntax}: {[f'{f.rule} {f.message}' for f in findings][:3]}")
        clean = {syntax for syntax, findings in found.items() if not findings}
        for count, error in enumerate(defects_of(document)):
            layout = LAYOUTS[(number + count) % len(LAYOUTS)]
            for syntax, text in forms(error.document, layout):
                mark = text.marks.get((error.pointer, error.part))
                if syntax not in clean or (syntax != "json-ld" and (mark is None or error.kind in NOT_IN_MARKUP)):
                    continue
                assert mark is not None, error
                whole = text.done()
                offset = len(whole[: mark[0]].encode())
                where = f"{name} {syntax} {'/'.join(map(str, error.pointer))}"
                tally.take(error.kind, where, offset, error.rules, error.follows, checked(whole.encode(), registry))
        if "json-ld" in clean:
            for layout in LAYOUTS:
                text_defects(
                    f"{name} json-ld, {layout.name}", json_page(document, layout), TEXT_DEFECTS, tally, registry
                )
        for dialect, errors in MARKUP_DEFECTS.items():
            page = markup_page(document, dialect)
            if page is not None and dialect.name in clean:
                text_defects(f"{name} {dialect.name}", page, errors, tally, registry)
    return tally


def text_defects(where: str, page: Text, errors: tuple[TextDefect, ...], tally: Tally, registry: Registry) -> None:
    for error in errors:
        made = error.make(page.done(), page.marks)
        if made is not None:
            offset = len(made[0][: made[1]].encode())
            follows = MISSING | {"empty-value"} | error.follows
            tally.take(error.kind, where, offset, error.rules, follows, checked(made[0].encode(), registry))


# White space is collapsed there, a reference is a value, and everything is a text.
NOT_IN_MARKUP = {"a reference to nothing", "false for a text"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=Path, help="a folder with more clean JSON-LD documents")
    parser.add_argument("--show", type=int, default=10, help="how many misses to print")
    options = parser.parse_args()
    tally = run(options.pages)
    put, found = tally.put.total(), tally.found.total()
    for kind in sorted(tally.put):
        print(f"{kind:36} {tally.found[kind]:5} of {tally.put[kind]:5}")
    print(f"{len(tally.put)} kinds of fault, {put} put in, {found} named at the exact place: {found / put:.1%}")
    print(f"{tally.noisy} with a finding elsewhere that does not follow: {tally.noisy / put:.2%}")
    for (kind, rule), count in tally.noise.most_common(options.show):
        print(f"  elsewhere {count:4}: {rule} after {kind}")
    for line in (*tally.missed[: options.show], *tally.strange[: options.show]):
        print("  -", line)
    return 0 if found >= 0.98 * put else 1


if __name__ == "__main__":
    sys.exit(main())
