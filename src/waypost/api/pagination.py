"""Lists in pages. A cursor leads on in its own list alone: the same organization, endpoint and question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from waypost.api.endpoint import Parameter
from waypost.api.problems import ProblemError
from waypost.store import cursors
from waypost.store.cursors import Page, Position
from waypost.store.errors import CursorError

if TYPE_CHECKING:
    from waypost.api.request import Call

Item = TypeVar("Item")

USUAL, MOST = 20, 100
LIMIT = Parameter("limit", f"How many at most; {USUAL} without it.", {"type": "integer", "minimum": 1, "maximum": MOST})
CURSOR = Parameter(
    "cursor", "`next_cursor` of the page before.", {"type": "string", "minLength": 1, "maxLength": cursors.MAX_LENGTH}
)


class Pages:
    """One caller's way through one list.

    bound  everything that was asked, besides how many at a time and where to go on
    """

    def __init__(self, call: Call, *bound: str) -> None:
        self._secret = call.state.cursor_secret
        self._bound = (call.key.organization, call.endpoint.name, *bound)
        self._now = call.state.now()

    def position(self, cursor: str | None, place: dict[str, str]) -> Position | None:
        """Where a cursor leads; `place` is where it stood in the request. Raises ProblemError."""
        if cursor is None:
            return None
        try:
            return cursors.unseal(self._secret, cursor, self._bound, self._now)
        except CursorError as error:
            raise ProblemError("invalid-cursor", errors=[place | {"code": "cursor", "detail": str(error)}]) from None

    def to_dict(self, found: Page[Item], to_dict: Callable[[Item], Any], name: str = "items") -> dict[str, Any]:
        """A page as it goes out."""
        members: dict[str, Any] = {name: [to_dict(each) for each in found.items]}
        if found.next is not None:
            members["next_cursor"] = cursors.seal(self._secret, found.next, self._bound, self._now)
        return members


def cursor_page(
    call: Call,
    find: Callable[[int, Position | None], Page[Item]],
    to_dict: Callable[[Item], Any],
    *bound: str,
    name: str = "items",
) -> dict[str, Any]:
    """The page of a list that the query string asks for.

    find  the page of so many items from behind a position on
    """
    way = Pages(call, *bound)
    after = way.position(call.query.get("cursor"), {"parameter": "cursor"})
    return way.to_dict(find(call.number("limit", USUAL), after), to_dict, name)
