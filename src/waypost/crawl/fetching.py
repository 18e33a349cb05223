"""Pages of a site for a crawl, fetched under the rules of `waypost validate`: public addresses, robots.txt, a pace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from waypost.crawl.model import FetchSettings, PageInfo, SiteUnit
from waypost.net.access import OWN_AGENT, Access
from waypost.net.address import ALLOW_PRIVATE, PUBLIC
from waypost.net.crawl import Crawler, Manners, Paces
from waypost.net.wire import Limits
from waypost.reader.sources import without_credentials


class FetchedPage(NamedTuple):
    """Answer for an address: number in the unit, facts, reason where there is no page, bytes and Content-Type."""

    row: int
    info: PageInfo
    error: str | None
    data: bytes = b""
    media_type: str | None = None


def crawler_of(
    settings: FetchSettings,
    access: Access | None,
    *,
    total_s: float | None = None,
    urls: int = 1,
    paces: Paces | None = None,
) -> Crawler:
    """Crawler with the settings of a crawl.

    access   secrets of origins.
    total_s  seconds for all pages, in place of the setting.
    paces    paces in common with other crawlers.
    """
    manners = Manners(
        rate=settings.rate,
        connections=settings.connections,
        retries=settings.retries,
        total_s=total_s or settings.total_s,
        urls=urls,
    )
    limits = Limits(
        total_s=settings.timeout_s, connect_s=min(6.0, settings.timeout_s), read_s=min(6.0, settings.timeout_s)
    )
    policy = (
        ALLOW_PRIVATE if settings.allow_private else msgspec.structs.replace(PUBLIC, named=frozenset(settings.named))
    )
    access = msgspec.structs.replace(access or Access(), agent=settings.agent or OWN_AGENT)
    return Crawler(manners, robots=settings.robots, limits=limits, policy=policy, access=access, paces=paces)


def fetched_pages(
    unit: SiteUnit, settings: FetchSettings, access: Access | None = None, paces: Paces | None = None
) -> Iterator[FetchedPage]:
    """Every address of a unit once, in the order of the answers. `access` and `paces` as for `crawler_of`."""
    with crawler_of(settings, access, urls=len(unit.urls), paces=paces) as crawler:
        for row, answer in crawler.pages(unit.urls):
            path = without_credentials(unit.urls[row])
            url = answer.url.reveal() if answer.url is not None else path
            info = PageInfo(path, path, url, status=answer.status or None)
            if answer.url is None:
                yield FetchedPage(row, info, answer.reason)
            elif answer.status >= 400:
                yield FetchedPage(row, info, f"the server answered with status {answer.status}")
            else:
                yield FetchedPage(row, info, None, answer.data, answer.media_type)
