"""Folder of a crawl: plan, tables of the finished units, and missing units.

crawl.json                  version of waypost, digest of the registry, settings, units
pages/part-000000.parquet   written last: a unit with the file is done
items/ findings/ shapes/ facts/ renderings/
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import msgspec

from waypost import __version__
from waypost.crawl.driver import CheckedPage
from waypost.crawl.model import Settings, Unit
from waypost.crawl.storage import Folder
from waypost.crawl.tables import Tables, UnitTables
from waypost.errors import WaypostError

PLAN = "crawl.json"
_PART = re.compile(r"part-(\d+)\.parquet\Z")


class FolderError(WaypostError):
    """Folder without a crawl, or without room for a crawl. The message says why and how to go on."""

    code, status = "crawl_folder", 409


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a crawl.

    tables   version of the schema of the tables.
    sources  arguments with the sources.
    errors   (name, reason) of the unreadable sources.
    started  when the crawl began, as ISO 8601.
    """

    tables: int
    waypost: str
    registry: str
    started: str
    sources: tuple[str, ...]
    settings: Settings
    units: tuple[Unit, ...]
    errors: tuple[tuple[str, str], ...] = ()

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of every Parquet file."""
        return {
            "waypost.version": self.waypost,
            "waypost.registry": self.registry,
            "waypost.tables": str(self.tables),
            "waypost.now": self.settings.now.isoformat(),
        }


class CrawlFolder:
    """Folder of a crawl, on this machine or at an address of fsspec."""

    def __init__(self, where: str) -> None:
        self.files = Folder(where)

    def plan(self) -> Plan:
        """Plan of the crawl in the folder. Raises FolderError without one."""
        try:
            return msgspec.json.decode(self.files.read(PLAN), type=Plan)
        except OSError:
            raise FolderError(f"{self.files.where}: there is no crawl here; waypost crawl makes one") from None
        except msgspec.DecodeError as error:
            raise FolderError(f"{self.files.where}/{PLAN}: this is not a plan of a crawl ({error})") from None

    def begin(self, plan: Plan) -> None:
        """Write the plan of a new crawl. Raises FolderError for a folder with content."""
        if self.files.exists(PLAN):
            raise FolderError(f"{self.files.where} holds a crawl; --resume does the rest, or name another folder")
        # Files of others are never mixed with ours.
        if names := self.files.names():
            raise FolderError(f"{self.files.where} is not empty ({names[0]}); name a new folder")
        self.files.write(PLAN, msgspec.json.format(msgspec.json.encode(plan), indent=1))

    def resume(self, registry_version: str) -> Plan:
        """Plan of the crawl in the folder, checked for the running version. Raises FolderError."""
        plan = self.plan()
        if (plan.waypost, plan.registry) != (__version__, registry_version):
            raise FolderError(
                f"{self.files.where} was made by waypost {plan.waypost} with registry {plan.registry}; this is waypost "
                f"{__version__} with registry {registry_version}. Two versions never mix: name another folder"
            )
        return plan

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold a folder of this machine, made if missing, against a second crawl. Raises FolderError, StorageError.

        The system lets go of it when the process ends, however it ends. An address of fsspec is not held.
        """
        if self.files.file_system is not None or sys.platform == "win32":
            yield
            return
        from fcntl import LOCK_EX, LOCK_NB, flock

        self.files.make()
        handle = os.open(self.files.where, os.O_RDONLY)
        try:
            try:
                flock(handle, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                raise FolderError(f"{self.files.where}: another crawl writes here; wait for its end") from None
            except OSError:
                pass  # a file system without such locks
            yield
        finally:
            os.close(handle)

    def tidy(self) -> None:
        """Delete what a killed run was writing."""
        for table in ("pages", "items", "findings", "shapes", "facts", "renderings"):
            for name in self.files.names(table):
                if name.endswith(".tmp"):
                    self.files.delete(f"{table}/{name}")

    def done(self) -> set[int]:
        """Numbers of the finished units."""
        return {int(found[1]) for name in self.files.names("pages") if (found := _PART.match(name))}

    def missing(self, plan: Plan) -> list[Unit]:
        """Unfinished units, the biggest first."""
        done = self.done()
        return by_cost(unit for unit in plan.units if unit.number not in done)

    def write(self, unit: Unit, pages: Iterable[CheckedPage], plan: Plan, schema: Tables) -> int:
        """Write the tables of a unit, the pages last. Returns the number of pages."""
        tables = UnitTables(unit, schema, plan.metadata)
        number = 0
        for number, page in enumerate(pages, 1):  # noqa: B007 - counted
            tables.add(page)
        for table, data in tables.parts():
            self.files.write(f"{table}/part-{unit.number:06}.parquet", data)
        return number


def by_cost(units: Iterable[Unit]) -> list[Unit]:
    """Units, the biggest first: the last units to finish are small."""
    return sorted(units, key=lambda unit: (-unit.cost, unit.number))
