"""org: create and list organizations, print a link to sign in, freeze all sensitive actions

Keys, decisions, disputes and the audit belong to one organization, and are hidden from others. The first one is the
operator's: its reviewers decide what applies to everyone. A sign-in link opens the console at /keys/ once, within
15 minutes. A freeze stops every sensitive action of the organization's agents at once, and while it lasts no earlier
allow counts; two people end it: one requests the end, another confirms. The freeze of the operator's organization also
covers checks without a key, as of `waypost check`.

examples:
  waypost org create "Acme Works"
  waypost org login-link --org "Acme Works" --site-url https://trust.example.com/
  waypost org freeze --reason "an agent was taken over" --as ann
  waypost org unfreeze --reason "its keys are revoked" --as ann
  waypost org unfreeze --reason "confirmed" --as bea

exit status: 0 done, 1 that is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial
from typing import TYPE_CHECKING, Any

from waypost.cli._arguments import address
from waypost.cli._console import UsageError, print_message, write, write_json
from waypost.cli._identity import ORG_HELP, add_person, organization, person
from waypost.cli._subcommands import NOT_POSSIBLE, now_ms, run_with_store, subcommands

if TYPE_CHECKING:
    from waypost.store import Store
    from waypost.store.freezes import Freeze

PLACE = 66
DEFAULT_SITE = "http://127.0.0.1:8000"


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)

    creating = add("create", "create an organization; the first is the operator's", _create)
    creating.add_argument("name", metavar="NAME", help="name of the organization")
    add_person(creating)
    add("list", "list the organizations, the operator's first", _list)
    linking = add("login-link", "print a link that signs in to the console once", _login_link)
    linking.add_argument("--org", metavar="ORG", help=ORG_HELP)
    linking.add_argument(
        "--site-url", type=address, metavar="URL", help=f"where the site is served (WAYPOST_SITE_URL, {DEFAULT_SITE})"
    )
    add_person(linking)
    for name, text, work in (
        ("freeze", "stop every sensitive action of an organization at once", _freeze),
        ("unfreeze", "request the end of a freeze, or confirm the request of another person", _unfreeze),
    ):
        step = add(name, text, work, org_help=ORG_HELP)
        step.add_argument("--reason", metavar="TEXT", required=True, help="why, for the history")
        add_person(step)


def run(args: Namespace) -> int:
    from waypost.store.errors import Conflict, ReviewError

    try:
        return run_with_store(args, Conflict)
    except ReviewError as error:
        print_message(str(error))
        return NOT_POSSIBLE


def _create(args: Namespace, store: Store) -> int:
    from waypost.store import organizations

    who = person(args)
    made = store.write(lambda db: organizations.create(db, args.name, who, now_ms()))
    if args.json:
        write_json({"id": made.id, "name": made.name})
        return 0
    write([f"{made.id}\n"])
    print_message(f"{made.name} is there; make it a key with `waypost keys create`")
    return 0


def _list(args: Namespace, store: Store) -> int:
    from waypost.formats.text import timestamp
    from waypost.store import freezes, organizations

    found = store.read(organizations.find_all)
    freezes_of = {entry.id: store.read(partial(freezes.find, organization=entry.id)) for entry in found}
    if args.json:
        members = [{"id": entry.id, "name": entry.name, "created_at": timestamp(entry.created_at)} for entry in found]
        write_json([each | _freeze_to_dict(freezes_of[each["id"]]) for each in members])
        return 0
    write(
        f"{entry.id}  {timestamp(entry.created_at)[:10]}  {entry.name}{'  FROZEN' if freezes_of[entry.id] else ''}\n"
        for entry in found
    )
    if not found:
        print_message("there is no organization yet; make one with `waypost org create NAME`")
    return 0


def _freeze_to_dict(freeze: Freeze | None) -> dict[str, Any]:
    """Member `freeze` of an organization; no member without a freeze."""
    from waypost.formats.text import timestamp, without_hidden

    if freeze is None:
        return {}
    members = {"since": timestamp(freeze.since), "by": freeze.by, "reason": without_hidden(freeze.reason)}
    if freeze.end_requested_by:
        members["end_requested_by"] = freeze.end_requested_by
    return {"freeze": members}


def _freeze(args: Namespace, store: Store) -> int:
    from waypost.store import freezes

    owner, who = organization(args, store), person(args)
    made = store.write(lambda db: freezes.start(db, owner.id, now_ms(), who, args.reason))
    if args.json:
        write_json({"id": owner.id, "name": owner.name, **_freeze_to_dict(made)})
        return 0
    write([f"{owner.name} is frozen: no sensitive action is allowed\n"])
    print_message("two people end it, each with `waypost org unfreeze`")
    return 0


def _unfreeze(args: Namespace, store: Store) -> int:
    from waypost.store import freezes

    owner, who = organization(args, store), person(args)
    left = store.write(lambda db: freezes.end(db, owner.id, now_ms(), who, args.reason))
    if args.json:
        write_json({"id": owner.id, "name": owner.name, **_freeze_to_dict(left)})
        return 0
    if left is None:
        write([f"{owner.name} is no longer frozen\n"])
        return 0
    write([f"{owner.name} is still frozen: {who} has requested the end\n"])
    print_message("another person has to confirm it with `waypost org unfreeze`")
    return 0


def _login_link(args: Namespace, store: Store) -> int:
    from waypost.store import sessions

    owner, who, named = organization(args, store), person(args), _named_site(args)
    token = store.write(lambda db: sessions.create_link(db, owner.id, who, now_ms()))
    link = sign_in_url(named or DEFAULT_SITE, token)
    if args.json:
        write_json({"sign_in_url": link, "organization": {"id": owner.id, "name": owner.name}})
        return 0
    write([link, "\n"])
    print_message(f"this signs {who} in for {owner.name} once, within {sessions.LINK_MS // 60_000} minutes")
    if not named:
        print_message(f"the site is taken to be at {DEFAULT_SITE}; add --site-url where it is elsewhere")
    return 0


def sign_in_url(site_url: str, token: str) -> str:
    """URL for signing in to the console with a token."""
    return f"{site_url.rstrip('/')}/keys/sign-in?token={token}"


def _named_site(args: Namespace) -> str:
    """Address of the site as the caller or the environment names it, "" where neither does."""
    if args.site_url:
        return str(args.site_url)
    there = os.environ.get("WAYPOST_SITE_URL")
    try:
        return address(there) if there else ""
    except ArgumentTypeError as error:
        raise UsageError(f"WAYPOST_SITE_URL: {error}") from None
