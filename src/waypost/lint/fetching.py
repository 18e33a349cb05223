"""Pages from the web: addresses that may be fetched, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from waypost.lint.inputs import Input
from waypost.models.finding import Fetch

if TYPE_CHECKING:
    from waypost.net.address import AddressPolicy
    from waypost.net.crawl import PageResult


class PageFetcher(Protocol):
    """Crawler, or answers of an earlier crawl."""

    def pages(self, urls: Sequence[str], *, obey: bool | None = None) -> Iterator[tuple[int, PageResult]]:
        """(index, result) of every URL. `obey`: whether robots.txt counts."""
        ...


def policy_for(named: Iterable[str], allow_private: bool, in_lists: Iterable[str] = ()) -> AddressPolicy:
    """Addresses allowed for fetching: the public internet, and loopback named on the command line.

    in_lists  URLs from lists; like named ones they may have any port, but no private address.
    """
    from waypost.errors import FetchDenied
    from waypost.formats.ip_addresses import is_local, is_loopback
    from waypost.net.address import ALLOW_PRIVATE, PUBLIC
    from waypost.net.fetch import read_url

    if allow_private:
        return ALLOW_PRIVATE
    places = set()
    for url, by_hand in [*((url, True) for url in named), *((url, False) for url in in_lists)]:
        try:
            target = read_url(url)
        except FetchDenied:
            continue
        # Any port of a public host, and loopback for the developer's own server; a private network takes
        # --allow-private.
        if not is_local(target.host) or (by_hand and is_loopback(target.host)):
            places.add((target.host, target.port))
    return msgspec.structs.replace(PUBLIC, named=frozenset(places))


def fetch_inputs(inputs: Sequence[Input], crawler: PageFetcher) -> Iterator[tuple[int, PageResult]]:
    """(index, answer) of every URL input. robots.txt counts only for URLs from lists and sitemaps."""
    # URLs that the user named are fetched as a browser would, whatever robots.txt says.
    for from_list in (False, True):
        part = [n for n, item in enumerate(inputs) if item.kind == "url" and item.from_list is from_list]
        for index, answer in crawler.pages([inputs[n].where for n in part], obey=None if from_list else False):
            yield part[index], answer


def fetch_report(answer: PageResult, requested: str) -> Fetch:
    """Entry of the report about fetching a page; includes the final URL only after a redirect."""
    final_url = answer.url.reveal() if answer.url else None
    return Fetch(
        outcome=answer.outcome,
        status=answer.status,
        url=final_url if final_url != _normalized(requested) else None,
        attempts=answer.attempts,
    )


def _normalized(url: str) -> str | None:
    from waypost.errors import FetchDenied
    from waypost.net.fetch import read_url

    try:
        return read_url(url).href
    except FetchDenied:
        return None
