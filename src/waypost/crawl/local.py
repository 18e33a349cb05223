"""Units of a crawl on this machine: a thread for each worker process."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from waypost.crawl.checking import check_page
from waypost.crawl.driver import CheckedPage, Driver, KnownRows
from waypost.crawl.folder import CrawlFolder, Plan
from waypost.crawl.model import Unit
from waypost.crawl.tables import Tables
from waypost.crawl.worker import Check

if TYPE_CHECKING:
    from waypost.crawl.studio import Studio
    from waypost.net.access import Access


class Tally:
    """Progress of a run: pages by outcome, and bytes of the units; safe to use from several threads."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.total_bytes = sum(unit.cost for unit in units)
        self.outcomes: Counter[str] = Counter()
        self._begun = time.monotonic()
        self._at: dict[int, int] = {}
        self._done_bytes = 0
        self._lock = threading.Lock()

    def page(self, page: CheckedPage) -> None:
        with self._lock:
            # Not atomic in Python, hence the lock.
            self.outcomes[page.outcome] += 1

    def at(self, unit: Unit, done_bytes: int) -> None:
        self._at[unit.number] = done_bytes

    def unit_done(self, unit: Unit) -> None:
        with self._lock:
            self._at.pop(unit.number, None)
            self._done_bytes += unit.cost

    @property
    def pages(self) -> int:
        return self.outcomes.total()

    @property
    def seconds(self) -> float:
        return max(time.monotonic() - self._begun, 1e-6)

    def rate(self) -> float:
        """Pages a second, since the beginning."""
        return self.pages / self.seconds

    def share(self) -> float:
        """Finished share of the bytes, 0 to 1."""
        # Other threads change the dictionary meanwhile.
        done = self._done_bytes + sum(self._at.copy().values())
        return min(done / self.total_bytes, 1.0) if self.total_bytes else 1.0

    def left_s(self) -> float | None:
        """Seconds until the end at the present rate; None in the first moments."""
        share = self.share()
        # A rate from the first moments, while programs start, would mean hours.
        return self.seconds * (1 - share) / share if share >= 0.01 else None


def run_units(
    units: Sequence[Unit],
    folder: CrawlFolder,
    plan: Plan,
    schema: Tables,
    *,
    workers: int,
    tally: Tally,
    check: Check = check_page,
    draw: Callable[[], None] = lambda: None,
    access: Access | None = None,
    studio: Studio | None = None,
) -> None:
    """Check units and write their tables. `draw` is called a few times a second; raises the first error of a thread.

    access  secrets of origins, for pages from the web.
    studio  renders a share of the pages.
    """
    # Taken from the end: `pop` is atomic, so threads need no lock.
    waiting = list(reversed(units))
    known = KnownRows()
    errors: list[BaseException] = []
    drivers = [Driver(plan.settings, known, check, access, studio) for _ in range(min(workers, len(units)))]
    work = partial(_work, waiting, errors, partial(_run_unit, folder=folder, plan=plan, schema=schema, tally=tally))
    threads = [
        threading.Thread(target=work, args=(driver,), name=f"waypost-crawl-{n}") for n, driver in enumerate(drivers)
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                # Waits in steps, so that the progress is drawn and Ctrl-C is heard.
                thread.join(0.1)
                draw()
    finally:
        _stop(drivers, threads)
    if errors:
        raise errors[0]


def _work(
    waiting: list[Unit], errors: list[BaseException], run_unit: Callable[[Unit, Driver], None], driver: Driver
) -> None:
    """Units of one thread, until none is left, an error is in `errors`, or the driver is stopped."""
    try:
        while not errors:
            try:
                unit = waiting.pop()
            except IndexError:
                return
            run_unit(unit, driver)
    except BaseException as error:  # noqa: BLE001 - raised in the thread of the caller
        errors.append(error)
    finally:
        driver.close()


def _stop(drivers: Sequence[Driver], threads: Sequence[threading.Thread]) -> None:
    """End every worker and thread of a run."""
    for driver in drivers:
        driver.stop()
    for thread in threads:
        # A thread that never started cannot be joined.
        if thread.ident is not None:
            thread.join()


def _run_unit(unit: Unit, driver: Driver, folder: CrawlFolder, plan: Plan, schema: Tables, tally: Tally) -> None:
    driver.progress = lambda _, done: tally.at(unit, done)
    pages = []
    for page in driver.pages(unit):
        pages.append(page)
        tally.page(page)
    folder.write(unit, pages, plan, schema)
    tally.unit_done(unit)
