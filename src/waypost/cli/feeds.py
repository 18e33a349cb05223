"""add, update, list, remove and publish threat lists

waypost ships no lists. Formats: hosts file, one host or URL per line, CSV, OpenPhish, URLhaus, JSON block list; from
an https address or a file, compressed or not. Only hashes of the hosts are stored. A list older than its --max-age is
no longer evidence: update it before, for example from cron.

`waypost feeds update rdap` fetches the table of registration-data servers from IANA.

With --store the lists are in the database, and every replica fetches them from there within seconds.

examples:
  waypost feeds add phishing https://lists.example.com/phishing.txt --max-age 12
  waypost feeds add blocked ./blocked.csv --column host
  waypost feeds update
  waypost feeds list
  waypost feeds update rdap ./dns.json

exit status: 0 done, 2 wrong usage, 3 something could not be fetched or read; what was there before stays
"""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from waypost.cli._console import (
    UNREADABLE,
    StatusLine,
    UsageError,
    add_colour,
    coloured,
    print_message,
    write,
    write_json,
)
from waypost.cli._subcommands import now_ms, on_shared_files, place_of, subcommands

if TYPE_CHECKING:
    from waypost.feeds import Feeds
    from waypost.feeds.file import Header
    from waypost.report._terminal import Paint

PLACE = 80
IANA = "https://data.iana.org/rdap/dns.json"
MAX_BYTES = 128 << 20
"""Bound of a list from the web, which is held in memory; a file may be larger."""
_WITHIN_S = 300.0
_FORMATS = ("auto", "hosts", "plain", "csv", "openphish", "urlhaus", "json")
_MAX_AGE_HOURS = 48


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)

    adding = add("add", "add a list and fetch it", _add)
    adding.add_argument("name", metavar="NAME", help="name of the list: letters, digits and hyphens")
    adding.add_argument("source", metavar="URL|FILE", help="an https address, or a file")
    adding.add_argument(
        "--format", choices=_FORMATS, default="auto", metavar="FORMAT", help=f"{', '.join(_FORMATS)}: its form"
    )
    adding.add_argument("--column", metavar="NAME|NUMBER", help="of CSV: where the hosts or URLs are (guessed)")
    adding.add_argument(
        "--max-age",
        type=_hours,
        default=_MAX_AGE_HOURS,
        metavar="HOURS",
        help=f"for how long it holds ({_MAX_AGE_HOURS})",
    )
    updating = add("update", "fetch the lists again; if that fails, the old list stays", _update)
    updating.add_argument("name", nargs="?", metavar="NAME", help="which one, or rdap; all lists without it")
    updating.add_argument("file", nargs="?", metavar="FILE", help="take it from this file this time")
    listing = add("list", "list the lists with their age", _list)
    add_colour(listing)
    removing = add("remove", "remove a list", _remove)
    removing.add_argument("name", metavar="NAME", help="which one")
    add("publish", "give the lists of the data folder to every replica; needs --store", _publish)


def _hours(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 8760):
        raise ArgumentTypeError(f"{text!r}: give hours, 1 to 8760")
    return int(text)


def run(args: Namespace) -> int:
    from waypost.feeds.errors import UnknownFeed

    place, status = place_of(args), 0
    try:
        if args.work is _publish:
            status = _publish(args, place)
        elif isinstance(place, str):
            status = _in_store(args, place)
        else:
            status = args.work(args, place)
    except UnknownFeed as error:
        raise UsageError(str(error)) from None
    return status


def _in_store(args: Namespace, address: str) -> int:
    """Do the work on a copy of the lists of a database, then publish what has changed."""
    with on_shared_files(address, changes=args.work is not _list) as folder:
        status: int = args.work(args, folder)
    return status


def _publish(args: Namespace, place: Path | str) -> int:
    """Publish the lists of --data in the database of --store, in place of those of the same name."""
    from waypost.service.shared_files import names_in, publish_all
    from waypost.store import data_folder, open_store, shared_files

    if not isinstance(place, str):
        raise UsageError("publish: name the database of the replicas with --store, or WAYPOST_STORE")
    folder = data_folder(args.data)
    found = names_in(folder)
    if not found:
        raise UsageError(f"publish: there are no lists in {folder}")
    with open_store(place) as store:
        known = store.read(shared_files.find_all)
        changed = publish_all(store, folder, {file.name: file.digest for file in known if file.name in found}, now_ms())
    if args.json:
        write_json({"published": sorted(found), "changed": sorted(changed)})
    else:
        write(f"{name}: {'published' if name in changed else 'as it was'}\n" for name in sorted(found))
    return 0


