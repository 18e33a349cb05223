"""Other names under which a value may stand on a page (`schemas/other-names.json`)."""

from __future__ import annotations

from functools import cached_property

import msgspec


class OtherNames(msgspec.Struct, frozen=True, dict=True):
    """Property -> names with a value that may serve: properties of schema.org, and words that schema.org lacks.

    misplaced  property -> property of the same node in whose object it often stands by mistake, although it may.
    apart      property that takes anything -> types of the items that it most likely lacks.
    """

    properties: dict[str, tuple[str, ...]]
    words: dict[str, str]
    misplaced: dict[str, str]
    apart: dict[str, tuple[str, ...]]

    @cached_property
    def _intended(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for prop, words in self.words.items():
            for word in words.split():
                found[word] = (*found.get(word, ()), prop)
        return found

    def intended(self, name: str) -> tuple[str, ...]:
        """Properties that a name unknown to schema.org stands for; `postal-code` is read as `postalcode`."""
        if len(name) > _LONGEST:
            return ()
        return self._intended.get("".join(c for c in name.casefold() if c not in " _-."), ())


_LONGEST = 40
