"""Regular expressions compiled on first use: a run needs few of the hundreds in the package."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_VERBS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Stand-in for `re.compile`, without use in functions such as `re.match`. Raises `re.error` at the first use."""
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


class _Pattern:
    __slots__ = (*_VERBS, "_flags", "_source")

    def __init__(self, source: Any, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Python calls this only for a missing attribute: after the first call the methods of the compiled pattern
        # are attributes, and cost nothing extra.
        compiled = re.compile(self._source, self._flags)
        for verb in _VERBS:
            setattr(self, verb, getattr(compiled, verb))
        return getattr(compiled, name)
