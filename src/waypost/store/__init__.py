"""What people add at run time, in SQLite. The only package that speaks SQL.

    with open_store(data_folder()) as store:
        filed = store.write(lambda db: relationships.submit(db, claim, now))
        found = store.read(lambda db: relationships.about(db, host, domain))

SQL stands as constants beside the one function that runs it, in the subset that SQLite and PostgreSQL share
wherever there is one; what differs (full-text search) stands apart and says so.
"""

from waypost.store.open import Store, data_folder, open_store

__all__ = ["Store", "data_folder", "open_store"]
