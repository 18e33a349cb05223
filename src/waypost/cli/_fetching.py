"""Pages from the web on behalf of the command line: which addresses, how politely, and what became of each."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from waypost.cli._arguments import count, moment
from waypost.cli._inputs import MOST_BYTES, Found, Input, is_address, read, read_stdin, without_credentials
from waypost.cli._run import UsageError, say
from waypost.errors import Unreadable
from waypost.models.finding import Fetch, FileReport

if TYPE_CHECKING:
    from waypost.net.address import AddressPolicy
    from waypost.net.crawl import Came, Crawler, Memory

_WORDS = {
    "fetched": "fetched",
    "unchanged": "unchanged since the last run",
    "error": "answered with an error",
    "disallowed": "not allowed by robots.txt",
    "refused": "refused",
    "failed": "failed",
    "not_fetched": "not asked for",
}


def add_fetching(parser: ArgumentParser) -> None:
    add = parser.add_argument_group(
        "pages from the web",
        "What lists and sitemaps name is asked for only where robots.txt allows it. Addresses that you name, here or "
        "in a list, may be on your own machine (http://localhost:8000/); where they lead must be public.",
    ).add_argument
    add("--urls", action="append", default=[], metavar="FILE|-",
        help="check the addresses in a file, one a line; what follows a # is a comment")  # fmt: skip
    add("--sitemap", action="append", default=[], metavar="URL|FILE",
        help="check the pages that a sitemap lists: an index, a text, gzip, or a site that has one")  # fmt: skip
    add("--modified-since", type=_since, default=None, metavar="DATE|DAYS",
        help="of a sitemap's pages, leave out those that it says are older: 2026-11-01, or 7d")  # fmt: skip
    add("--ignore-robots", action="store_true", help="do not ask robots.txt: for a site of your own")
    add("--rate", type=_amount, default=10.0, metavar="N", help="requests a second to one host (10); 0 sets no pace")
    add("--connections", type=_some, default=4, metavar="N", help="connections at once to one host (4)")
    add("--retries", type=count, default=2, metavar="N",
        help="try again what may pass: 429, 5xx, broken connections (2)")  # fmt: skip
    add("--timeout", type=_seconds, default=20.0, metavar="S", help="seconds that one page may take (20)")
    add("--max-time", type=_seconds, default=3600.0, metavar="S", help="seconds that all fetching may take (3600)")
    add("--max-urls", type=_some, default=10_000, metavar="N", help="pages to fetch at most (10000)")
    add("--allow-private", action="store_true",
        help="follow addresses into private networks, and to any port, also where you named no such host")  # fmt: skip


def _amount(text: str) -> float:
    if not re.fullmatch(r"\d{1,7}(\.\d{1,6})?", text, re.ASCII):
        raise ArgumentTypeError(f"{text!r} is no number; give 0 or more")
    return float(text)


def _seconds(text: str) -> float:
    amount = _amount(text)
    if not amount:
        raise ArgumentTypeError("give more than 0 seconds")
    return amount


def _some(text: str) -> int:
    if not (number := count(text)):
        raise ArgumentTypeError("give 1 or more")
    return number


def _since(text: str) -> datetime:
    """A time, or so many days before now."""
    if found := re.fullmatch(r"(\d{1,5})d", text, re.ASCII):
        return datetime.now(UTC) - timedelta(days=int(found[1]))
    try:
        return moment(text)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text!r} is no time; write it as 2026-11-01, or as 7d for seven days") from None


class FromTheWeb(msgspec.Struct):
    """The addresses that sitemaps give; `troubles` with sitemaps are told like pages that cannot be read.

    empty     sitemaps that list nothing.
    left_out  pages that have not changed for long enough.
    """

    inputs: list[Input] = []
    troubles: list[FileReport] = []
    empty: list[str] = []
    left_out: int = 0


def crawler_for(args: Namespace, inputs: Iterable[Input], memory: Memory | None) -> Crawler:
    """Who fetches, as the arguments have it. What the user names by hand may be a private address."""
    from waypost.net.crawl import Crawler, Manners
    from waypost.net.wire import Limits

    manners = Manners(
        rate=args.rate,
        connections=args.connections,
        retries=args.retries,
        total_s=args.max_time,
        urls=args.max_urls,
    )
    limits = Limits(total_s=args.timeout, connect_s=min(6.0, args.timeout), read_s=min(6.0, args.timeout))
    named = [*(each.where for each in inputs if each.kind == "url"), *filter(is_address, args.sitemap)]
    return Crawler(
        manners,
        robots=not args.ignore_robots,
        limits=limits,
        policy=policy_for(named, args.allow_private),
        memory=memory,
    )


def policy_for(named: Iterable[str], allow_private: bool) -> AddressPolicy:
    """Where fetching may lead: the public internet, and the hosts that were named by hand, as they were named."""
    from waypost.errors import FetchDenied
    from waypost.net.address import ALLOW_PRIVATE, PUBLIC
    from waypost.net.fetch import read_url

    if allow_private:
        return ALLOW_PRIVATE
    places = set()
    for each in named:
        try:
            stop = read_url(each)
        except FetchDenied:
            continue
        places.add((stop.host, stop.port))
    return msgspec.structs.replace(PUBLIC, named=frozenset(places))


def from_lists(names: Sequence[str], base_url: str | None) -> list[Input]:
    """The addresses in files, one a line."""
    found = []
    for name in names:
        for line in _text_of(name).splitlines():
            address = line.partition(" #")[0].strip() if not line.lstrip().startswith("#") else ""
            if address:
                found.append(Input(without_credentials(address), address, "url", base_url, listed=True))
    return found


def _text_of(name: str) -> str:
    """A file of addresses. Raises UsageError where there is none to read."""
    try:
        data = read_stdin() if name == "-" else Path(name).read_bytes()
    except (OSError, Unreadable) as fault:
        why = (fault.strerror or str(fault)).lower() if isinstance(fault, OSError) else fault.reason
        raise UsageError(f"--urls {name}: {why}") from None
    if len(data) > MOST_BYTES or b"\0" in data:
        raise UsageError(f"--urls {name}: this is no list of addresses")
    return data.decode("utf-8-sig", "replace")


def from_sitemaps(args: Namespace, crawler: Crawler, already: int) -> FromTheWeb:
    """The pages that sitemaps list; `already` are asked for besides and count towards --max-urls."""
    made = FromTheWeb()
    for name in args.sitemap:
        start: str | bytes = name
        if not is_address(name):
            try:
                start = read(Input(name, name, "file"))
            except Unreadable as fault:
                made.troubles.append(FileReport(path=name, error=fault.reason))
                continue
        told = crawler.listed(
            start, since=args.modified_since, already=already + len(made.inputs), name=without_credentials(name)
        )
        made.inputs.extend(Input(without_credentials(url), url, "url", None, listed=True) for url in told.pages)
        made.troubles.extend(FileReport(path=without_credentials(url), error=why) for url, why in told.troubles)
        made.left_out += told.left_out
        if told.left_out and not args.quiet:
            say(f"{name}: {told.left_out:,} pages have not changed since {args.modified_since:%Y-%m-%d}")
        if told.over:
            say(f"{name}: {told.over:,} more pages are left out; --max-urls {args.max_urls} allows no more")
        if not (told.pages or told.troubles or told.left_out or told.over):
            made.empty.append(name)
    return made


def limited(found: Found, most: int) -> Found:
    """No more addresses than are allowed, those named first; what is left out is said."""
    number = 0
    kept = []
    for each in found.inputs:
        number += each.kind == "url"
        if each.kind != "url" or number <= most:
            kept.append(each)
    if number > most:
        say(f"{number - most:,} of {number:,} addresses are left out; --max-urls {most} allows no more")
    return found._replace(inputs=kept)


def fates(inputs: Sequence[Input], crawler: Crawler) -> Iterator[tuple[int, Came]]:
    """What became of every input that is an address. What was named one by one is fetched like by a browser."""
    for listed in (False, True):
        part = [n for n, each in enumerate(inputs) if each.kind == "url" and each.listed is listed]
        for index, came in crawler.pages([inputs[n].where for n in part], obey=None if listed else False):
            yield part[index], came


def fetch_of(came: Came, asked: str) -> Fetch:
    """What a report says about how a page was had."""
    ended = came.url.reveal() if came.url else None
    return Fetch(
        outcome=came.outcome,
        status=came.status,
        url=ended if ended != _plain(asked) else None,
        attempts=came.attempts,
    )


def _plain(url: str) -> str | None:
    from waypost.errors import FetchDenied
    from waypost.net.fetch import read_url

    try:
        return read_url(url).href
    except FetchDenied:
        return None


def in_words(files: Iterable[FileReport]) -> str:
    """`12 addresses: 10 fetched, 2 not allowed by robots.txt`; empty where nothing is from the web."""
    counts = Counter(
        "error" if each.fetch.status >= 400 else each.fetch.outcome for each in files if each.fetch is not None
    )
    if not (total := counts.total()):
        return ""
    told = ", ".join(f"{counts[outcome]:,} {words}" for outcome, words in _WORDS.items() if outcome in counts)
    return f"{total:,} {'address' if total == 1 else 'addresses'}: {told}"
