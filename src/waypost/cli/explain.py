"""explain a rule, a profile or a message of Search Console: the problem, the reason, the source

The same as `waypost rules NAME`. A message is found in any quotation marks, with its path as in
(in "offers"): the profiles and paths that it is about, critical or not, and the rules that report it.

examples:
  waypost explain price-invalid
  waypost explain google/recipe
  waypost explain "Invalid object type for field 'location'"
  waypost explain "Missing field hasMerchantReturnPolicy"
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from waypost.cli._config import add_config
from waypost.cli._console import add_colour

PLACE = 29


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        help="a rule, such as price-invalid, a profile, google/recipe, or a message of Search Console",
    )
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_colour(parser)
    parser.set_defaults(filter=None)


def run(args: Namespace) -> int:
    from waypost.cli import rules

    return rules.run(args)
