"""Regular expressions that are compiled when they are first used: of the hundreds there are, a run needs a few."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_VERBS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, but for the functions of `re` itself. Raises `re.error` at the first use."""
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


class _Pattern:
    __slots__ = (*_VERBS, "_flags", "_source")

    def __init__(self, source: Any, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Asked only for what is not there yet; afterwards a verb costs no more than that of a pattern."""
        compiled = re.compile(self._source, self._flags)
        for verb in _VERBS:
            setattr(self, verb, getattr(compiled, verb))
        return getattr(compiled, name)
