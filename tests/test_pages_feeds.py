"""What the site tells machines: its changes as Atom, where to report a weakness, what a link to it shows."""

from __future__ import annotations

import json
import re
import struct
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from uuid import NAMESPACE_OID, uuid5

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages import Settings, render
from waypost.pages.changes import contents, feed
from waypost.pages.draft import Source
from waypost.pages.feeds import security_txt
from waypost.registry import load
from waypost.registry.world import load as load_world

ROOT = Path(__file__).parent.parent
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SOURCE = Source(load(), load_world(), NOW)
ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "https://example.org/"


def recorded(folder: Path) -> Path:
    """Two releases: in the second a rule was new, one had changed, and an old one was gone."""
    now = contents(SOURCE)
    then = json.loads(json.dumps(now))
    del then["Rules"]["price-invalid"]
    then["Rules"]["date-ambiguous<&>"] = "x"
    then["Fields"]["image"] = "another"
    for version, date, report in (("0.9.0", "2026-08-01", then), ("0.10.0", "2026-10-02", now)):
        text = json.dumps({"version": version, "date": date, "contents": report})
        (folder / f"{version}.json").write_text(text, encoding="utf-8")
    return folder


def checked(data: bytes) -> ElementTree.Element:
    """The feed, held to what RFC 4287 asks of one."""
    root = ElementTree.fromstring(data)
    assert root.tag == f"{ATOM}feed"
    entries = root.findall(f"{ATOM}entry")
    for each in (root, *entries):
        for name in ("id", "title", "updated"):  # 4.1.1, 4.1.2: exactly one
            assert len(each.findall(f"{ATOM}{name}")) == 1, name
        moment = each.findtext(f"{ATOM}updated") or ""
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", moment), moment
        datetime.fromisoformat(moment)
        assert urlsplit(each.findtext(f"{ATOM}id") or "").scheme, "4.2.6: an absolute IRI"
        alternates = [(a.get("type"), a.get("hreflang")) for a in each.findall(f"{ATOM}link[@rel='alternate']")]
        assert len(set(alternates)) == len(alternates) == 1
        assert len(each.findall(f"{ATOM}summary")) <= 1
        for content in each.findall(f"{ATOM}content"):
            assert content.get("type") == "html"
            assert not list(content), "4.1.3.3: html is text, not elements"
    assert root.findtext(f"{ATOM}author/{ATOM}name"), "4.1.1: an author, of the feed or of every entry"
    assert len(root.findall(f"{ATOM}link[@rel='self']")) == 1
    ids = [each.findtext(f"{ATOM}id") for each in (root, *entries)]
    assert len(set(ids)) == len(ids)
    latest = max((each.findtext(f"{ATOM}updated") or "" for each in entries), default="")
    assert root.findtext(f"{ATOM}updated") == (latest or root.findtext(f"{ATOM}updated"))
    return root


def test_each_release_is_an_entry_about_the_registry(tmp_path: Path) -> None:
    newest, oldest = checked(feed(SOURCE, recorded(tmp_path), BASE)).findall(f"{ATOM}entry")

    assert [each.findtext(f"{ATOM}title") for each in (newest, oldest)] == ["waypost 0.10.0", "waypost 0.9.0"]
    assert newest.findtext(f"{ATOM}updated") == "2026-10-02T00:00:00Z"
    assert newest.findtext(f"{ATOM}summary") == "1 added, 1 changed, 1 removed"
    content = newest.findtext(f"{ATOM}content") or ""
    assert '<a href="https://example.org/rules/price-invalid/">price-invalid</a>' in content
    assert "<li>date-ambiguous&lt;&amp;&gt;</li>" in content
    assert "see the changelog" in (oldest.findtext(f"{ATOM}content") or ""), "of hundreds only how many"


def test_before_the_first_release_everything_is_new(tmp_path: Path) -> None:
    (entry,) = checked(feed(SOURCE, tmp_path, BASE)).findall(f"{ATOM}entry")

    assert (
        entry.findtext(f"{ATOM}id")
        == uuid5(uuid5(NAMESPACE_OID, "waypost registry"), f"unreleased/{SOURCE.registry.version}").urn
    )
    assert entry.findtext(f"{ATOM}updated") == "2026-11-20T00:00:00Z"


def test_a_feed_without_an_address_links_its_neighbour(tmp_path: Path) -> None:
    data = feed(SOURCE, recorded(tmp_path), "")
    files, _ = render(SOURCE, Settings())

    root = checked(data)
    links = [each.get("href") or "" for each in root.iter(f"{ATOM}link")]
    links += re.findall(r'href="([^"]*)"', " ".join(each.text or "" for each in root.iter(f"{ATOM}content")))

    assert len(links) > 5
    for link in links:
        assert urljoin("https://h.test/changelog/feed.xml", link).removeprefix("https://h.test/") in files, link
    assert feed(SOURCE, recorded(tmp_path), "") == data
    checked(files["changelog/feed.xml"])
    assert b"/changelog/feed.xml\n  Content-Type: application/atom+xml" in files["_headers"]
    page = files["changelog/index.html"].decode()
    assert '<link rel="alternate" type="application/atom+xml" href="../changelog/feed.xml"' in page


def test_a_site_at_its_hosts_root_has_security_contacts() -> None:
    files, _ = render(SOURCE, Settings(base=BASE))

    text = files[".well-known/security.txt"].decode()
    fields = dict(line.split(": ", 1) for line in text.splitlines())
    assert files["security.txt"] == files[".well-known/security.txt"]
    assert fields["Contact"] == "https://example.org/security/"
    assert "security/index.html" in files
    assert fields["Canonical"] == "https://example.org/.well-known/security.txt"
    until = datetime.fromisoformat(fields["Expires"])
    assert timedelta(0) < until - NOW < timedelta(days=366), "RFC 9116, 2.5.5"
    assert text.endswith("\n")
    assert sorted(fields) == ["Canonical", "Contact", "Expires", "Policy", "Preferred-Languages"]


@pytest.mark.parametrize("base", ["", "https://example.org/waypost/"])
def test_a_site_below_a_path_represents_no_host(base: str) -> None:
    assert security_txt(base, NOW) == {}


def test_links_to_an_addressed_site_have_a_picture() -> None:
    files, _ = render(SOURCE, Settings(base=BASE))
    page = files["rules/price-invalid/index.html"].decode()

    (address,) = re.findall(r'<meta property="og:image" content="([^"]*)">', page)
    data = files[address.removeprefix(BASE)]
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert '<meta property="og:image:width" content="1200">' in page
    assert '<meta property="og:image:height" content="630">' in page
    assert len(data) < 100_000
    elsewhere, _ = render(SOURCE, Settings(only="rules/price-invalid/"))
    assert b"og:image" not in elsewhere["rules/price-invalid/index.html"], "it may only be absolute"
