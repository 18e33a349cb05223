"""store: check, back up, restore and export the data of the service

The store is one SQLite file in the data folder, or with --store a PostgreSQL database. A backup of the file is taken
while the service runs and is one file for its owner alone; a database is backed up by its own tools. Restoring takes a
stopped service; a key that was revoked since the backup is valid again. An export is NDJSON without secrets: one JSON
value a line, its `kind` first.

`copy` moves a store to a database: it needs a stopped service, and marks the file, so that no service or command uses
it any more. `copy --undo` removes the mark.

Each change is in a chain of hashes. The number and the last hash of each chain are signed in a separate file, so that
`check` finds a chain that was cut or is gone. `anchor` prints them: store that where no one with access to the data
folder can write, and pass it to `check --anchor`.

examples:
  waypost store check
  waypost store anchor > anchor-2026-11-23.txt
  waypost store check --anchor anchor-2026-11-23.txt
  waypost store backup /var/backups/waypost.sqlite3
  waypost store restore /var/backups/waypost.sqlite3 --force
  waypost store export > waypost.ndjson
  waypost store copy --to 'postgresql://waypost@db.example.com/waypost?sslmode=verify-full'
  (umask 077; waypost store new-key > store.key)

exit status: 0 done, 1 the store is damaged, 2 wrong usage, 3 something could not be read or written
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, print_message, write, write_json
from waypost.cli._identity import add_person, person
from waypost.cli._subcommands import checked_address, now_ms, place_of, subcommands

if TYPE_CHECKING:
    from waypost.store.heads import Head
    from waypost.store.maintenance import Health

PLACE = 85
_MOST_ANCHOR = 16 << 20
DAMAGED = 1


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)

    checking = add("check", "read every page, follow every audit chain; changes nothing", _check)
    checking.add_argument(
        "--anchor", metavar="FILE", help="heads that were printed by `anchor` and must still be there; - reads them"
    )
    add("anchor", "print the head of every audit chain, to be kept elsewhere", _anchor)
    saving = add("backup", "copy the store into one file; the service may keep running", _backup, with_json=False)
    saving.add_argument("file", metavar="FILE", help="the file to write")
    saving.add_argument("--force", action="store_true", help="replace the file if it is there")
    restoring = add("restore", "replace the store by a backup", _restore, with_json=False)
    restoring.add_argument("file", metavar="FILE", help="the backup")
    restoring.add_argument(
        "--force", action="store_true", help="replace the store that is there; it is kept next to it"
    )
    add("export", "print all data except secrets as NDJSON", _export, with_json=False)
    copying = add("copy", "move the store into an empty PostgreSQL database; the service must be stopped", _copy)
    where = copying.add_mutually_exclusive_group(required=True)
    where.add_argument("--to", metavar="ADDRESS", help="the database, empty or without a single row")
    where.add_argument(
        "--undo", action="store_true", help="use the file again and not its copy; what the copy got since is not in it"
    )
    add_person(copying)
    add("new-key", "print a new key for the secrets in a database; it is stored nowhere", _new_key, with_json=False)
    trusting = add(
        "trust-clock",
        "continue after the clock was wrong, although it is behind the newest record",
        _trust_clock,
        with_json=False,
    )
    add_person(trusting)
    add_person(
        add(
            "trust-audit",
            "sign the audit as it is, after a loss was investigated; this is recorded",
            _trust_audit,
            with_json=False,
        )
    )


def run(args: Namespace) -> int:
    status: int = args.work(args, place_of(args))
    return status


def _folder(place: Path | str, instead: str) -> Path:
    """Folder of a store in a file. Raises UsageError for a database."""
    if isinstance(place, str):
        raise UsageError(f"the store is a database; {instead}")
    return place


def _file(place: Path | str) -> Path | str:
    from waypost.store.folder import NAME

    return place if isinstance(place, str) else place / NAME


def _check(args: Namespace, place: Path | str) -> int:
    from waypost.store.maintenance import check

    health = check(_file(place), now_ms(), _anchored(args.anchor) if args.anchor else ())
    if args.json:
        write_json(_to_dict(health))
    else:
        write(_sheet(health))
    if health.behind_ms:
        print_message(
            f"the clock is {health.behind_ms / 1000:.0f} s behind the newest record; set it, or see trust-clock"
        )
    return 0 if health.is_intact else DAMAGED


def _anchored(name: str) -> list[Head]:
    """Heads of an anchor's file, `-` for standard input. Raises StoreError."""
    from waypost.store.errors import StoreError
    from waypost.store.heads import read_anchor

    try:
        text = sys.stdin.read(_MOST_ANCHOR) if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{name} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None
    return read_anchor(text)


def _anchor(args: Namespace, place: Path | str) -> int:
    from waypost.store.maintenance import anchor

    found = anchor(_file(place))
    if args.json:
        write_json([head._asdict() for head in found])
    else:
        write(f"{head}\n" for head in found)
    return 0


