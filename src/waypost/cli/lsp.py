"""language server for editors: findings as you type, quick fixes, documentation on hover

The editor starts it, and uses the Language Server Protocol over standard input and output. HTML, Markdown, JSON-LD
and pages with the placeholders of a template engine are checked as `waypost validate` would, under the configuration
that applies to each file, and so are templates and JSON-LD in code. Completion, hover and fixes work there too; the
guide "In your editor" lists them, and "waypost in CI" has the configuration of an editor.

It needs the extra `lsp`: in a clone, pip install '.[lsp]'

examples:
  waypost lsp
  waypost lsp --site https://example.org/

exit status: 0 the editor ended the session, 1 the editor disconnected, 2 wrong usage
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from waypost import identity
from waypost.cli._console import UsageError, print_message

PLACE = 16


def configure(parser: ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--config", metavar="FILE",
        help="the configuration (default: the nearest one in or above the folder of each file)")  # fmt: skip
    which.add_argument("--no-config", action="store_true", help="use no configuration")
    parser.add_argument("--site", default=os.environ.get("WAYPOST_SITE") or identity.site(), metavar="URL",
        help="the address of a waypost site, to which the rules' names lead (default: $WAYPOST_SITE)")  # fmt: skip
    parser.add_argument("--stdio", action="store_true", help="use standard input and output (always; editors pass it)")


def run(args: Namespace) -> int:
    from waypost.errors import MissingExtra
    from waypost.lint.project import Project
    from waypost.registry import shared_registry

    try:
        from waypost.lsp.server import serve
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        raise UsageError(str(MissingExtra("pygls", "lsp", "for the language server"))) from None
    if args.config and not Path(args.config).is_file():
        raise UsageError(f"--config {args.config}: there is no such file")
    if sys.stdin is None:
        raise UsageError("standard input is closed; an editor speaks over it")
    if sys.stdin.isatty():
        print_message("this waits for an editor, which starts it itself; Ctrl-C ends it")
    gc.enable()  # `main` disables it, for commands that end soon
    config = Path(args.config) if args.config else None
    project = Project(shared_registry(), config=config, use_config=not args.no_config, site=args.site)
    # The protocol keeps standard output to itself: what anything else prints there goes to standard error.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return serve(project, sys.stdin.buffer, out)
