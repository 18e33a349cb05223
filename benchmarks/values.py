"""Values in many forms at every path of a profile and at every property of one kind: reported, or right.

    python benchmarks/values.py [--every N] [--node] [--show N]

For each path of a profile (and of the objects inside) whose value is a number, a date, a time, a duration, a URL, a
currency, a rating and the like, and for each such property of the vocabulary, a page is made for each form of the
value. A right form must not be reported. A wrong one must be, and if a fix is offered, the fix must write one of the
texts that the form can mean: a fix that loses a digit, or changes a code, is counted as lost. Numbers without quotes
in JSON are fixed and read back likewise. With --node the browser's engine must report the same, to the letter.
Ends with 1 if anything is silent, lost, a false alarm, an example from elsewhere in a hint, or different in node.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from waypost.fixes import broken_blocks, fix_page
from waypost.models.finding import FileReport, Finding
from waypost.models.profile import Entry
from waypost.registry import load
from waypost.validate import validate_data
from waypost.validate.value_kinds import KINDS

TESTS = Path(__file__).resolve().parents[1] / "tests"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
GOOGLE = REGISTRY.consumers["google"]
URL = "https://www.example.com/page"
RIGHT = object()
_DEEPEST = 3


def module(name: str) -> ModuleType:
    """A module of the tests."""
    spec = importlib.util.spec_from_file_location(name, TESTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


GENERATED = module("test_profiles_generated")

# Kind -> form -> what it can mean: RIGHT, or the texts that a fix may write. An empty tuple: no fix may be offered.
Meaning = Any
NUMBERS: dict[Any, Meaning] = {
    "12.50": RIGHT, "3": RIGHT, 3: RIGHT, 3.5: RIGHT, "0": RIGHT, " 4 ": RIGHT,
    "3,49": ("3.49",), "1.299,00": ("1299.00",), "1,299.50": ("1299.50",), "1,299": (), "1 299": ("1299",),
    "0,50": ("0.50",), "1'299": ("1299",), "1_000": ("1000",), "٣٫٥": ("3.5",), "１２": ("12",), "5,": ("5",),
    "3 kg": (), "about 3": (), "12+": (), "1-2": (), "five": (), "N/A": (), "v2": (), "12:30": (), "1/2": (),
    "0x10": (), "NaN": (), "Infinity": (), "1.2.3": (), "--5": (), True: (), "true": (), "": (), " ": (),
}  # fmt: skip
INTEGERS: dict[Any, Meaning] = {
    "3": RIGHT, 3: RIGHT, "3.0": RIGHT, "120": RIGHT,
    "1,204": ("1204",), "1.204": ("1204",), "1 204": ("1204",), "12+": ("12",), "about 30": ("30",), "5 x": ("5",),
    4.5: (), "4.5": (), "4,5": ("4.5",), 9007199254740993: (), "9007199254740993": (), "five": (), "1-2": (), True: (), "": (), "3/4": (),
}  # fmt: skip
PRICES: dict[Any, Meaning] = {
    "12.50": RIGHT, 12.5: RIGHT, "0": RIGHT, 0: RIGHT,
    "12,50": ("12.50",), "€12.50": ("12.50",), "12,50 €": ("12.50",), "EUR 12.50": ("12.50",), "1.299,00 €": ("1299.00",),
    "40.000": (), "1.299": (), "19.990": (), "0.125": RIGHT, "1299.000": RIGHT, "12.50 USD": (), "US$ 12.50": (), "1,299": (), "from 5": (), "5 - 10": (), "free": ("0",), "call us": (),
    "": (), True: (), "12.50 each": (), "12.50.00": (), "-5": (),
}  # fmt: skip
RATINGS: dict[Any, Meaning] = {
    "4.5": RIGHT, 4: RIGHT, "90%": RIGHT, "4/5": RIGHT,
    "4,5": ("4.5",), "4.5 stars": (), "4 out of 5": ("4/5",), "4,5 von 5": ("4.5/5",), "five": (), "★★★★": (), "0": (),
    "6": (), "87": (), "-1": (), "A+": (), True: (), "": (), "6/5": (), "120%": (),
}  # fmt: skip
DAYS: dict[Any, Meaning] = {
    "2027-05-03": RIGHT, "2027-05-03T10:00:00+02:00": RIGHT, "2027-05-03T10:00:00.5Z": RIGHT,
    "2027-5-3": ("2027-05-03",), "2027/05/03": ("2027-05-03",), "20270503": ("2027-05-03",),
    "31.5.2027": ("2027-05-31",), "12/31/2027": ("2027-12-31",), "May 3, 2027": ("2027-05-03",), "03/04/2027": (),
    "3rd of May 2027": ("2027-05-03",), "2027-02-30": (), "2027-13-01": (), "0000-00-00": (), "soon": (),
    "2027-9-13T10:00": ("2027-09-13T10:00",), "2027-05-03 10:00:00": ("2027-05-03T10:00:00",),
    "2027-05-03T10:00:00+0200": ("2027-05-03T10:00:00+02:00",), "2027-05-03T10:00+02": ("2027-05-03T10:00+02:00",),
    "2027-05-03T1030Z": ("2027-05-03T10:30Z",), "2027-05-03T10:00:00,5Z": ("2027-05-03T10:00:00.5Z",),
    "20270503T103000Z": ("2027-05-03T10:30:00Z",), "2027-05-03T25:00:00Z": (), "2027-05-03T10:00:00+15:00": (),
    "2027-05-03T10:00:00-13:00": (), "2027-05-03T10:00-05:00[America/New_York]": ("2027-05-03T10:00-05:00",),
    "3 May 2027 10:30:45": ("2027-05-03T10:30:45",), "Mon, 03 May 2027 08:00:00 GMT": ("2027-05-03T08:00:00Z",),
    "2027-05-03/2027-05-05": (), "2027-W18-1": ("2027-05-03",), "2027-W18": (), "2027-123": ("2027-05-03",),
    "1809338400": ("2027-05-03T22:00:00Z", "2027-05-03T06:00:00Z", "2027-05-03T10:00:00Z"), 1809338400: (),
    True: (), "": (), "2027-05-03T10:00:00\u221205:00": ("2027-05-03T10:00:00-05:00",), "5": (), "27": (),
}  # fmt: skip
DAYS["1809338400"] = DAYS[1809338400] = (datetime.fromtimestamp(1809338400, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),)
TIMES: dict[Any, Meaning] = {
    "09:00": RIGHT, "09:00:00": RIGHT, "18:00:00+08:00": RIGHT, "24:00": RIGHT,
    "9:00": ("09:00",), "5 PM": ("17:00",), "5:30pm": ("17:30",), "9.30": ("09:30",), "9h30": ("09:30",),
    "9 Uhr": ("09:00",), "9": (), 9: (), "25:00": (), "09:60": (), "12:00-15:00": (), "9:00 - 17:00": (), "closed": (),
    "noon": ("12:00",), "": (), True: (), "morning": (), "12:00-14:00": (),
}  # fmt: skip
DURATIONS: dict[Any, Meaning] = {
    "PT30M": RIGHT, "PT1H30M": RIGHT, "P1DT2H": RIGHT, "PT90S": RIGHT,
    "30 minutes": ("PT30M",), "1 h 20 min": ("PT1H20M",), "01:20:00": ("PT1H20M",), "pt30m": ("PT30M",),
    "T1M54S": ("PT1M54S",), "P30S": ("PT30S",), "30": (), 30: (), "3:21": (), "PT": (), "P": (), "PT30": (), "M30": (),
    "half an hour": (), "P45M": ("PT45M",), "": (), True: (), "30 - 40 minutes": (),
}  # fmt: skip
ADDRESSES: dict[Any, Meaning] = {
    "https://www.example.com/a": RIGHT, "https://www.example.com/a?b=c#d": RIGHT, "/a/b.jpg": RIGHT,
    "https//www.example.com/a": ("https://www.example.com/a",), "http:/www.example.com/a": ("http://www.example.com/a",),
    "htps://www.example.com/a": ("https://www.example.com/a",), "https:www.example.com": ("https://www.example.com",),
    "http://https://www.example.com/a": ("https://www.example.com/a",), "www.example.com/a": ("https://www.example.com/a",),
    "https://": (), "https://a b.example.com/": ("https://a%20b.example.com/",),
    "https://www.example.com/a b.jpg": ("https://www.example.com/a%20b.jpg",), "not a link": (), "javascript:void(0)": (),
    "file:///a.jpg": (), "https://www.example.com:99999/": (), "https://www..example.com/": (), "<a href=x>": (),
    "http://localhost/a": (), "": (), True: (), 5: (), "https://www.example.com/a https://www.example.com/b": (),
}  # fmt: skip
CURRENCIES: dict[Any, Meaning] = {
    "EUR": RIGHT, "USD": RIGHT, "JPY": RIGHT,
    "eur": ("EUR",), "€": ("EUR",), "Euro": ("EUR",), "$": (), "Dollar": (), "EURO": ("EUR",), "DEM": (), "XYZ": (), "": (), 5: (),
    True: (), "978": (),
}  # fmt: skip
TRUTHS: dict[Any, Meaning] = {
    True: RIGHT, False: RIGHT, "true": RIGHT, "https://schema.org/True": RIGHT, "False": RIGHT,
    "yes": ("true",), "no": ("false",), "1": ("true",), "maybe": (), "": (), 5: (),
}  # fmt: skip
GTINS: dict[Any, Meaning] = {
    "4006381333931": RIGHT, 4006381333931: RIGHT,
    "4006381333930": (), "400638133393": (), "4.00638E+12": (), "none": (), "": (), True: (),
}  # fmt: skip
ISBNS: dict[Any, Meaning] = {
    "9783161484100": RIGHT,
    "978-3-16-148410-0": RIGHT,
    "9783161484101": (),
    "none": (),
    "": (),
}
PHONES: dict[Any, Meaning] = {"+49 30 123456": RIGHT, "030 1234567": (), "call us": (), "": (), "+49 (0)30 123": RIGHT}
COUNTRIES: dict[Any, Meaning] = {"DE": RIGHT, "de": ("DE",), "UK": ("GB",), "ZZ": (), "": ()}
EMAILS: dict[Any, Meaning] = {
    "a@example.com": RIGHT,
    "a (at) example.com": (),
    "": (),
    "a@example.com, b@example.com": (),
}
DEGREES: dict[Any, Meaning] = {
    "52.52001": RIGHT, 13.40495: RIGHT, "52,52001": ("52.52001",), "52° 31' N": (), "north": (), "520.52001": (), "": (), True: (),
}  # fmt: skip
OF_KIND: dict[str, dict[Any, Meaning]] = {
    "Number": NUMBERS, "Integer": INTEGERS, "rating": RATINGS, "Date": DAYS, "DateTime": DAYS, "Time": TIMES,
    "Duration": DURATIONS, "URL": ADDRESSES, "image": ADDRESSES, "currency": CURRENCIES, "Boolean": TRUTHS, "gtin": GTINS,
    "isbn13": ISBNS, "phone": PHONES, "country": COUNTRIES, "email": EMAILS,
}  # fmt: skip
OF_PROPERTY: dict[str, dict[Any, Meaning]] = {
    "price": PRICES, "lowPrice": PRICES, "highPrice": PRICES, "minPrice": PRICES, "maxPrice": PRICES,
    "latitude": DEGREES, "longitude": DEGREES, "isbn": ISBNS,
}  # fmt: skip
OF_VOCABULARY = {
    "number": NUMBERS, "integer": INTEGERS, "date": DAYS, "time": TIMES, "duration": DURATIONS, "url": ADDRESSES,
    "boolean": TRUTHS,
}  # fmt: skip


class Target(NamedTuple):
    """Place of a value: a page with a right value, the path of properties to it, and the forms to try."""

    name: str
    page: dict[str, Any]
    way: tuple[str, ...]
    forms: dict[Any, Meaning]
    rated: bool = False


class Trial(NamedTuple):
    target: Target
    form: Any
    meaning: Meaning
    text: str


def forms_of(prop: str, kinds: str) -> dict[Any, Meaning] | None:
    """Forms of the plain kinds of an entry; None where a text or an object will do."""
    if prop in OF_PROPERTY:
        return OF_PROPERTY[prop]
    names = kinds.split("|")
    if prop == "name":
        return None
    known = [OF_KIND[name] for name in names if name in OF_KIND]
    if "Text" in names or not known or len({id(each) for each in known}) > 1:
        return None
    # By the vocabulary these may have decimals, whatever the consumer's example shows.
    ranges = REGISTRY.vocabulary.properties[prop].r if prop in REGISTRY.vocabulary.properties else ()
    return NUMBERS if known[0] is INTEGERS and "Number" in ranges else known[0]


def entries_of(profile: str) -> Iterator[tuple[str, str]]:
    """(path from the item, kinds) of every entry of a profile and of the shapes inside."""
    source = REGISTRY.profiles[profile]
    yield from _entries("", (*source.required, *source.recommended, *source.limits), 0)


def _entries(way: str, entries: tuple[Entry, ...], depth: int) -> Iterator[tuple[str, str]]:
    for entry in entries:
        paths = [entry.path] if entry.path else [*entry.any_of, *sum(entry.any_of_groups, ())]
        for path in paths:
            kinds = entry.values.get(path or "", entry.value or "")
            if entry.absent or not path or path.startswith(("^", "@")) or not kinds or entry.equals is not None:
                continue
            full = f"{way}{entry.each + '.' if entry.each else ''}{path}"
            yield full, kinds
            for kind in kinds.split("|"):
                shape = GOOGLE.shapes.get(kind.removeprefix("shape:")) if kind.startswith("shape:") else None
                if shape and depth < _DEEPEST:
                    inner = REGISTRY.profiles[f"google/{shape.rule}"] if shape.rule else shape
                    yield from _entries(f"{full}.", (*inner.required, *inner.recommended, *inner.limits), depth + 1)


@cache
def targets() -> tuple[Target, ...]:
    return tuple(_targets())


def _targets() -> Iterator[Target]:
    seen: set[tuple[str, str]] = set()
    for profile in GENERATED.LIVE:
        for path, kinds in entries_of(profile.name):
            way = tuple(GENERATED.plain(path))
            forms = forms_of(way[-1], kinds)
            if forms is None or (profile.name, path) in seen or any(step.startswith("@") for step in way):
                continue
            seen.add((profile.name, path))
            node = GENERATED.minimal(profile)
            try:
                _type_way(node, profile.name, way)
                GENERATED.put(node, ".".join(way), next(form for form, meaning in forms.items() if meaning is RIGHT))
            except (KeyError, IndexError, TypeError):
                continue
            if way[-1] in ("price", "lowPrice", "highPrice"):
                for holder in GENERATED.reached(node, list(way[:-1])):
                    holder["priceCurrency"] = "EUR"
            yield Target(f"{profile.name} {path}", node, way, forms)
    vocabulary = REGISTRY.vocabulary
    for kind, forms in OF_VOCABULARY.items():
        for prop in sorted(getattr(KINDS, kind) - {"numberOfBathroomsTotal"}):
            term = vocabulary.properties[prop]
            if term.l == "attic" or not term.d:
                continue
            node = {
                "@context": "https://schema.org",
                "@type": (term.d[0] if kind != "duration" or "HowTo" not in term.d else "Recipe"),
                "name": "A",
                prop: next(iter(forms)),
            }
            forms_here = OF_PROPERTY.get(prop, forms)
            if forms is DURATIONS and prop not in ("cookTime", "prepTime", "totalTime", "performTime"):
                forms_here = {
                    form: meaning for form, meaning in forms.items() if form != "P45M"
                }  # a course lasts months
            yield Target(f"schema.org {prop}", node, (prop,), forms_here)


def _type_way(node: dict[str, Any], profile: str, way: tuple[str, ...]) -> None:
    """Give the objects on the way the types that the entries above name."""
    kinds = dict(entries_of(profile))
    for depth in range(1, len(way)):
        expected = next((kind for path, kind in kinds.items() if tuple(GENERATED.plain(path)) == way[:depth]), "")
        holders = GENERATED.reached(node, list(way[: depth - 1]), make=True)
        for holder in holders:
            if way[depth - 1] == "value" and not isinstance(holder.get("value"), dict):
                holder["value"] = {"@type": "QuantitativeValue"}
            if not isinstance(holder.get(way[depth - 1]), dict | list) and expected:
                kind = next((k for k in expected.split("|") if k.startswith("shape:") or k[:1].isupper()), "")
                if kind.startswith("shape:"):
                    holder[way[depth - 1]] = GENERATED.of_shape(GOOGLE.shapes[kind.removeprefix("shape:")])
                elif kind in REGISTRY.vocabulary.types:
                    holder[way[depth - 1]] = {"@type": kind, "name": "Some words"}


def trials(every: int = 1) -> Iterator[Trial]:
    count = 0
    for target in targets():
        for form, meaning in target.forms.items():
            count += 1
            if count % every and meaning is not RIGHT:
                continue
            if every > 1 and meaning is RIGHT and count % every:
                continue
            page = json.loads(json.dumps(target.page))
            GENERATED.put(page, ".".join(target.way), form)
            yield Trial(target, form, meaning, json.dumps(page, ensure_ascii=False))


def report_of(text: str) -> FileReport:
    return validate_data(text.encode(), REGISTRY, url=URL, now=NOW)


def about(trial: Trial, finding: Finding) -> bool:
    """Is a finding about the property of a trial?"""
    last = trial.target.way[-1]
    return last in re.split(r"[/.,| ]", f"{finding.pointer}/{finding.property or ''}") or last in finding.message


# Numbers that a hint may have though the value has none: names of standards, lengths and bounds.
_CONSTANTS = re.compile(
    r"ISO \d+(?:-\d)?|RFC \d+|BCP 47|hours go to 23, minutes and seconds to 59|-12:00 and \+14:00|00:00 as opens|in 24 hours"
    r"|\d+ digits|before 2007|8, 12, 13 or 14|gtin\d+|-?\d+ and \d+|of 1 to 5|1, 2, 3|H, M or S|\(or 10|at least \d+|0060:|0199:"
)


def foreign(trial: Trial, finding: Finding) -> bool:
    """Has the hint an example that has nothing to do with the value?"""
    hint = _CONSTANTS.sub("", (finding.hint or "").replace(trial.target.way[-1], ""))
    given = Counter(re.findall(r"[0-9]", f"{trial.form}{trial.meaning if trial.meaning is not RIGHT else ''}0000"))
    numbers = re.findall(r"[0-9][0-9.:,-]*", hint.translate(_DIGITS))
    return finding.rule not in _OF_OTHERS and any(Counter(re.findall(r"[0-9]", each)) - given for each in numbers)


# Findings about the rest of the page; the counts of a rating stand beside its value.
_OF_OTHERS = frozenset(
    {
        "required-property-missing",
        "recommended-property-missing",
        "profile-limit",
        "feature-not-eligible",
        "rating-out-of-range",
    }
)
_OF_RATINGS = frozenset({"required-property-missing", "rating-out-of-range"})
_DIGITS = str.maketrans("٣٫٥１２", "3.512")


def written_by(text: str, finding: Finding, way: tuple[str, ...]) -> list[str]:
    """Values at the end of the way after the fix of a finding."""
    assert finding.fix is not None
    data = text.encode()
    for edit in sorted(finding.fix.edits, key=lambda edit: -edit.start):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    page = json.loads(data)
    values = [holder[way[-1]] for holder in GENERATED.reached(page, list(way[:-1])) if way[-1] in holder]
    return [str(value).lower() if isinstance(value, bool) else str(value) for value in values]


class Result:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []

    def add(self, what: str, trial: Trial | str, more: str = "") -> None:
        self.counts[what] += 1
        place = trial if isinstance(trial, str) else f"{trial.target.name} = {trial.form!r}"
        self.problems.append(f"{what}: {place} {more}")


def run(every: int = 1) -> tuple[Result, list[str]]:
    """Counts and problems, and the texts tried."""
    result, texts = Result(), []
    baselines: dict[str, Counter[tuple[str, str, str]]] = {}
    for trial in trials(every):
        name = trial.target.name
        if name not in baselines:
            right = json.dumps(trial.target.page, ensure_ascii=False)
            baselines[name] = Counter(map(_key, report_of(right).findings))
        texts.append(trial.text)
        result.counts["forms tried"] += 1
        left = baselines[name].copy()
        new = []
        for finding in report_of(trial.text).findings:
            if left[_key(finding)] > 0:
                left[_key(finding)] -= 1
            else:
                new.append(finding)
        own = [finding for finding in new if about(trial, finding)]
        if trial.meaning is RIGHT:
            loud = [
                each
                for each in own
                if each.severity != "info"
                and each.rule not in _ABOUT_RIGHT_VALUES
                and "0, but must be" not in each.message
                and "does not fit" not in each.message
            ]
            if loud:
                result.add("false alarms", trial, f"{loud[0].rule}: {loud[0].message}")
            else:
                result.counts["right"] += 1
            continue
        if not own:
            result.add("silent", trial)
            continue
        result.counts["reported"] += 1
        for finding in own:
            if foreign(trial, finding):
                result.add("foreign examples", trial, f"{finding.rule}: {finding.hint}")
            if finding.fix is None:
                continue
            result.counts["repairs tried"] += 1
            after = written_by(trial.text, finding, trial.target.way)
            if str(trial.form) in after and len(after) > 1:
                after.remove(str(trial.form)) if after.count(str(trial.form)) < len(after) else None
            if not all(value in trial.meaning or value == str(trial.form) for value in after):
                result.add("lost digits", trial, f"{finding.rule}: {after}")
    return result, texts


# About the page as a matter of course: a date in the past or the future, the same address twice.
_ABOUT_RIGHT_VALUES = frozenset(
    {"event-in-the-past", "offer-expired", "date-published-in-future", "job-posting-expired", "video-expired",
     "event-ends-before-start", "valid-through-before-valid-from", "job-closes-before-posted", "minimum-above-maximum",
     "date-modified-before-published", "low-price-above-high-price", "video-url-is-the-page", "same-as-own-page",
     "list-position-duplicate", "breadcrumb-position", "total-time-too-short", "rating-bounds-reversed", "profile-limit",
     "rating-out-of-range", "clip-ends-before-start", "property-not-of-type", "death-before-birth",
     "count-below-what-is-listed", "repeated-value", "recommended-property-missing"}
)  # fmt: skip


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.pointer, finding.message


BARE = (
    "012345678905", "0012", "01067", "007.50", "-007", "00", "+1", "+4930123456", ".5", "-.5", "5.", "5.e3", ".5e3", "+.5", "0x10",
    "0x1F", "1_000", "1e5", "1E+5", "-0", "1.10", "0.0", "12345678901234567890123", "9007199254740993", "64,90", "0,5",
    "030-1234", "2026-05-03", "5/6/2026", "10:30", "00:30", "12%", "1/2", "1.2.3", "1..2", "12.50 EUR", "3 kg", "0b11", "1n", "½",
    "1 299,00", "1'299", "(030) 123", "+49 30 123456", "978-3-16-148410-0", "٣", "1-2", "--5", "01.02.2026",
)  # fmt: skip
CODES = ("gtin12", "sku", "mpn", "isbn", "telephone", "postalCode", "price", "position", "identifier")


def run_bare(result: Result, every: int = 1) -> list[str]:
    """Numbers and codes without quotes: no fix, safe or not, loses a digit or a zero in front."""
    texts = []
    validate, broken = partial(validate_data, registry=REGISTRY, now=NOW), partial(broken_blocks, kind="json")
    for form, prop, rest in list(product(BARE, CODES, ("}", ', "name": "A"}', "\n}")))[::every]:
        text = f'{{"@context": "https://schema.org", "@type": "Thing", "{prop}": {form}{rest}'
        texts.append(text)
        for unsafe in (False, True):
            after = fix_page(text.encode(), validate, broken=broken, unsafe=unsafe).data.decode()
            if after == text:
                continue
            result.counts["repairs tried"] += 1
            before, now = (
                re.sub(r"[^0-9½٣+]", "", re.split(rf'"{prop}": ', each)[1])
                for each in (text, after.replace('"3"', '"٣"'))
            )
            if now not in (before, f"0{before}"):
                result.add("lost digits", f"{prop}: {form}", after)
    return texts


def run_ratings(result: Result, every: int = 1) -> list[str]:
    """A value, two counts and two bounds in all combinations, against the rules of Google's page in a few lines."""
    values = (None, "", 0, 0.5, 1, 3, 5, 6, 10, -1, "4,5", "abc", "90%", "4/5", "6/5")
    counts = (None, 0, 1, "12", -1, "1,204", "abc")
    bounds = ((None, None), (1, 5), (0, 10), (None, 10), (0, None), (5, 1), (3, 3), (None, 1), (6, None), ("a", 5))
    texts = []
    for value, (ratings, reviews), (worst, best) in list(product(values, product(counts, counts), bounds))[::every]:
        members = {
            "ratingValue": value,
            "ratingCount": ratings,
            "reviewCount": reviews,
            "worstRating": worst,
            "bestRating": best,
        }
        rating = {"@type": "AggregateRating"} | {name: each for name, each in members.items() if each is not None}
        text = json.dumps(
            {"@context": "https://schema.org", "@type": "Product", "name": "A", "aggregateRating": rating},
            ensure_ascii=False,
        )
        texts.append(text)
        report = report_of(text)
        result.counts["ratings tried"] += 1
        is_reported = any(
            (
                each.severity != "info"
                and "ating" in f"{each.pointer}{each.property}{each.message}"
                and each.rule not in _OF_OTHERS - _OF_RATINGS
            )
            or each.rule in ("rating-count-zero", "rating-count-invalid")
            for each in report.findings
        )
        if is_reported != (not _is_sound(value, ratings, reviews, worst, best)):
            result.add("ratings wrong", json.dumps(members), "reported" if is_reported else "silent")
        if _costs(value, ratings, reviews, worst, best) and report.items[0].eligible:
            result.add("ratings wrong", json.dumps(members), f"eligible: {report.items[0].eligible}")
    return texts


