"""Database of a service: keys, reviews, decisions and audit, in SQLite. The only package with SQL.

    with open_store(data_folder()) as store:
        filed = store.write(lambda db: relationships.submit(db, claim, now))
        found = store.read(lambda db: relationships.about(db, host, domain))

SQL is written as constants next to the executing function, in the common subset of SQLite and PostgreSQL where
possible; the exceptions (full-text search) are marked.
"""

from waypost.store.open import Store, data_folder, open_store

__all__ = ["Store", "data_folder", "open_store"]
