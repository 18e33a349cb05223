"""Pages after scripts: options, browser, and the pages of a run for the browser."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._arguments import seconds
from waypost.cli._console import Progress, UsageError, print_message
from waypost.errors import Unreadable
from waypost.lint.inputs import Input, has_magic, is_folder

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.lint.page import LintOptions
    from waypost.lint.page_sources import PageStore
    from waypost.lint.results import ResultList
    from waypost.net.crawl import Crawler
    from waypost.reader.sources import PageSource
    from waypost.render.model import Target
    from waypost.render.renderer import Renderer


_TIMEOUT_S = 15.0


def add_rendering(parser: ArgumentParser, *, has_share: bool = False) -> None:
    """Add the options about rendering; `has_share` also the one about a share of the pages."""
    add = parser.add_argument_group(
        "scripts (needs waypost[render] and a Chromium)",
        "Each page is also read after its scripts, as search engines read it. The browser opens no connection: what a "
        "page requests is fetched here, from public addresses alone, and files come from their folder.",
    ).add_argument
    add("--render", action="store_true", help="run the scripts of the pages, and report what they change")
    add("--browser", metavar="PATH",
        help="the Chromium to use (default: $WAYPOST_CHROMIUM, else the first on PATH)")  # fmt: skip
    add("--render-timeout", type=seconds, default=_TIMEOUT_S, metavar="S",
        help="timeout of the scripts of one page in seconds (15)")  # fmt: skip
    if has_share:
        add("--render-share", type=_share, default=None, metavar="SHARE",
            help="share of the pages to render (0.05), chosen by their addresses; 1 for all")  # fmt: skip


def _share(text: str) -> float:
    if not re.fullmatch(r"\d?(\.\d{1,6})?", text, re.ASCII) or not text or not 0 < float(text) <= 1:
        raise ArgumentTypeError(f"{text!r} is not a share; give more than 0, and 1 for all pages")
    return float(text)


def browser_of(args: Namespace) -> str:
    """Path of the browser. Raises UsageError without a browser."""
    from waypost.render.browsers import NoBrowser, find_browser, needs_no_sandbox

    try:
        browser = find_browser(args.browser)
    except NoBrowser as error:
        raise UsageError(f"--render: {error}") from None
    if needs_no_sandbox() and not getattr(args, "quiet", False):
        print_message("root runs the browser without its sandbox: render only pages that you trust")
    return browser


def unused_rendering(args: Namespace) -> Iterator[str]:
    """Messages about options of the browser in a run without one."""
    if args.render:
        return
    if args.browser is not None:
        yield "--browser has no effect without --render"
    if args.render_timeout != _TIMEOUT_S:
        yield "--render-timeout has no effect without --render"


def renderer_for(
    args: Namespace, config: Config, crawler: Crawler | None, stack: ExitStack, pages: int = 2
) -> Renderer:
    """Renderer with the browser of the machine. Raises UsageError without a browser.

    crawler  makes the requests; by default a new crawler, for files.
    """
    browser = browser_of(args)
    from waypost.render.model import Limits
    from waypost.render.renderer import Renderer

    if crawler is None:
        from waypost.cli._fetching import crawler_for

        crawler = stack.enter_context(crawler_for(args, config, [], None))
    return stack.enter_context(Renderer(crawler, browser, limits=Limits(total_s=args.render_timeout), pages=pages))


def rendered_page(item: Input, source: PageSource, args: Namespace, crawler: Crawler) -> PageSource:
    """Page after its scripts. Raises UsageError without a browser, and Unreadable for a page that is not rendered."""
    from waypost.config import Config
    from waypost.lint.rendering import is_rendered, target_of

    if not is_rendered(source):
        raise Unreadable(item.path, "it is not a page of HTML, and has no scripts (--render)")
    with ExitStack() as stack:
        renderer = renderer_for(args, Config(), crawler, stack, pages=1)
        ((_, rendered),) = renderer.render([(0, target_of(item, source, []))])
    if rendered.outcome != "rendered":
        raise Unreadable(item.path, f"it was not rendered: {rendered.reason}")
    return source._replace(data=rendered.html, media_type="text/html; charset=utf-8")


def searched_folders(names: Iterable[str]) -> list[Path]:
    """Named folders, and the folders of patterns: sites of their own."""
    found = []
    for name in names:
        if has_magic(name) and not Path(name).exists():
            parts = Path(name).parts
            number = next(index for index, part in enumerate(parts) if has_magic(part))
            found.append(Path(*parts[:number]))
        elif is_folder(name):
            found.append(Path(name))
    return found


def render_results(
    inputs: Sequence[Input],
    results: ResultList,
    options: LintOptions,
    store: PageStore,
    renderer: Renderer,
    args: Namespace,
) -> None:
    """Add the rendering of every page to the results."""
    from waypost.lint.rendering import add_rendering

    sources: dict[int, PageSource] = {}
    passed_by: list[int] = []
    searched = searched_folders(args.inputs)
    progress = Progress(len(inputs), args.quiet)
    wanting = _targets(inputs, results, store, searched, sources, passed_by, options)
    for done, (index, rendered) in enumerate(renderer.render(wanting), 1):
        result = results[index]
        assert result.file is not None
        add_rendering(inputs[index], sources.pop(index), result.file, rendered, options, store)
        results[index] = result
        progress(done, 0)
    progress.close()
    if passed_by and not args.quiet:
        print_message(
            f"--render: {len(passed_by):,} of {len(inputs):,} inputs are not pages of HTML, and have no scripts"
        )


def _targets(
    inputs: Sequence[Input],
    results: ResultList,
    store: PageStore,
    searched: Sequence[Path],
    sources: dict[int, PageSource],
    passed_by: list[int],
    options: LintOptions,
) -> Iterator[tuple[int, Target]]:
    """Pages to render, read as the browser has room."""
    from waypost.lint.page import as_source, config_path
    from waypost.lint.page_sources import open_page
    from waypost.lint.rendering import is_rendered, target_of

    for index, item in enumerate(inputs):
        file = results[index].file
        if file is None or file.error is not None:
            continue
        try:
            source = as_source(
                store.get(item.path) or open_page(item, options.allow_private), item.path, config_path(item), options
            )
        except Unreadable:
            continue
        if not is_rendered(source):
            passed_by.append(index)
            continue
        sources[index] = source
        yield index, target_of(item, source, searched, file.fetch.url if file.fetch else None)
