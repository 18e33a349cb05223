"""preview a page as a search result, rich results and social cards

The main item of the page becomes one document of the unified model, and the document becomes the card. A JSON file
may be JSON-LD, or a document of the unified model. With --surface the page is drawn as it may show at Google on a
phone or a desktop, on Open Graph networks, on X, and to an agent; a page with a title alone has surfaces too.

examples:
  waypost preview public/recipes/pie.html
  waypost preview public/recipes/pie.html --surface google-desktop --surface x
  waypost preview public/recipes/pie.html --format html > preview.html
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
from waypost.cli._rendering import add_rendering, unused_rendering

if TYPE_CHECKING:
    from waypost.lint.inputs import Input
    from waypost.models.finding import FileReport
    from waypost.models.page import Page
    from waypost.models.snippet import Preview
    from waypost.reader.sources import PageSource
    from waypost.report._eligibility import Badge

PLACE = 20
NOTHING = 1
FORMATS = ("text", "json", "json-ld", "html")
SURFACES = ("google-phone", "google-desktop", "open-graph", "x", "agent", "all")


def configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("input", metavar="FILE|URL|-", help="the page; - reads standard input")
    add("--format", choices=FORMATS, default="text", metavar="FORMAT",
        help="text: the card (default); json: document, card, surfaces, findings; json-ld: the document as markup; "
        "html: all surfaces as a page")  # fmt: skip
    add("--surface", action="append", choices=SURFACES, metavar="NAME", dest="surfaces", default=[],
        help="draw this surface in place of the card: " + ", ".join(SURFACES) + "; may be repeated")  # fmt: skip
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
    for message in unused_rendering(args):
        print_message(message)
    source_page = open_page(item, args.allow_private, access(args, None, [item.where]) if item.kind == "url" else None)
    if args.render:
        source_page = _after_scripts(item, source_page, args)
    source = _source(source_page, parse_page(source_page, item.path))
    try:
        preview = make_snippet(source, shared_registry(), url=source_page.url, now=args.now)
    except NothingToShow as nothing:
        surfaces = [] if isinstance(source, dict) else _surfaces(source, None, source_page.url, args)
        if args.format == "json-ld" or not surfaces:
            print_message(f"{item.path}: {nothing}")
            return NOTHING
        write([_render_surfaces(surfaces, item.path, args, str(nothing))])
        return 0
    if args.format == "html" or args.surfaces:
        surfaces = _surfaces(source, preview, source_page.url, args)
        write([_render_surfaces(surfaces, item.path, args)])
        return 0
    write([_render(preview, source, source_page.url, args)])
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


def _surfaces(
    source: Page | dict[str, Any], preview: Preview | None, url: str | None, args: Namespace
) -> list[dict[str, Any]]:
    """Surfaces as data: those that are named, or all; none for a page without title and description."""
    from waypost.preview.surfaces import surfaces_of, to_data
    from waypost.registry import shared_registry

    page = None if isinstance(source, dict) else source
    made = to_data(surfaces_of(page, shared_registry(), url=url, now=args.now, preview=preview), page)
    if not any(word.get("property") for each in made for word in _first_words(each)):
        return []
    return [each for each in made if not args.surfaces or {"all", each["surface"]} & set(args.surfaces)]


def _first_words(surface: dict[str, Any]) -> list[dict[str, Any]]:
    parts = surface["results"][0]["parts"]
    return [word for part in parts if part["part"] in ("title", "text") for word in part["words"]]


def _render_surfaces(surfaces: list[dict[str, Any]], path: str, args: Namespace, without_card: str = "") -> str:
    """Named surfaces as text, all as HTML, or the JSON of a page without a card."""
    import msgspec

    from waypost.report._surfaces import draw_html, draw_text
    from waypost.report.json import encode_json

    if args.format == "html":
        return draw_html(surfaces, path)
    if args.format == "json":
        empty = {"service_type": None, "standard_type": None, "unified": None, "snippet": None}
        document = empty | {"nothing": without_card, "surfaces": surfaces} if without_card else {"surfaces": surfaces}
        return msgspec.json.format(encode_json(document), indent=2).decode() + "\n"
    if without_card and not args.surfaces:
        surfaces = [each for each in surfaces if each["surface"] == "google-desktop"] or surfaces
    return draw_text(surfaces, width=width_of(sys.stdout) or 80, colour=coloured(args.colour, sys.stdout))


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


def _render(preview: Preview, source: Page | dict[str, Any], url: str | None, args: Namespace) -> str:
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
        document |= {"surfaces": _surfaces(source, preview, url, args)}
    from waypost.report.json import encode_json

    return msgspec.json.format(encode_json(document), indent=2).decode() + "\n"