def _trust_audit(args: Namespace, place: Path | str) -> int:
    from waypost.store import open_store
    from waypost.store.maintenance import trust_audit

    folder = _folder(place, "no file of signed heads is next to it: keep what `anchor` prints")
    who = person(args)
    with open_store(folder) as store:
        chains = store.write(lambda db: trust_audit(db, folder, who, now_ms()))
    write([f"{chains} audit chains are signed as they are\n"])
    return 0


def _backup(args: Namespace, place: Path | str) -> int:
    from waypost.store.maintenance import backup

    folder = _folder(place, "back it up with its own tools: pg_dump, pg_basebackup and an archive of its log")
    health = backup(folder, Path(args.file), now_ms(), force=args.force)
    write([f"{args.file} is a copy of the store, checked: {_summary(health)}\n"])
    return 0


def _restore(args: Namespace, place: Path | str) -> int:
    from waypost.store.maintenance import restore

    folder = _folder(place, "restore it with its own tools, and compare with an anchor by `store check --anchor`")
    health = restore(Path(args.file), folder, now_ms(), force=args.force)
    write([f"{folder} holds {args.file} again: {_summary(health)}\n"])
    return 0


def _copy(args: Namespace, place: Path | str) -> int:
    from waypost.report._words import count
    from waypost.store.copying import copy_to

    folder = _folder(place, "only a store in a file is copied")
    if args.undo:
        return _undo_copy(args, folder)
    copied = copy_to(folder, checked_address(args.to, "--to"), now_ms())
    if args.json:
        write_json({"rows": copied.rows, "audit_chains": copied.chains, "to": copied.target})
    else:
        rows, chains = count(sum(copied.rows.values()), "row"), count(copied.chains, "audit chain")
        write([f"{rows} copied to {copied.target}, {chains} verified\n"])
        print_message(f"{folder} is marked as copied: from now on use --store or WAYPOST_STORE")
    return 0


def _undo_copy(args: Namespace, folder: Path) -> int:
    from waypost.store import copy_mark, open_store
    from waypost.store.errors import StoreError
    from waypost.store.folder import NAME

    who = person(args)
    if not (folder / NAME).is_file():
        raise StoreError(f"there is no store at {folder / NAME}")
    with open_store(folder, even_copied=True) as store:
        mark = store.write(lambda db: copy_mark.undo(db, who, now_ms()))
    if mark is None:
        raise UsageError(f"--undo: {folder} is not marked as copied")
    if args.json:
        write_json({"undone": str(mark)})
    else:
        write([f"{folder} is in use again; what {mark.to} got since is not in it\n"])
    return 0


def _new_key(_args: Namespace, _place: Path | str) -> int:
    from waypost.store.wrapping import new_key

    write([f"{new_key()}\n"])
    return 0


def _export(_args: Namespace, place: Path | str) -> int:
    import msgspec

    from waypost.store import open_store
    from waypost.store.maintenance import export

    # Closed before the store: a reader such as `head` may end before the export does.
    with open_store(place, even_copied=True) as store, closing(export(store.reader(), now_ms())) as values:
        write(msgspec.json.encode(value).decode() + "\n" for value in values)
    return 0


def _trust_clock(args: Namespace, place: Path | str) -> int:
    from waypost.store import clock, open_store

    who = person(args)
    with open_store(place) as store:
        behind = store.write(lambda db: clock.trust(db, who, now_ms()))
    write([f"the clock was {behind / 1000:.0f} s behind the newest record and is believed from now on\n"])
    return 0


def _to_dict(health: Health) -> dict[str, Any]:
    return {
        "ok": health.is_intact,
        "version": health.version,
        "known_version": health.known,
        "faults": list(health.problems),
        "audit": [
            {"organization": chain.organization, "events": chain.events, "head": chain.head, "ok": chain.broken is None}
            for chain in health.chains
        ],
        "clock_behind_s": health.behind_ms // 1000,
    } | ({"copied": health.copied} if health.copied else {})


def _sheet(health: Health) -> Iterator[str]:
    older = f", {health.known} with the next start" if health.version < health.known else ""
    yield f"version  {health.version}{older}\n"
    for chain in health.chains:
        state = f"broken at {chain.broken.sequence}" if chain.broken else "whole"
        yield f"audit    {chain.organization}  {chain.events} events, {state}, last {chain.head}\n"
    if health.copied:
        yield f"left     {health.copied}; see `waypost store copy --help`\n"
    for problem in health.problems:
        yield f"damaged  {problem}\n"
    if health.is_intact:
        yield "the store is intact\n"


def _summary(health: Health) -> str:
    events = sum(chain.events for chain in health.chains)
    return f"version {health.version}, {events} audit events of {len(health.chains)} organizations"
