"""Formats of published threat lists: hosts files, plain lists, CSV, JSON. Each yields hosts.

Entries are read by the URL parser that also reads requests, so that both spell a host alike. Only the host of a URL
is stored, and whether the URL named a page. Entries without a host are counted and skipped.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

import ada_url
import msgspec

from waypost.feeds.errors import FeedError
from waypost.formats.ip_addresses import is_local_name, literal, not_public

Form = Literal["hosts", "plain", "csv", "openphish", "urlhaus", "json"]
FORMS: tuple[Form, ...] = get_args(Form)
LONGEST_LINE = 65_536
MOST_BYTES = 4 << 30
MOST_JSON = 64 << 20
SAMPLE = 65_536

_SIMPLE = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)*\.[a-z][a-z0-9-]*")
_SIMPLE_URL = re.compile(rf"https?://({_SIMPLE.pattern})(/[^?#]*)?([?#].*)?", re.DOTALL)
_SCHEME = re.compile(r"https?:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_.-]+|\[[0-9a-f:]+\]")
"""Fewer characters than a URL may have: `1;evil.test;a` is a row of a table, not a host."""
_HOSTS_LINE = re.compile(r"(?:\d+\.\d+\.\d+\.\d+|[0-9a-f:]*:[0-9a-f:]*)\s+\S", re.IGNORECASE)
_COMMENTS = ("#", "!", ";", "//")
_NAMED = ("url", "host", "hostname", "domain", "phish_url", "phishing_url", "dst_host", "ioc", "indicator", "ioc_value")
_LISTS = ("blacklist", "blocklist", "denylist", "domains", "hosts", "hostnames", "urls", "entries", "items", "data")
_ALLOWED = frozenset({"whitelist", "allowlist", "fuzzylist"})
_LOCAL_ENDS = ("localhost", "localdomain", "local", "internal", "arpa")
"""How every local name ends, for a quick look first."""
_URLHAUS_COLUMN = 2
_DEEPEST = 6


class Entry(NamedTuple):
    """A host as it goes on the wire. `page`: the list names a page on it, not the host itself."""

    host: str
    page: bool


def entry_of(text: str) -> Entry | None:
    """The host that one cell or word of a list names: a URL, a host, a filter of an ad blocker. None for no host."""
    # Nearly every entry of a list; the URL parser takes ten times as long.
    if _SIMPLE.fullmatch(text) and "xn--" not in text:
        return _entry(text, page=False)
    if (found := _SIMPLE_URL.fullmatch(text)) and "xn--" not in found[1]:
        return _entry(found[1], page=found[2] not in {None, "/"} or found[3] is not None)
    return _parsed(text)


def _parsed(text: str) -> Entry | None:
    """Entry of a text by the full URL parser."""
    # Adblock syntax: `||host^$options` blocks a host and all below.
    if text.startswith("||"):
        text = re.split(r"[\^$]", text[2:], maxsplit=1)[0]
    text = text.removeprefix("*.").removeprefix(".")
    if not text or any(c.isspace() for c in text):
        return None
    try:
        # A bare host becomes a URL, so that the parser spells it as in a request (IDNA, IPv4 numbers).
        url = ada_url.URL(text if _SCHEME.match(text) else f"http://{text}")
    except ValueError:
        return None
    if url.protocol not in {"http:", "https:"} or not _HOST.fullmatch(url.hostname):
        return None
    return _entry(url.hostname, page=url.pathname not in {"", "/"} or bool(url.search))


def _entry(host: str, *, page: bool) -> Entry | None:
    """Entry of a host; None for local names and addresses, with which every hosts file begins."""
    bare = host.rstrip(".")
    # Every IPv4 address ends in a digit after parsing, and IPv6 addresses have brackets.
    if address := (literal(bare) if bare[-1:].isdigit() or host[:1] == "[" else None):
        return None if not_public(address) else Entry(str(address), page)
    host = host.removesuffix(".")
    if (
        # A single label is a name of a local network.
        "." not in host
        or not all(host.split("."))
        or len(host) > 253
        or (host.endswith(_LOCAL_ENDS) and is_local_name(host))
    ):
        return None
    return Entry(host, page)


def entries(stream: BinaryIO, form: Form, column: str | None = None) -> Iterator[Entry | None]:
    """Entries of a list; None for an entry without a host. Raises FeedError."""
    if form == "json":
        return map(entry_of, _json(stream))
    if form in {"csv", "urlhaus"}:
        chosen = column or (str(_URLHAUS_COLUMN + 1) if form == "urlhaus" else None)
        return _csv(lines(stream), chosen)
    return _hosts(lines(stream)) if form == "hosts" else _plain(lines(stream))


def lines(stream: BinaryIO) -> Iterator[str]:
    """Lines without comments, stripped. A line longer than LONGEST_LINE is skipped."""
    whole, left = True, MOST_BYTES
    while raw := stream.readline(LONGEST_LINE):
        left -= len(raw)
        if left < 0:
            raise FeedError(f"a list may unpack to {MOST_BYTES >> 30} GiB")
        # A part of an overlong line is neither a line by itself nor the begin of one.
        begins, whole = whole, raw.endswith(b"\n") or len(raw) < LONGEST_LINE
        if begins and whole:
            line = raw.decode("utf-8", "replace").strip().removeprefix("\ufeff")
            if line and not line.startswith(_COMMENTS):
                yield line


def _plain(rows: Iterable[str]) -> Iterator[Entry | None]:
    for row in rows:
        if not row.startswith(("[", "@@")):  # the title of an ad blocker's list; what it never blocks
            yield entry_of(row if " " not in row else row.partition(" #")[0].rstrip())


def _hosts(rows: Iterable[str]) -> Iterator[Entry | None]:
    """Entries of lines with an address, then names. Local names are not entries, not even unreadable ones."""
    for row in rows:
        for word in row.partition("#")[0].split()[1:]:
            entry = entry_of(word.lower())
            if entry or ("." in word and not is_local_name(word) and not literal(word)):
                yield entry


def _csv(rows: Iterator[str], column: str | None) -> Iterator[Entry | None]:
    # Delimiter and column are checked by several rows, as single ones may be odd.
    head = list(islice(rows, 50))
    if not head:
        return
    mark = _delimiter(head)
    table = [_cells(row, mark) for row in head]
    names = [cell.strip().casefold() for cell in table[0]]
    # A first row with a host is data, whatever else it holds.
    titled = not any(entry_of(cell.strip()) for cell in table[0])
    at = _column(column, names, table, titled=titled)
    for cells in islice(chain(table, (_cells(row, mark) for row in rows)), int(titled), None):
        yield entry_of(cells[at].strip()) if at < len(cells) else None


def _cells(row: str, mark: str) -> list[str]:
    # The csv module is needed for quoted cells only, and slower.
    if '"' not in row:
        return row.split(mark)
    try:
        return next(csv.reader((row,), delimiter=mark))
    except csv.Error:
        return []


def _delimiter(head: list[str]) -> str:
    # Limited, so that one cell full of commas does not outvote all rows.
    return max(",;\t|", key=lambda mark: sum(min(row.count(mark), 20) for row in head))


def _column(column: str | None, names: list[str], table: list[list[str]], *, titled: bool) -> int:
    """Index of the requested column, else of a known name, else of the column with most hosts."""
    if column is not None:
        # A number first: a list without titles has no names.
        if column.isascii() and column.isdigit() and int(column):
            return int(column) - 1
        if titled and column.casefold() in names:
            return names.index(column.casefold())
        known = f"the columns are {', '.join(names)}" if titled else "the columns have no names here; give its number"
        raise FeedError(f"there is no column {column!r}; {known}")
    for name in _NAMED:
        if titled and name in names:
            return names.index(name)
    counts = Counter(at for cells in table for at, cell in enumerate(cells) if entry_of(cell.strip()))
    if not counts:
        raise FeedError("no column holds hosts; name one with --column")
    return counts.most_common(1)[0][0]


def _json(stream: BinaryIO) -> Iterator[str]:
    data = stream.read(MOST_JSON + 1)
    if len(data) > MOST_JSON:
        raise FeedError(f"a JSON list may have {MOST_JSON >> 20} MiB; larger ones come as text or CSV")
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FeedError(f"this is not JSON: {error}") from None
    return _texts(document, _DEEPEST)


def _texts(value: Any, deep: int) -> Iterator[str]:
    """Entries in the usual shapes: strings, objects with one of _NAMED, objects of such lists."""
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, list) and deep:
        for item in value:
            yield from _texts(item, deep - 1)
    elif isinstance(value, dict) and deep:
        yield from _of_object(value, deep)


def _of_object(value: dict[str, Any], deep: int) -> Iterator[str]:
    # By rank of the names, not by order in the object: `url` says more than `domain`.
    for name in _NAMED:
        if isinstance(value.get(name), str):
            yield value[name].strip()
            return
    # Before the loop over all members: a list by a known name is the list, the rest describes it.
    collections = [value[name] for name in _LISTS if isinstance(value.get(name), list | dict)]
    if collections:
        for collection in collections:
            yield from _texts(collection, deep - 1)
        return
    for name, member in value.items():
        if name.casefold() in _ALLOWED:
            continue
        # Some lists are objects with the hosts as names.
        if entry_of(name):
            yield name
        elif isinstance(member, list | dict):
            yield from _texts(member, deep - 1)


def guess_format(sample: bytes) -> Form:
    """Format of a list by its first bytes. Raises FeedError for a web page, and for an unknown format."""
    text = sample.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text:
        raise FeedError("it is empty")
    start = text[:200].casefold()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        raise FeedError("this is a web page, not a list; its download has another address")
    # Lists for ad blockers begin with a title in brackets.
    if text[:1] in {"{", "["} and not start.startswith(("[adblock", "[adguard", "[ublock")):
        return "json"
    if "id,dateadded,url," in text[:4000].replace(" ", "").replace('"', ""):
        return "urlhaus"
    rows = [row.strip() for row in text.splitlines()]
    if len(sample) >= SAMPLE:
        rows.pop()  # it may go on
    rows = [row for row in rows if row and not row.startswith((*_COMMENTS, "[", "@@"))][:100]
    tests: dict[Form, Callable[[str], object]] = {
        "hosts": _HOSTS_LINE.match,
        "plain": lambda row: entry_of(row.partition(" #")[0].rstrip()),
        "csv": lambda row: any(entry_of(cell.strip()) for cell in _cells(row, _delimiter(rows))),
    }
    for form, test in tests.items():
        if rows and sum(bool(test(row)) for row in rows) * 2 > len(rows):
            return form
    raise FeedError("this does not look like a list of hosts; name its form with --format")
