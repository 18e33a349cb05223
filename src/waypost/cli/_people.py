"""Who runs a command, for the history of what it does, and which organization it is about."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from waypost.cli._run import UsageError

if TYPE_CHECKING:
    from waypost.store import Store
    from waypost.store.organizations import Organization

_SHOWN = 10


def add_person(parser: ArgumentParser) -> None:
    parser.add_argument("--as", dest="person", metavar="NAME", help="who does it (the user who is logged in)")


def add_organization(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--org", metavar="ORG", help="the organization's id or name; needed where there is more than one"
    )


def person(args: Namespace) -> str:
    """The name of whoever runs the command. Raises UsageError."""
    name = args.person
    if name is None:
        import getpass

        try:
            name = getpass.getuser()
        except (OSError, KeyError, ImportError):
            raise UsageError("nobody is logged in here; say who does it with --as") from None
    name = str(name).strip()
    if not name or len(name) > 80 or not name.isprintable():
        raise UsageError("--as: a name has 1 to 80 printable characters")
    return name


def organization(args: Namespace, store: Store) -> Organization:
    """The organization that was named, or the only one there is. Raises UsageError."""
    from waypost.formats.text import clip
    from waypost.store import organizations
    from waypost.store.errors import Unknown

    there = store.read(organizations.find_all)
    if args.org is None:
        if len(there) == 1:
            return there[0]
        if not there:
            raise UsageError("there is no organization yet; make one with `waypost org create NAME`")
        raise UsageError(f"--org: there are {_some([each.name for each in there])}; say which")
    try:
        return store.read(lambda db: organizations.named(db, args.org))
    except Unknown:
        known = _some([each.name for each in there])
        raise UsageError(f"--org: there is no organization {clip(args.org)!r} among {known}") from None


def _some(names: list[str]) -> str:
    from waypost.formats.text import join_words

    shown = names[:_SHOWN] + ([f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else [])
    return join_words(shown) or "none"
