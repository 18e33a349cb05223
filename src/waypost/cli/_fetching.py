"""Pages from the web: URLs to request, pace of requests, and outcomes."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from waypost.cli._access import access, add_access
from waypost.cli._arguments import amount, count, moment, seconds
from waypost.cli._console import UsageError, print_message
from waypost.errors import Unreadable
from waypost.lint.fetching import policy_for
from waypost.lint.inputs import Input, InputList, is_address, read, read_stdin
from waypost.models.finding import FileReport
from waypost.reader.sources import MAX_BYTES, without_credentials

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.net.crawl import Crawler, Memory

_OUTCOMES = {
    "fetched": "fetched",
    "unchanged": "unchanged since the last run",
    "error": "answered with an error",
    "disallowed": "not allowed by robots.txt",
    "refused": "refused",
    "failed": "failed",
    "not_fetched": "not requested",
}


def add_fetching(parser: ArgumentParser) -> None:
    add = parser.add_argument_group(
        "pages from the web",
        "Pages of lists and sitemaps are fetched only if robots.txt allows it. An address that you name here may "
        "be on your own machine (http://localhost:8000/). What a list, a sitemap or a redirect names must be public, "
        "as must every other address of your own network; --allow-private allows them.",
    ).add_argument
    add("--urls", action="append", default=[], metavar="FILE|-",
        help="check the addresses in a file, one a line; # starts a comment")  # fmt: skip
    add("--sitemap", action="append", default=[], metavar="URL|FILE",
        help="check the pages that a sitemap lists: an index, a text, gzip, or a site that has one")  # fmt: skip
    add("--modified-since", type=_since, default=None, metavar="DATE|DAYS",
        help="skip pages of a sitemap that are older: 2026-11-01, or 7d")  # fmt: skip
    add("--ignore-robots", action="store_true", help="do not read robots.txt; for your own site")
    add("--rate", type=amount, default=10.0, metavar="N", help="requests per second to one host (10); 0 is unlimited")
    add("--connections", type=_positive, default=4, metavar="N", help="parallel connections to one host (4)")
    add("--retries", type=count, default=2, metavar="N",
        help="retries after 429, 5xx and broken connections (2)")  # fmt: skip
    add("--timeout", type=seconds, default=20.0, metavar="S", help="timeout of one page in seconds (20)")
    add("--max-time", type=seconds, default=3600.0, metavar="S", help="timeout of all fetching in seconds (3600)")
    add("--max-urls", type=_positive, default=10_000, metavar="N", help="most pages to fetch (10000)")
    add("--allow-private", action="store_true",
        help="fetch from private networks too, such as 10.0.0.1 or intranet.local, and from any port")  # fmt: skip
    add_access(parser)


def _positive(text: str) -> int:
    if not (number := count(text)):
        raise ArgumentTypeError("give 1 or more")
    return number


def _since(text: str) -> datetime:
    """Time, either absolute or counted back from now ("7d")."""
    if found := re.fullmatch(r"(\d{1,5})d", text, re.ASCII):
        return datetime.now(UTC) - timedelta(days=int(found[1]))
    try:
        return moment(text)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"{text!r} is not a time; write it as 2026-11-01, or as 7d for seven days") from None


class SitemapPages(msgspec.Struct):
    """Pages from sitemaps.

    errors    reports of unreadable sitemaps.
    empty     sitemaps without an entry.
    left_out  number of pages older than --modified-since.
    """

    inputs: list[Input] = []
    errors: list[FileReport] = []
    empty: list[str] = []
    left_out: int = 0


def crawler_for(args: Namespace, config: Config, inputs: Iterable[Input], memory: Memory | None) -> Crawler:
    """Crawler with the settings of the arguments. Loopback addresses named on the command line are allowed.

    Raises UsageError for an unusable header, certificate or password.
    """
    from waypost.net.crawl import Crawler, Manners
    from waypost.net.wire import Limits

    manners = Manners(
        rate=args.rate,
        connections=args.connections,
        retries=args.retries,
        total_s=args.max_time,
        urls=args.max_urls,
    )
    # Parts of a fetch cannot take longer than the whole.
    limits = Limits(total_s=args.timeout, connect_s=min(6.0, args.timeout), read_s=min(6.0, args.timeout))
    urls = [item for item in inputs if item.kind == "url"]
    # A local address counts as named only where a person typed it, not where a list or a page led there.
    named = [*(item.where for item in urls if not item.from_list), *filter(is_address, args.sitemap)]
    in_lists = [item.where for item in urls if item.from_list]
    return Crawler(
        manners,
        robots=not args.ignore_robots,
        limits=limits,
        policy=policy_for(named, args.allow_private, in_lists),
        memory=memory,
        access=access(args, config, named, in_lists),
    )


def read_url_lists(names: Sequence[str], base_url: str | None) -> list[Input]:
    """URLs in the files of --urls, a URL per line. Raises UsageError."""
    found = []
    for name in names:
        for line in _text_of(name).splitlines():
            # A `#` without a space before it is the fragment of a URL.
            address = line.partition(" #")[0].strip() if not line.lstrip().startswith("#") else ""
            if address:
                found.append(Input(without_credentials(address), address, "url", base_url, from_list=True))
    return found


def _text_of(name: str) -> str:
    """Text of a file of URLs. Raises UsageError for an unreadable file."""
    try:
        data = read_stdin() if name == "-" else Path(name).read_bytes()
    except (OSError, Unreadable) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else error.reason
        raise UsageError(f"--urls {name}: {why}") from None
    # A NUL byte is in no text, but in nearly every image or archive named by mistake.
    if len(data) > MAX_BYTES or b"\0" in data:
        raise UsageError(f"--urls {name}: this is not a list of addresses")
    return data.decode("utf-8-sig", "replace")


def read_sitemaps(args: Namespace, crawler: Crawler, already: int) -> SitemapPages:
    """Pages listed by the sitemaps of --sitemap. `already`: number of earlier pages that count towards --max-urls."""
    found = SitemapPages()
    for name in args.sitemap:
        start: str | bytes = name
        if not is_address(name):
            try:
                start = read(Input(name, name, "file"))
            except Unreadable as error:
                found.errors.append(FileReport(path=name, error=error.reason))
                continue
        _read_sitemap(name, start, args, crawler, already, found)
    return found


def _read_sitemap(
    name: str, start: str | bytes, args: Namespace, crawler: Crawler, already: int, found: SitemapPages
) -> None:
    """Add the pages of a sitemap to `found`. `start` is a URL or the bytes of the sitemap."""
    label = without_credentials(name)
    listing = crawler.sitemap_pages(start, since=args.modified_since, already=already + len(found.inputs), name=label)
    found.inputs.extend(Input(without_credentials(url), url, "url", None, from_list=True) for url in listing.pages)
    found.errors.extend(FileReport(path=without_credentials(url), error=why) for url, why in listing.errors)
    found.left_out += listing.left_out
    if listing.left_out and not args.quiet:
        print_message(f"{label}: {listing.left_out:,} pages have not changed since {args.modified_since:%Y-%m-%d}")
    if listing.over:
        print_message(f"{label}: {listing.over:,} more pages are left out; --max-urls {args.max_urls} allows no more")
    # Empty is only a sitemap with neither pages, nor errors, nor pages that were left out.
    if not (listing.pages or listing.errors or listing.left_out or listing.over):
        found.empty.append(label)


def limit_urls(found: InputList, most: int) -> InputList:
    """Inputs with the first `most` URLs; a message says how many are left out."""
    number = 0
    selected = []
    for item in found.inputs:
        number += item.kind == "url"
        if item.kind != "url" or number <= most:
            selected.append(item)
    if number > most:
        print_message(f"{number - most:,} of {number:,} addresses are left out; --max-urls {most} allows no more")
    return found._replace(inputs=selected)


def fetch_summary(files: Iterable[FileReport]) -> str:
    """Summary such as `12 addresses: 10 fetched, 2 not allowed by robots.txt`; empty without pages from the web."""
    counts = Counter(
        "error" if file.fetch.status >= 400 else file.fetch.outcome for file in files if file.fetch is not None
    )
    if not (total := counts.total()):
        return ""
    parts = ", ".join(f"{counts[outcome]:,} {words}" for outcome, words in _OUTCOMES.items() if outcome in counts)
    return f"{total:,} {'address' if total == 1 else 'addresses'}: {parts}"
