"""Caches of a run: results of a file are in the cache of the file's configuration."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.config import Config
from waypost.lint.cache import Cache, Validity, folder_for
from waypost.lint.inputs import Input
from waypost.registry import Registry

if TYPE_CHECKING:
    from waypost.lint.cache import ResponseCache


class Caches:
    """Caches by configuration.

    named   folder of --cache, for every file.
    strict  compare the bytes of every file, with an equal stamp too.
    """

    def __init__(self, named: str | None, registry: Registry, now: datetime, *, strict: bool = False) -> None:
        self._named = named
        self._registry, self._now, self._strict = registry, now, strict
        self._caches: dict[Path, Cache] = {}

    def has_any(self, config: Config) -> bool:
        """Whether any file of a run has a cache. A digest of each file, which a cache needs, loads OpenSSL."""
        return any(self._folder(each) is not None for each in config.each())

    def _folder(self, config: Config) -> Path | None:
        setting = config.setting("cache")
        return folder_for(self._named, setting.value if setting else None, config.path)

    def of(self, config: Config) -> Cache | None:
        """Cache of the files with a configuration; None where they have none."""
        folder = self._folder(config)
        if folder is None:
            return None
        if folder not in self._caches:
            identity = next((cache.identity for cache in self._caches.values()), "")
            self._caches[folder] = Cache(folder, self._registry, self._now, strict=self._strict, identity=identity)
        return self._caches[folder]

    def find_all(self, requests: Sequence[tuple[Input, bytes]], config: Config) -> list[bytes | None]:
        """Result for each request (input, options digest), in order; None where no stored result is valid now."""
        if not config.nested:
            cache = self.of(config)
            return cache.find_all(requests) if cache else [None] * len(requests)
        found: list[bytes | None] = [None] * len(requests)
        numbers: dict[Cache, list[int]] = {}
        for number, (item, _) in enumerate(requests):
            if cache := self.of(config.nearest(item.where)):
                numbers.setdefault(cache, []).append(number)
        for cache, own in numbers.items():
            for number, data in zip(own, cache.find_all([requests[n] for n in own]), strict=True):
                found[number] = data
        return found

    def put(self, item: Input, key: bytes, validity: Validity, result: bytes, config: Config) -> None:
        if cache := self.of(config.nearest(item.where)):
            cache.put(item, key, validity, result)

    def save(self) -> str:
        """Write the new results; the reasons where they cannot be written, else empty."""
        return "; ".join(why for cache in self._caches.values() if (why := cache.save()))

    def responses(self, config: Config) -> ResponseCache | None:
        """Responses of servers, for conditional requests; None without a cache."""
        cache = self.of(config)
        return cache.responses() if cache else None