def _add(args: Namespace, data: Path) -> int:
    from waypost.feeds import FOLDER
    from waypost.feeds.errors import FeedError, UnknownFeed
    from waypost.feeds.ingest import check_name, header

    try:
        check_name(args.name)
        known = header(data / FOLDER, args.name)
    except UnknownFeed:
        pass
    except FeedError as error:
        raise UsageError(str(error)) from None
    else:
        raise UsageError(f"there is a feed {known.name!r} already; update it, or remove it first")
    source = args.source if _is_address(args.source) else str(Path(args.source).resolve())
    form = None if args.format == "auto" else args.format
    return _report([_fetch_list(data, args.name, source, form, args.column, args.max_age * 3600)], args)


def _update(args: Namespace, data: Path) -> int:
    from waypost.errors import WaypostError
    from waypost.feeds.ingest import RESERVED

    if args.name == RESERVED:
        return _update_registries(args, data)
    headers, damaged = _headers(args, data)
    if damaged and not headers:
        return UNREADABLE
    done, failed = [], False
    for old in headers:
        try:
            done.append(
                _fetch_list(data, old.name, args.file or old.source, old.form, old.column, old.max_age_s, old.source)
            )
        except WaypostError as error:
            print_message(f"{old.name}: {error}; the list of {_age(now_ms() - old.fetched_at)} ago stays")
            failed = True
    if not headers:
        print_message("there are no feeds; `waypost feeds add NAME URL` adds one")
    return _report(done, args) or (UNREADABLE if failed else 0)


def _headers(args: Namespace, data: Path) -> tuple[list[Header], bool]:
    """(headers of the named feed, or of every feed; whether further feeds are damaged). Reports damaged feeds."""
    from waypost.feeds import FOLDER, Feeds
    from waypost.feeds.ingest import header

    if args.name:
        return [header(data / FOLDER, args.name)], False
    with Feeds.load(data / FOLDER) as feeds:
        headers = [feed.header for feed in feeds.feeds]
    for broken in feeds.damaged:
        print_message(f"{broken.name}: {broken.reason}; remove it and add it again")
    return headers, bool(feeds.damaged)


def _fetch_list(
    data: Path, name: str, where: str, form: Any, column: str | None, max_age_s: int, source: str | None = None
) -> Header:
    """Fetch a list from `where`; `source` is the place for later updates, `where` by default."""
    from waypost.feeds import FOLDER
    from waypost.feeds.ingest import ingest

    line = StatusLine(patience_s=0.2, pace_s=0.2)
    try:
        with _open(where) as stream:
            return ingest(
                data / FOLDER,
                stream,
                name=name,
                source=source or where,
                form=form,
                column=column,
                now=now_ms(),
                max_age_s=max_age_s,
                progress=lambda entries: line.draw(lambda: f"{name}: {entries:,} entries"),
            )
    finally:
        line.close()


def _is_address(text: str) -> bool:
    return text.lower().startswith(("https://", "http://"))


def _open(where: str) -> BinaryIO:
    if _is_address(where):
        return io.BytesIO(_fetch(where))
    from waypost.errors import Unreadable

    try:
        return Path(where).open("rb")
    except OSError as error:
        raise Unreadable(where, (error.strerror or str(error)).lower()) from None


def _fetch(address: str) -> bytes:
    from waypost.errors import FetchFailed
    from waypost.net.fetch import fetch
    from waypost.net.wire import Limits

    if not address.lower().startswith("https://"):
        raise UsageError("a threat list must come over https or from a file: over http, others could change it")
    limits = Limits(total_s=_WITHIN_S, read_s=30.0, body_bytes=MAX_BYTES, wire_bytes=MAX_BYTES)
    response = fetch(address, limits=limits, accept="text/plain, text/csv, application/json, */*;q=0.5")
    # A page that explains an error would be read as a list, and take the place of the last good one.
    if response.status != 200:
        raise FetchFailed(f"{response.url} answered {response.status}", "status")
    return response.data


