"""start the service and the site on this machine, for local use

The first run creates the data folder, an organization and a key, which is shown only once. Each run prints a link
that signs in to the console. The site is built into the data folder where it is missing or out of date, while the
service answers already: a page that is not there yet is answered with 503 until then. Ctrl-C ends both. For a server
that others reach, use `waypost serve`.

examples:
  waypost up
  waypost up --port 8080 --data ./data --offline
  waypost up --json | head -n 1

exit status: 0 ended by a signal, 2 wrong usage, 3 something could not be read or listened on
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, print_message
from waypost.cli._extras import require
from waypost.cli._server import BuildApart, add_serving, build_site, settings_of, with_address
from waypost.errors import WaypostError

if TYPE_CHECKING:
    from pathlib import Path

    from waypost.store import Store

PLACE = 55
ORGANIZATION = "Operator"


def configure(parser: ArgumentParser) -> None:
    add_serving(parser)
    parser.add_argument("--no-build", action="store_true", help="do not build the site")
    parser.add_argument("--json", action="store_true", help="print the addresses as one line of JSON")


def run(args: Namespace) -> int:
    from waypost.isolation.ending import ending_on_signal

    with ending_on_signal():
        return _run(args)


def _run(args: Namespace) -> int:
    settings = settings_of(args)
    # A site that is there is served as it is: the packages that build one may be missing, as in the container.
    require("waypost up", "server", *["site"] * (not args.no_build and not settings.site))
    import msgspec

    from waypost.api.server import serve, socket_of
    from waypost.api.startup_checks import mistakes_in
    from waypost.api.uvicorn_parts import unbounded
    from waypost.net.listen import port_of
    from waypost.store import data_folder, open_store

    if settings.store:
        raise UsageError("`waypost up` begins with a store of its own; with WAYPOST_STORE use `waypost serve`")
    if problems := mistakes_in(settings):
        raise UsageError("; ".join(problems))
    folder = data_folder(settings.data or None)
    if warning := unbounded():
        print_message(warning)
    sock = socket_of(settings)
    with sock:
        if not settings.socket:
            settings = with_address(settings, port_of(sock))
        with open_store(folder) as store:
            # Before a key is made: a signal or a full disk would end the process before it was shown.
            site, build = _site(args, settings, folder)
            made = _prepare(store, settings.site_url)
        settings = msgspec.structs.replace(settings, data=str(folder), site=str(site) if site else "")
        summary = {"site_url": settings.site_url, "base_url": settings.api_url, **made, "data_dir": str(folder)}
        _print_summary(summary, as_json=args.json)
        return serve(settings, sock, build)


def _prepare(store: Store, site_url: str) -> dict[str, Any]:
    """Organization, key (only for the first organization) and sign-in link, as JSON."""
    from waypost.cli.org import sign_in_url
    from waypost.models.api_key import LABELS, scopes_of
    from waypost.service import clock
    from waypost.store import keys, organizations, sessions

    now = clock()

    def make(db: Any) -> dict[str, Any]:
        organization = organizations.first(db)
        first = organization is None
        organization = organization or organizations.create(db, ORGANIZATION, "waypost up", now)
        summary: dict[str, Any] = {"organization": {"id": organization.id, "name": organization.name}}
        if first:
            request = keys.KeyRequest(name="first key", scopes=scopes_of(labels=LABELS))
            made, text = keys.create(db, organization.id, request, "waypost up", now)
            summary |= {"key": text, "key_id": made.id}
        token = sessions.create_link(db, organization.id, "operator", now)
        return summary | {"sign_in_url": sign_in_url(site_url, token)}

    return store.write(make)


def _site(args: Namespace, settings: Any, folder: Path) -> tuple[Path | None, BuildApart | None]:
    """Folder of the site, and its build beside the service, if it has one."""
    if settings.site:
        from pathlib import Path

        return Path(settings.site), None
    site = folder / "site"
    if args.no_build:
        return site if site.is_dir() else None, None
    try:
        site.mkdir(exist_ok=True)
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise WaypostError(f"no folder for the site at {site}: {problem}; use `--no-build`, or remove it") from None
    if settings.workers > 1:  # which do not know of a build in another process
        print_message("building the site, which takes some seconds")
        build_site(site, settings.requirements)
        return site, None
    print_message("the site is built while the API answers already, which takes some seconds")
    return site, BuildApart(site, settings.requirements)


def _print_summary(summary: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        import msgspec

        sys.stdout.write(f"{msgspec.json.encode(summary).decode()}\n")
        sys.stdout.flush()
        return
    lines = [
        ("site", summary["site_url"]),
        ("api", f"{summary['base_url']}/v1"),
        ("organization", f"{summary['organization']['name']}  {summary['organization']['id']}"),
    ]
    if "key" in summary:
        lines.append(("key", f"{summary['key']}  (shown this once; keep it like a password)"))
    lines += [
        ("sign in", f"{summary['sign_in_url']}  (once, within a quarter of an hour)"),
        ("data", summary["data_dir"]),
    ]
    sys.stdout.write("".join(f"{name:<13} {value}\n" for name, value in lines))
    sys.stdout.flush()
    print_message("serving; Ctrl-C ends it")
