"""show this help, or the help of a command

examples:
  waypost help
  waypost help validate
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

PLACE = 92


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="COMMAND", help="the command; without it waypost itself")


def run(args: Namespace) -> int:
    from waypost.cli._program import parser

    parser(args.topic).parse_args([args.topic, "--help"] if args.topic else ["--help"])
    return 0  # not reached: the help ends the command, with its status
