"""Identity behind a command: a person for the history, and the organization concerned."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError

if TYPE_CHECKING:
    from waypost.store import Store
    from waypost.store.organizations import Organization

ORG_HELP = "the organization's id or name; needed where there is more than one"
_MAX_NAMES = 10


def add_person(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--as", dest="person", metavar="NAME", help="your name, for the history (default: the user who is logged in)"
    )


def person(args: Namespace) -> str:
    """Name of the person running the command: --as, else the user logged in. Raises UsageError."""
    name = args.person
    if name is None:
        import getpass

        try:
            name = getpass.getuser()
        except (OSError, KeyError, ImportError):
            raise UsageError("no one is logged in here; say who does it with --as") from None
    name = str(name).strip()
    if not name or len(name) > 80 or not name.isprintable():
        raise UsageError("--as: a name has 1 to 80 printable characters")
    return name


def organization(args: Namespace, store: Store) -> Organization:
    """Organization of --org, else the only organization in the store. Raises UsageError."""
    from waypost.formats.text import clip
    from waypost.store import organizations
    from waypost.store.errors import Unknown

    entries = store.read(organizations.find_all)
    if args.org is None:
        if len(entries) == 1:
            return entries[0]
        if not entries:
            raise UsageError("there is no organization yet; make one with `waypost org create NAME`")
        raise UsageError(f"--org: there are {_names([entry.name for entry in entries])}; say which")
    try:
        return store.read(lambda db: organizations.named(db, args.org))
    except Unknown:
        if not entries:
            raise UsageError("there is no organization yet; make one with `waypost org create NAME`") from None
        known = _names([entry.name for entry in entries])
        raise UsageError(f"--org: there is no organization {clip(args.org)!r} among {known}") from None


def _names(names: list[str]) -> str:
    from waypost.formats.text import join_words

    first = names[:_MAX_NAMES] + ([f"{len(names) - _MAX_NAMES} more"] if len(names) > _MAX_NAMES else [])
    return join_words(first)
