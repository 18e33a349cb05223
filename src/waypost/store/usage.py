"""Usage of quotas, counted by the processes of a service together.

Windows slide: usage counts for the length of the window, rounded up to a sixtieth. Days are days of UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from waypost.store.engines import Connection

SLOTS = 60
DAY_MS = 86_400_000
RETENTION_DAYS = 400
"""Days for which sums are stored, enough for a report of a year."""


class Draw(NamedTuple):
    """Report of past usage of a subject, and a request for more.

    window_ms    length of the window of `quota`
    day_policy   policy counted by day, or empty; `day` is the day of `spent_today`
    spent        usage since the last report; counted even beyond the quota
    spent_today  usage of the day since the last report; negative if usage was returned
    amount       requested units, granted only within both quotas; 0 to report only
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
    amount: int = 0


class Drawn(NamedTuple):
    """Usage after a draw, with the requested amount if granted.

    used        in the window ending now; `used_today`: since midnight UTC
    fresh_ms    milliseconds until the oldest usage leaves the window; 0 without usage
    wait_ms     milliseconds until the request fits into the window; 0 for a request within the quota
    fits_today  whether the request fits into the day's quota
    """

    granted: bool
    used: int
    used_today: int
    fresh_ms: int
    wait_ms: int
    fits_today: bool


def counts_until(now: int, window_ms: int) -> int:
    """End of the time for which usage at `now` counts, in milliseconds since 1970."""
    # The end of the slot, not the start: rounded in the quota's favour, usage never counts for less than the window.
    slot = max(window_ms // SLOTS, 1)
    return (now // slot + 1) * slot + window_ms


def wait_of(slots: Iterable[tuple[int, int]], room: int, amount: int, now: int, window_ms: int) -> int:
    """Milliseconds until `amount` fits into a window of which `room` is free now.

    slots   (end of the time counted, amount), oldest first
    """
    for until, used in slots:
        if room >= amount:
            break
        room += used
        waited = until - now
        if room >= amount:
            return waited
    # An amount above the quota never fits: the longest wait of the window.
    return 0 if room >= amount else window_ms


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


def draw(db: Connection, request: Draw, now: int) -> Drawn:
    """Count reported usage, then the requested amount within the quotas. `now` is milliseconds since 1970, UTC."""
    until = counts_until(now, request.window_ms)
    account = (request.subject, request.policy)
    slots = [(at, used) for at, used in db.execute(_SLOTS, account) if at > now]
    # After the clock was set back, usage in its future counts as usage at `now`.
    early = sum(used for at, used in slots if at > until)
    slots = [(at, used) for at, used in slots if at <= until]
    used = early + request.spent + sum(part for _, part in slots)

    today = now // DAY_MS
    used_today, fits_today = 0, True
    if request.day_policy:
        used_today = _reported_day(db, request, today)
        fits_today = used_today + request.amount <= request.day_quota
    room = request.quota - used
    granted = request.amount > 0 and room >= request.amount and fits_today
    taken = request.amount if granted else 0

    # Slots of the future go too: they were counted in `early`, and return with the slot of now.
    db.execute(_DROP, (*account, now, until))
    if added := early + request.spent + taken:
        db.execute(_ADD, (*account, until, added))
        slots.append((until, early + request.spent))
    if request.day_policy and taken:
        db.execute(_SET_DAY, (request.subject, request.day_policy, today, used_today + taken))
    wait_ms = 0 if granted else wait_of(slots, room, request.amount, now, request.window_ms)
    return Drawn(granted, used + taken, used_today + taken, slots[0][0] - now if slots else 0, wait_ms, fits_today)


def _reported_day(db: Connection, request: Draw, today: int) -> int:
    """Usage of today, after adding the reported usage to the reported day."""
    if request.spent_today:
        before = used_on(db, request.subject, request.day_policy, request.day)
        after = max(before + request.spent_today, 0)
        db.execute(_SET_DAY, (request.subject, request.day_policy, request.day, after))
    return used_on(db, request.subject, request.day_policy, today)


_FORGET_SLOTS = (
    "DELETE FROM usage_slot WHERE (subject, policy, counts_until) IN (SELECT subject, policy, counts_until"
    " FROM usage_slot WHERE counts_until <= ? ORDER BY counts_until LIMIT 100)"
)


def settle(db: Connection, draws: Iterable[Draw], now: int, *, tidy: bool = False) -> list[Drawn]:
    """Results of several draws, in order. `tidy` deletes some usage past the windows, of every subject."""
    if tidy:
        db.execute(_FORGET_SLOTS, (now,))  # the rest is for `retention.sweep`
    return [draw(db, request, now) for request in draws]


def used_on(db: Connection, subject: str, policy: str, day: int) -> int:
    """Usage on a day, given in days since 1970."""
    row = db.execute(_DAY, (subject, policy, day)).fetchone()
    return int(row[0]) if row else 0


def used_in_window(db: Connection, subject: str, policy: str, now: int) -> tuple[int, int]:
    """(usage in the window ending now, milliseconds until the oldest part leaves the window)"""
    slots = [(at, used) for at, used in db.execute(_SLOTS, (subject, policy)) if at > now]
    return sum(used for _, used in slots), slots[0][0] - now if slots else 0


_DAYS = (
    "SELECT day, policy, used FROM usage_day WHERE subject = ? AND day BETWEEN ? AND ? AND used > 0"
    " ORDER BY day, policy"
)


def days(db: Connection, subject: str, first: int, last: int) -> list[tuple[int, str, int]]:
    """(day, policy, used) of a subject, from a first to a last day."""
    return [(day, policy, used) for day, policy, used in db.execute(_DAYS, (subject, first, last))]
