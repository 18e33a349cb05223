"""For every profile, made from its own data: a node that earns the result, and one for each thing it can lack."""

from __future__ import annotations

import copy
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from waypost.models.finding import FileReport, Finding
from waypost.models.profile import Condition, Entry, Profile, Shape
from waypost.registry import load
from waypost.registry.vocabulary import DATA_TYPES
from waypost.validate import validate_data

REGISTRY = load()
GOOGLE = REGISTRY.consumers["google"]
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOME = "https://www.example.com/"
SAMPLES: dict[str, Any] = {
    "Text": "Some words", "HTML": "<p>Some words</p>", "URL": "https://www.example.com/a", "Date": "2026-12-24",
    "DateTime": "2026-12-24T18:00:00+01:00", "Time": "09:00", "Duration": "PT20M", "Number": "12.50", "Integer": 3,
    "Boolean": True, "currency": "EUR", "country": "DE", "language": "en", "gtin": "4006381333931",
    "isbn13": "9783161484100", "rating": "4.5", "image": "https://www.example.com/a.jpg", "phone": "+49 30 123456",
    "email": "a@example.com", "URL template": "https://www.example.com/?q={q}", "link": "https://www.example.com/b",
    "temporal": "2026", "year": "2026",
}  # fmt: skip
Made = dict[str, Any]


def of_kind(written: str, entry: Entry) -> Any:
    """A value of the first of the kinds that keeps the entry's bounds."""
    kind = written.partition("|")[0]
    home, _, name = kind.rpartition(":")
    if entry.equals is not None:
        return entry.equals
    if entry.min_length:
        return "Some words " * entry.min_length
    if home == "enum":
        return GOOGLE.enums[name].members[0]
    if home == "types":
        return {"@type": GOOGLE.enums[name].members[0], "name": "Some words"}
    if home == "shape":
        return of_shape(GOOGLE.shapes[name])
    return SAMPLES.get(kind, {"@type": kind, "name": "Some words"})


def of_shape(shape: Shape) -> Made:
    source: Shape | Profile = REGISTRY.profiles[f"google/{shape.rule}"] if shape.rule else shape
    node: Made = {"@type": source.types[0]}
    return filled(node if source.required else node | {"name": "Some words"}, source.required, nested=True)


def filled(node: Made, entries: tuple[Entry, ...], *, nested: bool = False) -> Made:
    """Give a node everything that is required of it, and what makes conditions true."""
    for entry in entries:
        if entry.when and not satisfied(node, entry.when, nested):
            continue
        put_entry(node, entry)
    return node


def satisfied(node: Made, condition: Condition, nested: bool) -> bool:
    """Make a condition true in a node; False where a node alone cannot."""
    (form, report), *_ = condition.items()
    match form:
        case "present":
            *way, last = plain(report)
            if not any(last in each for each in reached(node, way)):
                put(node, report, SAMPLES["Text"])
        case "path":
            expected = condition.get("is", condition.get("gt", 0) + 1 if "gt" in condition else None)
            put(node, report, expected[0] if isinstance(expected, list) else expected)
        case "type":
            expected = report["is"] if isinstance(report["is"], str) else report["is"][0]
            if "path" in report:
                put(node, report["path"], {"@type": expected, "name": "Some words"})
            else:
                node["@type"] = (
                    list(dict.fromkeys([node["@type"], expected])) if node["@type"] != expected else expected
                )
        case "all":
            met = [satisfied(node, each, nested) for each in report]
            return all(met)
        case "any":
            return satisfied(node, report[0], nested)
        case "nested":
            return nested
        case "not":
            undo(node, report)
            return not ("nested" in report and nested)
        case "intent":
            return False
    return True


def undo(node: Made, condition: Condition) -> None:
    """Make a condition about a value false in a node."""
    (form, report), *_ = condition.items()
    if form in ("present", "path"):
        *way, last = plain(report)
        for holder in reached(node, way):
            holder.pop(last, None)


def put_entry(node: Made, entry: Entry) -> None:
    paths = [entry.path] if entry.path else list(entry.any_of[:1] or entry.any_of_groups[0])
    for path in paths:
        assert path is not None
        if path.startswith("^"):
            continue
        whole = f"{entry.each}.{path}" if entry.each else path
        kind = entry.values.get(path, entry.value or "Text")
        value = list(entry.includes) if entry.includes else of_kind(kind, entry)
        least = max(entry.min_items or 1, 1)
        if least > 1:
            value = [copy.deepcopy(value) for _ in range(least)]
        put(node, whole, value, fresh=entry.unique or path == "position")


