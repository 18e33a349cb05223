"""First valid certificate that a service has seen at a host: what a shop outside the registry has as its history.

Only hosts of payments under a policy with declared merchants are stored, and at most `MOST` of them.
"""

from __future__ import annotations

from waypost.store import settings
from waypost.store.engines import Connection

MOST = 10_000
_PREFIX = "certificate:"
_COUNT = "SELECT count(*) FROM setting WHERE name >= 'certificate:' AND name < 'certificate;'"


def since(db: Connection, host: str) -> int | None:
    """Start of the first valid certificate seen at a host, in milliseconds since 1970; None without one."""
    value = settings.find(db, _PREFIX + host)
    return int(value) if value is not None else None


def note(db: Connection, host: str, not_before: int) -> None:
    """Store the start of a valid certificate, unless an earlier one is stored, or the store is full."""
    known = since(db, host)
    if known is not None and known <= not_before:
        return
    if known is None and db.execute(_COUNT).fetchone()[0] >= MOST:
        return
    settings.put(db, _PREFIX + host, str(not_before).encode())
