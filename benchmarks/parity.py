"""Do the two engines say the same? Documents made from a seed, judged by Python and by the browser's engine.

    python benchmarks/parity.py [--documents N] [--seed N] [--pages FOLDER] [--cases]

Every finding (rule, severity, place, message, hint, fix, fingerprint), every item and every preview must be equal; a
difference is printed with both sides, and the exit status is 1. --pages compares real pages of a folder too (`.html`
or `.html.gz`), --cases the shared cases of the tests. Ends with the sizes of what the browser loads and its speed.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import html
import json
import random
import re
import shutil
import string
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

sys.path.insert(0, str(Path(__file__).parent))
import rdfa_pages

from waypost.errors import NothingToShow
from waypost.pages.bundle import scripts
from waypost.preview import make_snippet
from waypost.reader import read_data, read_page
from waypost.registry import Registry, load
from waypost.report.json import encode_json, file_data
from waypost.validate import validate_parsed

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = "https://www.example.com/page"
NO_BYTES = ("html-encoding-undecodable", "html-encoding-unknown")
"""Rules about the bytes of a file, which a browser's text field does not have."""
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types waypost-parse"
)
_COMPARED = ("rule", "severity", "authority", "profile", "message", "hint", "syntax", "block", "pointer", "property", "start",
         "end", "line", "column", "end_line", "end_column", "doc_url", "fingerprint", "suppression", "advice",
         "item", "verdict", "node")  # fmt: skip


class Sample(NamedTuple):
    """A document to be judged by both. `media` is "html" or "json"."""

    name: str
    text: str
    media: str
    url: str | None = URL
    profiles: tuple[str, ...] = ()


class Answer(NamedTuple):
    """Report and preview of a document by one engine, made comparable."""

    findings: list[str]
    suppressed: list[str]
    items: Any
    preview: Any


# The Python engine.


def python_answer(sample: Sample, registry: Registry) -> Answer:
    data = sample.text.encode()
    if sample.media == "json":
        page = read_data(data, registry.vocabulary, url=sample.url)
    else:
        page = read_page(data, registry.vocabulary, url=sample.url)
    page.read_errors = [read_error for read_error in page.read_errors if read_error.rule not in NO_BYTES]
    report = json.loads(
        encode_json(file_data(validate_parsed(page, registry, now=NOW, profiles=sample.profiles), suppressed=True))
    )
    try:
        preview = json.loads(encode_json(msgspec.to_builtins(make_snippet(page, registry, url=sample.url, now=NOW))))
    except NothingToShow as nothing:
        preview = {"nothing": str(nothing)}
    return _answer(report, preview)


def _answer(report: dict[str, Any], preview: Any) -> Answer:
    return Answer(
        [_comparable(each) for each in report["findings"]],
        [_comparable(each) for each in report.get("suppressed", ())],
        {
            "items": report["items"],
            "verdicts": report.get("verdicts", []),
            "absence": report.get("absence"),
            "unread": report.get("unread"),
            "advice": report.get("advice", []),
        },
        preview,
    )


def _comparable(finding: dict[str, Any]) -> str:
    compared_fields = {key: finding[key] for key in _COMPARED if key in finding}
    if fix := finding.get("fix"):
        edits = [{key: edit[key] for key in ("start", "end", "text")} for edit in fix["edits"]]
        compared_fields["fix"] = {"safe": fix["safe"], "edits": edits}
    compared_fields["related"] = [
        [each[key] for key in ("message", "line", "column")] for each in finding.get("related", ())
    ]
    compared_fields["compared"] = [
        [each[key] for key in ("source", "value", "line", "column")] for each in finding.get("compared", ())
    ]
    return json.dumps(compared_fields, ensure_ascii=False, sort_keys=True)


# The browser's engine.


