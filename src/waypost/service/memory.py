"""Memory of signals against destinations: removing evidence never makes a decision milder.

A signal that was observed counts until its own expiry, or until the same check has observed the destination again
without the signal. A check that fails, hangs, or is relabelled observes nothing. Changes are noted for the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from waypost.models.decision import Evidence, EvidenceType, Target
from waypost.models.observation import Observations, StoredSignal

DEFAULT_MS = 3_600_000
"""Lifetime of signals without an expiry."""
_MOST = 4096
"""Most subjects; the oldest go first."""
_MOST_EACH = 16
_AGAINST = frozenset({"decisive", "strong", "medium"})
_OF_DOMAIN = frozenset({"registration_data_check"})
_REMEMBERED: frozenset[EvidenceType] = frozenset(
    {
        "automated_network_check",
        "certificate_check",
        "registration_data_check",
        "structured_data_claim",
        "threat_list_check",
    }
)


_WORTH_STORING_MS = 60_000
"""Longer life of a known signal that is written to the store again."""


class SignalMemory:
    """Signals by subject: a destination, or for registration data a domain. Not thread-safe.

    stored  changes are noted for a store
    """

    def __init__(self, *, stored: bool = False) -> None:
        self._notes_changes = stored
        self._signals: dict[tuple[str, ...], dict[str, Evidence]] = {}
        self._stored: dict[tuple[tuple[str, ...], str], int] = {}
        self._changed: list[StoredSignal] = []

    def learn(self, news: Iterable[StoredSignal]) -> None:
        """Take in signals of the store."""
        for subject, name, piece in news:
            if piece is not None:
                self._signals.setdefault(subject, {})[name] = piece
                self._stored[subject, name] = piece.valid_until or 0
        self._forget_oldest()

    def changed(self) -> list[StoredSignal]:
        """Changes since the last call, for the store."""
        changed, self._changed = self._changed, []
        return changed

    def recall(
        self, target: Target, seen: Observations | None, further: Sequence[Evidence], now: int
    ) -> tuple[Evidence, ...]:
        """Signals about a destination that the checks of today have not observed to be gone."""
        if not self._signals:
            return ()
        found: list[Evidence] = []
        for subject in _subjects(target):
            signals = self._signals.get(subject)
            if signals is None:
                continue
            # A list, since signals are deleted on the way.
            for name, piece in list(signals.items()):
                if (piece.valid_until or 0) <= now or _is_observed_again(piece, seen, further):
                    del signals[name]
                    if self._stored.pop((subject, name), None) is not None:
                        self._changed.append(StoredSignal(subject, name, None))
                else:
                    found.append(piece)
            if not signals:
                del self._signals[subject]
        return tuple(found)

    def remember(self, target: Target, evidence: Sequence[Evidence], now: int) -> None:
        """Store the signals against a destination."""
        against = [piece for piece in evidence if piece.strength in _AGAINST]
        if not against:
            return
        for piece in against:
            if piece.type not in _REMEMBERED or not piece.id:
                continue
            # Registration data are of the domain; any other check is of one port, and another port may be another
            # owner's.
            subject = _subjects(target)[piece.type in _OF_DOMAIN]
            signals = self._signals.setdefault(subject, {})
            # The bound is on new ones: a known signal may always be renewed.
            if piece.id in signals or len(signals) < _MOST_EACH:
                until = piece.valid_until if piece.valid_until is not None else now + DEFAULT_MS
                signals[piece.id] = bounded = msgspec.structs.replace(piece, valid_until=until)
                if self._notes_changes and until > self._stored.get((subject, piece.id), 0) + _WORTH_STORING_MS:
                    self._stored[subject, piece.id] = until
                    self._changed.append(StoredSignal(subject, piece.id, bounded))
        self._forget_oldest()

    def _forget_oldest(self) -> None:
        # Callers choose the destinations, so that the memory needs a bound; a dictionary keeps the order of first
        # entry.
        while len(self._signals) > _MOST:
            subject = next(iter(self._signals))
            for name in self._signals.pop(subject):
                self._stored.pop((subject, name), None)


def _subjects(target: Target) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (target.scheme, target.host, str(target.port)), (target.registrable,)


def _is_observed_again(piece: Evidence, seen: Observations | None, further: Sequence[Evidence]) -> bool:
    """Whether the check behind a signal was made again, with a result."""
    if piece.type == "threat_list_check":
        checks = [each for each in further if each.type == "threat_list_check"]
        # Of several lists, the one that is not there today may be the one that named the host.
        return bool(checks) and all(each.status == "observed" for each in checks)
    if piece.type == "structured_data_claim":
        return any(each.type == piece.type and each.status == "observed" for each in further)
    # A check that was not made or that failed takes no signal back: an attacker can make checks fail.
    if seen is None:
        return False
    if piece.type == "registration_data_check":
        return seen.registration.status == "observed" and seen.registration.registered_at is not None
    part = {"net.dns": seen.dns, "net.tls": seen.tls}.get(piece.id, seen.http)
    return part.status == "observed"
