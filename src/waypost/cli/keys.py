"""keys: create, list, rotate and revoke API keys; rotate the key that signs decisions

A key is shown once, when it is made, and kept only as a hash: on standard output stands the key and nothing else.
Labels are presets of scopes: Read, Write and Validate; the scopes keys, review and audit are given by name alone.
A test key is answered about made-up hosts such as stop.test and never from the network.

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
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from waypost.cli._arguments import add_data
from waypost.cli._console import add_colour, coloured, write, write_json
from waypost.cli._people import add_organization, add_person, organization, person
from waypost.cli._run import UsageError, say

if TYPE_CHECKING:
    from waypost.models.api_key import Key
    from waypost.report._terminal import Paint
    from waypost.store import Store

PLACE = 67
REFUSED = 1
_MOST = 10_000
_SHADES = {"active": "good", "rotating": "warning", "expired": "dim", "revoked": "error"}


def configure(parser: ArgumentParser) -> None:
    steps = parser.add_subparsers(metavar="WHAT", dest="step", required=True, help="what to do")

    def add(name: str, text: str, work: Callable[[Namespace, Store], int], whose: str = "org") -> ArgumentParser:
        step: ArgumentParser = steps.add_parser(name, help=text, description=text)
        if whose == "id":
            step.add_argument("id", metavar="ID", help="the key's id, as `waypost keys list` shows it")
        elif whose == "org":
            add_organization(step)
        add_data(step)
        step.add_argument("--json", action="store_true", help="as JSON")
        step.set_defaults(work=work)
        return step

    creating = add("create", "make a key and show it, this one time", _create)
    creating.add_argument("--name", required=True, metavar="NAME", help="what it is for")
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
        "--expires-days", type=_days, default=365, metavar="N", help="how long it lives, 1 to 730 days (365)"
    )
    creating.add_argument(
        "--allow-from", type=_words, default=(), metavar="NETWORKS", help="only from these IP addresses and networks"
    )
    add_person(creating)
    listing = add("list", "list an organization's keys, newest first, masked", _list)
    add_colour(listing)
    rotating = add("rotate", "exchange a key for a new one with the same rights, and show that", _rotate, "id")
    rotating.add_argument(
        "--overlap-hours", type=_hours, default=24, metavar="N", help="how long the old one still holds, 0 to 168 (24)"
    )
    add_person(rotating)
    add_person(add("revoke", "end a key at once", _revoke, "id"))
    add("rotate-signing", "make the next key that decisions are signed with", _rotate_signing, "")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for each in text.split(",") if (word := each.strip()))


def _days(text: str) -> int:
    return _number(text, 1, 730, "a key lives 1 to 730 days")


def _hours(text: str) -> int:
    return _number(text, 0, 168, "the old key holds for 0 to 168 hours more")


def _number(text: str, least: int, most: int, otherwise: str) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text[:4]) <= most):
        raise ArgumentTypeError(f"{text!r}: {otherwise}")
    return int(text)


def run(args: Namespace) -> int:
    from waypost.models.api_key import KeyRequestError
    from waypost.store import data_folder, open_store
    from waypost.store.errors import Conflict

    with open_store(data_folder(args.data)) as store:
        try:
            status: int = args.work(args, store)
        except Conflict as fault:
            say(str(fault))
            return REFUSED
        except KeyRequestError as fault:
            raise UsageError(str(fault)) from None
        return status


def _create(args: Namespace, store: Store) -> int:
    from waypost.models.api_key import DAY_MS, scopes_of
    from waypost.store import keys
    from waypost.store.keys import KeyRequest

    if not (args.labels or args.scopes):
        raise UsageError("a key needs --labels or --scopes")
    wanted = KeyRequest(
        name=args.name,
        scopes=scopes_of(labels=args.labels, scopes=args.scopes),
        environment=args.environment,
        valid_ms=args.expires_days * DAY_MS,
        ip_allowlist=args.allow_from,
    )
    whose, who = organization(args, store), person(args)
    made, text = store.write(lambda db: keys.create(db, whose.id, wanted, who, _now()))
    return _shown(args, made, text, f"{made.name!r} of {whose.name}")


def _rotate(args: Namespace, store: Store) -> int:
    from waypost.store import keys

    whose, who = _whose(args, store), person(args)
    overlap_s = args.overlap_hours * 3600
    made, text = store.write(lambda db: keys.rotate(db, whose, args.id, who, _now(), overlap_s))
    old = "ends now" if not overlap_s else f"holds for {args.overlap_hours} h at the most"
    return _shown(args, made, text, f"{made.name!r} of {made.organization_name}; the old key {old}")


def _shown(args: Namespace, made: Key, text: str, what: str) -> int:
    """The only time that anybody sees it."""
    if args.json:
        from waypost.models.api_key import to_dict

        listed = to_dict(made)
        members = ("id", "masked", "scopes", "labels", "environment", "expires_at")
        write_json({"id": made.id, "key": text} | {name: listed[name] for name in members})
        return 0
    write([text, "\n"])
    say(f"{made.id}: {what}\n  it is not shown again and good until {_day(made.expires_at)}")
    return 0


def _list(args: Namespace, store: Store) -> int:
    from waypost.models.api_key import to_dict
    from waypost.store import keys

    whose = organization(args, store)
    found = store.read(lambda db: keys.find_page(db, whose.id, limit=_MOST))
    if args.json:
        write_json({"items": [to_dict(each) for each in found.items]})
        return 0
    from waypost.report._terminal import Paint

    write(_table(found.items, Paint(coloured(args.colour, sys.stdout)), _now()))
    if found.next:
        say(f"only the newest {_MOST} are shown")
    elif not found.items:
        say(f"{whose.name} has no keys yet; make one with `waypost keys create`")
    return 0


def _revoke(args: Namespace, store: Store) -> int:
    from waypost.store import keys

    whose, who = _whose(args, store), person(args)
    key = store.write(lambda db: keys.revoke(db, whose, args.id, who, _now()))
    if args.json:
        from waypost.models.api_key import to_dict

        write_json(to_dict(key))
        return 0
    write([f"{key.masked} ({key.name}) is revoked\n"])
    return 0


def _rotate_signing(args: Namespace, store: Store) -> int:
    from waypost.formats.text import timestamp
    from waypost.receipts import RotationError, rotate_signing

    try:
        rotated = rotate_signing(store.path.parent, _now())
    except RotationError as fault:
        say(str(fault))
        return REFUSED
    if args.json:
        write_json({"kid": rotated.kid, "signs_from": timestamp(rotated.starts)})
        return 0
    write([f"{rotated.kid} is published and signs from {timestamp(rotated.starts)} on\n"])
    return 0


def _whose(args: Namespace, store: Store) -> str:
    """The organization of a key. Whoever can run this command may see them all."""
    from waypost.store import keys
    from waypost.store.errors import Unknown

    try:
        return store.read(lambda db: keys.organization_of(db, args.id))
    except Unknown:
        raise UsageError("there is no key of this id; `waypost keys list` shows what there is") from None


def _table(found: list[Key], paint: Paint, now: int) -> Iterator[str]:
    from waypost.models.api_key import in_order, labels_of

    def rights(key: Key) -> str:
        return ", ".join([*labels_of(key.scopes), *(each for each in in_order(key.scopes) if each in _BY_NAME)])

    rows = [(each, each.state(now), rights(each)) for each in found]
    wide = max((len(right) for _, _, right in rows), default=0)
    for key, state, right in rows:
        used = f"used {_ago(now - key.last_used_at)}" if key.last_used_at else "never used"
        ends = f"until {_day(key.expires_at)}" if state in {"active", "rotating"} else ""
        shaded = paint(f"{state:<8}", _SHADES[state])
        environment = key.environment.capitalize()
        line = f"{key.id}  {shaded}  {key.masked}  {environment}  {right:<{wide}}  {used:<16}  {ends:<16}  {key.name}"
        yield line.rstrip() + "\n"


_BY_NAME = {"keys", "review", "audit"}


def _ago(ms: int) -> str:
    for size, name in ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute")):
        if ms >= size:
            count = ms // size
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"


def _day(at: int) -> str:
    from waypost.formats.text import timestamp

    return timestamp(at)[:10]


def _now() -> int:
    return int(time.time() * 1000)
