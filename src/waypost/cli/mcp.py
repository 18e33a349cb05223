"""MCP server for agents: decisions and reports as tools of the Model Context Protocol

The agent's client starts it, and uses standard input and output. Without --service it decides like `waypost check`:
from the shipped reviews, the store (--data, or --store) and the network; lists are read at the start. With --service it
asks that service, with the key in WAYPOST_API_KEY. With --http it listens, and every caller brings a key of the
service. The text of a stop begins with STOP:, and so does that of each error. The guide "Give your agent waypost" has a
configuration for each client.

It needs the extra `mcp`: in a clone, pip install '.[mcp]'

examples:
  waypost mcp
  waypost mcp --service https://trust.example.com
  waypost mcp --http --service http://127.0.0.1:8000 --port 8001

exit status: 0 the client ended the session, 2 wrong usage
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from waypost.cli._arguments import add_data, add_store, address
from waypost.cli._console import UsageError, print_message
from waypost.cli._extras import require

if TYPE_CHECKING:
    from waypost.mcp.backend import Backend

PLACE = 61
DEFAULT_PORT = 8001


def configure(parser: ArgumentParser) -> None:
    from waypost.cli._server import port

    add = parser.add_argument
    add("--service", type=address, default=os.environ.get("WAYPOST_SERVICE") or None, metavar="URL",
        help="use this service, with the key in WAYPOST_API_KEY (WAYPOST_SERVICE)")  # fmt: skip
    add("--offline", action="store_true", help="without a service: decide without network checks")
    add("--fixtures", action="store_true", help="fixed answers for allow.test, stop.test and other test hosts")
    add("--policy", metavar="NAME", help="without a service: the policy to apply (baseline)")
    add(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="timeout of each call, 0.1 to 600 (default: depends on the tool)",
    )
    add("--http", action="store_true", help="listen for HTTP instead; callers bring keys of the service")
    add("--host", default="127.0.0.1", help="with --http: the address to listen on (127.0.0.1)")
    add("--port", type=port, default=DEFAULT_PORT, help=f"with --http: the port ({DEFAULT_PORT}; 0 takes a free one)")
    add("--allow-host", action="append", default=[], metavar="HOST",
        help="with --http: a further host name of the server; other names are rejected")  # fmt: skip
    add("--stdio", action="store_true", help="use standard input and output (default)")
    add_data(parser)
    add_store(parser)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 600:
        raise ArgumentTypeError("give 0.1 to 600 seconds")
    return seconds


def run(args: Namespace) -> int:
    require("waypost mcp", "mcp")
    if args.http and not args.service:
        raise UsageError("--http needs --service URL: the service whose keys the callers bring")
    if args.service and (args.offline or args.fixtures or args.policy):
        raise UsageError("--offline, --fixtures and --policy are for deciding here; a service has its own")
    if not args.http and sys.stdin is not None and sys.stdin.isatty():
        print_message("this waits for an agent's client, which starts it itself; Ctrl-C ends it")
    gc.enable()  # `main` disables it, for commands that end soon
    if args.http:
        return _http(args)
    return _stdio(args)


def _stdio(args: Namespace) -> int:
    from waypost import __version__
    from waypost.mcp import stdio
    from waypost.mcp.quiet import keep_quiet
    from waypost.mcp.server import Handlers, make_server
    from waypost.registry import load
    from waypost.registry.world import load as load_world

    keep_quiet()
    registry, world = load(), load_world()
    backend = _backend(args)
    stdio.run(make_server(Handlers(registry, world, lambda _: backend, args.timeout), __version__), backend.close)
    return 0


def _backend(args: Namespace) -> Backend:
    from waypost.registry import load

    if args.service:
        from waypost.client import AsyncClient
        from waypost.mcp.remote import RemoteBackend

        return RemoteBackend(AsyncClient(args.service), load())
    from waypost.mcp.local import LocalBackend

    if args.fixtures:
        from waypost.service.fixtures import open_fixtures

        return LocalBackend(open_fixtures(**({"policy": args.policy} if args.policy else {})), load())
    from waypost.cli._subcommands import service_of

    return LocalBackend(service_of(args), load())


def _http(args: Namespace) -> int:
    from waypost import __version__
    from waypost.mcp import http
    from waypost.mcp.quiet import keep_quiet

    keep_quiet()
    http.run(args.service, args.host, args.port, args.allow_host, args.timeout, __version__)
    return 0