def _amount(value: Any) -> float | None:
    try:
        return None if value in (None, "") else float(value)
    except ValueError:
        return None


def _scale_holds(value: Any, worst: Any, best: Any) -> bool | None:
    """Does the value lie in its scale? None where it cannot be read."""
    if isinstance(value, str) and "/" in value:
        top, bottom = value.split("/")
        return 0 <= float(top) <= float(bottom)
    if isinstance(value, str) and value.endswith("%"):
        return 0 <= float(value[:-1]) <= 100
    amount = _amount(value)
    if amount is None:
        return None
    low, high = _amount(worst), _amount(best)
    low, high = (1 if low is None else low), (5 if high is None else high)
    return low <= amount <= high or low > high


def _has_count(ratings: Any, reviews: Any) -> bool:
    return any((count := _amount(each)) is not None and count >= 1 for each in (ratings, reviews))


def _counts_nothing(ratings: Any, reviews: Any) -> bool:
    known = [count for each in (ratings, reviews) if (count := _amount(each)) is not None]
    return bool(known) and not any(known)


def _is_sound(value: Any, ratings: Any, reviews: Any, worst: Any, best: Any) -> bool:
    counts = [each for each in (ratings, reviews) if each is not None]
    low, high = _amount(worst), _amount(best)
    bounds_hold = all(each is None or _amount(each) is not None for each in (worst, best)) and (
        1 if low is None else low
    ) < (5 if high is None else high)
    return (
        _scale_holds(value, worst, best) is True and bounds_hold and _has_count(ratings, reviews)
        and all((count := _amount(each)) is not None and count >= 0 for each in counts)
    )  # fmt: skip


