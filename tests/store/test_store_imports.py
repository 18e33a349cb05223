"""Claims out of files: whole or not at all, and never more than claims."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.models.relationship import Claim
from waypost.safety.review_subject import subject_of
from waypost.store import Store, imports, relationships
from waypost.store.errors import ClaimImportError
from waypost.store.imports import FORMATS, ImportOptions

NOW = 1_795_000_000_000
READING = ImportOptions("ann", subject_of, lambda name: (name.lower(), name), site="acme.example")

ClaimRow = tuple[str, str, str]


def claims_of(text: str, form: Any = None, reading: ImportOptions = READING) -> list[ClaimRow]:
    return [(c.domain, c.entity_name, c.type) for c in imports.read_claims(text.encode(), "file", form, reading)]


def problems_of(text: str | bytes, form: Any = None, reading: ImportOptions = READING) -> list[tuple[str, str]]:
    with pytest.raises(ClaimImportError) as raised:
        imports.read_claims(text if isinstance(text, bytes) else text.encode(), "file", form, reading)
    return list(raised.value.problems)


SETS = {
    "sets": [
        {
            "primary": "https://acme.example",
            "associatedSites": ["https://acme-shop.example"],
            "serviceSites": ["https://acme-cdn.example"],
            "ccTLDs": {"https://acme.example": ["https://acme.test"]},
            "rationaleBySite": {"https://acme-shop.example": "our shop\nand yours"},
        }
    ]
}
LINKS = [
    {
        "relation": ["delegate_permission/common.get_login_creds", "something.else"],
        "target": {"namespace": "web", "site": "https://login.acme.test"},
    },
    {"relation": [], "target": {"namespace": "android_app", "package_name": "example.acme"}},
]


def test_members_of_a_set_are_claimed_for_its_primary() -> None:
    claims = imports.read_claims(json.dumps(SETS).encode(), "sets.json", None, READING)

    assert [c.domain for c in claims] == ["acme-shop.example", "acme-cdn.example", "acme.test"]
    assert {c.entity_name for c in claims} == {"https://acme.example"}
    assert {(c.origin, c.source, c.submitter) for c in claims} == {("acme.example", "related-website-sets", "ann")}
    assert claims[0].statement == "our shop and yours"
    assert claims_of(json.dumps(SETS["sets"][0])) == [(c.domain, c.entity_name, c.type) for c in claims]


def test_a_link_file_claims_for_its_site_without_apps() -> None:
    assert claims_of(json.dumps(LINKS)) == [("login.acme.test", "acme.example", "official_login")]
    assert problems_of(json.dumps(LINKS), reading=READING._replace(site=""))[0][1].endswith("name its site with --site")


def test_a_spreadsheet_names_its_columns() -> None:
    text = (
        '\ufeffEntity,Domain,Type,Statement\r\nAcme,acme.example,,\r\n\r\nAcme,pay.acme.test,affiliate,"two\nlines"\r\n'
    )

    assert problems_of(text) == [("line 5", "statement holds control characters")]
    assert claims_of(text.replace("two\n", "two ")) == [
        ("acme.example", "Acme", "official_site"),
        ("pay.acme.test", "Acme", "affiliate"),
    ]


def test_every_unreadable_entry_has_its_place() -> None:
    rows = [
        "domain,entity,type",
        "acme.example,Acme,",
        "192.0.2.1,Acme,",
        "co.uk,Acme,",
        ",Acme,",
        "acme.test,,",
        "acme.test,Acme,official_shop",
        "acme.test,Acme,,,",
    ]

    found = problems_of("\n".join(rows))

    assert [where for where, _ in found] == [f"line {n}" for n in range(3, 9)]
    assert [why.split()[0] for _, why in found] == ["the", "the", "domain", "entity", "type", "it"]


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        ("domian,entity\n", "file", "unknown column 'domian'; did you mean domain?"),
        ("domain\nacme.example\n", "file", "there is no column 'entity'"),
        ("domain,entity,domain\n", "file", "a column is named twice"),
        ("domain,entity\n", "file", "there is no claim in it"),
        ('domain,entity\n"acme', "file", "line 2"),
        ("", "file", "there is no claim in it"),
        ("{'primary': 1}", "file", "line 1, column 2"),
        ('{"primary": 1}', "/primary", "this is not a domain"),
        ('{"sets": 1}', "file", "not a list"),
        ('{"primary": "https://a.test", "associatedSites": [1]}', "/associatedSites/0", "domain is empty"),
        ('{"primary": "https://a.test", "ccTLDs": []}', "/ccTLDs", "domain is empty"),
        ("[1]", "/0/target", "this is not a target"),
        ("[" * 100_000, "file", "nested too deeply"),
        (b"domain,entity\n\xff,x", "byte 14", "not UTF-8"),
    ],
)
def test_error_of_a_file_is_reported_with_its_place(text: str | bytes, where: str, why: str) -> None:
    (found,) = problems_of(text)

    assert found[0] == where
    assert why in found[1]


def test_a_number_without_end_does_not_crash() -> None:
    endless = '{"primary": "https://acme.example", "associatedSites": [' + "9" * 10_000 + "]}"

    assert problems_of(endless) == [("file", "it holds a number without end")]


@pytest.mark.parametrize(
    "site", ["acme.example", "https://u:k4n4ry@ACME.example/k4n4ry?k4n4ry", "https:\\\\acme.example?k4n4ry#k4n4ry"]
)
def test_the_publisher_of_a_claim_is_a_host(site: str) -> None:
    reading = READING._replace(site=site)

    (claim,) = imports.read_claims(json.dumps(LINKS).encode(), "f", None, reading)

    assert claim.origin == "acme.example"


@pytest.mark.parametrize("column", ["url", "evidence"])
def test_entries_that_are_not_addresses_are_not_repeated(column: str) -> None:
    ((_, why),) = problems_of(f"domain,entity,{column}\nshop.test,Acme,javascript:k4n4ry\n")

    assert why == f"{column} is not an address of a page"


def test_nothing_is_half_imported(store: Store) -> None:
    with pytest.raises(ClaimImportError, match="nothing was imported, one entry cannot be read"):
        store.write(
            lambda db: imports.import_claims(
                db, imports.read_claims(b"domain,entity\na.test,A\n1.1.1.1,B\n", "f.csv", None, READING), NOW
            )
        )

    assert store.read(lambda db: relationships.find_many(db)) == []


def test_a_file_taken_twice_adds_nothing(store: Store) -> None:
    claims = imports.read_claims(json.dumps(SETS).encode(), "sets.json", None, READING)

    assert store.write(lambda db: imports.import_claims(db, claims, NOW)) == (3, 3)
    assert store.write(lambda db: imports.import_claims(db, claims, NOW)) == (3, 0)

    records = store.read(lambda db: relationships.find_many(db))
    assert {(r.state, r.claims, r.origins) for r in records} == {("unreviewed", 1, 1)}


def test_a_set_and_link_file_of_one_site_agree(store: Store) -> None:
    link = [{"relation": [], "target": {"namespace": "web", "site": "https://acme-shop.example"}}]
    reading = READING._replace(entity_of=lambda _: ("acme", "Acme"))
    for document in (SETS, link):
        claims = imports.read_claims(json.dumps(document).encode(), "file", None, reading)
        store.write(lambda db, claims=claims: imports.import_claims(db, claims, NOW))

    (shop,) = [r for r in store.read(lambda db: relationships.find_many(db)) if r.domain == "acme-shop.example"]
    assert (shop.claims, shop.origins) == (2, 1)


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.just("https://a.test"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["sets", "primary", "associatedSites", "ccTLDs", "target", "site", "namespace", "relation"]
            ),
            inner | st.just("web"),
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON.map(json.dumps) | st.text(max_size=200), st.sampled_from([None, *FORMATS]))
def test_any_file_is_read_or_rejected(text: str, form: Any) -> None:
    rejected: tuple[tuple[str, str], ...] = ()
    claims: list[Claim] = []
    try:
        claims = imports.read_claims(text.encode("utf-8", "replace"), "file", form, READING)
    except ClaimImportError as error:
        rejected = error.problems

    assert bool(claims) != bool(rejected)
    assert all(where and why for where, why in rejected)
