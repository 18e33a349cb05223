"""The examples of the site, judged: each once in a run, and again only where what its verdict rests on has changed.

A watch builds the site again after every edit of the registry, and judging all examples takes longer than everything
else. A verdict rests on the vocabulary, on what a consumer's profiles share, on which types have a card, and on the
profiles that the nodes of the example ask for; an example is judged by a registry that holds nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

import msgspec

from waypost.extract import read_data, read_page
from waypost.models.finding import FileReport
from waypost.registry import Registry
from waypost.validate import judge
from waypost.validate.profiles.engine import DATA_VOCABULARY, engine

_DISPATCH = ("title", "x-source-types", "x-excludes", "x-rank")
_MOST = 4096
_Key = tuple[bytes, str, str | None, datetime, str]

_types: dict[_Key, frozenset[tuple[str, ...]]] = {}
_reports: dict[tuple[_Key, tuple[bytes, ...]], FileReport] = {}


def judged(data: bytes, ending: str, url: str | None, registry: Registry, now: datetime) -> FileReport:
    """What waypost says about an example, a page (`ending` ".html") or JSON-LD."""
    parted = _parted(registry)
    key = (data, ending, url, now, parted.always)
    types = _types.get(key)
    if types is None or (report := _reports.get((key, parted.asked(types)))) is None:
        read = read_page if ending == ".html" else read_data
        page = read(data, parted.registry.vocabulary, path=f"page{ending}", url=url)
        report = judge(page, parted.registry, now=now)
        types = frozenset(node.types for node in page.nodes)
        if len(_reports) > _MOST:
            _reports.clear()
            _types.clear()
        _types[key] = types
        _reports[key, parted.asked(types)] = report
    return report


def basis(registry: Registry) -> Registry:
    """What of a registry verdicts rest on, and nothing else: the same one for as long as none of that changes."""
    return _parted(registry).registry


class _Parted:
    """What of a registry judging reads, parted into what every verdict rests on and what only some do.

    registry   holds what judging reads and nothing else
    always     the digest of what every verdict rests on
    """

    def __init__(self, whole: Registry) -> None:
        files = {path: data for path, data in whole.files.items() if path.startswith(("profiles/", "vocabulary/"))}
        files["picking.json"] = whole.files["picking.json"]
        for path in whole.below("mappings/", ".schema.json"):
            mapping = whole.document(path)
            files[path] = msgspec.json.encode({name: mapping[name] for name in _DISPATCH})
        self.registry = _known(Registry(files))
        profiles = self.registry.profiles
        # Shapes may ask what a profile asks, and things of the old vocabulary are told of by its profile.
        shared = {f"{house.name}/{shape.rule}" for house in self.registry.consumers.values()
                  for shape in house.shapes.values() if shape.rule}  # fmt: skip
        shared |= {name for name, profile in profiles.items() if DATA_VOCABULARY in profile.types}
        always = {
            path: b"" if path.removeprefix("profiles/").removesuffix(".json") in profiles.keys() - shared else data
            for path, data in files.items()
        }
        self.always = Registry(always).version
        self._asked: dict[frozenset[tuple[str, ...]], tuple[bytes, ...]] = {}

    def asked(self, types: Iterable[tuple[str, ...]]) -> tuple[bytes, ...]:
        """The profiles that nodes of these types ask for, as they are written."""
        types = frozenset(types)
        if types not in self._asked:
            found = {feature.name for each in types for feature, _ in engine(self.registry).features_for(each)}
            self._asked[types] = tuple(self.registry.files[f"profiles/{name}.json"] for name in sorted(found))
        return self._asked[types]


_last: list[Registry] = []


def _known(registry: Registry) -> Registry:
    """The registry of this content that was asked for last, with all that was worked out about it."""
    if not _last or _last[0].version != registry.version:
        _last[:] = [registry]
    return _last[0]


@lru_cache(maxsize=2)
def _parted(registry: Registry) -> _Parted:
    return _Parted(registry)