def _costs(value: Any, ratings: Any, reviews: Any, worst: Any, best: Any) -> bool:
    """Must the rating cost the product its result?"""
    holds = _scale_holds(value, worst, best)
    return holds is None or not _has_count(ratings, reviews) or (not holds and not _counts_nothing(ratings, reviews))


NODE_PROGRAM = """
const fs = require("fs");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const lines = ({ severity, rule, line, column, message, hint, fix }) => [severity, rule, line, column, message, hint ?? null,
  fix ? [fix.safe, fix.edits.map(({ start, end, text }) => [start, end, text])] : null];
process.stdout.write(JSON.stringify(cases.map((text) => engine.validate({ text, url: URL_OF_PAGE, media: "json",
  now: "2026-11-20T12:00:00Z" }).files[0].findings.map(lines))));
""".replace("URL_OF_PAGE", json.dumps(URL))


def run_node(result: Result, texts: list[str]) -> None:
    """Compare findings, hints and fixes of both engines on a sample."""
    node = module("test_engine_node")
    vars(node)["PROGRAM"] = NODE_PROGRAM
    with tempfile.TemporaryDirectory() as folder:
        answers = node.answers(Path(folder), texts)
    for text, answer in zip(texts, answers, strict=True):
        own = [
            [each.severity, each.rule, each.line, each.column, each.message, each.hint,
             [each.fix.safe, [[edit.start, edit.end, edit.text] for edit in each.fix.edits]] if each.fix else None]
            for each in report_of(text).findings
        ]  # fmt: skip
        result.counts["compared in node"] += 1
        if own != answer:
            differing = next((pair for pair in zip(own, answer) if pair[0] != pair[1]), (len(own), len(answer)))  # noqa: B905
            result.add("different in node", text, f"{differing[0]} | {differing[1]}")


BAD = ("silent", "lost digits", "false alarms", "foreign examples", "ratings wrong", "different in node")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth form")
    parser.add_argument("--node", action="store_true", help="compare a sample of 2,000 with the browser's engine")
    parser.add_argument("--show", type=int, default=20, metavar="N", help="problems to print of each kind")
    options = parser.parse_args()
    result, texts = run(options.every)
    texts += run_bare(result)
    texts += run_ratings(result)
    if options.node:
        run_node(result, texts[:: max(1, len(texts) // 2000)])
    for kind in BAD:
        of_kind = [each for each in result.problems if each.startswith(f"{kind}:")]
        print(*of_kind[: options.show], sep="\n", end="\n" if of_kind and options.show else "")
    keys = ("forms tried", "reported", "right", "ratings tried", "repairs tried", "compared in node", *BAD)
    print(", ".join(f"{result.counts[key]:,} {key}" for key in keys))
    return 1 if any(result.counts[kind] for kind in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