class Browser:
    """The engine in a page of its own, under the policy of the site. `complaints` is what the console reported."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def answers(self, samples: list[Sample], change: str = "") -> list[Answer]:
        """Answers about the samples. `change` is a script that spoils what the engine found, to see that this is noticed."""
        requests = [{**sample._asdict(), "profiles": list(sample.profiles)} for sample in samples]
        # As JSON: what Playwright itself does to bring values out of a page takes four times as long as the engine.
        reports = json.loads(self.page.evaluate(_VALIDATE, [requests, NOW.isoformat(), change]))
        return [_answer(report, preview) for report, preview in reports]

    def milliseconds(self, sample: Sample, rounds: int = 7) -> float:
        """The best time of several validations."""
        request = [sample.text, sample.media, sample.url, NOW.isoformat(), rounds]
        best: float = self.page.evaluate(_TIME, request)
        return best


_VALIDATE = """([samples, now, change]) => {
  const spoil = {drop: (report) => report.findings.pop(), move: (report) => { for (const each of report.findings) each.column += 1; }};
  // A member that is there without a value would be left out of JSON, and is a difference.
  const kept = (_name, value) => value === undefined ? "undefined" : value;
  return JSON.stringify(samples.map(({text, media, url, profiles}) => {
    const report = engine.validate({text, media, url, now, profiles}).files[0];
    if (change) spoil[change](report);
    const made = engine.preview({markup: text, media, site: url, now});
    if (made.nothing) return [report, {nothing: made.nothing}];
    const {service_type, standard_type, unified, snippet} = made;
    return [report, {service_type, standard_type, unified, snippet}];
  }), kept);
}"""
_TIME = """([text, media, url, now, rounds]) => {
  let best = Infinity;
  for (let n = 0; n < rounds; n++) {
    const start = performance.now();
    engine.validate({text, media, url, now});
    best = Math.min(best, performance.now() - start);
  }
  return best;
}"""


@contextmanager
def opened(browser: Any, registry: Registry) -> Iterator[Browser]:
    """The engine in a page of a browser, from a folder, as somebody opens the site without a server."""
    with tempfile.TemporaryDirectory() as folder:
        files = scripts(registry)
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        tags = "".join(f'<script defer src="{name}"></script>' for name in files)
        head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">{tags}'
        (Path(folder) / "index.html").write_text(f"<!doctype html><title>engine</title>{head}", encoding="utf-8")
        page = browser.new_page()
        made = Browser(page)
        page.goto((Path(folder) / "index.html").as_uri())
        page.evaluate("() => { window.engine = Waypost.load(WaypostRegistry); }")
        yield made
        page.close()


class Difference(NamedTuple):
    """What one side says and the other does not."""

    sample: Sample
    what: str
    python: str
    browser: str

    def __str__(self) -> str:
        return f"{self.sample.name}: {self.what}\n  python:  {self.python[:600]}\n  browser: {self.browser[:600]}"


def differences(sample: Sample, python: Answer, browser: Answer) -> Iterator[Difference]:
    for what, one, two in (
        ("findings", python.findings, browser.findings),
        ("suppressed", python.suppressed, browser.suppressed),
    ):
        if one != two:
            lacking = [each for each in one if each not in two]
            further = [each for each in two if each not in one]
            yield Difference(sample, what, "\n  ".join(lacking) or "(another order)", "\n  ".join(further))
    if python.items != browser.items:
        yield Difference(sample, "items", json.dumps(python.items), json.dumps(browser.items))
    if python.preview != browser.preview:
        one, two = (json.dumps(each.preview, ensure_ascii=False, sort_keys=True) for each in (python, browser))
        start = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
        yield Difference(sample, "preview", one[max(0, start - 80) :], two[max(0, start - 80) :])


def compared(samples: list[Sample], browser: Browser, registry: Registry, change: str = "") -> list[Difference]:
    """Every difference between the engines over some documents."""
    found: list[Difference] = []
    for start in range(0, len(samples), 50):
        part = samples[start : start + 50]
        for sample, theirs in zip(part, browser.answers(part, change), strict=True):
            found += differences(sample, python_answer(sample, registry), theirs)
    return found


# Documents that are there already.


def cases() -> Iterator[Sample]:
    """Every shared case that is text: rules, profiles and snippets."""
    for path in sorted(
        [
            *CASES.glob("rules/*/*"),
            *CASES.glob("profiles/*/*"),
            *CASES.glob("snippets/*/input.json"),
            *CASES.glob("absence/*"),
            *CASES.glob("unread/*"),
            *CASES.glob("graphs/*.html"),
        ]
    ):
        if path.suffix not in {".html", ".json", ".jsonld"} or path.name == "expected.json":
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        url = None if "of-unknown-address" in path.stem else URL
        named = re.search(r"<!-- profile: (\S+) -->", text)
        profiles = (named[1],) if named else ()
        yield Sample(str(path.relative_to(CASES)), text, "html" if path.suffix == ".html" else "json", url, profiles)


def real_pages(folder: Path) -> Iterator[Sample]:
    for path in sorted(folder.iterdir()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        try:
            yield Sample(path.name, data.decode(), "html")
        except UnicodeDecodeError:
            continue


# Documents made from a seed.

_TEXTS = (
    "Some words", "Zoë 🦊 𝒳", "שלום עולם", "a" * 99, "b " * 80, "by Ann Lee", "Ann Lee and Bob Roe", "Dr. Ann Lee, PhD",
    "&amp;amp;", "A &amp; B", "Fish & chips &copy; 2026", "<b>bold</b> &lt;i&gt;", "undefined", "{{ name }}", "${title}",
    "TODO: write", "lorem ipsum dolor", "n/a", "-", "", "  ", "\t\n", "line\nbreak", "null", "İstanbul ß ſ", "\u200b\ufeff",
    "\x1c", "\x85next", "e\u0301", "\ufffd", "x\u2028y", "null\x7f", "“quoted”", "it's \"both\"", "back\\slash", "1 < 2",
)  # fmt: skip
_DATES = (
    "2026-05-03", "2026-02-30", "2024-02-29", "2026-13-01", "2026", "2026-05", "2026-W18", "2026-W54-1", "2026-366",
    "20260503", "2026-05-03T18:30", "2026-05-03T18:30:00Z", "2026-05-03 18:30:00+0200", "2026-05-03T24:00:00Z",
    "2026-05-03T25:00", "2026-05-03T18:30:60Z", "2026-05-03T18:30:00.123456789+02", "2026-05-03T00:00:00+15:00",
    "1970-01-01T00:00:00Z", "0001-01-01", "-0043-03-15", "May 3, 2026", "3/5/2026", "31.12.2026", "2026-05-01/2026-05-03",
    "2026-05-01/..", "2030-01-01", "9999-12-31T23:59:59-12:00", "03 March 2026", "2026-1-2", "soon",
)  # fmt: skip
_DURATIONS = (
    "PT30M",
    "P1D",
    "PT",
    "PT0S",
    "30 minutes",
    "1 h 20 min",
    "01:20:00",
    "P1Y2M",
    "pt5m",
    "PT1H30M/PT2H",
    "P2W",
    "5:30",
    "P1.5D",
)
_NUMBERS = (
    "4.5",
    "4,5",
    "1.0",
    "-1",
    "0",
    "1e3",
    "1e999",
    "12345678901234567890123",
    "١٢",
    "4/5",
    "90%",
    "1,234",
    "0x10",
    "+5",
    ".5",
    "5.",
    "1_000",
    "NaN",
)
_PRICES = ("12.50", "12,50", "$1,299.00", "1.299,00 €", "free", "1.299", "from 5 to 10", "EUR 5", "-3", "0", "5 kr.")
_ADDRESSES = (
    "https://www.example.com/a", "http://localhost/x", "//cdn.example.com/i.jpg", "/relative/path", "www.example.com",
    "https://", "https://exa mple.com/", "https://example.com/a b.jpg", "javascript:alert(1)", "data:image/png;base64,AA",
    "mailto:a@example.com", "https://example.com:99999/", "https://[::1]/", "https://[::1", "https://bücher.example/ü?q=ä#ß",
    "https://example.com/%zz", "https://example.com/a[1]?b=[2]#c#d", "https://192.168.1.1/", "https://user:pw@example.com/",
    "#part", "https://www.example.com/page#main", "https://www.example.com/page", "_:b0", "image.jpg", "about:blank",
    "https://example.com/" + "x" * 300, "http://http://example.com", "https:/example.com", "not an address",
)  # fmt: skip
_CODES = (
    "EUR", "eur", "€", "DEM", "BTC", "XYZ", "DE", "de", "UK", "GER", "Germany", "germany", "en", "en_US", "English", "x-klingon",
    "https://schema.org/InStock", "InStock", "in stock", "http://schema.org/OutOfStock/", "schema:PreOrder", "Instock", "Mo",
    "Mo-Fr 09:00-17:00", "FULL_TIME", "full time", "TELECOMMUTE", "telecommute", "HOUR", "hourly", "4006381333931",
    "4006381333930", "9783161484100", "316148410X", "978-3-16-148410-0", "1234-5679", "+49 30 123456", "030 123456", "call us",
    "a@example.com", "a@b", "true", "True", "yes", "9 g", "g", "270 calories", "TRUE",
)  # fmt: skip
_POOL = (*_TEXTS, *_DATES, *_DURATIONS, *_NUMBERS, *_PRICES, *_ADDRESSES, *_CODES)
_OBJECTS: tuple[Any, ...] = (
    {}, [], [[]], {"@id": "#part"}, {"@id": "#nowhere"}, {"@id": URL}, {"@value": "word", "@language": "de"},
    {"@value": "word", "@language": "en_us"}, {"@value": {"a": 1}}, {"@value": 3, "name": "x"}, {"@list": ["a", "b"]},
    {"@set": [{"@type": "Person", "name": "P"}]}, {"@type": "Person"}, {"@type": "Person", "name": "Ann Lee", "url": "/ann"},
    {"@type": "Organization", "name": "Org", "logo": "logo.png"}, {"@type": "Role", "author": {"@type": "Person", "name": "R"}},
    {"@type": "ImageObject", "url": "https://www.example.com/a.jpg", "width": "1200px"}, {"@type": "Thng", "name": "?"},
    {"@type": ["Product", "Book"], "name": "Both"}, {"@type": "person", "Name": "case"}, {"name": "untyped"},
    {"@type": "https://schema.org/Offer", "price": "5", "priceCurrency": "EUR", "availability": "InStock"},
    {"@type": "AggregateRating", "ratingValue": 7, "reviewCount": "0"}, {"@type": "Rating", "ratingValue": "90%"},
    {"@type": "ListItem", "position": 1, "item": {"@id": "/a", "name": "A"}}, {"@type": "ex:Thing", "ex:name": "foreign"},
    {"@type": "QuantitativeValue", "value": 3}, {"@type": "PropertyValue", "name": "Colour", "value": "red"},
)  # fmt: skip
_LITERALS = (
    "1.0",
    "1",
    "-0",
    "0.1",
    "1E5",
    "12345678901234567890123456789",
    "9" * 400,
    "1.50",
    "1e-7",
    "true",
    "false",
    "null",
)
_CONTEXTS: tuple[Any, ...] = (
    "https://schema.org", "https://schema.org", "https://schema.org", "http://schema.org/", "https://schema.org/docs/jsonldcontext.json",
    "schema.org", "https://shema.org", "http://Schema.org/Recipe", "https://w3id.org/security/v1", "", 5, None,
    {"@vocab": "https://schema.org/"}, {"@vocab": "https://schema.org"}, {"schema": "https://schema.org/"},
    ["https://schema.org", {"@language": "de"}], {"@vocab": "https://schema.org/", "title": "name", "kind": "@type"},
    ["https://schema.org", {"name": {"@container": "@language"}}], {"@context": 3},
    {"@vocab": "https://schema.org/", "author": {"@id": "schema:author", "@type": "@id"}},
    {"@vocab": "https://schema.org/", "writes": {"@reverse": "author"}},
)  # fmt: skip


class _Literal(str):
    """A piece of JSON that is written as it is."""

    __slots__ = ()


class Maker:
    """Documents, valid and broken, from one seed."""

    def __init__(self, registry: Registry, seed: int) -> None:
        self.registry = registry
        self.random = random.Random(seed)
        self.types = sorted(registry.vocabulary.types)
        self.properties = sorted(registry.vocabulary.properties)
        self.carded = sorted(registry.service_types.services)
        types = {name for profile in registry.profiles.values() for name in profile.types}
        self.profile_types = sorted(name for name in types if name in registry.vocabulary.types)
        self.bases = [_loaded(sample.text) for sample in cases() if sample.media == "json"]
        self.bases = [base for base in self.bases if isinstance(base, dict)]

    def samples(self, count: int) -> Iterator[Sample]:
        for number in range(count):
            pick = self.random.random
            value = self.document()
            text = self.written(value).encode("utf-8", "replace").decode()  # a case has half a character
            if pick() < 0.3:
                text = self.broken(text)
            name = f"made-{number}"
            profiles = (self.random.choice(sorted(self.registry.profiles)),) if pick() < 0.1 else ()
            url = URL if pick() < 0.9 else None
            if pick() < 0.25:
                page = self.page(text, value).encode("utf-8", "replace").decode()
                yield Sample(name, page, "html", url, profiles)
            else:
                yield Sample(name, ("\ufeff" if pick() < 0.02 else "") + text, "json", url, profiles)

    def rdfa_samples(self, count: int) -> Iterator[Sample]:
        """Pages with RDFa, some with Microdata next to it."""
        for number in range(count):
            pick = self.random.random
            items = rdfa_pages.item(self.document(), self.random) if pick() < 0.5 else rdfa_pages.soup(self.random)
            more = self.markup(self.node(2), 0) if pick() < 0.2 else ""
            base = '<base href="https://cdn.example.com/deep/">' if pick() < 0.3 else ""
            page = f"<!doctype html><html><head>{base}</head><body>{items}{more}</body></html>"
            yield Sample(
                f"rdfa-{number}", page.encode("utf-8", "replace").decode(), "html", URL if pick() < 0.9 else None
            )

    def document(self) -> Any:
        """A node, a graph or a list of nodes under some context."""
        choice = self.random.random()
        if choice < 0.45:
            node = self.mutated(json.loads(json.dumps(self.random.choice(self.bases), default=str)))
        else:
            node = self.node(3)
        if self.random.random() < 0.15:
            node["@context"] = copy.deepcopy(self.random.choice(_CONTEXTS))
        else:
            node = {"@context": "https://schema.org", **node}
        if choice > 0.85:
            context = node.pop("@context")
            others = [self.node(2) for _ in range(self.random.randrange(1, 4))]
            for each in (node, *others):
                if self.random.random() < 0.5:
                    each["@id"] = self.random.choice(("#part", "#main", "#Part", URL, "_:b0", "/a b"))
            return {"@context": context, "@graph": [node, *others]}
        return [node, self.node(1)] if choice > 0.82 else node

    def node(self, depth: int) -> dict[str, Any]:
        """A thing of some type with some of its properties."""
        name = self.random.choice(self.random.choice((self.profile_types, self.profile_types, self.carded, self.types)))
        own = sorted(self.registry.vocabulary.properties_of((name,)))
        made: dict[str, Any] = {"@type": name}
        if self.random.random() < 0.8:
            made["name"] = self.random.choice(_TEXTS)
        for _ in range(self.random.randrange(1, 9)):
            prop = self.random.choice(own if self.random.random() < 0.9 and own else self.properties)
            made[prop] = self.value(prop, depth)
        return made

    def value(self, prop: str, depth: int) -> Any:
        """A value that the property takes, or any other."""
        choice = self.random.random()
        term = self.registry.vocabulary.properties.get(prop)
        ranges = term.r if term else ()
        if choice < 0.45 and ranges:
            expected = self.random.choice(ranges)
            fitting = {"Date": _DATES, "DateTime": _DATES, "Time": _DATES, "Duration": _DURATIONS, "Number": _NUMBERS, "Integer": _NUMBERS,
                       "URL": _ADDRESSES, "Boolean": _CODES}.get(expected)  # fmt: skip
            if fitting:
                return self.random.choice(fitting)
            if expected != "Text" and depth > 0:
                node = self.node(depth - 1)
                subtypes = [each for each in self.profile_types if self.registry.vocabulary.is_a(each, expected)] or [
                    expected
                ]
                return {**node, "@type": self.random.choice(subtypes)}
        if choice < 0.6:
            return _Literal(self.random.choice(_LITERALS))
        if choice < 0.7:
            return copy.deepcopy(self.random.choice(_OBJECTS))  # what is made may be changed
        if choice < 0.78:
            return [self.value(prop, depth - 1) for _ in range(self.random.randrange(4))]
        return self.random.choice(_PRICES if "rice" in prop else _POOL)

    def mutated(self, node: dict[str, Any]) -> dict[str, Any]:
        """A case with a few of its members changed, wherever they stand."""
        for _ in range(self.random.randrange(1, 4)):
            holders: list[Any] = [node]
            for each in holders:
                holders += [
                    part
                    for part in (each.values() if isinstance(each, dict) else each)
                    if isinstance(part, dict | list)
                ]
            holder = self.random.choice([each for each in holders if each] or [node])
            if isinstance(holder, list):
                holder[self.random.randrange(len(holder))] = self.random.choice(_POOL)
                continue
            key = self.random.choice(list(holder) or ["name"])
            action = self.random.random()
            if action < 0.5:
                holder[key] = self.value(key, 2)
            elif action < 0.65:
                holder.pop(key, None)
            elif action < 0.75:
                holder[self.slipped(key)] = holder.pop(key, "x")
            elif action < 0.85:
                holder[self.random.choice(self.properties)] = self.value(key, 1)
            elif action < 0.92:
                holder[key] = [holder.get(key), self.value(key, 1)]
            else:
                holder["@type"] = (
                    self.random.choice(self.types)
                    if self.random.random() < 0.6
                    else self.slipped(str(holder.get("@type", "Thing")))
                )
        return node

    def slipped(self, name: str) -> str:
        """A name with a slip of the pen."""
        if len(name) < 2:
            return name + "x"
        at = self.random.randrange(len(name))
        letter = self.random.choice(string.ascii_letters)
        return self.random.choice(
            (
                name.lower(),
                name.upper(),
                name[:at] + name[at + 1 :],
                name[:at] + letter + name[at:],
                f"{name}s",
                f"schema:{name}",
            )
        )

    def written(self, value: Any) -> str:
        """As JSON, in one of the ways people write it."""
        indent = self.random.choice((None, None, 1, 2, "\t"))
        text = json.dumps(_marked(value), indent=indent, ensure_ascii=self.random.random() < 0.4)
        for literal in _LITERALS:
            text = text.replace(f'"\\u0001{literal}"', literal)
        text = text.replace("\\u0001", "")
        return text.replace("\n", "\r\n") if self.random.random() < 0.1 else text

    def broken(self, text: str) -> str:
        """With one or two errors of the kinds that templates and hands make."""
        for _ in range(self.random.randrange(1, 3)):
            at = self.random.randrange(len(text) + 1)
            comma = text.find(",", at)
            quote = text.find('"', at)
            colon = text.find(":", at)
            closing = max(text.find("}", at), 0)
            text = self.random.choice((
                text[:closing] + "," + text[closing:],
                text[:comma] + text[comma + 1 :] if comma > 0 else text[:-1],
                text[: comma + 1] + " // why not\n" + text[comma + 1 :],
                text[: comma + 1] + "/* so */" + text[comma + 1 :],
                text.replace('"', "'"),
                text[:quote] + "“" + text[quote + 1 :],
                text[:quote] + text[quote + 1 :],
                text[:colon] + text[colon + 1 :],
                text[: quote + 1] + "a\tb\x00c" + text[quote + 1 :],
                text[: quote + 1] + "\\ud83e" + text[quote + 1 :],
                text[: quote + 1] + "\\x41\\'\\d" + text[quote + 1 :],
                text[: colon + 1] + "undefined," + text[colon + 1 :],
                text[: colon + 1] + self.random.choice(("NaN,", "True,", "0x1F,", "1.,", "{{ x }},", "Infinity,", "01,")) + text[colon + 1 :],
                text[:at],
                text + self.random.choice((";", "}", "]", "<p>", text, ",", "\n-->", "]]>")),
                self.random.choice(("<!--", "<![CDATA[", "var x = ", "{{ lead }}", "&quot;", "\u00a0", "//<![CDATA[\n")) + text,
                html.escape(text),
                text[:comma] + ',"@type":"Thing"' + text[comma:] if comma > 0 else text,
                text[:at] + self.random.choice("{}[]:,\"") + text[at:],
            ))  # fmt: skip
        return text

    def page(self, script: str, value: Any) -> str:
        """An HTML page with the script, with Microdata, or with both."""
        pick = self.random.random
        head = '<meta charset="utf-8">'
        if pick() < 0.3:
            head += f'<link rel="canonical" href="{html.escape(self.random.choice((URL, "/other", "https://www.example.com/x?y#z")))}">'
        if pick() < 0.2:
            head += '<base href="https://cdn.example.com/deep/">'
        kind = self.random.choice(
            ("application/ld+json", "application/ld+json", "application/LD+JSON; charset=utf-8", "application/json-ld")
        )
        scripts_ = f'<script type="{kind}">{script.replace("</", "<" + chr(92) + "/")}</script>' if pick() < 0.7 else ""
        body = self.markup(value, 0) if pick() < 0.7 else "<p>𝒳 words 🦊</p>"
        if pick() < 0.1:
            body = f"<!-- waypost-ignore {self.random.choice(('', 'unknown-property', 'empty-value: known', 'no-such-rule'))} -->{body}"
        if pick() < 0.1:
            body += '<noscript><div itemscope itemtype="https://schema.org/Thing"></div></noscript>'
        language = f' lang="{self.random.choice(("en", "de", ""))}"' if pick() < 0.5 else ""
        newline = self.random.choice(("\n", "", "\r\n"))
        return f"<!doctype html><html{language}><head>{head}{newline}{scripts_}</head>{newline}<body>{body}{newline}</body></html>"

    def markup(self, value: Any, depth: int, prop: str = "") -> str:
        """A node as Microdata, in tags of many kinds and with their usual errors."""
        pick = self.random.choice
        if isinstance(value, list):
            return "".join(self.markup(each, depth, prop) for each in value[:4])
        key = f' itemprop="{html.escape(prop)}"' if prop else ""
        if isinstance(value, dict):
            if depth > 4:
                return ""
            types = value.get("@type")
            name = types[0] if isinstance(types, list) and types else types
            home = pick(
                ("https://schema.org/", "https://schema.org/", "http://schema.org/", "https://www.schema.org/", "")
            )
            kind = f' itemtype="{home}{html.escape(str(name))}"' if isinstance(name, str) else ""
            identity = f' itemid="{html.escape(value["@id"])}"' if isinstance(value.get("@id"), str) else ""
            inner = "".join(self.markup(part, depth + 1, member) for member, part in value.items() if member[:1] != "@")
            if "@graph" in value:
                inner += self.markup(value["@graph"], depth)
            tag = pick(("div", "section", "span", "li", "p", "article", "td"))
            closing = pick((f"</{tag}>", f"</{tag}>", f"</{tag}>", ""))
            odd = pick(("", " class=c", ' style="color:red"', " onclick=x()"))
            return f"<{tag}{odd}{key} itemscope{kind}{identity}>{inner}{closing}"
        text = html.escape(str(value).replace("\x00", ""), quote=True)
        return pick((
            f"<span{key}>{text}</span>", f"<b{key}>{text}</b>", f"<p{key}>{text}", f'<meta{key} content="{text}">',
            f"<time{key} datetime='{text}'>then</time>", f"<time{key}>{text}</time>", f'<a{key} href="{text}">there</a>',
            f'<img{key} src="{text}" alt="">', f'<data{key} value="{text}">x</data>', f'<span{key} content="{text}">seen</span>',
            f"<i><b{key}>{text}</i> after</b>", f"<div{key}>{text}<br>more<script>1</script></div>", f'<link{key} href="{text}">',
            f"<td{key}>{text}</td>", f"<span{key}>&amp;copy; &#x1F98A; {text}</span>",
        ))  # fmt: skip


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except ValueError:
        return None


def _marked(value: Any) -> Any:
    """Literals marked with a character that `written` takes away again with their quotes."""
    if isinstance(value, _Literal):
        return f"\x01{value}"
    if isinstance(value, dict):
        return {key: _marked(part) for key, part in value.items()}
    return [_marked(part) for part in value] if isinstance(value, list) else value


# The benchmark itself.


@contextmanager
def launched() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        raise SystemExit("there is no chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


def sizes(registry: Registry) -> Iterable[tuple[str, int, int]]:
    """(script, bytes, bytes after gzip)"""
    for name, data in scripts(registry).items():
        yield name, len(data), len(gzip.compress(data, 9, mtime=0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--show", type=int, default=10, help="differences to print")
    args = parser.parse_args()
    registry = load()
    maker = Maker(registry, args.seed)
    sets = {
        "made documents": list(maker.samples(args.documents)),
        "made RDFa": list(maker.rdfa_samples(args.documents // 3)),
    }
    if args.cases:
        sets["cases"] = list(cases())
    if args.pages:
        sets["real pages"] = list(real_pages(args.pages))
    failed = False
    with launched() as chromium, opened(chromium, registry) as browser:
        for name, samples in sets.items():
            found = compared(samples, browser, registry)
            print(f"{name}: {len(samples)}, differences: {len(found)}")
            for each in found[: args.show]:
                print(each)
            failed = failed or bool(found)
        print(f"console: {len(browser.complaints)} messages", *browser.complaints[:3])
        small = next(iter(sorted(cases(), key=lambda sample: abs(len(sample.text) - 2600))))
        print(f"{len(small.text):,} characters of JSON-LD: {browser.milliseconds(small):.1f} ms")
        for sample in sorted(sets.get("real pages", ()), key=lambda sample: abs(len(sample.text) - 300_000))[:3]:
            print(f"{len(sample.text):,} characters of a real page: {browser.milliseconds(sample):.1f} ms")
    total = 0
    for name, size, packed in sizes(registry):
        total += packed
        print(f"{name}: {size:,} bytes, {packed:,} after gzip")
    print(f"together {total:,} after gzip")
    return 1 if failed or browser.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
