"""A condition that rules share (`WHEN`) spares them ordinary values: it must never hide one that a rule reports."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from itertools import product

import pytest

from waypost.models.page import Node, Value, is_present
from waypost.reader import read_data
from waypost.registry import load
from waypost.validate import value_conditions
from waypost.validate.dispatch import VALUE_CLASSES
from waypost.validate.item import Item, RuleContext
from waypost.validate.rulebook import ANY, Rule, rules_by_name

REGISTRY = load()
# A condition that a rule module defines itself is its own, and `check_value` relies on it.
SHARING = [rule for rule in rules_by_name().values() if rule.when and rule.when.__module__ == value_conditions.__name__]

WORDS = ["Ada", "ada", "By", "by", "BY", "Dr", "Dr.", "dr", "Chef", "Sir", "MD", "PhD", "Esq.", "Esq", "editor", "RD",
         "and", "&", "O'Neil", "Zoë", "李", "x1", "Author:", "autor",
         "Professor", "written", "Mbah", "Bya", "Drake"]  # fmt: skip
NAMES = [
    *WORDS,
    *(f"{one}{joint}{other}" for one, other in product(WORDS, WORDS) for joint in (" ", "  ", ", ", " and ", "/")),
    *(f"{one} {two} {three}" for one, two, three in product(WORDS[::3], WORDS[::4], WORDS[::5])),
]
NUMBERS: list[Value] = [
    0, 1, -1, 10**9, 10**80, True, False, Decimal("0.5"), Decimal(3), "0", "7", "-7", "+7", "007", "1.0", "1.5",
    "1,000", "1e3", "9" * 19, "9" * 20, "9" * 90, "٣", "²", " 5 ", "five", "5 stars", "",
]  # fmt: skip
ADDRESSES: list[Value] = [
    f"{scheme}{host}{rest}"
    for scheme in ("https://", "http://", "https:/", "//", "", "ftp://", "data:", "HTTPS://")
    for host in ("example.com", "www.example.com", "localhost", "10.0.0.1", "a..b", "b.local", "x", "münchen.test")
    for rest in ("", "/", "/a b", "/a%20b", "/%zz", "?q={x}", "/#me", ":8080/", ":99999/", "/<b>", " ")
]  # fmt: skip
DATES: list[Value] = [
    f"{day}{time}{zone}"
    for day in ("2026-01-02", "2026-02-30", "2026-13-01", "2026", "2026-05", "20260102", "2026-W05", "02/03/2026")
    for time in ("", "T10:00", "T10:00:00", " 10:00:00", "T25:00", "T24:00", "T1000", "t10:00")
    for zone in ("", "Z", "+02:00", "+0200", "+02", "+99:00", " GMT")
]  # fmt: skip


def things() -> list[Node]:
    """Nodes as pages hold them: described, referred to, foreign, with and without what a picture needs."""
    text = b"""{"@context": "https://schema.org", "@graph": [
        {"@type": "Person", "name": "Dr. Ada Lovelace, PhD"}, {"@type": "Person", "name": "By Ada"},
        {"@type": "Person", "name": "Ada and Bob"}, {"@type": "Person", "name": "Ada Lovelace"}, {"@type": "Person"},
        {"@type": "Organization", "name": "by Ada"}, {"@type": "ImageObject"}, {"@id": "https://example.com/"},
        {"@type": "ImageObject", "url": "https://example.com/a.jpg"}, {"@type": "ImageObject", "caption": "x"},
        {"@type": "ImageObject", "@id": "https://example.com/a.jpg", "caption": "x"}, {"@id": "not an address"},
        {"@type": "http://other.test/Picture", "name": "x"}, {"@type": "Article", "author": {"@id": "#nobody"}}]}"""
    return read_data(text, REGISTRY.vocabulary, url="https://www.example.com/").nodes


def is_checked(rule: Rule, value: Value) -> bool:
    """Is it a present value of a kind that the rule looks at?"""
    kinds = VALUE_CLASSES if rule.values == ANY else rule.values
    return is_present(value) and any(value.__class__ in VALUE_CLASSES[kind] for kind in kinds)


VALUES: list[Value] = [*NAMES, *NUMBERS, *ADDRESSES, *DATES, *things(), None]


@pytest.mark.parametrize("rule", SHARING, ids=lambda rule: rule.name)
def test_a_quick_check_spares_only_values_without_findings(rule: Rule) -> None:
    assert rule.when is not None
    assert rule.check_value is not None
    prop = next(iter(sorted(rule.properties)))
    prop = "url" if prop == "*" else prop
    page = read_data(b'{"@context": "https://schema.org", "@type": "Thing", "name": "x"}', REGISTRY.vocabulary)
    node = page.nodes[0]
    item = Item(
        node, RuleContext(page=page, registry=REGISTRY, now=datetime(2026, 11, 20, tzinfo=UTC), nodes_by_sign={})
    )
    spared = 0
    for value in VALUES:
        if is_checked(rule, value) and not rule.when(value):
            node.props[prop] = [value]
            assert list(rule.check_value(item, prop, 0, value)) == [], value
            spared += 1

    assert 0 < spared < len(VALUES)
