"""Database of a service: keys, reviews, decisions and audit, in SQLite. The only package with SQL.

    with open_store(data_folder()) as store:
        filed = store.write(lambda db: relationships.submit(db, claim, now))
        found = store.read(lambda db: relationships.about(db, host, domain))

SQL is written as constants next to the executing function, in the common subset of SQLite and PostgreSQL where
possible; the exceptions (full-text search) are marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from waypost.store.folder import data_folder

if TYPE_CHECKING:
    from waypost.store.open import Store, open_store

__all__ = ["Store", "data_folder", "open_store"]


def __getattr__(name: str) -> Any:
    """Load what opens a store on first use: a decision without a store loads no SQLite."""
    if name not in __all__:
        raise AttributeError(f"module 'waypost.store' has no attribute {name!r}")
    from waypost.store import open as opening

    return getattr(opening, name)
