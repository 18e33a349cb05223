"""What a watch remembers from one build to the next, so that a page is rendered again only where it would change.

Nobody declares what depends on what. Each page is kept with a digest of all that it was made from: its draft with every
value that the template gets, its side navigation, the templates it is put together from, and what all pages share. What
stands on every page and changes with every edit (where a stylesheet lies, the digest of the registry) is a stand-in
while a page is rendered, and is put in at the end.
"""

from __future__ import annotations

import hashlib
import io
import marshal
import pickle
import re
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, NamedTuple

import jinja2
import msgspec
from jinja2 import meta
from markupsafe import Markup

from waypost.pages.draft import Draft

FRAME = "layout.html"

# Private-use characters: no text of ours holds one.
_OPEN, _CLOSE = "\ue000", "\ue001"
_STANDING = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")


def stand_in(name: str) -> str:
    """What stands on a page until it is finished, in the place of something that changes often."""
    return f"{_OPEN}{name}{_CLOSE}"


def placed(html: str, meant: Mapping[str, str]) -> str:
    """A page with what its stand-ins mean."""
    return _STANDING.sub(lambda match: meant[match[1]], html)


class Page(NamedTuple):
    """A page that may be made, in two parts: a change of the frame leaves the main part of all pages as it is.

    side    its side navigation, as HTML
    main    renders its main part
    framed  renders the frame around that
    """

    draft: Draft
    side: str
    main: Callable[[], str]
    framed: Callable[[str], str]


class Memory:
    """What one run has built: the files it wrote, by name, and the pages, by address, each part with its digest."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._rendered = 0
        self._mains: dict[str, tuple[bytes | None, str]] = {}
        self._pages: dict[str, tuple[bytes | None, str]] = {}
        self._read: tuple[Any, dict[Any, Any]] = (None, {})

    def read(self, of: Any) -> dict[Any, Any]:
        """What builds have read of the same things: `of` says which they were, as a registry and files at a time."""
        if self._read[0] != of:
            self._read = (of, {})
        return self._read[1]

    def page(self, page: Page, digests: Digests) -> str:
        """The page as it was made from the same things, or made now."""
        address = page.draft.address
        of_main = digests.of_main(page.draft)
        whole = digests.of_page(of_main, page.side) if of_main else None
        known = self._pages.get(address)
        if known is not None and whole is not None and known[0] == whole:
            return known[1]
        self._rendered += 1
        main = self._mains.get(address)
        if main is None or of_main is None or main[0] != of_main:
            main = self._mains[address] = (of_main, page.main())
        html = page.framed(main[1])
        self._pages[address] = (whole, html)
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
        self._records: dict[int, tuple[Any, bytes]] = {}
        self._templates: dict[str, bytes] = {}
        self._sources: dict[str, str] = {}

    def of_main(self, draft: Draft) -> bytes | None:
        """Of all that the main part of a page is made from; None where a value has none, and it is always made anew."""
        found = io.BytesIO()
        try:
            # A pickle tells apart what is equal and not the same: 1 and True, an order of keys.
            _Pickler(found, self._records).dump((dict(draft.values), *draft._replace(values={}, data=None)))
        except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError):
            return None
        digest = hashlib.sha256(self._shared + self._of_template(draft.template))
        digest.update(found.getbuffer())
        return digest.digest()

    def of_page(self, main: bytes, side: str) -> bytes:
        """Of all that a page is made from."""
        return hashlib.sha256(main + self._of_template(FRAME) + side.encode()).digest()

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
    """Writes a digest in the place of each record: the same rule, operation or decision stands in the lists of many
    pages."""

    def __init__(self, file: io.BytesIO, records: dict[int, tuple[Any, bytes]]) -> None:
        super().__init__(file, 5)
        self.fast = True  # else the pickle tells whether equal texts are one object, which no page shows
        self._records = records  # each with its digest, by its id, which nothing else gets while it is kept here

    def reducer_override(self, each: Any) -> Any:
        kind = type(each)
        if kind is Markup:
            return str, (f"{_OPEN}{each}",)  # as its text, and told apart from a text that is not marked as safe
        if kind is tuple or not isinstance(each, (tuple, msgspec.Struct)):
            return NotImplemented
        if id(each) not in self._records:
            fields = each if isinstance(each, tuple) else msgspec.structs.astuple(each)
            found = io.BytesIO()
            _Pickler(found, self._records).dump((kind.__module__, kind.__qualname__, *fields))
            self._records[id(each)] = (each, hashlib.sha256(found.getbuffer()).digest())
        return bytes, (self._records[id(each)][1],)


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

    def __bool__(self) -> bool:
        return bool(self._made)

    def packed(self) -> bytes:
        """All of it, for another process of the same Python."""
        return marshal.dumps(self._made)

    def take(self, packed: bytes) -> None:
        """What another process has compiled."""
        self._made.update(marshal.loads(packed))  # noqa: S302 - from a process of our own

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        bucket.code = self._made.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.code is not None:
            self._made[bucket.key, bucket.checksum] = bucket.code
