"""Sub-commands of a command, such as `keys create`: their parsers, and what their work functions share."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable

from waypost.cli._arguments import add_data

Adder = Callable[..., ArgumentParser]


def subcommands(parser: ArgumentParser) -> Adder:
    """Function add(name, text, work, ...) that adds a sub-command to `parser`.

    work       takes the arguments and an object of the command's own; returns the exit status.
    id_help    text of the argument ID; without it there is none.
    org_help   text of the option --org; without it there is none.
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
        if with_json:
            step.add_argument("--json", action="store_true", help="as JSON")
        step.set_defaults(work=work)
        return step

    return add


def now_ms() -> int:
    """Milliseconds since 1970."""
    return int(time.time() * 1000)


def day_of(ms: int) -> str:
    """Date such as 2026-11-20, in UTC."""
    from waypost.formats.text import timestamp

    return timestamp(ms)[:10]
