"""convert: write the Microdata and RDFa of a page as JSON-LD

Without an option, prints the JSON-LD of one page as a script to paste. --diff shows the page with the script in its
head and without the attributes that it replaces, --write changes the files. The page is read again afterwards: where an
item would be read otherwise, or is of another vocabulary than schema.org, the page stays as it is. With --base-url,
relative links become complete, as Microdata and RDFa mean them.

examples:
  waypost convert product.html
  waypost convert templates/ --diff
  waypost convert templates/ --write

exit status: 0 converted, 1 something stays as it is, or there is nothing to convert, 2 wrong usage, 3 an input could
not be read
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.cli._access import access, add_access, unused
from waypost.cli._arguments import add_address
from waypost.cli._console import UsageError, print_message, write
from waypost.errors import Unreadable

if TYPE_CHECKING:
    from waypost.fixes.conversion import Converted
    from waypost.lint.inputs import Input
    from waypost.reader.sources import PageSource

PLACE = 22
LEFT, UNREADABLE = 1, 3


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE|DIR|GLOB|URL|-", help="pages; - reads standard input")
    add("--to", choices=("json-ld",), default="json-ld", help="the syntax to write: json-ld")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--diff", action="store_true", help="show the changes of the pages, and change nothing")
    mode.add_argument("--write", action="store_true", help="change the files")
    add_address(parser)
    add("--allow-private", action="store_true", help="fetch a URL on a private or loopback address too")
    add_access(parser)


def run(args: Namespace) -> int:
    from waypost.lint.inputs import collect, why_without_page

    found = collect(args.inputs, args.base_url, gitignore=True)
    if not (args.diff or args.write) and len(found.inputs) > 1:
        raise UsageError("several pages: add --diff to see their changes, or --write to make them")
    for name in found.empty:
        print_message(why_without_page(name))
    urls = [item.where for item in found.inputs if item.kind == "url"]
    if not urls:
        for message in unused(args):
            print_message(message)
    args.access = access(args, None, urls) if urls else None
    ends = [_convert(item, args) for item in found.inputs]
    statuses = {end for end in ends if end is not None} | ({UNREADABLE} if found.empty else set())
    if not statuses:
        print_message("there is no item of schema.org in Microdata or RDFa")
        return LEFT
    return max(statuses)


def _convert(item: Input, args: Namespace) -> int | None:
    """Convert a page; its exit status, None without an item."""
    from waypost.fixes.conversion import script_of

    try:
        source, made = _converted(item, args)
    except Unreadable as error:
        if item.walked:
            return None
        print_message(str(error))
        return UNREADABLE
    for left in made.left:
        print_message(f"{item.path}: left as it is: {left}")
    if made.markup is None:
        return LEFT if made.left else None
    if args.diff:
        write(_diff(item, source, made))
    elif not args.write:
        write([script_of(made.markup)])
    elif made.changes:
        if why := _replaced(item, source, made):
            print_message(f"{item.path}: {why}")
            return UNREADABLE
        print_message(f"{item.path}: {made.items} item{'s' * (made.items > 1)} converted")
    return LEFT if made.left else 0


def _converted(item: Input, args: Namespace) -> tuple[PageSource, Converted]:
    from waypost.fixes.conversion import Converted, to_json_ld
    from waypost.lint.page_sources import open_page
    from waypost.registry import shared_registry

    source = open_page(item, args.allow_private, args.access)
    if source.kind != "html":
        return source, Converted(None, 0, [], source.data, [])
    return source, to_json_ld(source, shared_registry().vocabulary)


def _diff(item: Input, source: PageSource, made: Converted) -> Iterator[str]:
    from waypost.fixes.diff import unified_diff
    from waypost.reader.encoding import decode

    return unified_diff(item.path, source.data, made.changes, decode(source.data, source.media_type).codec)


def _replaced(item: Input, source: PageSource, made: Converted) -> str | None:
    """Write the page; the reason why it cannot be written, else None."""
    from waypost.lint.fixing import replace

    if item.kind != "file":
        return "only a file can be changed; --diff shows the changes"
    return replace(item.where, source.data, made.data)
