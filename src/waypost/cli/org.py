"""org: create and list organizations, print a link to sign in

Keys, decisions, disputes and the audit belong to one organization, and are hidden from others. The first one is the
operator's: its reviewers decide what applies to everyone. A sign-in link opens the console at /keys/ once, within
15 minutes.

examples:
  waypost org create "Acme Works"
  waypost org login-link --org "Acme Works" --site-url https://trust.example.com/

exit status: 0 done, 1 that is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from waypost.cli._arguments import address
from waypost.cli._console import UsageError, print_message, write, write_json
from waypost.cli._identity import ORG_HELP, add_person, organization, person
from waypost.cli._subcommands import now_ms, run_with_store, subcommands

if TYPE_CHECKING:
    from waypost.store import Store

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


def run(args: Namespace) -> int:
    from waypost.store.errors import Conflict

    return run_with_store(args, Conflict)


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
    from waypost.store import organizations

    found = store.read(organizations.find_all)
    if args.json:
        write_json([{"id": entry.id, "name": entry.name, "created_at": timestamp(entry.created_at)} for entry in found])
        return 0
    write(f"{entry.id}  {timestamp(entry.created_at)[:10]}  {entry.name}\n" for entry in found)
    if not found:
        print_message("there is no organization yet; make one with `waypost org create NAME`")
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
