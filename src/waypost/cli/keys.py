"""keys: create, list, rotate and revoke API keys; rotate the key that signs decisions

A key is shown once, when it is created, and stored only as a hash. Standard output has the key and nothing else.
Labels are presets of scopes: Read, Write and Validate; the scopes keys, review and audit are given by name alone.
A test key gets fixed answers for test hosts such as stop.test, and never uses the network.

examples:
  waypost keys create --org Acme --name shop --labels Read,Write > shop.key
  waypost keys create --name auditor --scopes audit --expires-days 30
  waypost keys rotate 0b5a6b0e-8f0a-4f6b-9d0e-0a4f6d1c2b3a --overlap-hours 24
  waypost keys revoke 0b5a6b0e-8f0a-4f6b-9d0e-0a4f6d1c2b3a
  waypost keys rotate-signing

exit status: 0 done, 1 that is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError, add_colour, coloured, print_message, write, write_json
from waypost.cli._identity import ORG_HELP, add_person, organization, person
from waypost.cli._subcommands import NOT_POSSIBLE, day_of, now_ms, place_of, run_with_store, subcommands

if TYPE_CHECKING:
    from waypost.models.api_key import Key
    from waypost.report._terminal import Paint
    from waypost.store import Store

PLACE = 67
_MAX_ITEMS = 10_000
_ID_HELP = "the key's id, as `waypost keys list` shows it"
_SHADES = {"active": "good", "rotating": "warning", "expired": "dim", "revoked": "error"}


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)

    creating = add("create", "create a key and show it once", _create, org_help=ORG_HELP)
    creating.add_argument("--name", required=True, metavar="NAME", help="a name that says what the key is for")
    creating.add_argument(
        "--labels", type=_words, default=(), metavar="LABELS", help="Read, Write, Validate, separated by commas"
    )
    creating.add_argument(
        "--scopes", type=_words, default=(), metavar="SCOPES", help="scopes by name, separated by commas"
    )
    creating.add_argument(
        "--environment", choices=("live", "test"), default="live", metavar="WHICH", help="live (usual) or test"
    )
    creating.add_argument(
        "--expires-days", type=_days, default=365, metavar="N", help="days until the key expires, 1 to 730 (365)"
    )
    creating.add_argument(
        "--allow-from", type=_words, default=(), metavar="NETWORKS", help="only from these IP addresses and networks"
    )
    add_person(creating)
    listing = add("list", "list an organization's keys, newest first, masked", _list, org_help=ORG_HELP)
    add_colour(listing)
    rotating = add(
        "rotate", "replace a key by a new one with the same rights, and show it once", _rotate, id_help=_ID_HELP
    )
    rotating.add_argument(
        "--overlap-hours", type=_hours, default=24, metavar="N", help="how long the old one stays valid, 0 to 168 (24)"
    )
    add_person(rotating)
    add_person(add("revoke", "revoke a key at once", _revoke, id_help=_ID_HELP))
    signing = add("rotate-signing", "create the next key that signs decisions", _rotate_signing)
    signing.add_argument(
        "--lost",
        action="store_true",
        help="with --store: the stored keys can no longer be unwrapped; the new key signs at once",
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for key in text.split(",") if (word := key.strip()))


def _days(text: str) -> int:
    return _number(text, 1, 730, "a key lives 1 to 730 days")


def _hours(text: str) -> int:
    return _number(text, 0, 168, "the old key is valid for 0 to 168 hours more")


def _number(text: str, least: int, most: int, otherwise: str) -> int:
    # Four digits exceed any limit here; `int` raises ValueError for a text of more than 4,300 digits.
    if not (text.isascii() and text.isdigit() and least <= int(text[:4]) <= most):
        raise ArgumentTypeError(f"{text!r}: {otherwise}")
    return int(text)


def run(args: Namespace) -> int:
    from waypost.models.api_key import KeyRequestError
    from waypost.store.errors import Conflict

    try:
        return run_with_store(args, Conflict)
    except KeyRequestError as error:
        raise UsageError(str(error)) from None


def _create(args: Namespace, store: Store) -> int:
    from waypost.models.api_key import DAY_MS, scopes_of
    from waypost.store import keys
    from waypost.store.keys import KeyRequest

    if not (args.labels or args.scopes):
        raise UsageError("give the key rights, for example --labels Read,Write (or --scopes)")
    request = KeyRequest(
        name=args.name,
        scopes=scopes_of(labels=args.labels, scopes=args.scopes),
        environment=args.environment,
        valid_ms=args.expires_days * DAY_MS,
        ip_allowlist=args.allow_from,
    )
    owner, actor = organization(args, store), person(args)
    made, text = store.write(lambda db: keys.create(db, owner.id, request, actor, now_ms()))
    return _print_key(args, made, text, f"{made.name!r} of {owner.name}")


def _rotate(args: Namespace, store: Store) -> int:
    from waypost.store import keys

    owner, actor = _organization_of(args, store), person(args)
    overlap_s = args.overlap_hours * 3600
    made, text = store.write(lambda db: keys.rotate(db, owner, args.id, actor, now_ms(), overlap_s))
    old = "ends now" if not overlap_s else f"is valid for {args.overlap_hours} h at the most"
    return _print_key(args, made, text, f"{made.name!r} of {made.organization_name}; the old key {old}")


def _print_key(args: Namespace, made: Key, text: str, description: str) -> int:
    """Print a new key, for the only time: the store holds just a hash."""
    if args.json:
        from waypost.models.api_key import to_dict

        members = to_dict(made)
        names = ("id", "masked", "scopes", "labels", "environment", "expires_at")
        write_json({"id": made.id, "key": text} | {name: members[name] for name in names})
        return 0
    # The key alone on standard output, for `> shop.key`; all else is a message.
    write([text, "\n"])
    print_message(f"{made.id}: {description}\n  the key is shown only once; it expires on {day_of(made.expires_at)}")
    return 0


def _list(args: Namespace, store: Store) -> int:
    from waypost.models.api_key import to_dict
    from waypost.store import keys

    owner = organization(args, store)
    found = store.read(lambda db: keys.find_page(db, owner.id, limit=_MAX_ITEMS))
    if args.json:
        write_json({"items": [to_dict(key) for key in found.items]})
        return 0
    from waypost.report._terminal import Paint

    write(_table(found.items, Paint(coloured(args.colour, sys.stdout)), now_ms()))
    if found.next:
        print_message(f"only the newest {_MAX_ITEMS} are shown")
    elif not found.items:
        print_message(f"{owner.name} has no keys yet; make one with `waypost keys create`")
    return 0


def _revoke(args: Namespace, store: Store) -> int:
    from waypost.store import keys

    owner, actor = _organization_of(args, store), person(args)
    key = store.write(lambda db: keys.revoke(db, owner, args.id, actor, now_ms()))
    if args.json:
        from waypost.models.api_key import to_dict

        write_json(to_dict(key))
        return 0
    write([f"{key.masked} ({key.name}) is revoked\n"])
    return 0


def _rotate_signing(args: Namespace, store: Store) -> int:
    from waypost.formats.text import timestamp
    from waypost.receipts import RotationError, rotate_signing
    from waypost.receipts.stored_keys import rotate_stored

    place = place_of(args)
    if args.lost and not isinstance(place, str):
        raise UsageError("--lost: is for the keys of a database; of a folder, remove the file that is lost")
    try:
        if isinstance(place, str):
            rotated = store.write(lambda db: rotate_stored(db, now_ms(), is_lost=args.lost))
        else:
            rotated = rotate_signing(place, now_ms())
    except RotationError as error:
        print_message(str(error))
        return NOT_POSSIBLE
    if args.json:
        write_json({"kid": rotated.kid, "signs_from": timestamp(rotated.starts)})
        return 0
    write([f"{rotated.kid} is published and signs from {timestamp(rotated.starts)} on\n"])
    return 0


def _organization_of(args: Namespace, store: Store) -> str:
    """Id of the organization of the key --id. Raises UsageError. The operator may manage the keys of every
    organization.
    """
    from waypost.store import keys
    from waypost.store.errors import Unknown

    try:
        return store.read(lambda db: keys.organization_of(db, args.id))
    except Unknown:
        raise UsageError("there is no key with this id; `waypost keys list` lists them") from None


def _table(found: list[Key], paint: Paint, now: int) -> Iterator[str]:
    from waypost.models.api_key import in_order, labels_of

    def rights(key: Key) -> str:
        return ", ".join([*labels_of(key.scopes), *(scope for scope in in_order(key.scopes) if scope in _BY_NAME)])

    rows = [(key, key.state(now), rights(key)) for key in found]
    width = max((len(right) for _, _, right in rows), default=0)
    for key, state, right in rows:
        used = f"used {_age(now - key.last_used_at)}" if key.last_used_at else "never used"
        ends = f"until {day_of(key.expires_at)}" if state in {"active", "rotating"} else ""
        shaded = paint(f"{state:<8}", _SHADES[state])
        environment = key.environment.capitalize()
        line = f"{key.id}  {shaded}  {key.masked}  {environment}  {right:<{width}}  {used:<16}  {ends:<16}  {key.name}"
        yield line.rstrip() + "\n"


_BY_NAME = {"keys", "review", "audit"}


def _age(ms: int) -> str:
    for size, name in ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute")):
        if ms >= size:
            count = ms // size
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"
