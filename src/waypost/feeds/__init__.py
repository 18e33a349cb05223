"""Threat lists that the operator imports; none ships. A miss proves nothing, and an old list counts as missing.

feeds = Feeds.load(data_folder() / FOLDER)
feeds.evidence(target, world, now)      # for the decision
feeds.matches("login.evil.test", "evil.test")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self

from waypost.feeds.errors import FeedError
from waypost.feeds.file import ENDING, Feed, key
from waypost.models.decision import Evidence, Target
from waypost.registry.world import World, shorteners

__all__ = ["FOLDER", "REGISTRIES", "Damaged", "Feeds", "Match"]

FOLDER = "feeds"
"""Subfolder of the data folder."""
REGISTRIES = "rdap.json"
"""Name of the RDAP bootstrap file in the data folder, once it was fetched."""

_MOST_FOUND = 4096
"""Most hosts whose matches are kept in memory: a page of a list's file may have to be read from the disk."""
On = Literal["host", "domain", "page"]


class Match(NamedTuple):
    """List with an entry for a destination: its host, a domain above, or a page of the host."""

    feed: str
    on: On
    fetched_at: int


class Damaged(NamedTuple):
    """List that cannot be read, with the reason."""

    name: str
    reason: str


class Feeds:
    """Lists of one folder, open for lookups."""

    def __init__(self, feeds: Sequence[Feed] = (), damaged: Sequence[Damaged] = ()) -> None:
        self.feeds = tuple(feeds)
        self.damaged = tuple(damaged)
        self._found: dict[tuple[str, str], list[Match]] = {}

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Open the lists of a folder, which may be missing. Reads headers only."""
        feeds: list[Feed] = []
        damaged: list[Damaged] = []
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == ENDING)
        # No folder is not a list: nothing was ever imported.
        except FileNotFoundError:
            paths = []
        except OSError as error:  # a folder that cannot be read may contain lists: not the same as none
            return cls((), (Damaged(folder.name, (error.strerror or str(error)).lower()),))
        for path in paths:
            try:
                feeds.append(Feed(path))
            except FeedError as error:
                damaged.append(Damaged(path.stem, str(error)))
        return cls(feeds, damaged)

    def matches(self, host: str, registrable: str) -> list[Match]:
        """Most exact match of each list. Host and registrable domain are A-labels in lower case."""
        name = host, registrable
        if (found := self._found.get(name)) is not None:
            return found
        # Emptied at once, which needs no record of the order of use.
        if len(self._found) >= _MOST_FOUND:
            self._found.clear()
        found = self._found[name] = self._read_matches(host, registrable)
        return found

    def is_in_memory(self, host: str, registrable: str) -> bool:
        """Whether `matches` answers from memory."""
        return (host, registrable) in self._found or not self.feeds

    def _read_matches(self, host: str, registrable: str) -> list[Match]:
        found = []
        itself, above = key(host), [key(name) for name in _above(host, registrable)]
        for feed in self.feeds:
            on: On | None = None
            # From the most exact to the least; one match per list suffices.
            if feed.lists(itself):
                on = "host"
            elif any(feed.lists(number) for number in above):
                on = "domain"
            elif feed.lists_page_of(itself):
                on = "page"
            if on:
                found.append(Match(feed.header.name, on, feed.header.fetched_at))
        return found

    def stale(self, now: int) -> list[str]:
        """Names of lists that are too old, from the future, or damaged."""
        fresh = (feed.header.fetched_at <= now < feed.header.stale_at for feed in self.feeds)
        old = [feed.header.name for feed, good in zip(self.feeds, fresh, strict=True) if not good]
        return old + [damaged.name for damaged in self.damaged]

    def evidence(self, target: Target, world: World, now: int) -> tuple[Evidence, ...]:
        """Evidence about a destination: the check and its matches; empty without a list.

        A match counts even if its list is old. A page match on a host with many publishers, or with a reviewed owner,
        has medium strength only: the requested page may be another.
        """
        if not self.feeds and not self.damaged:
            return ()
        old = self.stale(now)
        check = Evidence(
            type="threat_list_check",
            status="stale" if old else "observed",
            id="list",
            observed_at=now,
            valid_until=min((feed.header.stale_at for feed in self.feeds), default=None),
            detail=f"too old or damaged: {', '.join(old)}" if old else "",
        )
        # A page on a shared host says nothing about the pages of its other users.
        places = {target.host, target.registrable}
        shared = bool(places & world.user_content or places & shorteners() or places & world.official.keys())
        found = self.matches(target.host, target.registrable)
        return (check, *(_evidence(match, target, now, shared=shared) for match in found))

    def close(self) -> None:
        for feed in self.feeds:
            feed.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _above(host: str, registrable: str) -> Iterator[str]:
    """The names above a host, up to the registrable domain."""
    while len(host) > len(registrable):
        host = host.partition(".")[2]
        yield host


def _evidence(match: Match, target: Target, now: int, *, shared: bool) -> Evidence:
    names = {"host": target.host, "domain": f"a domain above {target.host}", "page": f"a page of {target.host}"}
    return Evidence(
        type="threat_list_check",
        status="observed",
        id="list.match",
        observed_at=now,
        strength="medium" if match.on == "page" and shared else "decisive",
        detail=f"{names[match.on]} is on the list '{match.feed}'",
    )
