"""Parameters of lists, which are read page by page."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from waypost.models.wire.common import Closed
from waypost.store import cursors

USUAL, MOST = 20, 100
Limit = Annotated[int, Meta(ge=1, le=MOST, description=f"Maximum number of results; {USUAL} by default.")] | None
Cursor = (
    Annotated[str, Meta(min_length=1, max_length=cursors.MAX_LENGTH, description="`next_cursor` of the previous page.")]
    | None
)


class PageQuery(Closed, frozen=True, kw_only=True):
    """Part of a list."""

    limit: Limit = None
    cursor: Cursor = None
