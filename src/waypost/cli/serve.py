"""serve the API and the site on a server that others reach

Settings come from --config (TOML), from WAYPOST_* variables and from the arguments, the later ones winning; --check
lists unsafe and missing settings and serves nothing. SIGTERM lets requests under way end, SIGHUP takes up new
feeds and policies.

examples:
  waypost serve --config /etc/waypost.toml --check
  waypost serve --config /etc/waypost.toml
  waypost serve --socket /run/waypost.sock --workers 2
  waypost serve --config /etc/waypost.toml --store 'postgresql://waypost@db.example.com/waypost?sslmode=verify-full'

exit status: 0 ended by a signal or all checks hold, 1 a check of --check does not, 2 wrong usage, 3 it could not start
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from waypost.cli._arguments import add_store
from waypost.cli._console import UNREADABLE, UsageError, print_message, write
from waypost.cli._extras import require
from waypost.cli._server import add_serving, settings_of, with_address
from waypost.cli._subcommands import checked_address

if TYPE_CHECKING:
    from waypost.api.settings import Settings

PLACE = 56
UNSAFE = 1


def configure(parser: ArgumentParser) -> None:
    add_serving(parser)
    add_store(parser)
    parser.add_argument("--config", metavar="FILE", help="settings in TOML (WAYPOST_CONFIG)")
    parser.add_argument("--socket", metavar="PATH", help="listen on a UNIX socket instead")
    parser.add_argument("--site", metavar="DIR", help="the built site; without it only the API is served")
    parser.add_argument("--workers", type=int, metavar="N", help="number of processes (default: 1)")
    parser.add_argument("--check", action="store_true", help="list unsafe and missing settings; serve nothing")


def run(args: Namespace) -> int:
    from waypost.isolation.ending import ending_on_signal

    with ending_on_signal():
        return _run(args)


def _run(args: Namespace) -> int:
    require("waypost serve", "server")
    import os

    import msgspec

    args.config = args.config or os.environ.get("WAYPOST_CONFIG")
    if args.workers is not None and not 1 <= args.workers <= 64:
        raise UsageError("--workers: give a number from 1 to 64")
    settings = settings_of(args)
    if settings.store:
        checked_address(settings.store)
    with _data_folder(settings) as folder:
        return _serve(args, msgspec.structs.replace(settings, data=folder))


def _data_folder(settings: Settings) -> AbstractContextManager[str]:
    """Data folder as the settings name it; with a database and without a folder, one that lasts as long as the process.

    Everything that must outlast the process is in the database; the folder holds copies of its lists.
    """
    from tempfile import TemporaryDirectory

    from waypost.store import data_folder

    if not settings.store or settings.data or data_folder().is_dir():
        return nullcontext(settings.data)
    return TemporaryDirectory(prefix="waypost-")


def _serve(args: Namespace, settings: Settings) -> int:
    from waypost.api.server import serve, socket_of
    from waypost.api.startup_checks import problems_in
    from waypost.api.uvicorn_parts import unbounded
    from waypost.net.listen import port_of

    # A plain address that others reach is derived only where a host is given; the port does not matter here.
    problems = problems_in(settings if settings.socket else with_address(settings, settings.port))
    if args.check:
        problems += filter(None, [unbounded()])
        write([f"{problem}\n" for problem in problems] or ["all checks hold\n"])
        return UNSAFE if problems else 0
    if problems:
        for problem in problems:
            print_message(problem)
        print_message("nothing is served; `waypost serve --check` says the same")
        return UNREADABLE
    with socket_of(settings) as sock:
        if warning := unbounded():
            print_message(warning)
        if settings.socket:
            print_message(f"serving on {settings.socket}")
        else:
            settings = with_address(settings, port_of(sock))
            print_message(f"serving {settings.site_url} on {settings.host} port {settings.port}")
        return serve(settings, sock)
