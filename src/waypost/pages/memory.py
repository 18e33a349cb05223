"""What a watch remembers from one build to the next, so that a page is rendered again only where it would change.

Nobody declares what depends on what. Each page is kept with a digest of all that it was made from: its draft with every
value that the template gets, its side navigation, the templates it is put together from, and what all pages share. What
stands on every page and changes with every edit (where a stylesheet lies, the digest of the registry) is a stand-in
while a page is rendered, and is put in at the end.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import re
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

import jinja2
from jinja2 import meta

from waypost.pages.draft import Draft

# Private-use characters: no text of ours holds one.
_OPEN, _CLOSE = "\ue000", "\ue001"
_STANDING = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")


def stand_in(name: str) -> str:
    """What stands on a page until it is finished, in the place of something that changes often."""
    return f"{_OPEN}{name}{_CLOSE}"


def placed(html: str, meant: Mapping[str, str]) -> str:
    """A page with what its stand-ins mean."""
    return _STANDING.sub(lambda match: meant[match[1]], html)


class Memory:
    """What one run has built: the files it wrote, by name, and the pages, by address, each with its digest."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._rendered = 0
        self._pages: dict[str, tuple[bytes, str]] = {}

    def page(self, address: str, digest: bytes | None, render: Callable[[], str]) -> str:
        """The page as it was made from the same things, or made now."""
        known = self._pages.get(address)
        if known is not None and digest is not None and known[0] == digest:
            return known[1]
        self._rendered += 1
        html = render()
        self._pages[address] = (digest or b"", html)
        return html

    def take_rendered(self) -> int:
        """How many pages were rendered since this was last asked."""
        rendered, self._rendered = self._rendered, 0
        return rendered


class Digests:
    """Digests of what pages are made from, for one build."""

    def __init__(self, environment: jinja2.Environment, shared: Any) -> None:
        self._environment = environment
        self._shared = hashlib.sha256(pickle.dumps(shared, 5)).digest()
        self._values: dict[int, tuple[Any, bytes | None]] = {}
        self._parts: dict[int, tuple[Any, bytes]] = {}
        self._templates: dict[str, bytes] = {}
        self._sources: dict[str, str] = {}

    def of(self, draft: Draft, side: str) -> bytes | None:
        """The digest of all that a page is made from; None where a value has none, and the page is always made anew."""
        values = [self._of_value(value) for value in draft.values.values()]
        own = self._digest((list(draft.values), side, *draft._replace(values={}, data=None)))
        if own is None or None in values:
            return None
        found = hashlib.sha256(self._shared + self._of_template(draft.template) + own)
        for value in values:
            found.update(value or b"")
        return found.digest()

    def _of_value(self, value: Any) -> bytes | None:
        """Many pages share the larger values: each is gone through once."""
        if id(value) not in self._values:
            self._values[id(value)] = (value, self._digest(value))  # with the value, so that nothing else gets its id
        return self._values[id(value)][1]

    def _digest(self, value: Any) -> bytes | None:
        """Of a value's pickle, which tells apart what is equal and not the same: 1 and True, an order of keys."""
        found = io.BytesIO()
        try:
            _Pickler(found, self._parts).dump(value)
        except (pickle.PicklingError, TypeError, AttributeError):
            return None
        return hashlib.sha256(found.getbuffer()).digest()

    def _of_template(self, name: str) -> bytes:
        """Of the template and of every other that it extends, includes or imports, however far down."""
        if name not in self._templates:
            found = hashlib.sha256()
            for each in sorted(self._reach(name)):
                found.update(f"{each}\0{self._source(each)}\0".encode())
            self._templates[name] = found.digest()
        return self._templates[name]

    def _reach(self, name: str) -> set[str]:
        reached, waiting = {name}, [name]
        while waiting:
            for other in _names(self._source(waiting.pop())):
                # A name that is only known when the page is made may be any template's.
                for each in self._environment.list_templates() if other is None else [other]:
                    if each not in reached:
                        reached.add(each)
                        waiting.append(each)
        return reached

    def _source(self, name: str) -> str:
        if name not in self._sources:
            assert self._environment.loader is not None
            self._sources[name] = self._environment.loader.get_source(self._environment, name)[0]
        return self._sources[name]


class _Pickler(pickle.Pickler):
    """Writes a digest in the place of each record: the same operation or decision stands in the lists of many pages."""

    def __init__(self, file: io.BytesIO, parts: dict[int, tuple[Any, bytes]]) -> None:
        super().__init__(file, 5)
        self._parts = parts

    def reducer_override(self, each: Any) -> Any:
        if not isinstance(each, tuple) or type(each) is tuple:
            return NotImplemented
        if id(each) not in self._parts:
            found = io.BytesIO()
            _Pickler(found, self._parts).dump((type(each), *each))
            self._parts[id(each)] = (each, hashlib.sha256(found.getbuffer()).digest())
        return bytes, (self._parts[id(each)][1],)


_KNOWN: dict[str, tuple[str | None, ...]] = {}


def _names(source: str) -> tuple[str | None, ...]:
    """The templates that a template names. Reading one takes long, so it is done once for each text."""
    if source not in _KNOWN:
        _KNOWN[source] = tuple(meta.find_referenced_templates(jinja2.Environment(autoescape=True).parse(source)))
    return _KNOWN[source]


class Compiled(jinja2.BytecodeCache):
    """The templates that this process has compiled, by their text: an environment of its own for every build costs
    little, and none holds what it imported from a template that has changed since."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        bucket.code = self._made.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.code is not None:
            self._made[bucket.key, bucket.checksum] = bucket.code
