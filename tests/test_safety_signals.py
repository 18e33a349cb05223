"""Every signal has hosts it must speak about and hosts it must be silent about.

tests/cases/signals/<signal>/bad-*    it speaks, as strongly as the case says, of the brand it names
tests/cases/signals/<signal>/good-*   it says nothing

The brands are those of tests/cases/signals/brands, which nobody owns.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import InvalidUrl
from waypost.models.decision import Evidence
from waypost.reader import read_page
from waypost.reader.links import linked_hosts
from waypost.registry import registry
from waypost.registry.world import World, load
from waypost.safety.brand_index import brand_index_of, folded, plain
from waypost.safety.catalogue import catalogue, signals_taking
from waypost.safety.host_reading import MOST_MATCHES, HostReading
from waypost.safety.page_claims import BrandLinks, claims_of
from waypost.safety.relationship import imitation
from waypost.safety.target import normalise, of_host

CASES = Path(__file__).parent / "cases" / "signals"
SHIPPED = load()
WORLD = World(
    {path: data for path, data in SHIPPED.files.items() if not path.startswith(("brands/", "sites.json"))}
    | {f"brands/x/{path.name}": path.read_bytes() for path in (CASES / "brands").glob("*.json")}
    | {"sites.json": b'{"sites": []}'}
)
NAMES = brand_index_of(WORLD)
VOCABULARY = registry.load().vocabulary
CANARY = "k4n4ry"


def cases(kind: str) -> list[Path]:
    return sorted(CASES.glob(f"*/{kind}-*.json"))


def case_id(case: Path) -> str:
    return f"{case.parent.name}/{case.stem}"


def evidence_in(case: Path) -> list[Evidence]:
    signal = catalogue()[case.parent.name.replace("-", "_")]
    given_ = json.loads(case.read_text(encoding="utf-8"))
    target = normalise(given_["url"])
    match signal.takes:
        case "reading":
            return list(signal.observe(HostReading(target, NAMES)))
        case "claims":
            page = read_page(given_["page"].encode(), VOCABULARY, url=given_["url"])
            return list(signal.observe(claims_of(target, page, VOCABULARY, WORLD)))
        case "back":
            linked = linked_hosts(given_["page"].encode(), "https://quillmart.example/")
            return list(signal.observe(BrandLinks(target, WORLD.brands["quillmart"], linked)))
        case _:
            return list(signal.observe(target))


@pytest.mark.parametrize("case", cases("bad"), ids=case_id)
def test_a_signal_is_reported_with_its_strength(case: Path) -> None:
    expected = json.loads(case.read_text(encoding="utf-8"))

    found = evidence_in(case)

    assert [(each.strength, each.brand) for each in found] == [(expected["strength"], expected.get("brand", ""))]
    assert found[0].detail
    assert found[0].status == "observed"


@pytest.mark.parametrize("case", cases("good"), ids=case_id)
def test_a_host_without_the_sign_is_left_alone(case: Path) -> None:
    assert evidence_in(case) == []


def test_every_signal_has_cases_of_both_kinds() -> None:
    for name in catalogue():
        kinds = {path.name.partition("-")[0] for path in (CASES / name.replace("_", "-")).glob("*.json")}
        assert kinds == {"bad", "good"}, name


def all_evidence(host: str) -> list[Evidence]:
    reading = HostReading(of_host(host), NAMES)
    return [each for signal in signals_taking("reading") for each in signal.observe(reading)]


def test_the_intended_brand_precedes_one_that_stands_nearby() -> None:
    found = all_evidence("acme.quillmart-refund.test")

    assert {each.brand for each in found} == {"acme", "quillmart"}
    brand = imitation(found, WORLD)
    assert brand is not None
    assert brand.slug == "quillmart"


def test_no_brands_own_domain_is_called_an_imitation() -> None:
    names = brand_index_of(SHIPPED)
    accused = []
    for domain in (*SHIPPED.official, *SHIPPED.further):
        for host in (domain, f"www.{domain}", f"login.{domain}"):
            reading = HostReading(of_host(host), names)
            if not SHIPPED.brand_at(of_host(host).registrable):
                continue
            if imitation((each for signal in signals_taking("reading") for each in signal.observe(reading)), SHIPPED):
                accused.append(host)

    assert accused == []


def test_confusable_letters_become_the_same() -> None:
    assert folded("qui11rnart") == folded("quillmart")
    assert plain("zоrbía", NAMES.prototypes) == "zorbia"
    assert plain("日本", NAMES.prototypes) == "日本"


def test_a_host_full_of_names_is_read_briefly() -> None:
    label = "-".join(["fmt"] * 15)

    hits = HostReading(of_host(f"{label}.{label}.test"), NAMES).matches

    assert 0 < len(hits) <= 2 * MOST_MATCHES


@given(st.from_regex(r"[a-z0-9а-я.-]{1,60}", fullmatch=True))
def test_any_host_is_read_and_only_it_repeated(text: str) -> None:
    try:
        target = normalise(f"https://{text}.test/{CANARY}?{CANARY}")
    except InvalidUrl:
        return
    reading = HostReading(target, NAMES)
    for signal in (*signals_taking("reading"), *signals_taking("target")):
        for each in signal.observe(reading if signal.takes == "reading" else target):
            assert CANARY not in repr(each)
            assert each.brand == "" or each.brand in WORLD.brands
