"""Browser of a crawl: renders the pages of all units of a machine, in a thread of its own.

Requests of the pages are made with the settings of the crawl, and count in the pace of the hosts that are crawled.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from waypost.crawl.checking import input_of
from waypost.crawl.fetching import crawler_of
from waypost.crawl.model import PageInfo, RenderSettings, Settings
from waypost.crawl.storage import is_remote
from waypost.lint.inputs import is_address
from waypost.lint.rendering import is_rendered, target_of
from waypost.render.browsers import NoBrowser
from waypost.render.model import Limits, Rendered, Target
from waypost.render.renderer import Renderer

if TYPE_CHECKING:
    from waypost.net.access import Access
    from waypost.net.crawl import Paces
    from waypost.reader.sources import PageSource

PAGES = 2
"""Pages in the browser at once."""
_ALL = 1 << 64


def is_chosen(address: str, share: float) -> bool:
    """Whether a page is part of a share (0 to 1) of all pages: by its address alone, so that a second run agrees."""
    digest = sha256(address.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") < share * _ALL


class Studio:
    """Browser in a thread, for a `with` statement.

    browser  path of the browser, see `find_browser`.
    access   secrets of origins.
    paces    paces of hosts, in common with the crawlers of the units.
    """

    def __init__(
        self, settings: Settings, render: RenderSettings, browser: str, paces: Paces, access: Access | None = None
    ) -> None:
        self.render, self.paces = render, paces
        self._settings, self._browser, self._access = settings, browser, access
        self._begun: Future[asyncio.AbstractEventLoop] = Future()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="waypost-render", daemon=True)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._renderer: Renderer
        self._turns: asyncio.Semaphore
        self._end: asyncio.Event

    def __enter__(self) -> Self:
        """Start the browser. Raises NoBrowser."""
        self._thread.start()
        try:
            self._begun.result()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End the browser. Pages that wait are cancelled."""
        self._is_over.set()
        if self._begun.done() and self._begun.exception() is None:
            loop = self._begun.result()
            loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def chooses(self, info: PageInfo) -> bool:
        """Whether a page is rendered: of the share, and not at an address of fsspec."""
        is_web = is_address(info.source)
        # The address that was requested, or that a file is published at: a redirect may lead elsewhere tomorrow.
        address = info.path if is_web else info.url or info.path
        return (is_web or not is_remote(info.source)) and is_chosen(address, self.render.share)

    def target(self, info: PageInfo, source: PageSource) -> Target | None:
        """Page for the browser; None for a page without scripts, such as JSON."""
        if not is_rendered(source):
            return None
        item = input_of(info)._replace(from_list=self._settings.fetch.robots)
        target = target_of(item, source, [Path(each) for each in self.render.folders], info.url)
        return target._replace(is_paced=True)

    def submit(self, target: Target) -> Future[Rendered]:
        """Begin to render a page. May be called from any thread."""
        return asyncio.run_coroutine_threadsafe(self._rendered(target), self._begun.result())

    def _run(self) -> None:
        limits = Limits(total_s=self.render.timeout_s)
        fetch = self._settings.fetch
        # The crawl bounds the time of its units, and each page has a limit of its own.
        crawler = crawler_of(fetch, self._access, total_s=1e9, paces=self.paces)
        try:
            with (
                crawler,
                Renderer(crawler, self._browser, limits=limits, pages=PAGES, requests=fetch.connections) as renderer,
            ):
                self._renderer = renderer
                crawler.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - raised in the thread of the caller
            if not self._begun.done():
                self._begun.set_exception(error)

    async def _serve(self) -> None:
        await self._renderer.start()
        self._turns, self._end = asyncio.Semaphore(PAGES), asyncio.Event()
        self._begun.set_result(asyncio.get_running_loop())
        if not self._is_over.is_set():  # as after Ctrl-C while the browser started
            await self._end.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _rendered(self, target: Target) -> Rendered:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        async with self._turns:
            try:
                return await self._renderer.page(target)
            except NoBrowser as error:
                return Rendered(outcome="failed", reason=str(error))
            except Exception as error:  # noqa: BLE001 - an error of ours on one page must not cost the others
                reason = f"waypost failed to render this page, please report it ({type(error).__name__})"
                return Rendered(outcome="failed", reason=reason)
