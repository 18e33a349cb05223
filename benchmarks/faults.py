"""Puts faults into clean pages, one at a time, and counts how many are named at their exact place.

    python benchmarks/faults.py [--pages FOLDER] [--show N]

The clean pages are written by this script: every document of `benchmarks/clean/` (and the JSON documents of
FOLDER, if they are clean) in several layouts of JSON-LD inside a page and as Microdata. Since the script
writes them, it knows where every key and value stands, by its own count. A fault counts as found when a
finding of one of the rules named for it starts at exactly the place it was put; it counts as noisy when a
finding appears elsewhere that the clean page did not have and that does not follow from the fault.
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

from waypost.registry import Registry, load
from waypost.shapes.finding import Finding
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


def microdata_page(document: dict[str, Any]) -> Text | None:
    """The document as Microdata; None for what Microdata has no words for (@graph, several types ...)."""
    text = Text()
    text.put('<!doctype html>\n<html lang="en"><head><title>A page</title></head><body>\n')
    if not _item(text, document, (), None):
        return None
    text.put("</body></html>\n")
    return text


def _item(text: Text, node: dict[str, Any], pointer: Pointer, prop: str | None) -> bool:
    kind = node.get("@type")
    if not isinstance(kind, str):
        return False
    name = f' itemprop="{prop}"' if prop else ""
    text.put(f'<div{name} itemscope itemtype="https://schema.org/{kind}">', pointer, "node")
    text.put("\n")
    for key, value in node.items():
        if key in {"@context", "@type"}:
            continue
        if key.startswith("@"):
            return False
        for number, each in enumerate(value if isinstance(value, list) else [value]):
            at: Pointer = (*pointer, key, number) if isinstance(value, list) else (*pointer, key)
            if isinstance(each, dict):
                if not _item(text, each, at, key):
                    return False
            else:
                _leaf(text, key, each, at)
    text.put("</div>\n")
    return True


def _leaf(text: Text, key: str, value: Any, pointer: Pointer) -> None:
    written = html.escape({True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else str(value))
    link = key in LINKS and isinstance(value, str) and value.startswith("http")
    text.put(f'<{"link" if link else "meta"} itemprop="')
    text.put(key, pointer, "key")
    text.put(f'" {"href" if link else "content"}="')
    text.put(written, pointer, "value")
    text.put('">\n')


class Fault(NamedTuple):
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
LACKS = rules("required-property-missing", "recommended-property-missing", "feature-not-eligible")


class ValueFault(NamedTuple):
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
VALUE_FAULTS = (
    ValueFault("a date in words", DATES, "3rd of March", rules("date-invalid")),
    ValueFault("a date with slashes", DATES, "13/31/2026", rules("date-invalid")),
    ValueFault("a day that is not", DATES, "2026-02-30", rules("date-not-in-calendar")),
    ValueFault("a duration in words", DURATIONS, "half an hour", rules("duration-invalid")),
    ValueFault("a duration without P", DURATIONS, "30M", rules("duration-invalid")),
    ValueFault("a currency that is not", on("priceCurrency", "currency"), "EURO", rules("currency-unknown")),
    ValueFault("a currency sign", on("priceCurrency", "currency"), "€", rules("currency-unknown")),
    ValueFault("a price with its currency", on("price", "lowPrice", "highPrice"), "12.90 EUR", rules("price-invalid")),
    ValueFault("a price with a comma", on("price", "lowPrice", "highPrice"), "1.234,50", rules("price-invalid")),
    ValueFault("a negative price", on("price", "lowPrice"), "-3", rules("price-negative")),
    ValueFault("a rating out of range", on("ratingValue"), "97", rules("rating-out-of-range")),
    ValueFault("a rating in words", on("ratingValue"), "very good", rules("rating-not-a-number")),
    ValueFault("a negative count", on("ratingCount", "reviewCount"), "-4", rules("rating-count-invalid")),
    ValueFault("a wrong check digit", on("gtin13", "gtin"), "4006381333932", rules("gtin-check-digit")),
    ValueFault("a GTIN of nine digits", on("gtin13", "gtin"), "400638133", rules("gtin-length", "gtin-check-digit")),
    ValueFault("an availability that is not", on("availability"), "https://schema.org/InStok",
               rules("enumeration-value-unknown", "enumeration-member-unknown", "availability-unknown")),
    ValueFault("a condition that is not", on("itemCondition"), "https://schema.org/AsNew",
               rules("enumeration-value-unknown", "enumeration-member-unknown", "item-condition-unknown")),
    ValueFault("an event status that is not", on("eventStatus"), "https://schema.org/EventOff",
               rules("enumeration-value-unknown", "enumeration-member-unknown", "event-status-unknown")),
    ValueFault("an employment type in lower case", on("employmentType"), "full time",
               rules("enumeration-value-unknown", "employment-type-unknown")),
    ValueFault("a link with a space", on("url", "sameAs", "contentUrl", "embedUrl"), "https://www.example.com/a b c",
               rules("url-has-whitespace", "url-invalid")),
    ValueFault("a script as link", on("url", "sameAs", "contentUrl"), "javascript:void(0)", rules("url-scheme-odd")),
    ValueFault("an empty text", on("name", "headline", "title", "description"), "", rules("empty-value")),
    ValueFault("a blank text", on("name", "headline", "title", "description"), "   ", rules("empty-value")),
    ValueFault("a template's leftover", on("name", "headline", "title", "description"), "{{ page.title }}",
               rules("placeholder-value")),
    ValueFault("a double escape", on("name", "headline", "description"), "Salt &amp;amp; pepper",
               rules("text-double-escaped")),
    ValueFault("markup in a headline", on("headline", "name"), "A <b>bold</b> claim", rules("html-in-text")),
    ValueFault("a country that is not", on("addressCountry"), "XQ", rules("country-unknown")),
    ValueFault("a latitude beyond the pole", on("latitude"), "123.45678", rules("coordinate-out-of-range")),
    ValueFault("an opening time that is not", on("opens"), "25:99", rules("time-invalid", "opening-hours-invalid")),
    ValueFault("a day of no week", on("dayOfWeek"), "https://schema.org/Caturday",
               rules("enumeration-value-unknown", "day-of-week-unknown", "enumeration-member-unknown")),
    ValueFault("an e-mail address without @", on("email"), "shop.example.com", rules("email-invalid")),
    ValueFault("an offset without a colon", on("datePublished", "startDate", "uploadDate"),
               "2026-11-03T06:30:00+0100", rules("offset-without-colon")),
)  # fmt: skip


def value_faults(document: dict[str, Any]) -> Iterator[Fault]:
    for pointer, value in walk(document):
        if not pointer or isinstance(value, (dict, list)):
            continue
        key = pointer[-1] if isinstance(pointer[-1], str) else pointer[-2] if len(pointer) > 1 else ""
        for fault in VALUE_FAULTS:
            if key in fault.properties and value != fault.value:
                made = changed(document, pointer, fault.value)
                # Another date may well be the wrong side of its neighbour too.
                follows = LACKS | rules("date-modified-before-published") if key in DATES else LACKS
                yield Fault(fault.kind, made, pointer, "value", fault.rules, follows)


def name_faults(document: dict[str, Any]) -> Iterator[Fault]:
    """Keys and types that are misspelled, in the wrong case, out of place."""
    for pointer, value in walk(document):
        if not isinstance(value, dict):
            continue
        if isinstance(value.get("@type"), str):
            wrong = value["@type"]
            kind = (*pointer, "@type")
            folded = wrong[0].lower() + wrong[1:]
            follows = LACKS | rules(
                "unknown-type",
                "wrong-type-of-thing",
                "value-type-mismatch",
                "reference-dangling",
                "property-not-of-type",
            )
            if wrong not in {"Offer", "Person"} or pointer:
                yield Fault("a type in lower case", changed(document, kind, folded), kind, "value",
                            rules("type-wrong-case"), follows)  # fmt: skip
            yield Fault("a type misspelled", changed(document, kind, wrong + "x"), kind, "value",
                        rules("unknown-type"), follows)  # fmt: skip
            extra = copy.deepcopy(document)
            holder: Any = extra
            for step in pointer:
                holder = holder[step]
            for name, said, rule in (
                ("descripton", "a property misspelled", "unknown-property"),
                ("muscleAction", "a property of another type", "property-not-of-type"),
            ):
                more = copy.deepcopy(extra)
                holder = more
                for step in pointer:
                    holder = holder[step]
                holder[name] = "12 g"
                yield Fault(said, more, (*pointer, name), "key", rules(rule))
        for key in value:
            if key.startswith("@") or key.lower() == key:
                continue
            made = renamed(document, (*pointer, key), key.lower())
            yield Fault("a property in lower case", made, (*pointer, key.lower()), "key",
                        rules("property-wrong-case"), rules("value-type-mismatch"))  # fmt: skip


REQUIRED = {
    "Recipe": ("name", "image"), "Event": ("name", "startDate", "location"), "JobPosting": ("title", "description",
    "datePosted", "hiringOrganization"), "VideoObject": ("name", "thumbnailUrl", "uploadDate"),
    "LocalBusiness": ("name", "address"), "Bakery": ("name", "address"), "SoftwareApplication": ("name",),
    "Product": ("name",), "MusicEvent": ("name", "startDate", "location"),
}  # fmt: skip


def lack_faults(document: dict[str, Any]) -> Iterator[Fault]:
    """Required properties that are missing from the root: named at the node that lacks them."""
    for name in REQUIRED.get(str(document.get("@type")), ()):
        if name in document:
            made = {key: value for key, value in document.items() if key != name}
            yield Fault("a required property missing", made, (), "node", rules("required-property-missing"), LACKS)


def order_faults(document: dict[str, Any]) -> Iterator[Fault]:
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
        for kind, name, text, rule, beside in pairs:
            if name in value and beside in value and not isinstance(value[name], (dict, list)):
                at = (*pointer, name)
                follows = LACKS | rules("rating-out-of-range", "valid-through-before-valid-from")
                yield Fault(kind, changed(document, at, text), at, "value", rules(rule), follows)
        publisher = value.get("publisher")
        if isinstance(publisher, dict):
            at = (*pointer, "publisher")
            made = changed(document, at, {"@id": "#nobody"})
            yield Fault("a reference to nothing", made, (*at, "@id"), "value", rules("reference-dangling"), LACKS)


class TextFault(NamedTuple):
    """Change the text of a JSON block; `at` finds the place in (text, marks) or gives None."""

    kind: str
    rules: frozenset[str]
    make: Callable[[str, dict[tuple[Pointer, Part], tuple[int, int]]], tuple[str, int] | None]


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


TEXT_FAULTS = (
    TextFault("a trailing comma", rules("json-trailing-comma"), _trailing_comma),
    TextFault("a comment in front", rules("json-comment"), _before("/* made by hand */ ")),
    TextFault("a line comment inside", rules("json-comment"), lambda t, m: (
        _insert(t, m[(), "node"][0] + 1, "// hello\n"), m[(), "node"][0] + 1)),
    TextFault("a raw line break in a text", rules("json-control-character"), _in_string("\n")),
    TextFault("a bad escape", rules("json-bad-escape"), _in_string("\\x27")),
    TextFault("single quotes round a key", rules("json-single-quotes"), _key_quotes("'")),
    TextFault("a key without quotes", rules("json-unquoted-key"), _key_quotes("")),
    TextFault("NaN", rules("json-not-a-number"), _literal("NaN")),
    TextFault("None", rules("json-literal-case", "json-unreadable"), _literal("None")),
    TextFault("a missing comma", rules("json-missing-comma"), _missing_comma),
    TextFault("a key twice", rules("json-duplicate-key"), _duplicate),
    TextFault("a second value", rules("json-two-values"), _after("\n{}")),
    TextFault("text after the end", rules("json-trailing-text"), _after(" and so on")),
    TextFault("a semicolon after the end", rules("json-trailing-semicolon", "json-trailing-text"), _after(";")),
)  # fmt: skip


def clean_documents(folder: Path | None) -> Iterator[tuple[str, dict[str, Any]]]:
    paths = sorted((HERE / "clean").glob("*.json"))
    paths += sorted(folder.rglob("*.json")) if folder else []
    for path in paths:
        document = json.loads(path.read_bytes())
        if isinstance(document, dict):
            yield path.stem, document


def judged(data: bytes, registry: Registry) -> list[Finding]:
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
        self, kind: str, where: str, offset: int, wanted: frozenset[str], follows: frozenset[str],
        before: list[Finding], after: list[Finding],
    ) -> None:  # fmt: skip
        self.put[kind] += 1
        hits = [f for f in after if f.rule in wanted and f.start == offset]
        if hits:
            self.found[kind] += 1
        else:
            near = [f"{f.rule}@{f.start}" for f in after if f.rule in wanted][:3]
            self.missed.append(
                f"{kind}: {where}, wanted {sorted(wanted)} at {offset}, got {near or [f.rule for f in after]}"
            )
        known = Counter((f.rule, f.property) for f in before)
        new = [
            f for f in after if f.start != offset and f.rule not in follows and known.get((f.rule, f.property), 0) == 0
        ]
        self.noisy += bool(new)
        for finding in new:
            self.noise[kind, finding.rule] += 1
            self.strange.append(f"{kind}: {where}: {finding.rule} {finding.message}")


def faults_of(document: dict[str, Any]) -> Iterator[Fault]:
    for source in (value_faults, name_faults, lack_faults, order_faults):
        yield from source(document)


def run(folder: Path | None) -> Tally:
    registry = load()
    tally = Tally()
    for number, (name, document) in enumerate(clean_documents(folder)):
        clean = json_page(document, LAYOUTS[0])
        before = judged(clean.done().encode(), registry)
        if before:
            print(f"not clean, left out: {name}: {[f'{f.rule} {f.message}' for f in before][:3]}")
            continue
        for count, fault in enumerate(faults_of(document)):
            layout = LAYOUTS[(number + count) % len(LAYOUTS)]
            forms = [("json-ld", json_page(fault.document, layout)), ("microdata", microdata_page(fault.document))]
            for syntax, text in forms:
                mark = text.marks.get((fault.pointer, fault.part)) if text else None
                if text is None or (syntax == "microdata" and (mark is None or fault.kind in NOT_IN_MICRODATA)):
                    continue
                assert mark is not None, fault
                whole = text.done()
                offset = len(whole[: mark[0]].encode())
                where = f"{name} {syntax} {'/'.join(map(str, fault.pointer))}"
                after = judged(whole.encode(), registry)
                tally.take(fault.kind, where, offset, fault.rules, fault.follows, before, after)
        for fault_ in TEXT_FAULTS:
            for layout in LAYOUTS:
                text = json_page(document, layout)
                made = fault_.make(text.done(), text.marks)
                if made is None:
                    continue
                offset = len(made[0][: made[1]].encode())
                after = judged(made[0].encode(), registry)
                where = f"{name} json-ld, {layout.name}"
                tally.take(fault_.kind, where, offset, fault_.rules, LACKS | {"empty-value"}, before, after)
    return tally


# A type is an attribute of the item there, white space is collapsed, and a reference is a value.
NOT_IN_MICRODATA = {"a reference to nothing", "a type in lower case", "a type misspelled"}


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
