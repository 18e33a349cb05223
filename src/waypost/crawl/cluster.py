"""Units of a crawl on an existing Dask cluster: a unit is a task, which starts a worker process as here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import msgspec

from waypost import __version__
from waypost.crawl.driver import CheckedPage, Driver
from waypost.crawl.folder import CrawlFolder, Plan
from waypost.crawl.local import Tally
from waypost.crawl.model import Unit
from waypost.crawl.tables import published
from waypost.errors import MissingExtra, WaypostError

_CONNECT_S = 15
_RETRIES = 3
"""Most retries of a unit after an error of a machine."""


def run_on_cluster(
    units: Sequence[Unit],
    where: str,
    plan: Plan,
    *,
    address: str,
    tally: Tally,
    draw: Callable[[], None] = lambda: None,
    notify: Callable[[str], None] = lambda _: None,
) -> None:
    """Check units on the workers of a cluster; the workers read the sources and write to `where`.

    Raises MissingExtra, WaypostError where the scheduler does not answer, or a unit fails on every try.
    """
    dask, client = _connected(address)
    with client, client.as_current():
        notify(f"dashboard: {client.dashboard_link}")
        # No scattered data: it is lost with the workers that hold it, and every task with it.
        task = _Task(where, plan)
        waiting: dict[Any, Unit] = {
            client.submit(run_unit, unit, task, key=f"waypost-{plan.started}-{unit.number}", retries=_RETRIES,
                          priority=-number, pure=False): unit
            for number, unit in enumerate(units)
        }  # fmt: skip
        try:
            for future in dask.as_completed(list(waiting)):
                unit = waiting.pop(future)
                try:
                    tally.outcomes.update(future.result())
                except Exception as error:  # noqa: BLE001 - of a worker, or of the cluster
                    raise WaypostError(f"unit {unit.number} failed on the cluster: {error}; --resume goes on") from None
                tally.unit_done(unit)
                draw()
        finally:
            with suppress(Exception):
                # After an error the other tasks would go on using the cluster.
                client.cancel(list(waiting))


def _connected(address: str) -> tuple[Any, Any]:
    """(package of Dask, client of a scheduler). Raises MissingExtra and WaypostError."""
    try:
        dask: Any = import_module("distributed")
    except ImportError:
        raise MissingExtra("distributed", "dask", "for --cluster") from None
    try:
        return dask, dask.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WaypostError(f"{address}: no Dask scheduler answers there ({error})") from None


class _Task:
    """Data common to the units of a crawl."""

    def __init__(self, where: str, plan: Plan) -> None:
        self.where = where
        # Small, because it goes out with each task: units and sources may be many.
        self.plan = msgspec.structs.replace(plan, units=(), sources=(), errors=())


def run_unit(unit: Unit, task: _Task) -> dict[str, int]:
    """Check a unit and write its tables, on the machine of the caller. Returns the number of pages by outcome."""
    from waypost.registry import load

    registry = load()
    ours = (__version__, registry.version)
    if ours != (task.plan.waypost, task.plan.registry):
        raise WaypostError(f"this worker has waypost {ours[0]} with registry {ours[1]}: two versions never mix")
    outcomes: Counter[str] = Counter()
    driver = Driver(task.plan.settings)

    def counted() -> Any:
        page: CheckedPage
        for page in driver.pages(unit):
            outcomes[page.outcome] += 1
            yield page

    try:
        CrawlFolder(task.where).write(unit, counted(), task.plan, published(registry))
    finally:
        driver.close()
    return dict(outcomes)
