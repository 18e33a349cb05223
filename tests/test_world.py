"""Every data file fits its shape, and the registry of brands holds together."""

from __future__ import annotations

import json
import re
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from waypost.errors import RegistryError
from waypost.models import decision as codes
from waypost.registry.assets import folder
from waypost.registry.places import UrlPath, _expression, _sorted, place_entries
from waypost.registry.sources import is_reviewed, problems, publishers
from waypost.registry.world import DATA, OfficialDomain, World, hosting_suffixes, load, shorteners
from waypost.safety.brand_index import brand_index_of
from waypost.safety.catalogue import catalogue
from waypost.safety.target import of_host, registrable_domain

WORLD = load()
META = folder("schemas") / "meta"


def schema(name: str) -> Draft202012Validator:
    document = json.loads((META / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


def schema_problems(name: str, paths: list[str]) -> list[str]:
    validator = schema(name)
    return [f"{path}: {error.message}" for path in paths for error in validator.iter_errors(WORLD.document(path))]


@pytest.mark.parametrize(
    ("name", "below"),
    [
        ("brand", "brands/"),
        ("policy", "policies/"),
        ("codes", "codes.json"),
        ("suffixes", "suffixes/"),
        ("redirectors", "places/redirectors.json"),
        ("publishers", "places/publishers.json"),
    ],
)
def test_every_data_file_fits_its_meta_schema(name: str, below: str) -> None:
    paths = [path for path in WORLD.files if path.startswith(below)]

    assert paths
    assert schema_problems(name, paths) == []


@pytest.mark.parametrize("path", ["places/publishers.json", "places/redirectors.json"])
def test_the_source_of_every_place_is_known(path: str) -> None:
    document = WORLD.document(path)
    entries = document.get("publishers") or document["redirectors"]
    named = {
        each
        for entry in entries
        for each in ([entry["source"]] if isinstance(entry["source"], str) else entry["source"])
    }

    assert {name for name in named if not name.startswith("https://")} == set(document["sources"])


def test_words_for_sites_and_user_folders_are_reserved() -> None:
    document = WORLD.document("places/publishers.json")

    assert {*document["site"], *document["functions"]} <= set(document["reserved"])
    assert {"login", "settings", "help", "legal", "blog", "careers", "cart"} <= set(document["site"])


@pytest.mark.parametrize(
    "spoiled",
    [
        {"official_domains": [], "further_domains": []},
        {"official_domains": [{"domain": "acme.example", "reviewed": "2026-11-20"}]},
        {"further_domains": [{"domain": "acme.example"}]},
        {
            "official_domains": [
                {"domain": "Acme.example", "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"]}
            ]
        },
        {"official_domains": [{"domain": "acme.example", "sources": ["hand"]}]},
        {"tokens": ["Acme"]},
        {"names": []},
        {"score": 1},
    ],
)
def test_a_brand_without_its_facts_does_not_fit(spoiled: dict) -> None:
    whole = WORLD.document("brands/p/paypal.json")

    assert schema("brand").is_valid(whole)
    assert not schema("brand").is_valid(whole | spoiled)


def test_there_are_2500_brands_in_their_folders() -> None:
    assert len(WORLD.brands) >= 2500
    for path in WORLD.files:
        if path.startswith("brands/"):
            letter, file = path.removeprefix("brands/").split("/")
            assert letter == (file[0] if file[0].isalpha() else "0"), path
            assert file.removesuffix(".json") in WORLD.brands, path


def test_no_domain_and_no_token_belongs_to_two_brands() -> None:
    domains = [domain for brand in WORLD.brands.values() for domain in brand.domains]
    tokens = [token for brand in WORLD.brands.values() for token in (*brand.tokens, *brand.short_or_common_tokens)]

    assert len(domains) == len(set(domains))
    assert len(tokens) == len(set(tokens))


def test_every_reviewed_domain_has_sources_and_its_day() -> None:
    entries = [entry for brand in WORLD.brands.values() for entry in brand.official_domains]

    assert [problem for entry in entries for problem in problems(entry)] == []
    assert all(publishers(entry.sources) for entry in entries)
    assert all(date.fromisoformat(entry.reviewed) >= date(2026, 11, 20) for entry in entries)
    assert sum(len(publishers(entry.sources)) >= 2 for entry in entries) >= 0.6 * len(entries)
    assert sum(bool(brand.official_domains) for brand in WORLD.brands.values()) >= 900


def test_the_main_site_of_a_brand_comes_first() -> None:
    for brand in WORLD.brands.values():
        assert not brand.official_domains or brand.official_domains[0].role == "principal", brand.slug


@pytest.mark.parametrize(
    ("names", "reviewed"),
    [
        (("twofactorauth", "simple-icons"), True),
        (("apple-change-password", "twofactorauth"), True),
        (("apple-change-password", "apple-shared-credentials"), True),
        (("twofactorauth", "hand"), True),
        (("twofactorauth", "restricted-suffix"), True),
        (("twofactorauth",), False),
        (("twofactorauth", "general"), False),
        (("hand", "restricted-suffix"), False),
        (("hand",), False),
        ((), False),
    ],
)
def test_a_review_needs_two_publishers_or_kinds_of_evidence(names: tuple[str, ...], reviewed: bool) -> None:
    assert is_reviewed(names) is reviewed


def test_an_unknown_source_is_named() -> None:
    entry = OfficialDomain("acme.test", "principal", "2026-11-23", ("twofactorauth", "gossip"))

    assert problems(entry) == ["acme.test: there is no source 'gossip' in sources.json"]


@pytest.mark.parametrize("host", ["ato.gov.au", "irs.gov", "ox.ac.uk", "www.hmrc.gov.uk", "sbi.bank.in", "city.lg.jp"])
def test_name_below_a_restricted_suffix_is_known_as_such(host: str) -> None:
    assert WORLD.is_restricted(host)


@pytest.mark.parametrize("host", ["gov", "gov.au.example.com", "government.test", "ato-gov.au", "irsgov.com", "go.com"])
def test_a_name_resembling_a_restricted_suffix_is_not_one(host: str) -> None:
    assert not WORLD.is_restricted(host)


def test_only_reviewed_brands_are_searched_in_hosts() -> None:
    assert all(token.brand.official_domains for token in brand_index_of(WORLD).tokens.values())


def test_every_brand_has_a_domain_and_some_are_unreviewed() -> None:
    reviewed = [brand for brand in WORLD.brands.values() if brand.official_home]

    assert all(brand.domains for brand in WORLD.brands.values())
    assert 369 <= len(reviewed) < len(WORLD.brands)
    assert all(brand.home == brand.official_home for brand in reviewed)


def test_every_official_domain_is_registrable_or_below_one() -> None:
    for domain in WORLD.official:
        assert of_host(domain).host == domain
        assert registrable_domain(domain) or domain in hosting_suffixes() or domain.count("."), domain


def test_brands_of_one_owner_are_a_group() -> None:
    owners: dict[str, list[str]] = {}
    for brand in WORLD.brands.values():
        owners.setdefault(brand.owner, []).append(brand.slug)

    assert {"google", "youtube"} <= set(owners["alphabet"])
    assert sum(len(group) > 1 for group in owners.values()) >= 40


@pytest.mark.parametrize(
    ("section", "enumeration"),
    [
        ("actions", codes.Action),
        ("relationship_statuses", codes.RelationshipStatus),
        ("risk_statuses", codes.RiskStatus),
        ("confidence_classes", codes.ConfidenceClass),
        ("evidence_types", codes.EvidenceType),
        ("evidence_statuses", codes.EvidenceStatus),
        ("reason_codes", codes.ReasonCode),
        ("summary_codes", codes.SummaryCode),
        ("unknowns", codes.Unknown),
        ("strengths", codes.Strength),
    ],
)
def test_every_code_has_exactly_one_sentence(section: str, enumeration: object) -> None:
    sentences = WORLD.document("codes.json")[section]

    assert set(sentences) == set(get_args(enumeration))
    for code, sentence in sentences.items():
        assert re.fullmatch(r"[A-Z].{10,}\.", sentence), f"{code}: {sentence}"


def test_every_action_has_a_verb() -> None:
    assert set(WORLD.document("codes.json")["verbs"]) == set(codes.ACTIONS)
    assert set(WORLD.document("codes.json")["doing"]) == set(codes.ACTIONS)


def test_every_signal_has_a_registered_code() -> None:
    for signal in catalogue().values():
        assert signal.summary_code in codes.SUMMARY_CODES


def test_the_world_is_named_by_its_contents() -> None:
    other = World(WORLD.files | {"sites.json": b'{"sites": []}'})

    assert World(WORLD.files).version == WORLD.version
    assert other.version != WORLD.version
    assert re.fullmatch(r"[0-9a-f]{12}", WORLD.version)


def test_a_data_file_that_cannot_be_used_is_named() -> None:
    spoiled = World({"brands/a/acme.json": b"{}", "sites.json": b"["})

    with pytest.raises(RegistryError, match=r"brands/a/acme\.json"):
        _ = spoiled.brands
    with pytest.raises(RegistryError, match=r"sites\.json"):
        _ = spoiled.sites
    with pytest.raises(RegistryError, match="no such data file"):
        spoiled.document("nothing.json")
    with pytest.raises(RegistryError, match="no data"):
        load(Path(__file__).parent / "cases" / "signals" / "nothing-is-here")


def test_shorteners_and_hosting_suffixes_are_lower_case_names() -> None:
    for domain in shorteners() | hosting_suffixes() | WORLD.user_content:
        assert of_host(domain).host == domain


def test_brand_files_can_be_read_by_people() -> None:
    text = (DATA / "brands" / "p" / "paypal.json").read_text(encoding="utf-8")

    assert '\n    {"domain": "paypal.com", "role": "principal", "reviewed": "2026-11-20", "sources": [' in text


@given(
    st.lists(st.sampled_from(["a", "b", "/", "*", "?", "ab", "*/"]), min_size=1, max_size=8).map("".join),
    st.text("ab/", max_size=14),
)
def test_pattern_of_paths_matches_as_a_shell_pattern_does(pattern: str, path: str) -> None:
    assert UrlPath(path).matches((pattern,)) == fnmatchcase(UrlPath(path).text, pattern)


def test_shipped_patterns_match_as_their_regular_expressions_do() -> None:
    """Most are matched without one; text put for `*` comes near each pattern from both sides."""
    for entry in place_entries(WORLD):
        for patterns, inclusive in ((entry.paths, False), (getattr(entry, "exceptions", ()), True)):
            for pattern in patterns:
                expression = re.compile(_expression(pattern, inclusive=inclusive), re.DOTALL)
                for text in ("", "a", "a/b", "/"):
                    near = pattern.partition("#")[0].replace("*", text).replace("?", "7")
                    for path in (near, f"{near}/c", f"/c{near}", near[:-1], f"{near}s"):
                        url_path = UrlPath(path)
                        expected = "#" not in pattern and any(map(expression.fullmatch, url_path._forms))
                        assert url_path.matches((pattern,), inclusive=inclusive) == expected, (pattern, path)


def test_few_patterns_of_a_host_need_a_regular_expression() -> None:
    """Compiling one for all paths took 150 ms at the first request about a host, and no one was answered meanwhile."""
    paths = {path for entry in place_entries(WORLD) for path in entry.paths}

    compiled = [path for path in paths if (found := _sorted((path,), inclusive=False)).others or found.with_fragment]

    assert len(compiled) < len(paths) / 8


def test_no_path_pattern_searches_a_long_path_twice() -> None:
    """A stranger's path of 8 kB took a second of a processor where two `.*` could give way to each other."""
    patterns = {
        path
        for kind in ("publishers", "redirectors")
        for entry in WORLD.document(f"places/{kind}.json")[kind]
        for path in (*entry.get("paths", ()), *entry.get("except", ()))
    }

    assert any(pattern.count("*") > 2 for pattern in patterns)
    for pattern in patterns:
        expression = _expression(pattern, inclusive=False)
        assert expression.count(".*") - expression.count("(?>.*?") <= 1, pattern
