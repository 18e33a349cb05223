"""What can go wrong with a threat list."""

from __future__ import annotations

from waypost.errors import WaypostError


class FeedError(WaypostError):
    """A threat list cannot be taken as it is. Where there was one of its name before, it stays."""

    code, status = "feed-refused", 422


class UnknownFeed(WaypostError):
    """No threat list goes by this name."""

    code, status = "unknown-feed", 404

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no feed named {name!r}; `waypost feeds list` shows what there is")