def plain(path: str) -> list[str]:
    return [part.partition("[")[0] for part in path.split(".")]


def put(node: Made, path: str, value: Any, *, fresh: bool = False) -> None:
    """Set what a path leads to in every object on the way; `fresh` makes each value another."""
    *way, last = plain(path)
    for number, each in enumerate(reached(node, way, make=True)):
        if isinstance(each.get(last), dict) and isinstance(value, dict):
            each[last] = {**value, **each[last]}
            continue
        if isinstance(each.get(last), dict) and isinstance(value, list):
            each[last] = [{**one, **copy.deepcopy(each[last])} for one in value]
            continue
        each[last] = value if not fresh else number + 1 if isinstance(value, int) else f"{value}{number}"


def reached(node: Made, way: list[str], *, make: bool = False) -> list[Made]:
    nodes = [node]
    for prop in way:
        inner: list[Made] = []
        for each in nodes:
            if make and not isinstance(each.get(prop), dict | list):
                ranges = [name for name in REGISTRY.vocabulary.properties[prop].r if name not in DATA_TYPES]
                each[prop] = {"@type": ranges[0], "name": "Some words"}
            found = each.get(prop, [])
            inner += [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict)]
        nodes = inner
    return nodes


def without(node: Made, path: str, each: str | None) -> Made:
    *way, last = plain(f"{each}.{path}" if each else path)
    node = copy.deepcopy(node)
    for holder in reached(node, way):
        holder.pop(last, None)
    return node


def minimal(profile: Profile) -> Made:
    """The least that earns the result, with whatever makes conditional entries ask for something."""
    node: Made = {"@context": "https://schema.org", "@type": profile.types[0]}
    if profile.applies_when:
        satisfied(node, profile.applies_when, nested=False)
    required = [entry for entry in profile.required if not entry.waits]
    return filled(node, required) if required else node | {"name": "Some words"}


def checked(node: Made, *options: str, now: datetime = NOW) -> FileReport:
    return validate_data(node, REGISTRY, url=HOME, now=now, profiles=options)


def page_of(profile: Profile, node: Made) -> Made:
    """The node in the place where the consumer looks for it."""
    nested = (profile.applies_when or {}).get("nested")
    if profile.list_min_items:
        numbers = range(1, profile.list_min_items + 1)
        items = [{"@type": "ListItem", "position": n, "item": node | {"url": f"{HOME}{n}"}} for n in numbers]
        return {"@context": "https://schema.org", "@type": "ItemList", "itemListElement": items}
    if not nested:
        return node
    return {"@context": "https://schema.org", "@type": nested["in"][0], nested["by"][0]: node}


def findings_of(report: FileReport, profile: Profile, *severities: str) -> list[Finding]:
    return [each for each in report.findings if each.profile == profile.name and each.severity in severities]


LIVE = [profile for profile in REGISTRY.profiles.values() if profile.status != "retired"]
RETIRED = [profile for profile in REGISTRY.profiles.values() if profile.status == "retired"]
# Removing a thing that the profile looks for leaves it with nothing to say, and an opposite cannot be removed.
GUARDS = {
    "carousel": {"itemListElement"},
    "carousel-beta": {"itemListElement", "item"},
    "math-solver": {"@type"},
    "merchant-listing": {"offers"},
    "paywalled": {"isAccessibleForFree"},
    "speakable": {"cssSelector"},
}


def removable(profile: Profile) -> list[Entry]:
    own = profile.name.removeprefix("google/")
    return [
        entry
        for entry in profile.required
        if GUARDS.get(own, set()).isdisjoint({entry.path, *entry.any_of}) and not (entry.path or "").startswith("^")
        and not (entry.when and not satisfied({"@type": profile.types[0]}, entry.when, nested=False))
        and not entry.waits
    ]  # fmt: skip


def named(profile: Profile) -> str:
    return profile.name


@pytest.mark.parametrize("profile", LIVE, ids=named)
def test_the_least_that_is_required_earns_the_result(profile: Profile) -> None:
    node = page_of(profile, minimal(profile))

    report = checked(node, profile.name)

    assert profile.name in report.items[0].eligible, [each.message for each in report.findings]
    own = [each for each in report.findings if each.profile == profile.name or not profile.item_types]
    assert not [each.message for each in own if each.severity == "error"]


MISSING = [(profile, entry) for profile in LIVE for entry in removable(profile)]


