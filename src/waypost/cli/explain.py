"""explain a rule or a profile: the problem, the reason, the source and the fix

The same as `waypost rules NAME`.

examples:
  waypost explain price-invalid
  waypost explain google/recipe
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from waypost.cli._console import add_colour

PLACE = 29


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a rule, such as price-invalid, or a profile: google/recipe")
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_colour(parser)
    parser.set_defaults(filter=None)


def run(args: Namespace) -> int:
    from waypost.cli import rules

    return rules.run(args)
