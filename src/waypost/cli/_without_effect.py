"""Options of `waypost validate` that change nothing in a run: messages that say why."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

from waypost.cli._access import unused
from waypost.cli._rendering import unused_rendering
from waypost.cli._reports import Target
from waypost.formats.text import join_words
from waypost.lint.inputs import is_address, is_folder

_ABOUT_FETCHING = {
    "rate": 10.0, "connections": 4, "retries": 2, "timeout": 20.0, "max_time": 3600.0, "max_urls": 10_000,
    "allow_private": False,
}  # fmt: skip
"""Options about pages from the web, with the defaults of `add_fetching`."""
_GROUPED = ("sarif", "github", "gitlab", "junit", "html")


def without_effect(args: Namespace, outputs: Sequence[Target], *, is_cached: bool) -> Iterator[str]:
    """Messages about options without effect. `args` as on the command line, before defaults are filled in."""
    yield from _about_inputs(args)
    if not (args.sitemap or args.urls or any(map(is_address, args.inputs))):
        for name, default in _ABOUT_FETCHING.items():
            if getattr(args, name) != default:
                yield f"--{name.replace('_', '-')} has no effect: no page is fetched"
        yield from unused(args)
    yield from unused_rendering(args)
    if args.baseline_by and args.write_baseline is None:
        yield "--baseline-by has no effect without --write-baseline"
    if not is_cached:
        yield from _about_cache(args)
    if args.group_by and not any(target.name in _GROUPED for target in outputs):
        yield f"--group-by has no effect: it is about {join_words(_GROUPED)}"
    for name, given in (("--statistics", args.statistics), ("--explain", args.explain)):
        if given and not any(target.name == "text" for target in outputs):
            yield f"{name} has no effect: it is about the text report"


def _about_cache(args: Namespace) -> Iterator[str]:
    """Messages about options of a cache, in a run without one."""
    if args.cache:
        why = "--no-cache" if args.no_cache else "--fix and --diff" if args.fix_mode else "these syntaxes"
        yield f"--cache has no effect with {why}"
    if args.cache_strict:
        yield "--cache-strict has no effect: no cache is used"


def _about_inputs(args: Namespace) -> Iterator[str]:
    if args.stdin_name and "-" not in args.inputs:
        yield "--stdin-name has no effect: standard input, -, is not among the inputs"
    if args.modified_since and not args.sitemap:
        yield "--modified-since has no effect without --sitemap"
    if args.ignore_robots and not (args.sitemap or args.urls):
        yield "--ignore-robots has no effect: robots.txt counts only for what --sitemap and --urls list"
    if args.gitignore is False and not any(map(is_folder, args.inputs)):
        yield "--no-gitignore has no effect: no folder is searched"
