"""Renderer: a browser with a few pages at once, within limits; an ended browser is started again."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any, Self

from waypost.net.crawl import Crawler
from waypost.render.browsers import SWITCHES, NoBrowser, needs_no_sandbox
from waypost.render.model import Limits, Rendered, Target, Writer
from waypost.render.requests import Answers, Shelf
from waypost.render.scratch import Scratch

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Playwright

RECYCLE = 100
"""Pages between two starts of the browser, whose memory grows with every page."""
_CLOSE_S = 5.0
_START_S = 30.0
_ROUNDS = 6
_SECOND_MS = 1_000
_MOST_BLOCKS = 60
_MOST_ERRORS = 5
_LONGEST_ERROR = 200
_TALLEST = 12_000
_VIEW = {"width": 412, "height": 915}
"""A phone, as in search engines (developers.google.com, "mobile-first indexing", read 2026-11-29)."""
_PIXEL = {"x": 0, "y": 0, "width": 1, "height": 1, "scale": 1}
_BLOCKS = {
    "json-ld": 'script[type*="ld+json" i]',
    "microdata": "[itemscope]:not([itemprop])",
    "rdfa": "[typeof]",
}


class _Ended(Exception):
    """The page ended early. The text has the reason."""


class Renderer:
    """Rendering of pages, for a `with` statement outside of an event loop.

    crawler  makes the requests, and has the event loop of the driver.
    browser  path of the browser, see `find_browser`.
    pages    pages at once.
    """

    def __init__(
        self, crawler: Crawler, browser: str, *, limits: Limits | None = None, pages: int = 2, requests: int = 12
    ) -> None:
        self._crawler, self._path = crawler, browser
        self._limits, self._together = limits or Limits(), pages
        self._shelf = Shelf()
        self._turns = asyncio.Semaphore(requests)
        self._lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._scratch: Scratch | None = None
        self._browser: Browser | None = None
        self._rendered = self._busy = 0
        self._script = (resources.files("waypost.render") / "serialise.js").read_text("utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and its driver."""
        self._crawler.run(self._end())

    def render(self, targets: Iterable[tuple[int, Target]]) -> Iterator[tuple[int, Rendered]]:
        """(number, rendered page) of every target, in order of completion. Raises NoBrowser if no browser starts."""
        return self._crawler.driven(self._all(iter(targets)))

    async def _all(self, targets: Iterator[tuple[int, Target]]) -> AsyncIterator[tuple[int, Rendered]]:
        # A script may have changed since an earlier run, as in `waypost watch`.
        self._shelf = Shelf()
        results: asyncio.Queue[tuple[int, Rendered] | BaseException | None] = asyncio.Queue(maxsize=self._together)

        async def lane() -> None:
            try:
                # All lanes draw from one iterator, so that a slow page holds up one of them alone.
                for number, target in targets:
                    await results.put((number, await self.page(target)))
            except Exception as error:  # noqa: BLE001 - handed to the caller
                await results.put(error)
            await results.put(None)

        tasks = [asyncio.create_task(lane()) for _ in range(self._together)]
        try:
            open_lanes = len(tasks)
            while open_lanes:
                found = await results.get()
                if found is None:
                    open_lanes -= 1
                elif isinstance(found, BaseException):
                    raise found
                else:
                    yield found
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def start(self) -> None:
        """Start the browser, which otherwise starts with the first page. Raises NoBrowser."""
        await self._started()

    async def page(self, target: Target) -> Rendered:
        """Rendered page, in the event loop of the crawler.

        Tried twice if the browser, not the page, was the reason of a failure.
        """
        from playwright.async_api import Error

        for attempt in (1, 2):
            browser = await self._started()
            self._busy += 1
            try:
                return await self._in_context(browser, target)
            except Error as error:
                if attempt == 2 or browser.is_connected():
                    return Rendered(outcome="failed", reason=f"the browser failed: {_line(error.message)}")
            finally:
                self._busy -= 1
                self._rendered += 1
        raise AssertionError("unreachable")

    async def _in_context(self, browser: Browser, target: Target) -> Rendered:
        limits = self._limits
        answers = Answers(target, self._crawler, limits, self._shelf, self._turns)
        errors: list[str] = []
        context = await asyncio.wait_for(
            browser.new_context(
                service_workers="block", accept_downloads=False, viewport=_VIEW, is_mobile=True,  # type: ignore[arg-type]
                user_agent=self._agent(browser), locale="en-US", timezone_id="UTC", reduced_motion="reduce",
            ),
            _START_S,
        )  # fmt: skip
        try:
            async with asyncio.timeout(limits.total_s) as answers.ends:
                html, url, writers = await self._read(context, target, answers, errors)
            return Rendered(
                outcome="rendered", html=html, url=url, writers=writers, requests=answers.answered,
                denied=answers.denied, errors=errors,
            )  # fmt: skip
        except TimeoutError:
            reason = f"its scripts were not done after {limits.total_s:g} s"
        except _Ended as ended:
            reason = str(ended)
        finally:
            await self._closed(context, browser)
        return Rendered(
            outcome="failed", reason=reason, requests=answers.answered, denied=answers.denied, errors=errors
        )

    async def _read(
        self, context: BrowserContext, target: Target, answers: Answers, errors: list[str]
    ) -> tuple[bytes, str, dict[str, list[Writer | None]]]:
        """(page, address at the end, writers of blocks)"""
        await context.route("**/*", answers.handle)
        await context.add_init_script("window.open = () => null")
        page = await context.new_page()
        answers.page = page
        crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def on_error(error: Any) -> None:
            if len(errors) < _MOST_ERRORS:
                errors.append(_line(str(error)))

        async def on_page(other: Page) -> None:
            if other is not page:
                await _close(other)

        # Windows that the page opens are closed as they come.
        context.on("page", on_page)
        page.on("pageerror", on_error)
        page.on("crash", partial(_resolve, crashed))
        cdp = await context.new_cdp_session(page)
        for method, params in (("DOM.enable", {}), ("DOM.setNodeStackTracesEnabled", {"enable": True})):
            await cdp.send(method, params)
        work = asyncio.create_task(self._loaded(page, cdp, target, answers))
        try:
            waiting: list[asyncio.Future[Any]] = [work, crashed]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if crashed.done():
                raise _Ended("the page ended its process: its scripts took more memory than allowed")
            return await work
        finally:
            work.cancel()
            crashed.cancel()
            with suppress(Exception, asyncio.CancelledError):
                await work

    async def _loaded(
        self, page: Page, cdp: CDPSession, target: Target, answers: Answers
    ) -> tuple[bytes, str, dict[str, list[Writer | None]]]:
        await page.goto(target.url, wait_until="commit", timeout=self._limits.total_s * 1000)
        await self._settle(cdp, answers, self._limits.virtual_ms)
        # As search engines do, the window becomes as high as the page, so that what waits to be seen is loaded.
        height = await page.evaluate("document.documentElement ? document.documentElement.scrollHeight : 0")
        if isinstance(height, int) and height > _VIEW["height"]:
            # Observers are called when a frame is drawn, which a page without a window may never do by itself: once for
            # the small window, so that the large one is a change.
            await self._draw(cdp, answers)
            await page.set_viewport_size({"width": _VIEW["width"], "height": min(height, _TALLEST)})
            await self._draw(cdp, answers)
        return await self._serialised(page, cdp)

    async def _draw(self, cdp: CDPSession, answers: Answers) -> None:
        await cdp.send("Page.captureScreenshot", {"format": "jpeg", "quality": 1, "clip": _PIXEL})
        await self._settle(cdp, answers, _SECOND_MS)

    async def _settle(self, cdp: CDPSession, answers: Answers, budget_ms: int) -> None:
        """Let the page's own clock run, and again after every further document."""
        for _ in range(_ROUNDS):
            before = answers.navigated
            expired: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            cdp.once("Emulation.virtualTimeBudgetExpired", partial(_resolve, expired))
            await cdp.send(
                "Emulation.setVirtualTimePolicy",
                {
                    "policy": "pauseIfNetworkFetchesPending",
                    "budget": budget_ms,
                    "maxVirtualTimeTaskStarvationCount": 100_000,
                },
            )
            await expired
            while answers.pending:
                await asyncio.sleep(0.01)
            if answers.navigated == before:
                return

    async def _serialised(self, page: Page, cdp: CDPSession) -> tuple[bytes, str, dict[str, list[Writer | None]]]:
        writers = await _writers(cdp)
        tree = await cdp.send("Page.getFrameTree")
        world = await cdp.send("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
        most = self._limits.page_bytes
        found = await cdp.send(
            "Runtime.evaluate",
            {"expression": f"{self._script}({most})", "contextId": world["executionContextId"], "returnByValue": True},
        )
        value = found["result"].get("value")
        if not isinstance(value, dict):
            raise _Ended("the page could not be read after its scripts")
        if value["size"] > most:
            raise _Ended(f"after its scripts it is larger than {most:,} characters")
        # The order of blocks in the text is another one where shadow trees were put into it.
        html = value["html"].encode("utf-8", "replace")
        return html, page.url, {} if value["hasShadow"] else writers

    def _agent(self, browser: Browser) -> str:
        access = self._crawler.access
        if not access.is_own:
            return access.agent
        return (
            "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{browser.version.partition('.')[0]}.0.0.0 Mobile Safari/537.36 {access.agent.partition(' ')[0]}"
        )

    async def _started(self) -> Browser:
        """Running browser, a fresh process after `RECYCLE` pages or an end."""
        async with self._lock:
            if self._browser is not None and self._rendered >= RECYCLE:
                while self._busy:
                    await asyncio.sleep(0.01)
                await self._end_browser()
            if self._browser is None or not self._browser.is_connected():
                await self._start()
            assert self._browser is not None
            return self._browser

    async def _start(self) -> None:
        from playwright.async_api import Error, async_playwright

        logging.getLogger("asyncio").addFilter(_is_about_us)
        if self._playwright is None:
            self._scratch = self._scratch or Scratch()
            with self._scratch.for_children():
                self._playwright = await async_playwright().start()
        try:
            self._browser = await self._playwright.chromium.launch(
                executable_path=self._path, args=list(SWITCHES), chromium_sandbox=not needs_no_sandbox(),
                handle_sigint=False, handle_sigterm=False, handle_sighup=False, timeout=_START_S * 1000,
                # The paths of temporary folders on macOS leave no room for a socket below a further folder.
                env=dict(os.environ) if sys.platform == "darwin" else None,
            )  # fmt: skip
        except Error as error:
            is_sandbox = "sandbox" in error.message.lower() and not needs_no_sandbox()
            more = "; its sandbox cannot start here: run it where user namespaces are allowed" if is_sandbox else ""
            raise NoBrowser(f"{self._path} does not start: {_line(error.message)}{more}") from None
        self._rendered = 0

    async def _closed(self, context: BrowserContext, browser: Browser) -> None:
        """End the page, or the complete browser with a page that cannot be ended."""
        try:
            await asyncio.wait_for(context.close(), _CLOSE_S)
        except Exception:  # noqa: BLE001 - whatever it is, the next page gets another browser
            if browser is self._browser:
                await self._end_browser()

    async def _end_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            with suppress(Exception):
                await asyncio.wait_for(browser.close(), _CLOSE_S)

    async def _end(self) -> None:
        await self._end_browser()
        if self._playwright is not None:
            driver, self._playwright = self._playwright, None
            with suppress(Exception):
                # The driver ends every browser that it has started, whatever state it is in.
                await asyncio.wait_for(driver.stop(), _CLOSE_S)
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None


def _resolve(waiting: asyncio.Future[None], _: object) -> None:
    if not waiting.done():
        waiting.set_result(None)


async def _close(page: Page) -> None:
    with suppress(Exception):
        await page.close()


async def _writers(cdp: CDPSession) -> dict[str, list[Writer | None]]:
    """Scripts of the blocks of a page, by syntax, in document order."""
    root = (await cdp.send("DOM.getDocument", {"depth": 0}))["root"]["nodeId"]
    found: dict[str, list[Writer | None]] = {}
    for syntax, selector in _BLOCKS.items():
        ids = (await cdp.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector}))["nodeIds"]
        writers = [await _writer(cdp, number, is_text=syntax == "json-ld") for number in ids[:_MOST_BLOCKS]]
        if any(writers):
            found[syntax] = writers
    return found


