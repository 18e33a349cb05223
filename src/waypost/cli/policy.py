"""policy: check, submit and accept policies of your own

A policy of your own is a TOML file that adds to a shipped one: evidence that has to be observed, unknowns that are a
stop, shorter lifetimes, actions that are never allowed. It may also permit payments at shops outside the registry that
declare themselves: a checkout signed with the keys of their own host, a domain older than a year, a certificate that
this service has known for months, no risk found, and an amount within your bound and within the caller's own cap. It
cannot take anything from the shipped policy.

`add` submits a file and `accept`, by another person, lets it decide: with `waypost check --policy NAME`, or in a
service by WAYPOST_POLICY. A released version never changes: another content takes another date. A withdrawn policy
decides nothing, and decisions recorded under it can still be decided again.

examples:
  waypost policy check acme-pay.toml
  waypost policy add acme-pay.toml --as ann
  waypost policy accept acme-pay-2026-11-29 --as bea
  waypost policy list
  waypost check https://shop.example/checkout --action payment --policy acme-pay --amount EUR:1999:2500

exit status: 0 done, 1 the file has errors, or that is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, print_message, write, write_json
from waypost.cli._identity import add_person, person
from waypost.cli._subcommands import clipped, day_of, now_ms, place_of, run_with_store, subcommands, world_of

if TYPE_CHECKING:
    from waypost.safety.own_policy import OwnPolicy
    from waypost.store import Store
    from waypost.store.own_policies import StoredPolicy

PLACE = 69
_ERRORS = 1


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)
    checking = add("check", "check a file, without submitting it", _check)
    checking.add_argument("file", metavar="FILE", help="policy file (TOML)")
    adding = add("add", "submit a file; another person accepts it", _with_store(_add))
    adding.add_argument("file", metavar="FILE", help="policy file (TOML)")
    add_person(adding)
    for name, text, work in (
        ("accept", "accept a policy that another person submitted", _accept),
        ("withdraw", "withdraw a policy: it decides nothing any more", _withdraw),
    ):
        step = add(name, text, _with_store(work))
        step.add_argument("version", metavar="VERSION", help="version, as acme-pay-2026-11-29")
        if name == "withdraw":
            step.add_argument("--reason", metavar="TEXT", required=True, help="why, for the history")
        add_person(step)
    add("list", "list the shipped policies and your own", _list)
    showing = add("show", "print a policy: your own as submitted, a shipped one as JSON", _show)
    showing.add_argument("version", metavar="VERSION", help="version, or the id of the newest")


def run(args: Namespace) -> int:
    status: int = args.work(args)
    return status


def _with_store(work: Any) -> Any:
    """Work of a step on the store; what the store refuses is a message and status 1."""

    def on_store(args: Namespace) -> int:
        from waypost.store.errors import Conflict, ReviewError, Unknown

        args.work = work
        try:
            return run_with_store(args, Conflict)
        except (ReviewError, Unknown) as error:
            print_message(str(error))
            return _ERRORS

    return on_store


def _read(args: Namespace) -> OwnPolicy | None:
    """Policy of the file; None after its errors were printed. Raises Unreadable."""
    from pathlib import Path

    from waypost.errors import Unreadable
    from waypost.safety.own_policy import LARGEST, OwnPolicyError, read_policy

    try:
        with Path(args.file).open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(args.file, (error.strerror or str(error)).lower()) from None
    try:
        return read_policy(data.decode("utf-8-sig", "replace"), args.file, world_of(args))
    except OwnPolicyError as error:
        if args.json:
            write_json({"errors": [each._asdict() for each in error.errors]})
        else:
            write(
                f"{args.file}:{each.line}: {f'{each.member}: ' if each.member else ''}{clipped(each.message, 400)}\n"
                for each in error.errors
            )
        return None


def _check(args: Namespace) -> int:
    policy = _read(args)
    if policy is None:
        return _ERRORS
    if args.json:
        write_json({"errors": [], "policy_version": policy.policy.version, "extends": policy.file.extends})
        return 0
    write([f"{policy.policy.version} adds to {policy.file.extends}\n", *_sentences(policy)])
    return 0


def _sentences(policy: OwnPolicy) -> list[str]:
    """Lines about what a policy adds."""
    file, made = policy.file, []
    if file.never:
        made.append(f"  never allowed: {', '.join(sorted(file.never))}\n")
    for each in file.tighten:
        more = [*each.evidence, *each.blocking_unknowns]
        made.append(f"  tier {each.tier}: {', '.join(more) or 'other times or confidence'}\n")
    if (shops := file.declared_merchants) is not None:
        amounts = ", ".join(f"{currency} {most}" for currency, most in sorted(shops.amounts.items()))
        where = "any shop" if "*" in shops.domains else f"{len(shops.domains)} shops"
        made.append(f"  {', '.join(sorted(shops.actions))} at {where} outside the registry, up to {amounts}\n")
    return made


def _add(args: Namespace, store: Store) -> int:
    from waypost.store import own_policies

    policy = _read(args)
    if policy is None:
        return _ERRORS
    today, who = day_of(now_ms()), person(args)
    if policy.file.date > today:
        raise UsageError(f"{args.file}: its date {policy.file.date} is in the future; today is {today}")
    made = store.write(lambda db: own_policies.submit(db, policy.policy.version, policy.text, now_ms(), who))
    return _done(args, made, "is submitted", "another person accepts it with `waypost policy accept`")


def _accept(args: Namespace, store: Store) -> int:
    from waypost.safety.own_policy import read_policy
    from waypost.store import own_policies

    who, world = person(args), world_of(args)
    # Checked again: since the submission, a shop may have come into the registry.
    text = store.read(lambda db: own_policies.find(db, args.version)).text
    read_policy(text, args.version, world)
    made = store.write(lambda db: own_policies.accept(db, args.version, now_ms(), who))
    return _done(args, made, "is accepted", f"use it with `waypost check --policy {args.version}` or WAYPOST_POLICY")


def _withdraw(args: Namespace, store: Store) -> int:
    from waypost.store import own_policies

    who = person(args)
    made = store.write(lambda db: own_policies.withdraw(db, args.version, now_ms(), who, args.reason))
    return _done(args, made, "is withdrawn", "a service that is set to it makes no decisions until it has another one")


def _done(args: Namespace, policy: StoredPolicy, what: str, advice: str) -> int:
    if args.json:
        write_json(_to_dict(policy))
        return 0
    write([f"{policy.version} {what}\n"])
    print_message(advice)
    return 0


def _to_dict(policy: StoredPolicy) -> dict[str, Any]:
    from waypost.service.own_policies import to_dict

    return to_dict(policy)


def _stored(args: Namespace) -> tuple[StoredPolicy, ...]:
    """Policies of the store; a command that reads makes no store."""
    from waypost.store import open_store, own_policies
    from waypost.store.folder import NAME

    place = place_of(args)
    if not isinstance(place, str) and not (place / NAME).exists():
        return ()
    with open_store(place) as store:
        return store.read(own_policies.find_all)


def _list(args: Namespace) -> int:
    from waypost.service.own_policies import listing

    found = listing(world_of(args), _stored(args))
    if args.json:
        write_json({"policies": found})
        return 0
    write(
        f"{each['policy_version']:<28}  {each['state']:<9}  {_people(each)}{clipped(each['about'])}\n" for each in found
    )
    return 0


def _people(entry: dict[str, Any]) -> str:
    names = [entry.get(f"{name}_by") for name in ("submitted", "accepted", "withdrawn")]
    people = ", ".join(clipped(name, 40) for name in names if name)
    return f"({people}) " if people else ""


def _show(args: Namespace) -> int:
    from waypost.safety.policy import find, policies

    own = [each for each in _stored(args) if args.version in {each.version, each.version[:-11]}]
    if own:
        newest = own[-1]
        if args.json:
            write_json(_to_dict(newest))
        else:
            write([newest.text if newest.text.endswith("\n") else f"{newest.text}\n"])
        return 0
    world = world_of(args)
    version = find(world, args.version).version
    assert version in policies(world)
    write_json(world.document(f"policies/{version}.json"))
    return 0
