"""Options about requests: headers, cookies, passwords, client certificates and the user agent."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.net.access import Access


def add_access(parser: ArgumentParser) -> None:
    add = parser.add_argument_group(
        "requests",
        "Headers, cookies, passwords and certificates are sent to the origin (scheme, host, port) of the addresses "
        "alone, never after a redirect to another, and appear in no report, cache or message. A password may also "
        "stand in the address (https://user:password@host/) or in ~/.netrc. Proxies are those of HTTPS_PROXY, "
        "HTTP_PROXY and NO_PROXY.",
    ).add_argument
    add("--header", action="append", default=[], type=_header, metavar="'NAME: VALUE'", dest="headers",
        help="send a header too; can be repeated")  # fmt: skip
    add("--cookie", action="append", default=[], type=_cookie, metavar="NAME=VALUE", dest="headers",
        help="send a cookie; can be repeated")  # fmt: skip
    add("--auth", action="append", default=[], type=_auth, metavar="USER:PASSWORD", dest="headers",
        help="send user and password (basic authentication)")  # fmt: skip
    add("--cert", metavar="FILE", help="present a client certificate: PEM, with its key or with --key")
    add("--key", metavar="FILE", help="key of the client certificate, as PEM without a password")
    add("--origin", metavar="ORIGIN",
        help="the origin that the options above are for, where the addresses have several")  # fmt: skip
    add("--user-agent", metavar="NAME|TEXT",
        help="request as a crawler (googlebot, bingbot, gptbot ...) or as any TEXT; robots.txt still counts as for "
        "waypost")  # fmt: skip


def _argument(read: Callable[[str], tuple[str, str]], text: str) -> tuple[str, str]:
    """(name, value) of a header. The error shows no part of the text, which argparse itself would print."""
    from waypost.net.access import AccessError

    try:
        return read(text)
    except AccessError as error:
        raise ArgumentTypeError(str(error)) from None


def _header(text: str) -> tuple[str, str]:
    from waypost.net.access import header

    return _argument(header, text)


def _cookie(text: str) -> tuple[str, str]:
    from waypost.net.access import cookie

    return _argument(cookie, text)


def _auth(text: str) -> tuple[str, str]:
    from waypost.net.access import basic

    return _argument(basic, text)


def access(
    args: Namespace, config: Config | None, named: Iterable[str], in_lists: Iterable[str] = (), *, netrc: bool = True
) -> Access:
    """Access by options and configuration. Raises UsageError.

    config    None for the nearest one.
    named     addresses on the command line.
    in_lists  addresses in lists.
    """
    from waypost.cli._config import configuration
    from waypost.lint.access import Given, access_for
    from waypost.net.access import AccessError

    given = Given(
        headers=tuple(args.headers), cert=args.cert, key=args.key, origin=args.origin, user_agent=args.user_agent
    )
    try:
        if config is None:
            config = configuration(Namespace(config=None, no_config=False, inputs=[]))
        return access_for(given, config, named, in_lists, netrc=netrc)
    except AccessError as error:
        raise UsageError(str(error)) from None


def unused(args: Namespace) -> Iterator[str]:
    """Messages about options about requests, where nothing is fetched."""
    if args.headers:
        yield "--header, --cookie and --auth have no effect: no page is fetched"
    for name in ("cert", "key", "origin", "user_agent"):
        if getattr(args, name) is not None:
            yield f"--{name.replace('_', '-')} has no effect: no page is fetched"
