"""What the holders of keys have spent, as all processes of a service count it together.

A window slides: what is spent counts for the length of the window and for the rest of the sixtieth of it in which it
was written down. Days are those of UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

SLOTS = 60
DAY_MS = 86_400_000
RETENTION_DAYS = 400
"""Days whose sums are kept, so that a year can be told."""


class Draw(NamedTuple):
    """What one holder has spent since the last time, and wants to spend now.

    window_ms    over which `quota` counts
    day_policy   what counts by the day, empty where nothing does; `day` is the day of `spent_today`
    spent        since the last time: it counts, whatever the quota says
    spent_today  the same for the day; negative where more was given back
    wanted       only spent if it fits into both quotas; 0 just reports
    """

    subject: str
    policy: str
    window_ms: int
    quota: int
    day_policy: str = ""
    day: int = 0
    day_quota: int = 0
    spent: int = 0
    spent_today: int = 0
    wanted: int = 0


class Drawn(NamedTuple):
    """What stands after a draw, the wanted included if it was granted.

    used        in the window that ends now, `used_today` since midnight
    fresh_ms    when the oldest of it leaves the window; 0 where nothing is used
    wait_ms     when the wanted would fit into the window; 0 where it fits
    fits_today  whether the wanted fits into the day
    """

    granted: bool
    used: int
    used_today: int
    fresh_ms: int
    wait_ms: int
    fits_today: bool


def counts_until(now: int, window_ms: int) -> int:
    """Until when something that is spent now counts."""
    slot = max(window_ms // SLOTS, 1)
    return (now // slot + 1) * slot + window_ms


def wait_of(slots: Iterable[tuple[int, int]], room: int, wanted: int, now: int, window_ms: int) -> int:
    """Milliseconds until `wanted` fits into a window of which `room` is free now.

    slots   (until when it counts, how much), the oldest first
    """
    for until, used in slots:
        if room >= wanted:
            break
        room += used
        waited = until - now
        if room >= wanted:
            return waited
    return 0 if room >= wanted else window_ms


_SLOTS = "SELECT counts_until, used FROM usage_slot WHERE subject = ? AND policy = ? ORDER BY counts_until"
_DROP = "DELETE FROM usage_slot WHERE subject = ? AND policy = ? AND (counts_until <= ? OR counts_until > ?)"
_ADD = (
    "INSERT INTO usage_slot (subject, policy, counts_until, used) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (subject, policy, counts_until) DO UPDATE SET used = usage_slot.used + excluded.used"
)
_DAY = "SELECT used FROM usage_day WHERE subject = ? AND policy = ? AND day = ?"
_SET_DAY = (
    "INSERT INTO usage_day (subject, policy, day, used) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (subject, policy, day) DO UPDATE SET used = excluded.used"
)


def draw(db: sqlite3.Connection, asked: Draw, now: int) -> Drawn:
    """Count what was spent, then what is wanted if it fits. `now` is milliseconds since 1970, UTC."""
    until = counts_until(now, asked.window_ms)
    whose = (asked.subject, asked.policy)
    slots = [(at, used) for at, used in db.execute(_SLOTS, whose) if at > now]
    # After a step of the clock backwards, what was spent in its future counts as if it were spent now.
    early = sum(used for at, used in slots if at > until)
    slots = [(at, used) for at, used in slots if at <= until]
    used = early + asked.spent + sum(each for _, each in slots)

    today = now // DAY_MS
    used_today, fits_today = 0, True
    if asked.day_policy:
        used_today = _reported_day(db, asked, today)
        fits_today = used_today + asked.wanted <= asked.day_quota
    room = asked.quota - used
    granted = asked.wanted > 0 and room >= asked.wanted and fits_today
    taken = asked.wanted if granted else 0

    db.execute(_DROP, (*whose, now, until))
    if added := early + asked.spent + taken:
        db.execute(_ADD, (*whose, until, added))
        slots.append((until, early + asked.spent))
    if asked.day_policy and taken:
        db.execute(_SET_DAY, (asked.subject, asked.day_policy, today, used_today + taken))
    wait_ms = 0 if granted else wait_of(slots, room, asked.wanted, now, asked.window_ms)
    return Drawn(granted, used + taken, used_today + taken, slots[0][0] - now if slots else 0, wait_ms, fits_today)


def _reported_day(db: sqlite3.Connection, asked: Draw, today: int) -> int:
    """Write down what was spent on its own day. What has been used today."""
    if asked.spent_today:
        before = used_on(db, asked.subject, asked.day_policy, asked.day)
        after = max(before + asked.spent_today, 0)
        db.execute(_SET_DAY, (asked.subject, asked.day_policy, asked.day, after))
    return used_on(db, asked.subject, asked.day_policy, today)


_FORGET_SLOTS = "DELETE FROM usage_slot WHERE counts_until <= ?"
_FORGET_DAYS = "DELETE FROM usage_day WHERE day < ?"


def settle(db: sqlite3.Connection, asked: Iterable[Draw], now: int, *, tidy: bool = False) -> list[Drawn]:
    """Several draws at once, in their order. `tidy` drops what counts no more, of everybody."""
    if tidy:
        db.execute(_FORGET_SLOTS, (now,))
        db.execute(_FORGET_DAYS, (now // DAY_MS - RETENTION_DAYS,))
    return [draw(db, each, now) for each in asked]


def used_on(db: sqlite3.Connection, subject: str, policy: str, day: int) -> int:
    """What was used on a day, in days since 1970."""
    row = db.execute(_DAY, (subject, policy, day)).fetchone()
    return int(row[0]) if row else 0


def used_in_window(db: sqlite3.Connection, subject: str, policy: str, now: int) -> tuple[int, int]:
    """(what counts in the window that ends now, milliseconds until the oldest of it leaves)"""
    slots = [(at, used) for at, used in db.execute(_SLOTS, (subject, policy)) if at > now]
    return sum(used for _, used in slots), slots[0][0] - now if slots else 0


_DAYS = (
    "SELECT day, policy, used FROM usage_day WHERE subject = ? AND day BETWEEN ? AND ? AND used > 0"
    " ORDER BY day, policy"
)


def days(db: sqlite3.Connection, subject: str, first: int, last: int) -> list[tuple[int, str, int]]:
    """(day, policy, used) of a holder from one day to another."""
    return [(day, policy, used) for day, policy, used in db.execute(_DAYS, (subject, first, last))]
