"""Threat lists that the operator plugs in: none ships. A miss proves nothing; a list that is too old is no list.

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
"""Where the lists lie, in the data folder."""
REGISTRIES = "rdap.json"
"""Where a whole RDAP bootstrap file lies in the data folder, once it was fetched."""

On = Literal["host", "domain", "page"]


class Match(NamedTuple):
    """A list that names a destination: its host, a domain that it is below, or some page of the host."""

    feed: str
    on: On
    fetched_at: int


class Damaged(NamedTuple):
    """A list that cannot be used, and why."""

    name: str
    reason: str


class Feeds:
    """The lists of one folder, opened for looking up."""

    def __init__(self, feeds: Sequence[Feed] = (), damaged: Sequence[Damaged] = ()) -> None:
        self.feeds = tuple(feeds)
        self.damaged = tuple(damaged)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Every list of a folder, which need not be there. Reads headers only."""
        feeds: list[Feed] = []
        damaged: list[Damaged] = []
        try:
            paths = sorted(each for each in folder.iterdir() if each.suffix == ENDING)
        except (FileNotFoundError, NotADirectoryError):
            paths = []
        except OSError as fault:  # what cannot be read may hold anything: it is not the same as no list
            return cls((), (Damaged(folder.name, (fault.strerror or str(fault)).lower()),))
        for path in paths:
            try:
                feeds.append(Feed(path))
            except FeedError as fault:
                damaged.append(Damaged(path.stem, str(fault)))
        return cls(feeds, damaged)

    def matches(self, host: str, registrable: str) -> list[Match]:
        """The lists that name a host, at most one match a list, the most exact. Both as A-labels, lower case."""
        found = []
        itself, above = key(host), [key(each) for each in _above(host, registrable)]
        for feed in self.feeds:
            on: On | None = None
            if feed.lists(itself):
                on = "host"
            elif any(feed.lists(each) for each in above):
                on = "domain"
            elif feed.lists_page_of(itself):
                on = "page"
            if on:
                found.append(Match(feed.header.name, on, feed.header.fetched_at))
        return found

    def stale(self, now: int) -> list[str]:
        """The names of the lists that are too old, or from the future, or damaged."""
        fresh = (feed.header.fetched_at <= now < feed.header.stale_at for feed in self.feeds)
        old = [feed.header.name for feed, good in zip(self.feeds, fresh, strict=True) if not good]
        return old + [each.name for each in self.damaged]

    def evidence(self, target: Target, world: World, now: int) -> tuple[Evidence, ...]:
        """What the lists say about a destination: nothing without a list, else the check and each match.

        A match counts however old its list is. A listed page of a host where many publish, or that is reviewed as
        somebody's own, is a sign and no more: the page that was asked for may be another.
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
        places = {target.host, target.registrable}
        shared = bool(places & world.user_content or places & shorteners() or places & world.official.keys())
        found = self.matches(target.host, target.registrable)
        return (check, *(_evidence(each, target, now, shared=shared) for each in found))

    def close(self) -> None:
        for feed in self.feeds:
            feed.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _above(host: str, registrable: str) -> Iterator[str]:
    """The names above a host, up to the registrable domain."""
    while len(host) > len(registrable):
        host = host.partition(".")[2]
        yield host


def _evidence(match: Match, target: Target, now: int, *, shared: bool) -> Evidence:
    listed = {"host": target.host, "domain": f"a domain above {target.host}", "page": f"a page of {target.host}"}[
        match.on
    ]
    return Evidence(
        type="threat_list_check",
        status="observed",
        id="list.match",
        observed_at=now,
        strength="medium" if match.on == "page" and shared else "decisive",
        detail=f"{listed} is on the list '{match.feed}'",
    )