async def _writer(cdp: CDPSession, number: int, *, is_text: bool) -> Writer | None:
    """Script behind an element, or behind the text of a JSON-LD script."""
    numbers = [number]
    if is_text:
        node = await cdp.send("DOM.resolveNode", {"nodeId": number})
        child = await cdp.send(
            "Runtime.callFunctionOn",
            {"objectId": node["object"]["objectId"], "functionDeclaration": "function () { return this.firstChild }"},
        )
        if handle := child["result"].get("objectId"):
            numbers.insert(0, (await cdp.send("DOM.requestNode", {"objectId": handle}))["nodeId"])
    for each in numbers:
        traces = await cdp.send("DOM.getNodeStackTraces", {"nodeId": each})
        for frame in traces.get("creation", {}).get("callFrames", ()):
            if frame["url"].startswith(("http://", "https://")):
                return Writer(frame["url"], frame["lineNumber"] + 1, frame["columnNumber"] + 1)
    return None


def _line(text: str) -> str:
    """First line of a message, shortened."""
    line = (text.strip().splitlines() or [""])[0]
    return line if len(line) <= _LONGEST_ERROR else f"{line[: _LONGEST_ERROR - 1]}…"


def _is_about_us(record: logging.LogRecord) -> bool:
    # Requests of a page that is gone meanwhile: the driver's futures fail, and nobody waits for them.
    return "TargetClosedError" not in str(record.msg) and "Future exception was never retrieved" not in str(record.msg)
