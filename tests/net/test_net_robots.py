"""robots.txt as RFC 9309 has it."""

from __future__ import annotations

import pytest

from waypost.net.robots import read

FILE = b"""\xef\xbb\xbf# a comment
User-Agent: other
Disallow: /

User-agent: Waypost/1.0
User-agent: another
Disallow: /private/   # not for us
Disallow: /*.pdf$
Allow: /private/open/
Disallow: /caf%c3%a9
Disallow:
Crawl-delay: 2.5
Sitemap: https://example.com/sitemap.xml

User-agent: *
Disallow: /all
"""


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("/", True),
        ("/private/", False),
        ("/private/x?y=z", False),
        ("/privat", True),
        ("/private/open/x", True),
        ("/a/b.pdf", False),
        ("/a/b.pdf?download", True),
        ("/caf\u00e9", False),
        ("/caf%C3%A9/menu", False),
        ("/%70rivate/", False),
        ("/all", True),
        ("/robots.txt", True),
    ],
)
def test_the_longest_pattern_of_our_own_group_decides(target: str, allowed: bool) -> None:
    assert read(FILE, "waypost").allows(target) is allowed


def test_unnamed_agents_belong_to_the_group_of_all() -> None:
    found = read(FILE, "somebody")

    assert not found.allows("/all")
    assert found.allows("/private/")


def test_groups_for_one_crawler_are_one_group() -> None:
    found = read(
        b"user-agent: waypost\nallow: /a\nuser-agent: x\ndisallow: /\nuser-agent: WAYPOST\ndisallow: /b", "waypost"
    )

    assert not found.allows("/b")
    assert found.allows("/c")


def test_of_two_equal_patterns_the_allowing_one_counts() -> None:
    assert read(b"user-agent: *\ndisallow: /page\nallow: /page", "waypost").allows("/page")


def test_the_delay_and_the_sitemaps_are_read() -> None:
    assert read(FILE, "waypost").delay_s == 2.5
    assert read(b"user-agent: *\ncrawl-delay: 1e9", "waypost").delay_s == 30
    assert read(FILE, "whoever").sitemaps == ("https://example.com/sitemap.xml",)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"<html>no such page</html>", b"disallow: /", b":\n::\n"])
def test_what_is_not_a_robots_file_forbids_nothing(data: bytes) -> None:
    assert read(data, "waypost").allows("/")


def test_many_wildcards_take_no_time_to_speak_of() -> None:
    found = read(b"user-agent: *\ndisallow: /" + b"*a" * 2_000 + b"$", "waypost")

    assert found.allows("/" + "a" * 1_999 + "b")
    assert not found.allows("/" + "a" * 2_000)
