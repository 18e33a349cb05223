"""Threat lists: what is read out of each form, what is kept, and what a match and a miss are worth."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from waypost.feeds import Feeds, Match
from waypost.feeds.errors import FeedError, UnknownFeed
from waypost.feeds.file import Header, key
from waypost.feeds.formats import FORMS, LONGEST_LINE, Entry, Form, entries, entry_of, guess_format
from waypost.feeds.ingest import ingest, remove
from waypost.feeds.sorting import Sorter, packed, unpacked
from waypost.registry.world import load
from waypost.safety.target import normalise

NOW = 1_795_000_000_000
HOUR = 3_600_000


def taken(folder: Path, data: bytes | str, name: str = "list", **more: Any) -> Header:
    data = data.encode() if isinstance(data, str) else data
    usual: dict[str, Any] = {"source": "test", "form": None, "column": None, "now": NOW, "max_age_s": 3600}
    return ingest(folder, io.BytesIO(data), name=name, **(usual | more))


def hosts(data: str, form: Form, column: str | None = None) -> list[str | None]:
    return [each and each.host for each in entries(io.BytesIO(data.encode()), form, column)]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("evil.test", Entry("evil.test", page=False)),
        ("EVIL.Test.", Entry("evil.test", page=False)),
        ("http://evil.test", Entry("evil.test", page=False)),
        ("https://evil.test/", Entry("evil.test", page=False)),
        ("https://evil.test/login", Entry("evil.test", page=True)),
        ("https://evil.test/?a", Entry("evil.test", page=True)),
        ("https://evil.test?a", Entry("evil.test", page=True)),
        ("https://evil.test:8443/", Entry("evil.test", page=False)),
        ("https://good.example@evil.test/", Entry("evil.test", page=False)),
        ("http:\\\\evil.test\\@good.example", Entry("evil.test", page=True)),
        ("evil.test/path", Entry("evil.test", page=True)),
        ("b\u00fccher.test", Entry("xn--bcher-kva.test", page=False)),
        ("||evil.test^", Entry("evil.test", page=False)),
        ("||evil.test^$third-party", Entry("evil.test", page=False)),
        ("*.evil.test", Entry("evil.test", page=False)),
        ("8.8.8.8", Entry("8.8.8.8", page=False)),
        ("http://134744072/x", Entry("8.8.8.8", page=True)),
        ("http://[2606:4700:4700:0::1111]/", Entry("2606:4700:4700::1111", page=False)),
        *((text, None) for text in ("", "evil", "10.0.0.1", "printer.local", "a b.test", "ftp://evil.test/", "^^^", "http://")),
    ],
)  # fmt: skip
def test_an_entry_has_the_spelling_of_its_callers(text: str, entry: Entry | None) -> None:
    assert entry_of(text) == entry


@given(st.text(max_size=60) | st.from_regex(r"(https?://)?[a-z0-9.@:/?#\\-]{1,30}", fullmatch=True))
@example("http://0.0..")
@example("http://evil.test../")
def test_a_list_and_a_caller_agree_about_the_host(text: str) -> None:
    entry = entry_of(text)

    if entry and "://" in text and not text.startswith(("||", "*", ".")):
        assert normalise(text).host == entry.host


HOSTS = (
    "127.0.0.1 localhost\n::1 ip6-localhost\n# a comment\n0.0.0.0 evil.test www.evil.test # two\n\n0.0.0.0 OTHER.test\n"
)
PLAIN = (
    "\ufeff# title\n! note\n[Adblock Plus 2.0]\nevil.test\n||other.test^\n@@||fine.test^\nhttps://third.test/x #seen\n"
)
URLHAUS = (
    '# URLhaus\r\n# id,dateadded,url,url_status,last_online\r\n"1","2026-11-20","http://evil.test/a,b","online","x"\r\n'
    '"2","2026-11-20","http://other.test/","offline",""\r\n'
)
CSV = "rank;host;note\n1;evil.test;a\n2;other.test;b\n"
UNTITLED = "1,http://evil.test/x,ok\n2,http://other.test/y,fine.test\n"
CONFIG = {"version": 2, "fuzzylist": ["a.test"], "whitelist": ["b.test"], "blacklist": ["evil.test", "other.test"]}
OBJECTS = {"1": [{"url": "http://evil.test/", "reporter": "me.test"}], "2": [{"url": "http://other.test/"}]}


@pytest.mark.parametrize(
    ("data", "form", "found"),
    [
        (HOSTS, "hosts", ["evil.test", "www.evil.test", "other.test"]),
        (PLAIN, "plain", ["evil.test", "other.test", "third.test"]),
        ("https://evil.test/a\nhttps://other.test/b\n", "plain", ["evil.test", "other.test"]),
        (URLHAUS, "urlhaus", ["evil.test", "other.test"]),
        (CSV, "csv", ["evil.test", "other.test"]),
        (UNTITLED, "csv", ["evil.test", "other.test"]),
        (json.dumps(["evil.test", "http://other.test/x"]), "json", ["evil.test", "other.test"]),
        (json.dumps(CONFIG), "json", ["evil.test", "other.test"]),
        (json.dumps(OBJECTS), "json", ["evil.test", "other.test"]),
        (json.dumps({"evil.test": {"seen": 1}, "other.test": {}}), "json", ["evil.test", "other.test"]),
        (json.dumps({"data": {"domains": ["evil.test"]}}), "json", ["evil.test"]),
    ],
)
def test_each_form_is_recognized_by_its_beginning(data: str, form: Form, found: list[str]) -> None:
    assert guess_format(data.encode()) == form
    assert hosts(data, form) == found


def test_a_column_is_taken_by_name_or_number() -> None:
    assert hosts(CSV, "csv", "HOST") == hosts(CSV, "csv", "2") == ["evil.test", "other.test"]
    assert hosts(UNTITLED, "csv", "3") == [None, "fine.test"]
    for column, why in (("site", "columns are rank, host, note"), ("0", "no column '0'")):
        with pytest.raises(FeedError, match=why):
            hosts(CSV, "csv", column)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><title>Log in</title>", "a web page, not a list"),
        (b"this is\nno list\nof anything\n", "does not look like a list"),
        (b'{"domains": []}', "no host in it"),
        (b'{"domains": [', "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (gzip.compress(b"evil.test\n" * 5000, mtime=0)[:60], "cannot be read to its end"),
        (b"PK\x03\x04 no archive", "cannot be unpacked"),
    ],
)
def test_an_invalid_list_is_rejected_and_the_old_stays(tmp_path: Path, data: bytes, why: str) -> None:
    taken(tmp_path, "evil.test\n")
    before = (tmp_path / "list.feed").read_bytes()

    with pytest.raises(FeedError, match=why):
        taken(tmp_path, data)

    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"list.feed": before}


def test_a_list_of_mostly_other_text_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="2 of 3 entries are not hosts"):
        taken(tmp_path, "evil.test\nword\nword\n", form="plain")


def test_an_endless_line_is_passed_over(tmp_path: Path) -> None:
    header = taken(tmp_path, b"evil.test\n" + b"x" * (3 * LONGEST_LINE) + b"\nother.test\n" + b"y" * LONGEST_LINE)

    assert (header.hosts, header.unreadable) == (2, 0)


def test_a_packed_list_is_unpacked_on_the_way(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packing:
        packing.writestr("csv.txt", URLHAUS)

    assert taken(tmp_path, gzip.compress(HOSTS.encode()), "packed").hosts == 3
    assert taken(tmp_path, archive.getvalue(), "zipped").form == "urlhaus"


def test_a_stored_list_reveals_no_entry(tmp_path: Path) -> None:
    taken(tmp_path, "https://evil.test/secret-path?token=canary\nhttps://user:canary@other.test/\n")

    stored = (tmp_path / "list.feed").read_bytes()
    for word in (b"evil", b"other", b"secret", b"canary", b"user"):
        assert word not in stored
    assert (tmp_path / "list.feed").stat().st_mode & 0o077 == 0


def test_list_is_found_again_by_host_domain_and_page(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\nwww.evil2.test\nhttps://third.test/x\n", "one")
    taken(tmp_path, "evil.test\n", "two", now=NOW - HOUR)

    with Feeds.load(tmp_path) as feeds:
        assert feeds.matches("evil.test", "evil.test") == [
            Match("one", "host", NOW),
            Match("two", "host", NOW - HOUR),
        ]
        assert [each.on for each in feeds.matches("login.evil.test", "evil.test")] == ["domain", "domain"]
        assert [each.on for each in feeds.matches("www.evil2.test", "evil2.test")] == ["host"]
        assert feeds.matches("evil2.test", "evil2.test") == []
        assert [each.on for each in feeds.matches("third.test", "third.test")] == ["page"]
        assert feeds.matches("a.third.test", "third.test") == []


def test_without_a_list_there_is_no_evidence(tmp_path: Path) -> None:
    assert Feeds.load(tmp_path / "nowhere").evidence(normalise("https://evil.test/"), load(), NOW) == ()


def evidence_of(feeds: Feeds, url: str, now: int = NOW) -> list[tuple[str, str, str]]:
    return [(each.id, each.status, each.strength) for each in feeds.evidence(normalise(url), load(), now)]


def test_a_match_is_decisive_and_a_miss_proves_nothing(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\n")

    with Feeds.load(tmp_path) as feeds:
        assert evidence_of(feeds, "https://fine.test/") == [("list", "observed", "context")]
        assert evidence_of(feeds, "https://login.evil.test/secret?canary") == [
            ("list", "observed", "context"),
            ("list.match", "observed", "decisive"),
        ]
        (check, match) = feeds.evidence(normalise("https://evil.test/canary"), load(), NOW)
        assert (check.observed_at, check.valid_until) == (NOW, NOW + HOUR)
        assert match.detail == "evil.test is on the list 'list'"


def test_an_old_list_proves_nothing_and_names_hosts(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\n", "old")
    taken(tmp_path, "other.test\n", "new", now=NOW + HOUR - 1)

    with Feeds.load(tmp_path) as feeds:
        assert evidence_of(feeds, "https://fine.test/", NOW + HOUR - 1)[0][1] == "observed"
        assert evidence_of(feeds, "https://fine.test/", NOW + HOUR) == [("list", "stale", "context")]
        assert evidence_of(feeds, "https://evil.test/", NOW + HOUR)[1] == ("list.match", "observed", "decisive")
        assert feeds.stale(NOW + HOUR) == ["old"]


def test_a_list_from_the_future_is_not_fresh(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\n", now=NOW + 1)

    with Feeds.load(tmp_path) as feeds:
        assert evidence_of(feeds, "https://fine.test/") == [("list", "stale", "context")]
        assert evidence_of(feeds, "https://fine.test/", NOW + 1) == [("list", "observed", "context")]


def test_an_entry_covers_every_name_below_it_only(tmp_path: Path) -> None:
    taken(tmp_path, "||pay.evil.test^\n||co.uk^\n||blogspot.com^\n")

    with Feeds.load(tmp_path) as feeds:
        assert evidence_of(feeds, "https://a.b.pay.evil.test/")[1:] == [("list.match", "observed", "decisive")]
        for host in ("evil.test", "www.evil.test", "shop.co.uk", "shop.blogspot.com"):
            assert evidence_of(feeds, f"https://{host}/")[1:] == []


def test_unreadable_lists_are_not_the_same_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", closed)

    assert evidence_of(Feeds.load(tmp_path), "https://fine.test/") == [("list", "stale", "context")]


def test_an_entry_where_many_publish_is_only_a_sign(tmp_path: Path) -> None:
    shared = min(load().user_content)
    taken(tmp_path, f"https://{shared}/x/phish\nhttps://evil.test/phish\n")

    with Feeds.load(tmp_path) as feeds:
        assert evidence_of(feeds, f"https://{shared}/")[1:] == [("list.match", "observed", "medium")]
        assert evidence_of(feeds, "https://evil.test/")[1:] == [("list.match", "observed", "decisive")]


@pytest.mark.parametrize(
    "damage", [lambda d: d[:-1], lambda d: d + b"x", lambda d: b"", lambda d: b"waypost-feed/2\n" + d]
)
def test_damaged_list_is_named_and_counts_as_too_old(tmp_path: Path, damage: Any) -> None:
    taken(tmp_path, "evil.test\n")
    path = tmp_path / "list.feed"
    path.write_bytes(damage(path.read_bytes()))

    feeds = Feeds.load(tmp_path)

    assert [each.name for each in feeds.damaged] == ["list"]
    assert evidence_of(feeds, "https://fine.test/") == [("list", "stale", "context")]


def test_a_changed_hash_is_noticed(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\nother.test\n")
    path = tmp_path / "list.feed"
    with Feeds.load(tmp_path) as feeds:
        assert feeds.feeds[0].intact()
    path.write_bytes(path.read_bytes()[:-1] + b"\x00")

    with Feeds.load(tmp_path) as feeds:
        assert not feeds.feeds[0].intact()


def test_a_reader_uses_the_old_list_while_it_changes(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\n")
    with Feeds.load(tmp_path) as before:
        taken(tmp_path, "other.test\n")

        assert before.matches("evil.test", "evil.test")
        with Feeds.load(tmp_path) as after:
            assert not after.matches("evil.test", "evil.test")
            assert after.matches("other.test", "other.test")


def test_a_list_is_forgotten_by_its_name(tmp_path: Path) -> None:
    taken(tmp_path, "evil.test\n")

    remove(tmp_path, "list")

    for name in ("list", "../list", ""):
        with pytest.raises(UnknownFeed, match="there is no feed named"):
            remove(tmp_path, name)


@pytest.mark.parametrize("name", ["rdap", "UPPER", "a/b", "..", "", "a" * 41, "-a"])
def test_a_name_is_a_file_name_on_every_system(tmp_path: Path, name: str) -> None:
    with pytest.raises(FeedError, match="cannot be the name of a feed"):
        taken(tmp_path, "evil.test\n", name)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=60), st.integers(1, 9))
def test_numbers_come_in_order_and_once_whatever_is_held(numbers: list[int], run: int) -> None:
    sorter = Sorter(run)
    for number in numbers:
        sorter.add(number)

    data = b"".join(packed(sorter))
    sorter.close()

    assert list(unpacked(memoryview(data))) == sorted(set(numbers))
    assert data[:8] == (min(numbers).to_bytes(8, "little") if numbers else b"")


def test_exactly_the_entries_are_found(tmp_path: Path) -> None:
    chance = random.Random(7)
    entries = {f"h{chance.randrange(10**9)}.test" for _ in range(5000)}
    taken(tmp_path, "\n".join(entries))

    with Feeds.load(tmp_path) as feeds:
        assert all(feeds.matches(host, host) for host in entries)
        assert not any(feeds.matches(f"x{host}", f"x{host}") for host in entries)
    assert len({key(host) for host in entries}) == len(entries)


@settings(max_examples=60)
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode), st.sampled_from([None, *FORMS]))
def test_any_bytes_are_taken_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, form: Form | None
) -> None:
    folder = tmp_path_factory.mktemp("feeds")
    hosts = -1
    try:
        hosts = taken(folder, data, form=form).hosts
    except FeedError as error:
        assert str(error)  # noqa: PT017 - either outcome is right

    assert (hosts >= 0) == (folder / "list.feed").exists()