@pytest.mark.parametrize(
    ("profile", "entry"), MISSING, ids=[f"{p.name}-{e.path or '-or-'.join(e.any_of) or 'groups'}" for p, e in MISSING]
)
def test_each_required_entry_that_is_lacking_is_reported(profile: Profile, entry: Entry) -> None:
    node = minimal(profile) | ({"acquireLicensePage": HOME} if profile.name == "google/image-metadata" else {})
    if entry.when and not entry.each:
        satisfied(node, entry.when, nested=False)  # a later entry may have made its condition false
    for path in [entry.path] if entry.path else [*entry.any_of, *sum(entry.any_of_groups, ())]:
        assert path is not None
        node = without(node, path, entry.each)
    is_strict = entry.row == "required" and entry.severity is None and entry.basis in ("table", "prose")
    costs = is_strict and profile.status == "supported"

    report = checked(page_of(profile, node), profile.name)

    found = [each for each in report.findings if each.severity in (("error",) if costs else ("error", "warning"))]
    first = (entry.path or (entry.any_of or entry.any_of_groups[0])[0]).partition("[")[0]
    reported = [each.property or "" for each in found if each.rule == "required-property-missing"]
    elsewhere = [each.property for each in found if each.rule == "property-not-of-type"]  # reported where it stands
    assert any(first in each or (entry.each or first).startswith(each) for each in reported) or (
        first.rpartition(".")[2] in elsewhere
    ), reported


@pytest.mark.parametrize("profile", LIVE, ids=named)
def test_what_depends_on_an_intent_is_information(profile: Profile) -> None:
    hidden = [e for e in (*profile.required, *profile.recommended) if e.when and "intent" in e.when and not e.each]
    node = minimal(profile)
    for entry in hidden:  # a condition of another entry may have brought it in
        for path in [entry.path] if entry.path else entry.any_of:
            assert path is not None
            node = without(node, path, None)
    report = checked(page_of(profile, node), profile.name)
    result = " ".join(each.message for each in findings_of(report, profile, "info"))
    loud = " ".join(each.message for each in findings_of(report, profile, "error", "warning"))

    for entry in hidden:
        assert entry.when is not None
        open_path = entry.path or entry.any_of[0]
        also = any(other.path == entry.path and other.when != entry.when for other in profile.recommended)
        assert open_path in result, f"{open_path} is not mentioned"
        assert also or f" {open_path}," not in f"{loud},"


def retired_markup(profile: Profile) -> Made:
    if profile.name == "google/data-vocabulary":
        return {"@context": {"dv": "http://data-vocabulary.org/"}, "@type": "dv:Recipe", "dv:name": "Bread"}
    return minimal(profile)


@pytest.mark.parametrize("profile", RETIRED, ids=named)
def test_a_retired_result_is_reported_as_retired(profile: Profile) -> None:
    report = checked(retired_markup(profile), profile.name)

    reported = [each for each in report.findings if each.rule == "rich-result-retired" and each.profile == profile.name]
    assert [each.severity for each in reported] == ["info"]
    assert profile.retired_on is None or profile.retired_on in reported[0].message
    assert not findings_of(report, profile, "error", "warning")
    assert all(profile.name not in item.eligible for item in report.items)
    if report.items:
        assert profile.name in report.items[0].retired


DATED = [profile for profile in RETIRED if profile.retired_on and profile.name != "google/data-vocabulary"]


@pytest.mark.parametrize("profile", DATED, ids=named)
def test_a_retired_result_was_supported_until_its_day(profile: Profile) -> None:
    assert profile.retired_on is not None
    day = datetime.combine(date.fromisoformat(profile.retired_on), datetime.min.time(), UTC)

    before = checked(retired_markup(profile), profile.name, now=day - timedelta(seconds=1))
    after = checked(retired_markup(profile), profile.name, now=day)

    assert profile.name in before.items[0].eligible
    assert profile.name not in before.items[0].retired
    assert profile.name in after.items[0].retired
    assert profile.name not in after.items[0].eligible
    assert not [each for each in before.findings if each.rule == "rich-result-retired" and each.profile == profile.name]


@pytest.mark.parametrize("profile", [each for each in DATED if each.required], ids=named)
def test_gaps_of_a_retired_result_are_information(profile: Profile) -> None:
    node = {"@context": "https://schema.org", "@type": profile.types[0]}

    before = findings_of(checked(node, profile.name, now=datetime(2020, 1, 1, tzinfo=UTC)), profile, "error")
    after = checked(node, profile.name)

    assert before
    assert not findings_of(after, profile, "error", "warning")
    assert {each.property for each in before} <= {each.property for each in findings_of(after, profile, "info")}
