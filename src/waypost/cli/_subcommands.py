"""Sub-commands of a command, such as `keys create`: parsers, exit statuses, times."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.cli._arguments import add_data, add_store
from waypost.cli._console import UsageError, print_message
from waypost.errors import WaypostError

if TYPE_CHECKING:
    from waypost.registry.world import World
    from waypost.service import Service

NOT_POSSIBLE = 1
"""Exit status where the state of the store does not allow the step."""
Adder = Callable[..., ArgumentParser]


def subcommands(parser: ArgumentParser) -> Adder:
    """Function add(name, text, work, ...) that adds a sub-command to `parser`.

    work       takes the arguments and the store, or the data folder; returns the exit status.
    id_help    help text of an argument ID.
    org_help   help text of an option --org.
    with_json  add --json.
    """
    steps = parser.add_subparsers(metavar="WHAT", dest="step", required=True, help="what to do")

    def add(
        name: str,
        text: str,
        work: Callable[..., int],
        *,
        id_help: str = "",
        org_help: str = "",
        with_json: bool = True,
    ) -> ArgumentParser:
        step: ArgumentParser = steps.add_parser(name, help=text, description=text)
        if id_help:
            step.add_argument("id", metavar="ID", help=id_help)
        if org_help:
            step.add_argument("--org", metavar="ORG", help=org_help)
        add_data(step)
        add_store(step)
        if with_json:
            step.add_argument("--json", action="store_true", help="as JSON")
        step.set_defaults(work=work)
        return step

    return add


def run_with_store(args: Namespace, refusal: type[WaypostError]) -> int:
    """Run the sub-command with the store of --store or --data. An error of type `refusal` is a message and status 1."""
    from waypost.store import open_store

    with open_store(place_of(args)) as store:
        try:
            status: int = args.work(args, store)
        except refusal as error:
            print_message(str(error))
            return NOT_POSSIBLE
        return status


def place_of(args: Namespace) -> Path | str:
    """Address of --store, else folder of --data; then WAYPOST_STORE, then the usual folder. Raises UsageError."""
    from waypost.store import data_folder

    address = args.store or ("" if args.data else os.environ.get("WAYPOST_STORE", ""))
    if not address:
        return data_folder(args.data)
    return checked_address(address)


def service_of(args: Namespace, **options: Any) -> Service:
    """Service that decides by the store of --store or --data, with --policy and --offline. Raises UsageError."""
    from waypost.service import open_service, open_service_on

    place, policy = place_of(args), {"policy": args.policy} if args.policy else {}
    if isinstance(place, str):
        return open_service_on(place, offline=args.offline, **policy, **options)
    named = bool(args.data or os.environ.get("WAYPOST_DATA"))
    return open_service(place, offline=args.offline, required=named, **policy, **options)


def world_of(args: Namespace) -> World:
    """World with the release of the registry that --store or --data has, else of the package. Raises UpdateError."""
    from waypost.updates import load_world

    place = place_of(args)
    if not isinstance(place, str):
        return load_world(place)
    with on_shared_files(place, changes=False) as folder:
        return load_world(folder)


@contextmanager
def on_shared_files(address: str, *, changes: bool = True) -> Iterator[Path]:
    """Folder with copies of the files that the replicas on a database share.

    changes  files that the body changes are published at its end. Raises StoreError
    """
    from tempfile import TemporaryDirectory

    from waypost.service.shared_files import fetch_all, publish_all
    from waypost.store import open_store

    with open_store(address) as store, TemporaryDirectory(prefix="waypost-") as name:
        # Digests from before the work: only files that the work changes are published, so that an update by another
        # operator meanwhile stays.
        before = fetch_all(store, Path(name))
        yield Path(name)
        if changes:
            publish_all(store, Path(name), before, now_ms())


def checked_address(address: str, option: str = "--store") -> str:
    """Address of a database. Raises UsageError, which does not repeat it: it may hold a password."""
    from waypost.store.engines.postgres import is_address

    if not is_address(address):
        raise UsageError(f"{option}: write postgresql://user@host:5432/database; a folder is --data")
    return address


def now_ms() -> int:
    """Milliseconds since 1970."""
    return int(time.time() * 1000)


def day_of(ms: int) -> str:
    """Date such as 2026-11-20, in UTC."""
    from waypost.formats.text import timestamp

    return timestamp(ms)[:10]


def clipped(text: str, most: int = 200) -> str:
    """Third party's text in a line of the terminal: at most so many characters, hidden ones spelled out."""
    from waypost.formats.text import clip
    from waypost.report._frame import visible

    return visible(clip(text, most))
