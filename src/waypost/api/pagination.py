"""Paginated lists. A cursor is valid only for the same organization, endpoint and filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from waypost.api.endpoint import Parameter
from waypost.service.problems import ProblemError
from waypost.store import cursors
from waypost.store.cursors import Page, Position
from waypost.store.errors import CursorError

if TYPE_CHECKING:
    from waypost.api.request import Call

Item = TypeVar("Item")

USUAL, MOST = 20, 100
LIMIT = Parameter(
    "limit", f"Maximum number of results; {USUAL} by default.", {"type": "integer", "minimum": 1, "maximum": MOST}
)
CURSOR = Parameter(
    "cursor", "`next_cursor` of the previous page.", {"type": "string", "minLength": 1, "maxLength": cursors.MAX_LENGTH}
)


class Pages:
    """Cursor handling for a list request.

    bound  filters of the request, to which cursors are bound; not the limit and not the cursor
    """

    def __init__(self, call: Call, *bound: str) -> None:
        self._secret = call.state.cursor_secret
        self._bound = (call.key.organization, call.endpoint.name, *bound)
        self._now = call.state.now()

    def position(self, cursor: str | None, place: dict[str, str]) -> Position | None:
        """Position that a cursor encodes, None without a cursor. Raises ProblemError with `place` in the error item."""
        if cursor is None:
            return None
        try:
            return cursors.unseal(self._secret, cursor, self._bound, self._now)
        except CursorError as error:
            raise ProblemError("invalid-cursor", errors=[place | {"code": "cursor", "detail": str(error)}]) from None

    def to_dict(self, found: Page[Item], to_dict: Callable[[Item], Any], name: str = "items") -> dict[str, Any]:
        """JSON data of a page: the items, and `next_cursor` unless the list ends."""
        members: dict[str, Any] = {name: [to_dict(item) for item in found.items]}
        if found.next is not None:
            members["next_cursor"] = self.token(found.next)
        return members

    def token(self, position: Position) -> str:
        """Cursor for a position."""
        return cursors.seal(self._secret, position, self._bound, self._now)


async def cursor_page(
    call: Call,
    find: Callable[[int, Position | None], Page[Item]],
    to_dict: Callable[[Item], Any],
    *bound: str,
    name: str = "items",
) -> dict[str, Any]:
    """JSON data of the page that the query string requests. Raises ProblemError for an invalid cursor.

    find  function of (limit, position to start after) that returns a page
    """
    way = Pages(call, *bound)
    after = way.position(call.query.get("cursor"), {"parameter": "cursor"})
    limit = call.number("limit", USUAL)
    return way.to_dict(await call.state.aside(lambda: find(limit, after)), to_dict, name)
