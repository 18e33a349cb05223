"""Pages from the web that `waypost watch` requests again every few seconds, by validators where pages have some."""

from __future__ import annotations

import time
import zlib
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from waypost.cli._access import access
from waypost.errors import Unreadable
from waypost.lint.fetching import policy_for
from waypost.lint.inputs import Input
from waypost.lint.page_sources import PageStore, page_from_response

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.net.crawl import CachedResponse, PageResult

PAUSE_S = 5.0
"""Seconds between two requests of a page, at least."""


class WatchedUrls:
    """Last answers of the watched addresses.

    crawler  makes the requests, also those of rendered pages.

    `args.interval` is in seconds; addresses are requested no more often than every `PAUSE_S`.
    """

    def __init__(self, args: Namespace, config: Config, urls: Sequence[str]) -> None:
        from waypost.net.crawl import Crawler, Manners

        self._pause_s = max(args.interval, PAUSE_S)
        self._answers: dict[str, PageResult] = {}
        self._next = 0.0
        self.crawler = Crawler(
            # A watch has no end, and a page that fails is requested again anyway.
            Manners(total_s=1e9, retries=0, patience=1 << 30),
            robots=False,
            policy=policy_for(urls, args.allow_private),
            access=access(args, config, urls),
            memory=_Memory(),
        )

    def refresh(self, urls: Sequence[str]) -> None:
        """Request the addresses, unless they were requested a moment ago."""
        if time.monotonic() < self._next and self._answers.keys() >= set(urls):
            return
        for number, answer in self.crawler.pages(urls):
            self._answers[urls[number]] = answer
        self._next = time.monotonic() + self._pause_s

    def close(self) -> None:
        self.crawler.close()

    def stamp(self, url: str) -> tuple[int, int, int]:
        """(status, size in bytes, checksum) of the last answer."""
        answer = self._answers[url]
        return answer.status, len(answer.data), zlib.crc32(answer.data or answer.reason.encode())

    def pages(self, urls: Sequence[str], *, obey: bool | None = None) -> Iterator[tuple[int, PageResult]]:  # noqa: ARG002
        """(index, last answer) of every address."""
        yield from ((number, self._answers[url]) for number, url in enumerate(urls))

    def store(self, inputs: Sequence[Input]) -> PageStore:
        """Store with the pages among the last answers, for code frames."""
        store = PageStore()
        for item in inputs:
            answer = self._answers.get(item.where) if item.kind == "url" else None
            if answer is None or answer.url is None:
                continue
            try:
                store[item.path] = page_from_response(
                    item, answer.status, answer.data, answer.url.reveal(), answer.media_type
                )
            except Unreadable:
                continue
        return store


class _Memory:
    """Responses of this watch, for conditional requests."""

    def __init__(self) -> None:
        self._known: dict[str, CachedResponse] = {}

    def recall(self, url: str) -> CachedResponse | None:
        return self._known.get(url)

    def keep(self, url: str, answer: CachedResponse) -> None:
        self._known[url] = answer
