"""Steps of `waypost registry` about reviews: add, expiring."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from waypost.cli import review
from waypost.cli._console import print_message, write, write_json
from waypost.cli._subcommands import Adder, clipped, day_of, now_ms, place_of, run_with_store, world_of

if TYPE_CHECKING:
    from waypost.registry.world import World
    from waypost.store import Store

_WITHIN, _MOST_DAYS = 90, 3650
_DAY_MS = 86_400_000
_MOST_RECORDS = 100_000


class Expiring(NamedTuple):
    """Reviews of a brand or of the store that end on a day, in milliseconds; `source` is `registry` or `store`."""

    ends: int
    entity: str
    domains: tuple[str, ...]
    source: str


def configure(add: Adder) -> None:
    adding = add("add", "submit a domain of your own; two others accept it with `waypost review accept`", _add)
    review.add_submit(adding, "official_payment")
    expiring: ArgumentParser = add("expiring", "list the reviews that end next, or have ended", _expiring)
    expiring.add_argument("--within", type=_days, default=_WITHIN, metavar="DAYS", help=f"days from now ({_WITHIN})")


def _days(text: str) -> int:
    number = text.removesuffix("d")
    if not (number.isascii() and number.isdigit() and 0 <= int(number[:5]) <= _MOST_DAYS):
        raise ArgumentTypeError(f"{text!r}: give days, 0 to {_MOST_DAYS}")
    return int(number)


def _add(args: Namespace) -> int:
    from waypost.store.errors import ReviewError

    args.work = review.submit
    return run_with_store(args, ReviewError)


def _expiring(args: Namespace) -> int:
    until = now_ms() + args.within * _DAY_MS
    found = sorted(each for each in (*_of_world(world_of(args)), *_of_store(args)) if each.ends <= until)
    if args.json:
        write_json([each._asdict() | {"ends": day_of(each.ends)} for each in found])
        return 0
    for each in found:
        write([f"{day_of(each.ends)}  {each.source:<8}  {clipped(each.entity)}: {', '.join(each.domains)}\n"])
    if not found:
        print_message(f"no review ends within {args.within} days")
    return 0


def _of_world(world: World) -> Iterator[Expiring]:
    from waypost.safety.relationship import lapses

    for brand in world.brands.values():
        if brand.official_domains:
            # With the first of its reviews the brand is due.
            ends = min(lapses(world, brand, entry) for entry in brand.official_domains)
            yield Expiring(ends, brand.slug, tuple(entry.domain for entry in brand.official_domains), "registry")


def _of_store(args: Namespace) -> list[Expiring]:

    from waypost.store import open_store
    from waypost.store.folder import NAME

    place = place_of(args)
    if not isinstance(place, str) and not (place / NAME).exists():
        return []
    with open_store(place) as store:
        return list(_accepted(store))


def _accepted(store: Store) -> Iterator[Expiring]:
    from waypost.store import relationships

    for record in store.read(lambda db: relationships.find_many(db, "accepted", limit=_MOST_RECORDS)):
        if record.review_expires_at is not None:
            yield Expiring(record.review_expires_at, record.entity, (record.domain,), "store")
