"""`tools/join_places.py`: what a public list says about the listed places."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost.registry.world import load

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import join_places as join

WORLD = load()
USER = "https://pictures.test/u/jane4doe7"


def entry(**changes: Any) -> dict[str, Any]:
    known = {"what": "profile", "hosts": ["pictures.test"], "paths": ["/u/*"], "source": "https://pictures.test/help"}
    return known | changes


def confirmed(url: str, **changes: Any) -> dict[str, Any]:
    found = join.confirmed([join.Sample("alist", url)], [entry(**changes)], WORLD)
    return {host: sorted(by_path) for host, by_path in found[0].items()}


@pytest.mark.parametrize(
    ("url", "changes", "result"),
    [
        (USER, {}, {"pictures.test": ["/u/*"]}),
        ("https://www.pictures.test/u/jane4doe7", {}, {"pictures.test": ["/u/*"]}),
        ("https://pictures.test/album/jane4doe7", {}, {}),
        ("https://other.test/u/jane4doe7", {}, {}),
        # A user's name in the list stands where the entry has it, not in a folder behind.
        ("https://pictures.test/jane4doe7", {"paths": ["/*"], "names": "path"}, {"pictures.test": ["/*"]}),
        ("https://pictures.test/photo/jane4doe7", {"paths": ["/*"], "names": "path"}, {}),
        # An address in a listed folder does not confirm that the whole host is a place.
        (USER, {"paths": ["/*", "/u/*"]}, {"pictures.test": ["/u/*"]}),
        ("https://pictures.test/x7k2", {"paths": ["/*", "/u/*"]}, {"pictures.test": ["/*"]}),
        # A list that names a tenant's host says nothing of the names beside it.
        (
            "https://jane4doe7.pictures.test/",
            {"hosts": ["*.pictures.test"], "paths": ["/*"]},
            {"*.pictures.test": ["/*"]},
        ),
        ("https://jane4doe7.eu.pictures.test/", {"hosts": ["*.pictures.test"], "paths": ["/*"]}, {}),
        ("https://www.pictures.test/u/jane4doe7", {"hosts": ["*.pictures.test"]}, {}),
    ],
)
def test_a_list_confirms_a_place_by_host_and_path(url: str, changes: dict[str, Any], result: dict[str, Any]) -> None:
    assert confirmed(url, **changes) == result


def test_unconfirmed_parts_of_an_entry_retain_their_source() -> None:
    whole = entry(hosts=["pictures.test", "films.test"], paths=["/u/*", "/album/*"])
    found = join.confirmed([join.Sample("alist", USER)], [whole], WORLD)

    parts = join.divided(whole, found[0], "2026-11-27")

    assert parts == [
        entry(hosts=["pictures.test"], paths=["/u/*"], source="alist", read="2026-11-27"),
        entry(hosts=["pictures.test"], paths=["/album/*"]),
        entry(hosts=["films.test"], paths=["/u/*", "/album/*"]),
    ]


def test_lists_are_read_from_the_packages_that_hold_them(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    write("a/sherlock_project/resources/data.json", json.dumps({"P": {"url": "https://a.test/{}"}}))
    write("b/wmn-data.json", json.dumps({"sites": [{"uri_check": "https://b.test/{account}"}]}))
    write("c/providers.json", json.dumps([{"endpoints": [{"schemes": ["https://*.c.test/v/*"]}]}]))
    write("d/publicsuffixlist/public_suffix_list.dat", "test\n// ===BEGIN PRIVATE DOMAINS===\n// D\nd.test\n")
    write("e/gallery_dl/version.py", '__version__ = "1.2"')
    write("e/gallery_dl/extractor/e.py", 'class A:\n    example = "https://e.test/USER/12"\n')
    write("f/read.tsv", "https://docs.test/links\thttps://f.test/pay/1\n")

    assert [*join.samples(tmp_path)] == [
        join.Sample("sherlock", "https://a.test/jane4doe7"),
        join.Sample("whatsmyname", "https://b.test/jane4doe7"),
        join.Sample("oembed", "https://jane4doe7.c.test/v/jane4doe7"),
        join.Sample(
            "https://github.com/mikf/gallery-dl/blob/v1.2/gallery_dl/extractor/e.py", "https://e.test/jane4doe7/12"
        ),
        join.Sample("suffixes", "https://jane4doe7.d.test/jane4doe7"),
        join.Sample("https://docs.test/links", "https://f.test/pay/1"),
    ]


def test_a_rule_for_the_same_parameter_confirms_a_redirector() -> None:
    rules = [re.compile(r"^https?:\/\/leave\.test\/out\?to=([^&]*)")]

    assert join.known_to_clearurls("leave.test", "/out", {"parameters": ["to"]}, rules)
    assert not join.known_to_clearurls("leave.test", "/out", {"parameters": ["url"]}, rules)
    assert not join.known_to_clearurls("leave.test", "/exit", {"parameters": ["to"]}, rules)


def test_a_users_address_on_a_host_is_a_place() -> None:
    assert join.decided(join.Sample("alist", "https://www.paypal.com/paypalme/jane4doe7"), WORLD) == "place"
    assert join.decided(join.Sample("alist", "https://www.paypal.com/signin"), WORLD) == "own"
    assert join.decided(join.Sample("alist", USER), WORLD) == ""
