"""Severity by law: a wrong value is an error only where it costs the item its result, else it is a warning at most.

Every value that the case files call wrong is put into every place of every profile's example, where it is required,
recommended or asked for by nobody.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.test_profiles_generated import (
    GUARDS,
    HOME,
    LIVE,
    NOW,
    Made,
    checked,
    minimal,
    named,
    page_of,
    put_entry,
    reached,
    satisfied,
)

from waypost.models.finding import FileReport, cause_of
from waypost.models.page import Node, Page, Value
from waypost.models.profile import Profile
from waypost.reader import read_data, read_page
from waypost.registry import load
from waypost.registry.messages import Message, report_messages
from waypost.validate import validate_page
from waypost.validate.dispatch import nodes_by_sign, rule_drafts
from waypost.validate.item import RuleContext
from waypost.validate.profiles.profile_set import profile_index
from waypost.validate.rulebook import rules_by_name

CASES = Path(__file__).parent / "cases" / "rules"
REGISTRY = load()
NODE_RULES = ("rating-out-of-range", "rating-count-zero")
VALUE_RULES = [rule for rule in rules_by_name().values() if rule.check_value or rule.name in NODE_RULES]
MOST_VALUES = 2


class Wrong(NamedTuple):
    """A value that a rule reports, with the type of the node and the property where its case has it."""

    rule: str
    types: tuple[str, ...]
    prop: str
    value: Any


def plain(value: Value) -> Any:
    """A value as JSON-LD writes it; None for what cannot be moved to another place."""
    if not isinstance(value, Node):
        return None if value is None else value if isinstance(value, str | bool | int) else float(value)
    inner: Made = {"@type": list(value.types)} if value.types else {}
    if value.id:
        inner["@id"] = value.id
    return inner | {prop: [plain(one) for one in values] for prop, values in value.props.items()}


def drafted(page: Page) -> Iterator[Wrong]:
    context = RuleContext(page=page, registry=REGISTRY, now=NOW, nodes_by_sign=nodes_by_sign(page))
    for rule, draft in rule_drafts(context):
        if rule in VALUE_RULES and draft.node is not None and draft.prop is not None:
            values = draft.node.props[draft.prop]
            yield Wrong(rule.name, draft.node.types, draft.prop, plain(values[draft.index or 0]))


def wrong_values() -> dict[str, list[Wrong]]:
    found: dict[str, list[Wrong]] = {rule.name: [] for rule in VALUE_RULES}
    for rule in VALUE_RULES:
        for path in sorted((CASES / rule.name).glob("bad-*")):
            if path.suffix not in (".html", ".json", ".jsonld") or len(found[rule.name]) >= MOST_VALUES:
                continue
            read = read_page if path.suffix == ".html" else read_data
            url = None if "unknown-address" in path.name else f"{HOME}page"
            page = read(path.read_bytes(), REGISTRY.vocabulary, path=path.name, url=url)
            found[rule.name] += [wrong for wrong in drafted(page) if wrong.rule == rule.name][:MOST_VALUES]
    return found


WRONG = wrong_values()


def test_every_value_rule_has_a_wrong_value() -> None:
    assert not [name for name, values in WRONG.items() if not values]


def places(node: Any) -> Iterator[tuple[Made, str]]:
    """(object, property) of every value in a made node."""
    if isinstance(node, list):
        for one in node:
            yield from places(one)
    elif isinstance(node, dict):
        for prop, value in list(node.items()):
            if not prop.startswith("@"):
                yield node, prop
                yield from places(value)


def complete(profile: Profile) -> Made:
    """Everything that the profile requires and recommends."""
    node = minimal(profile)
    for entry in profile.recommended:
        paths = (entry.path or "", entry.each or "", *entry.any_of)
        if any("^" in path for path in paths) or "type" in (entry.when or {}) or "^" in str(entry.when):
            continue
        if not entry.when or satisfied(node, entry.when, nested=False):
            put_entry(node, entry)
    return node


def fitting(prop: str) -> list[Wrong]:
    """Wrong values of the rules that read a property: those of its cases first."""
    rules = [rule for rule in VALUE_RULES if prop in rule.properties]
    values = [sorted(WRONG[rule.name], key=lambda wrong: wrong.prop != prop)[:1] for rule in rules]
    return [wrong for found in values for wrong in found if wrong.value is not None]


def is_supported(profile: str) -> bool:
    return REGISTRY.profiles[profile].status == "supported"


def is_excused(lost: set[str], report: FileReport) -> bool:
    """Does the item still earn a result that excuses the lost ones?"""
    index = profile_index(REGISTRY)
    types = {feature.name: found for feature, found in index.features_for(report.items[0].types).pairs}
    left = [types[name] for name in report.items[0].eligible if name in types]
    # A result of another type is that of an item in a list, which has to earn it by itself.
    return all(name in types and any(index.excuses(other, types[name]) for other in left) for name in lost)


def checked_with(profile: Profile, whole: Made, place: int, value: Any) -> FileReport:
    node = copy.deepcopy(whole)
    holder, prop = list(places(node))[place]
    holder[prop] = value
    return checked(page_of(profile, node))


@pytest.mark.parametrize("profile", LIVE, ids=named)
def test_a_wrong_value_is_an_error_when_results_fail(profile: Profile) -> None:
    for whole in (minimal(profile), complete(profile)):
        before = checked(page_of(profile, whole))
        earned = set(before.items[0].eligible)
        assert earned or whole != minimal(profile)
        known = {(each.rule, each.pointer) for each in before.findings if each.severity == "error"}
        missed = {each.profile for each in before.findings if each.severity == "error"}
        for place, (_, prop) in enumerate(places(whole)):
            if not earned or prop in GUARDS.get(profile.name.removeprefix("google/"), ()):
                continue
            for wrong in fitting(prop):
                report = checked_with(profile, whole, place, wrong.value)
                errors = [e for e in report.findings if e.severity == "error" and (e.rule, e.pointer) not in known]
                errors = [e for e in errors if e.profile not in missed]
                where = f"{prop} = {wrong.value!r} ({wrong.rule}): {[each.message for each in errors]}"
                lost = {name for name in earned - set(report.items[0].eligible) if is_supported(name)}
                assert bool(errors) == bool(lost and not is_excused(lost, report)), where
                assert len(set(map(cause_of, errors))) <= 1, where
                assert not {each.profile for each in errors} & set(report.items[0].eligible), where


# `rdfa-vocab-missing` is about reading too, and leaves entries without a list to `list-item-outside-list`.
READING = {rule.name for rule in rules_by_name().values() if rule.explain} | {"rdfa-vocab-missing"}
OF_TYPES = {"type-address-wrong", "unknown-type"}


def test_only_unreadable_types_and_required_properties_are_always_errors() -> None:
    # A feed is a document of its own; its rows earn no results.
    errors = {rule.name for rule in rules_by_name().values() if rule.severity == "error" and rule.engine != "feeds"}

    assert errors - READING == OF_TYPES | {"required-property-missing", "profile-not-found"}


def test_a_wrong_optional_value_is_not_an_error() -> None:
    for values in WRONG.values():
        for wrong in values:
            node = {"@context": "https://schema.org", "@type": "CreativeWork", "name": "A work", "about": {
                "@type": wrong.types[0] if wrong.types else "Thing", wrong.prop: wrong.value}}  # fmt: skip

            report = checked(node)

            assert not [each.message for each in report.findings if each.severity == "error"], wrong


EARNING = {"@type": "Product", "name": "Kettle", "image": f"{HOME}a.jpg", "offers": {"@type": "Offer", "price": "64.90", "priceCurrency": "EUR"}}  # fmt: skip  # noqa: E501


def earned_by(text: str) -> tuple[tuple[str, ...], list[str]]:
    """(results, rules of the errors) of a script."""
    report = validate_page(f'<script type="application/ld+json">{text}</script>'.encode(), REGISTRY, url=HOME, now=NOW)
    return report.items[0].eligible, [each.rule for each in report.findings if each.severity == "error"]


@pytest.mark.parametrize(
    ("written", "instead", "rule"),
    [
        ('"name"', '"Name"', "property-wrong-case"),
        ('"offers"', '"Offers"', "property-wrong-case"),
        ('"price":', '"Price":', "property-wrong-case"),
        ('"Product"', '"product"', "type-wrong-case"),
        ('"EUR"}', '"EUR",}', "json-trailing-comma"),
        ('"@context": "https://schema.org", ', "", "jsonld-context-missing"),
    ],
)
def test_an_unread_result_is_explained_once(written: str, instead: str, rule: str) -> None:
    text = json.dumps({"@context": "https://schema.org"} | EARNING)

    assert earned_by(text)[0]
    assert earned_by(text.replace(written, instead)) == ((), [rule])


def test_a_misspelling_next_to_the_right_name_is_harmless() -> None:
    text = json.dumps({"@context": "https://schema.org"} | EARNING | {"Name": "Pot"})

    report = validate_page(f'<script type="application/ld+json">{text}</script>'.encode(), REGISTRY, url=HOME, now=NOW)

    (marked,) = [each for each in report.findings if each.rule == "property-wrong-case"]
    assert report.items[0].eligible
    assert (marked.severity, marked.fix) == ("warning", None)
    assert text[marked.start - 35 : marked.end - 35] == '"Name"'


SEEN = [
    message
    for messages in report_messages(REGISTRY)
    for message in messages.messages
    if message.template == "missing-field" and REGISTRY.profiles[message.profile].status != "retired"
]
# In these places the message needs more than that the property is away.
OTHERWISE = {
    "offers.priceSpecification.priceCurrency",  # an offer without a price of its own
    "mainEntity.suggestedAnswer.text",  # the only answer
    "offers.hasMerchantReturnPolicy", "offers.shippingDetails",  # objects that an offer of the example lacks
}  # fmt: skip


def taken_out(node: Made, path: str) -> Made:
    """The node without the property at the end of a path."""
    *way, last = path.split(".")
    node = copy.deepcopy(node)
    for holder in reached(node, way):
        holder.pop(last, None)
    return node


@pytest.mark.parametrize("message", SEEN, ids=lambda message: f"{message.profile} {message.path}")
def test_exactly_search_consoles_critical_problems_are_errors(message: Message) -> None:
    profile = REGISTRY.profiles[message.profile]
    whole = page_of(profile, complete(profile))
    if message.path == "recipeYield":
        whole["nutrition"] = {"@type": "NutritionInformation", "calories": "200 calories"}
    if message.path == "jobLocation":
        del whole["jobLocationType"]

    report = checked(taken_out(whole, message.path))

    errors = [each.message for each in report.findings if each.severity == "error" and each.profile == profile.name]
    if message.path not in OTHERWISE:
        assert bool(errors) == message.critical
        assert (profile.name in report.items[0].eligible) != message.critical


def test_every_message_names_existing_templates_profiles_and_rules() -> None:
    for messages in report_messages(REGISTRY):
        names = [template.name for template in messages.templates]
        assert len(names) == len(set(names))
        assert {message.template for message in messages.messages} <= set(names)
        assert {message.profile for message in messages.messages} <= set(REGISTRY.profiles)
        assert {rule for template in messages.templates for rule in template.rules} <= set(rules_by_name())
        assert max(message.seen for message in messages.messages) <= messages.as_of
