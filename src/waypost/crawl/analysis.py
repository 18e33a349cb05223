"""Questions of a report to the tables of a crawl, asked in SQL of DuckDB."""

from __future__ import annotations

import atexit
import gc
from typing import Any

import msgspec

from waypost.crawl.folder import CrawlFolder
from waypost.crawl.tables import empty
from waypost.errors import MissingExtra
from waypost.registry import load

TABLES = ("pages", "items", "findings", "shapes")


def connect(folder: CrawlFolder, prefix: str = "", database: Any = None) -> Any:
    """DuckDB connection with a view for each table of a crawl. Raises MissingExtra, FolderError.

    prefix    in front of the names of the views.
    database  connection to add the views to.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "crawl", "to read the tables of a crawl") from None
    # The command line leaves the garbage collector off to the end; DuckDB then reports what is not yet collected.
    atexit.register(gc.unfreeze)
    folder.plan()
    db = database or duckdb.connect(":memory:")
    if folder.files.file_system is not None:
        db.register_filesystem(folder.files.file_system)
    for table in TABLES:
        names = [f"{table}/{name}" for name in folder.files.names(table) if name.endswith(".parquet")]
        if names:
            db.read_parquet([folder.files.address(name) for name in names]).create_view(f"{prefix}{table}")
        else:
            db.from_arrow(empty(table, load())).create_view(f"{prefix}{table}")
    return db


class Totals(msgspec.Struct, frozen=True):
    """Counts of a crawl. `checked`: pages that could be read and checked."""

    pages: int
    checked: int
    items: int
    errors: int
    warnings: int
    infos: int


def totals(folder: CrawlFolder) -> Totals:
    """Counts of a crawl."""
    row = connect(folder).execute(
        "SELECT count(*), count(*) FILTER (outcome = 'checked'), coalesce(sum(items), 0), coalesce(sum(errors), 0), "
        "coalesce(sum(warnings), 0), coalesce(sum(infos), 0) FROM pages"
    )
    return Totals(*map(int, row.fetchone()))
