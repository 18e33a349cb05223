"""Counts of a process, in memory alone: for addresses, and for a service without a store."""

from __future__ import annotations

from itertools import islice

from waypost.store.usage import DAY_MS, Draw, Drawn, counts_until, wait_of

MOST_ADDRESSES = 20_000
"""Addresses remembered for a policy; beyond the limit the least recently seen address is forgotten."""


class Window:
    """Sliding window of a subject under a policy: expiry in milliseconds -> cost, the oldest first."""

    __slots__ = ("slots", "used")

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.used = 0

    def settle(self, now: int, until: int) -> None:
        """Drop costs that have left the window. `until` is the expiry of a cost counted now."""
        while self.slots:
            oldest = next(iter(self.slots))
            if oldest > now:
                break
            self.used -= self.slots.pop(oldest)
        if self.slots and next(reversed(self.slots)) > until:
            # The clock was set back: costs counted in its future are moved to now.
            early = sum(self.slots.pop(expiry) for expiry in [end for end in self.slots if end > until])
            self.slots[until] = self.slots.get(until, 0) + early

    def add(self, cost: int, until: int) -> None:
        self.slots[until] = self.slots.get(until, 0) + cost
        self.used += cost

    def is_over(self, now: int) -> bool:
        """Whether every cost has left the window, which is then as good as none."""
        return not self.slots or next(reversed(self.slots)) <= now

    def fresh_ms(self, now: int) -> int:
        return next(iter(self.slots)) - now if self.slots else 0


class Memory:
    """Counterpart of `store.usage` in memory, for addresses and for a service without a store."""

    def __init__(self) -> None:
        # policy -> subject -> window, the least recently seen subject first
        self._windows: dict[str, dict[str, Window]] = {}
        # day -> (policy, subject) -> cost
        self._days: dict[int, dict[tuple[str, str], int]] = {}

    def draw(self, draw: Draw, now: int) -> Drawn:
        until = counts_until(now, draw.window_ms)
        window = self._window(draw.policy, draw.subject, now)
        window.settle(now, until)
        used_today, fits_today, today = 0, True, now // DAY_MS
        if draw.day_policy:
            used_today = self._day(today).get((draw.day_policy, draw.subject), 0)
            fits_today = used_today + draw.amount <= draw.day_quota
        granted = draw.amount > 0 and fits_today and window.used + draw.amount <= draw.quota
        wait_ms = 0
        if granted:
            window.add(draw.amount, until)
            if draw.day_policy:
                used_today += draw.amount
                self._day(today)[draw.day_policy, draw.subject] = used_today
        else:
            room = draw.quota - window.used
            wait_ms = wait_of(window.slots.items(), room, draw.amount, now, draw.window_ms)
        return Drawn(granted, window.used, used_today, window.fresh_ms(now), wait_ms, fits_today)

    def give_back(self, subject: str, policy: str, day: int, cost: int) -> None:
        counts = self._day(day)
        if (policy, subject) in counts:
            counts[policy, subject] = max(counts[policy, subject] - cost, 0)

    def take_back(self, subject: str, policy: str, window_ms: int, now: int, cost: int) -> None:
        """Undo a count of `now` in the window: the request was refused after all."""
        window = self._window(policy, subject, now)
        until = counts_until(now, window_ms)
        if window.slots.get(until, 0) >= cost:
            window.add(-cost, until)

    def _window(self, policy: str, subject: str, now: int) -> Window:
        windows = self._windows.setdefault(policy, {})
        found = windows.pop(subject, None)
        if found is None:
            # Two for each new one, so that a flood of addresses takes no more memory than those of its last minute.
            for oldest in list(islice(windows, 2)):
                if len(windows) >= MOST_ADDRESSES or windows[oldest].is_over(now):
                    del windows[oldest]
            found = Window()
        windows[subject] = found  # reinserted last, so that the first entry is the least recently seen
        return found

    def _day(self, day: int) -> dict[tuple[str, str], int]:
        """Counts of a day. Yesterday and tomorrow are kept too, in case the clock is set back over midnight."""
        if day not in self._days:
            self._days[day] = {}
            for old in [known for known in self._days if abs(known - day) > 1]:
                del self._days[old]
        return self._days[day]
