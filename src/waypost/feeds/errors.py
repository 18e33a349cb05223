"""Errors of threat lists."""

from __future__ import annotations

from waypost.errors import WaypostError


class FeedError(WaypostError):
    """Threat list that cannot be imported or read. A list imported before under its name stays."""

    code, status = "feed-refused", 422


class UnknownFeed(WaypostError):
    """Unknown name of a threat list."""

    code, status = "unknown-feed", 404

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no feed named {name!r}; `waypost feeds list` lists the known ones")
