"""The command line in the process of the tests; the fixture `command` of `conftest.py` runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Ran(NamedTuple):
    """Exit status and output of a command that ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]
