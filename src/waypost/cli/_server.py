"""Server commands: arguments, settings and checks shared by `serve` and `up`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.cli._arguments import add_data
from waypost.cli._console import UsageError, print_message
from waypost.errors import WaypostError

if TYPE_CHECKING:
    from waypost.api.settings import Settings

DEFAULT_PORT = 8000


def add_serving(parser: ArgumentParser) -> None:
    parser.add_argument("--host", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=port, help=f"the port (default: {DEFAULT_PORT}; 0 takes any that is free)")
    add_data(parser)
    parser.add_argument("--requirements", metavar="FILE",
        help="a waypost.toml whose profiles, checks and rules count for pages that are validated")  # fmt: skip
    parser.add_argument("--offline", action="store_true", default=None, help="no network checks of destinations")


def port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65536):
        raise ArgumentTypeError(f"{text!r} is not a port; give a number from 0 to 65535")
    return int(text)


def settings_of(args: Namespace, **more: Any) -> Settings:
    """Settings from the file, the environment and the arguments, the later ones winning. Raises UsageError."""
    from waypost.api.settings import SettingsError, read_settings

    options = ("host", "port", "data", "offline", "workers", "socket", "site", "store", "requirements")
    given = {name: getattr(args, name, None) for name in options}
    config = getattr(args, "config", None)
    try:
        return read_settings(Path(config) if config else None, **given, **more)
    except SettingsError as error:
        raise UsageError(str(error)) from None


def with_address(settings: Settings, port: int) -> Settings:
    """Settings with the port, and with the site's URL unless already set."""
    import msgspec

    from waypost.api.settings import Settings

    fields = msgspec.structs.fields(Settings)
    default = next(field.default for field in fields if field.name == "site_url")
    if settings.site_url != default:
        return msgspec.structs.replace(settings, port=port)
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 - it is read
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return msgspec.structs.replace(settings, port=port, site_url=f"http://{host}:{port}")


def build_site(target: Path, requirements: str = "") -> None:
    """Build or update the site in a folder, with the requirements of a configuration. Writes only changed files."""
    from waypost.lint.own_requirements import requirements_at
    from waypost.pages import Settings, build
    from waypost.registry import load

    if not requirements:
        build(load(), target)
        return
    found = requirements_at(Path(requirements), load())
    build(found.registry, target, settings=Settings(usual=found.usual))


class BuildApart:
    """Build or update of the site in a folder, in another process that ends with this one."""

    def __init__(self, target: Path, requirements: str = "") -> None:
        from multiprocessing import get_context

        # Spawned, so that it has nothing of this process: no socket, no open store.
        self._process = get_context("spawn").Process(
            target=_build_apart, args=(target, requirements), name="waypost-site", daemon=True
        )
        self._is_given_up = False

    def start(self) -> None:
        try:
            self._process.start()
        except OSError as error:  # no memory, or too many processes: the service goes on without the site
            self._is_given_up = True
            print_message(f"the site could not be built: {error}")

    def is_incomplete(self) -> bool:
        """Whether the build has still to begin, or runs."""
        return not self._is_given_up and self._process.exitcode is None


def _build_apart(target: Path, requirements: str) -> None:
    import os
    import signal

    from waypost.isolation.lifeline import end_with_parent

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both: the parent ends this process
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(5)  # the service comes first
    try:
        build_site(target, requirements)
    except (WaypostError, OSError) as error:
        print_message(f"the site could not be built: {error}")
