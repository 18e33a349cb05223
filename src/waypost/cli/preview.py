"""preview the rich result that a page could get, as a card

The main item of the page becomes one document of the unified model, and the document becomes the card. A JSON file
may be JSON-LD, or a document of the unified model.

examples:
  waypost preview public/recipes/pie.html
  waypost preview https://example.com/ --json
  waypost preview https://example.com/ --render
  waypost preview product.json --format json-ld

exit status: 0 a card was drawn, 1 there is nothing to show, 2 wrong usage, 3 it could not be read
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from waypost.cli._access import access, add_access, unused
from waypost.cli._arguments import add_address, add_moment
from waypost.cli._console import UsageError, add_colour, coloured, print_message, width_of, write
from waypost.cli._rendering import add_rendering

if TYPE_CHECKING:
    from waypost.lint.inputs import Input
    from waypost.models.finding import FileReport
    from waypost.models.page import Page
    from waypost.models.snippet import Preview
    from waypost.reader.sources import PageSource
    from waypost.report._eligibility import Badge

PLACE = 20
NOTHING = 1
FORMATS = ("text", "json", "json-ld")


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("input", metavar="FILE|URL|-", help="the page; - reads standard input")
    add("--format", choices=FORMATS, default="text", metavar="FORMAT",
        help="text: the card (default); json: document, card, findings; json-ld: the document as markup")  # fmt: skip
    add("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    add_colour(parser)
    add_address(parser)
    add_moment(parser)
    add("--stdin-name", metavar="NAME", help="file name of standard input, for the report; its ending sets the format")
    add("--allow-private", action="store_true", help="fetch a URL on a private or loopback address too")
    add_access(parser)
    add_rendering(parser)


def run(args: Namespace) -> int:
    from waypost.errors import NothingToShow
    from waypost.lint.inputs import collect, is_folder
    from waypost.lint.page_sources import open_page, parse_page
    from waypost.preview import make_snippet
    from waypost.registry import shared_registry

    inputs = collect([args.input], args.base_url, args.stdin_name).inputs
    if len(inputs) != 1 or is_folder(args.input):
        raise UsageError(f"{args.input!r} is not one page; name a file or a URL, or - for standard input")
    (item,) = inputs
    if item.kind != "url":
        for message in unused(args):
            print_message(message)
    source_page = open_page(item, args.allow_private, access(args, None, [item.where]) if item.kind == "url" else None)
    if args.render:
        source_page = _after_scripts(item, source_page, args)
    source = _source(source_page, parse_page(source_page, item.path))
    try:
        preview = make_snippet(source, shared_registry(), url=source_page.url, now=args.now)
    except NothingToShow as nothing:
        print_message(f"{item.path}: {nothing}")
        return NOTHING
    write([_render(preview, source, args)])
    return 0


def _after_scripts(item: Input, source_page: PageSource, args: Namespace) -> PageSource:
    from waypost.cli._rendering import rendered_page
    from waypost.lint.fetching import policy_for
    from waypost.net.crawl import Crawler

    where = [item.where] if item.kind == "url" else []
    with Crawler(
        robots=False, policy=policy_for(where, args.allow_private), access=access(args, None, where) if where else None
    ) as crawler:
        return rendered_page(item, source_page, args, crawler)


def _source(source_page: PageSource, page: Page) -> Page | dict[str, Any]:
    """Document of the unified model, if the file holds one; else the page."""
    import msgspec

    from waypost.preview.catalogue import catalogue_of
    from waypost.registry import shared_registry

    if source_page.kind != "json":
        return page
    try:
        document = msgspec.json.decode(source_page.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return page
    return document if isinstance(document, dict) and catalogue_of(shared_registry()).is_unified(document) else page


def _checked(preview: Preview, source: Page | dict[str, Any], args: Namespace) -> tuple[FileReport | None, Badge]:
    """(report about the page, eligibility of its item); without a report for a document, which is not a page."""
    from waypost.preview import item_number, item_places
    from waypost.registry import shared_registry
    from waypost.report._eligibility import badge_of
    from waypost.validate import validate_parsed

    if isinstance(source, dict):
        return None, badge_of(preview.snippet.status)
    file = validate_parsed(source, shared_registry(), now=args.now)
    places = item_places(source, shared_registry())
    return file, badge_of(preview.snippet.status, file, item_number(source, shared_registry()), places)


def _render(preview: Preview, source: Page | dict[str, Any], args: Namespace) -> str:
    import msgspec

    from waypost.registry import shared_registry

    document: Any
    if args.format == "json-ld":
        from waypost.preview import to_markup

        document = to_markup(preview.unified, shared_registry())
    else:
        file, badge = _checked(preview, source, args)
        if args.format == "text":
            from waypost.report.card import draw

            width, colour = width_of(sys.stdout) or 80, coloured(args.colour, sys.stdout)
            return draw(preview.snippet, badge=badge, width=width, colour=colour)
        from waypost.report.json import finding_data

        findings = [finding_data(finding) for finding in file.findings] if file else []
        document = msgspec.to_builtins(preview) | {"eligibility": badge._asdict(), "findings": findings}
    from waypost.report.json import encode_json

    return msgspec.json.format(encode_json(document), indent=2).decode() + "\n"
