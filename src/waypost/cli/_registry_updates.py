"""Steps of `waypost registry` about releases: status, trust, update, reset, key, build."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, write, write_json
from waypost.cli._subcommands import Adder, day_of, now_ms, on_shared_files, place_of
from waypost.errors import MissingExtra

if TYPE_CHECKING:
    from waypost.updates.client import Found, RootFacts
    from waypost.updates.difference import Difference
    from waypost.updates.repository import Reader

_DAYS, _ROOT_DAYS, _MOST_DAYS = 90, 730, 3650
_MOST = 10
"""Entries of each kind of a difference in words; --json has all."""
_MAX_BYTES = 16 << 20
_WITHIN_S = 60.0


def configure(add: Adder) -> None:
    add("status", "show the release in use, and the root that is trusted", _on_files(_status, changes=False))
    trusting = add("trust", "pin the root of a publisher, by which releases are verified", _on_files(_trust))
    trusting.add_argument("root", metavar="ROOT.JSON", help="the publisher's root, got by a way that you trust")
    updating = add("update", "install the newest release; if it is refused, the one in use stays", _update)
    updating.add_argument(
        "--from", dest="source", metavar="URL|FILE", help="an https address, a folder or an archive (as the last time)"
    )
    updating.add_argument("--dry-run", action="store_true", help="verify, and show the difference, but change nothing")
    add("reset", "remove the release in use: the registry of the package applies again", _on_files(_reset))
    _add_key(add("key", "make the keys and the root of a publisher, or a new key for releases", _key))
    _add_build(add("build", "add a signed release of brand files to a repository", _build))


def _add_key(making: ArgumentParser) -> None:
    making.add_argument("folder", metavar="FOLDER", help="of the keys: root-key.pem is best moved elsewhere afterwards")
    making.add_argument(
        "--days", type=_days, default=_ROOT_DAYS, metavar="N", help=f"days until the root expires ({_ROOT_DAYS})"
    )


def _add_build(building: ArgumentParser) -> None:
    building.add_argument("repository", metavar="FOLDER", help="of the repository, which a web server may serve")
    building.add_argument("--keys", required=True, metavar="FOLDER", help="with release-key.pem and root.json")
    building.add_argument("--brands", metavar="FOLDER", help="of brands/ and sources.json (those in use)")
    building.add_argument(
        "--days", type=_days, default=_DAYS, metavar="N", help=f"days until the release expires ({_DAYS})"
    )


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:5]) <= _MOST_DAYS):
        raise ArgumentTypeError(f"{text!r}: give days, 1 to {_MOST_DAYS}")
    return int(text)


def _on_files(work: Callable[[Namespace, Path], int], *, changes: bool = True) -> Callable[[Namespace], int]:
    """Work on the data folder, or on copies of the files that the replicas share."""

    def run(args: Namespace) -> int:
        from waypost.updates.installed import lock

        place = place_of(args)
        if isinstance(place, str):
            with on_shared_files(place, changes=changes) as folder:
                return work(args, folder)
        with lock(place) if changes else nullcontext():
            return work(args, place)

    return run


def _update(args: Namespace) -> int:
    return _on_files(_find, changes=not args.dry_run)(args)


def _find(args: Namespace, folder: Path) -> int:
    from waypost.updates.installed import install, load_world, root_of

    client = _client()
    root_of(folder)  # without one, say so before the source is read
    before = load_world(folder)
    source = args.source or _last_source(folder)
    found: Found = client.find_release(folder, _reader(source), now_ms())
    changes = _difference(before, found.world)
    if found.is_new and not args.dry_run:
        install(folder, found.header, found.body)
        _remember_source(folder, source)
    if args.json:
        write_json(
            {
                "version": found.header.version,
                "expires_at": day_of(found.header.expires_at),
                "new": found.is_new,
                "installed": found.is_new and not args.dry_run,
                "fetched_bytes": found.fetched,
                **changes._asdict(),
            }
        )
        return 0
    write(_words(found, changes, dry_run=args.dry_run))
    return 0


def _difference(before: Any, after: Any) -> Difference:
    from waypost.updates.difference import difference

    return difference(before, after)


def _words(found: Found, changes: Difference, *, dry_run: bool) -> Iterator[str]:
    until = f"it is valid until {day_of(found.header.expires_at)}"
    if not found.is_new:
        yield f"release {found.header.version} is the newest and in use; {until}\n"
        return
    done = "would be installed" if dry_run else "is installed"
    yield f"release {found.header.version} {done}; {until}; {found.fetched:,} bytes were fetched\n"
    for name, values in changes._asdict().items():
        if values:
            more = f", and {len(values) - _MOST:,} more" if len(values) > _MOST else ""
            yield f"{name.replace('_', ' ')}, {len(values):,}: {', '.join(values[:_MOST])}{more}\n"
    if not any(changes):
        yield "no brand differs\n"


def _reader(source: str) -> Reader:
    from waypost.updates.repository import reader_at, reader_of

    if not source.lower().startswith(("https://", "http://")):
        return reader_of(Path(source))
    if not source.lower().startswith("https://"):
        raise UsageError("a release must come over https or from a file")
    return reader_at(source, _fetch)


def _fetch(address: str, within_s: float) -> tuple[int, bytes]:
    from waypost.net.fetch import fetch
    from waypost.net.wire import Limits

    limits = Limits(total_s=min(within_s, _WITHIN_S), body_bytes=_MAX_BYTES, wire_bytes=_MAX_BYTES + (1 << 16))
    response = fetch(address, limits=limits, accept="*/*")
    return response.status, response.data


def _last_source(folder: Path) -> str:
    from waypost.updates.installed import FOLDER, SOURCE

    try:
        return (folder / FOLDER / SOURCE).read_text("utf-8").strip()
    except OSError:
        raise UsageError("name the publisher's address, or a file, with --from") from None


def _remember_source(folder: Path, source: str) -> None:
    from waypost.updates.installed import FOLDER, SOURCE, write_durably

    if source.lower().startswith("https://"):
        write_durably(folder / FOLDER / SOURCE, f"{source}\n".encode())


def _status(args: Namespace, folder: Path) -> int:
    from waypost.updates.installed import FOLDER, PINNED, load_world, read_installed

    world, found = load_world(folder), read_installed(folder)
    reviewed = sum(bool(brand.official_domains) for brand in world.brands.values())
    root = "pinned" if (folder / FOLDER / PINNED).is_file() else "none is pinned"
    members: dict[str, Any] = {"brands": len(world.brands), "reviewed": reviewed, "data": world.version, "root": root}
    if found:
        expired = found.header.expires_at <= now_ms()
        members |= {
            "release": found.header.version,
            "built": day_of(found.header.built_at),
            "installed": day_of(found.header.installed_at),
            "expires": day_of(found.header.expires_at),
            "expired": expired,
        }
    if args.json:
        write_json(members)
        return 0
    if found:
        state = "has expired, and none of its reviews is in force" if members["expired"] else "is in use"
        write([f"release {members['release']} {state}: built {members['built']}, expires {members['expires']}\n"])
    else:
        write(["the registry of the package is in use\n"])
    write([f"{len(world.brands):,} brands, {reviewed:,} of them reviewed; data {world.version}; root: {root}\n"])
    return 0


def _trust(args: Namespace, folder: Path) -> int:
    from waypost.errors import Unreadable
    from waypost.updates.installed import pin

    try:
        data = Path(args.root).read_bytes()
    except OSError as error:
        raise Unreadable(args.root, (error.strerror or str(error)).lower()) from None
    facts = _client().read_root(data)
    pin(folder, data)
    _report_root(args, facts, "is trusted")
    return 0


def _report_root(args: Namespace, facts: RootFacts, state: str) -> None:
    if args.json:
        write_json(facts._asdict())
    else:
        write([f"root {facts.version} {state}, until {facts.expires}; keys for releases: {', '.join(facts.keys)}\n"])


def _reset(args: Namespace, folder: Path) -> int:
    from waypost.updates.installed import remove

    removed = remove(folder)
    if args.json:
        write_json({"removed": removed})
    else:
        write(["the registry of the package is in use\n" if removed else "no release was installed\n"])
    return 0


def _key(args: Namespace) -> int:
    _report_root(args, _publisher().create_keys(Path(args.folder), now_ms(), args.days), "is made")
    return 0


def _build(args: Namespace) -> int:
    files = _brand_files(Path(args.brands)) if args.brands else _files_in_use(args)
    made = _publisher().build(Path(args.repository), Path(args.keys), files, now=now_ms(), days=args.days)
    if args.json:
        write_json(made._asdict() | {"expires_at": day_of(made.expires_at)})
    else:
        parts = f"{made.changed} new parts"
        write([f"release {made.version}: {made.brands:,} brands, {parts}, valid until {day_of(made.expires_at)}\n"])
    return 0


def _files_in_use(args: Namespace) -> dict[str, str]:
    from waypost.cli._subcommands import world_of

    files = world_of(args).files
    return {path: data.decode() for path, data in files.items() if path.startswith("brands/") or path == "sources.json"}


def _brand_files(folder: Path) -> dict[str, str]:
    from waypost.errors import Unreadable

    try:
        paths = [*sorted(folder.glob("brands/*/*.json")), folder / "sources.json"]
        return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(folder), str(getattr(error, "strerror", None) or error).lower()) from None


def _client() -> Any:
    try:
        from waypost.updates import client
    except ImportError:
        raise MissingExtra("tuf", "registry", "to verify releases of the registry") from None
    return client


def _publisher() -> Any:
    try:
        from waypost.updates import publisher
    except ImportError:
        raise MissingExtra("tuf", "registry", "to build releases of the registry") from None
    return publisher