def _update_registries(args: Namespace, data: Path) -> int:
    from waypost.errors import RegistryError
    from waypost.feeds import REGISTRIES
    from waypost.net.rdap import read_bootstrap

    with _open(args.file or IANA) as stream:
        raw = stream.read(MAX_BYTES)
    # Read whole before the file is replaced: a broken answer must not cost the servers that are known.
    servers = read_bootstrap(raw, args.file or "IANA's answer")
    if not servers:
        raise RegistryError(args.file or "IANA's answer", "it names no server")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    write([raw.decode("utf-8", "replace")], str(data / REGISTRIES))
    if args.json:
        write_json({"name": "rdap", "suffixes": len(servers)})
    else:
        write([f"the registration data of {len(servers):,} top-level domains can be requested\n"])
    return 0


def _report(headers: list[Header], args: Namespace) -> int:
    now = now_ms()
    if args.json:
        write_json([_to_dict(header, now) for header in headers])
        return 0
    for header in headers:
        skipped = f", {header.unreadable:,} entries passed over" if header.unreadable else ""
        write([f"{header.name}: {_size(header)}{skipped} ({header.form})\n"])
    return 0


def _size(header: Header) -> str:
    hosts = _hosts(header.hosts) if header.hosts else ""
    pages = f"pages of {_hosts(header.pages)}" if header.pages else ""
    return " and ".join(filter(None, (hosts, pages)))


def _hosts(count: int) -> str:
    return "one host" if count == 1 else f"{count:,} hosts"


def _list(args: Namespace, data: Path) -> int:
    from waypost.feeds import FOLDER, Feeds
    from waypost.report._terminal import Paint

    now = now_ms()
    with Feeds.load(data / FOLDER) as feeds:
        if args.json:
            entries = [_to_dict(f.header, now) | ({} if f.intact() else {"damaged": True}) for f in feeds.feeds]
            write_json(entries + [{"name": broken.name, "damaged": True} for broken in feeds.damaged])
        else:
            write(_table(feeds, now, Paint(coloured(args.colour, sys.stdout))))
            if not feeds.feeds and not feeds.damaged:
                print_message("there are no feeds; `waypost feeds add NAME URL` adds one")
    return 0


def _table(feeds: Feeds, now: int, paint: Paint) -> Iterator[str]:
    width = max((len(feed.header.name) for feed in feeds.feeds), default=0)
    for feed in feeds.feeds:
        header = feed.header
        age, max_age = _age(now - header.fetched_at), _age(header.max_age_s * 1000)
        state = paint("stale  ", "warning") if header.stale_at <= now else paint("fresh  ", "good")
        if not feed.intact():
            state = paint("damaged", "error")
        # The output is copied into tickets and logs.
        source = _public_source(header.source)
        yield f"{header.name:<{width}}  {state}  {age} old of {max_age}  {_size(header)}  from {source}\n"
    for broken in feeds.damaged:
        yield f"{broken.name:<{width}}  {paint('damaged', 'error')}  {broken.reason}\n"


def _remove(args: Namespace, data: Path) -> int:
    from waypost.feeds import FOLDER
    from waypost.feeds.ingest import remove

    remove(data / FOLDER, args.name)
    if args.json:
        write_json({"name": args.name, "removed": True})
    else:
        write([f"{args.name} is forgotten\n"])
    return 0


def _public_source(source: str) -> str:
    """Source of a list without secrets: of a URL only the host, because the rest may hold a key."""
    if not _is_address(source):
        return source
    from urllib.parse import urlsplit

    return f"https://{urlsplit(source).hostname or ''}"


def _to_dict(header: Header, now: int) -> dict[str, Any]:
    from datetime import UTC, datetime

    at = datetime.fromtimestamp(header.fetched_at / 1000, UTC).isoformat(timespec="milliseconds")
    return {
        "name": header.name,
        "source": _public_source(header.source),
        "format": header.form,
        "hosts": header.hosts,
        "pages": header.pages,
        "entries": header.entries,
        "unreadable": header.unreadable,
        "fetched_at": at.replace("+00:00", "Z"),
        "age_s": max(now - header.fetched_at, 0) // 1000,
        "max_age_s": header.max_age_s,
        "stale": header.stale_at <= now,
    }


def _age(milliseconds: int) -> str:
    seconds = max(milliseconds, 0) // 1000
    for size, name in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size or (seconds >= size and not seconds % size):
            return f"{seconds // size} {name}"
    return f"{seconds} s"
