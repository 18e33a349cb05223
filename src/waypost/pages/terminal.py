"""Pictures of a terminal: what the commands print for a page, run when the site is built."""

from __future__ import annotations

import re
from datetime import datetime

from markupsafe import Markup, escape

_CODE = re.compile(r"\x1b\[([\d;]*)m")
_ELEMENTS = {"31": "i", "33": "b", "32": "u", "2": "s", "94": "s"}
"""Code of a colour -> element that the stylesheet draws in that colour."""
_COLOURED = {name: Markup(f"<{name}>{{}}</{name}>") for name in "ibus"}  # noqa: S704 - names of elements


def validated(name: str, text: str, now: datetime, *, width: int = 72) -> Markup:
    """Output of `waypost validate` for a page, in colours, preceded by the command."""
    from waypost.library import check
    from waypost.lint.texts import source_of
    from waypost.reader.sources import PageSource
    from waypost.registry import shared_registry
    from waypost.report import View, render
    from waypost.validate import build_report

    page = PageSource(text.encode(), "html", None, "text/html")
    report = check(text, media_type="text/html", config=False, now=now).report
    report.path = name
    view = View(read=lambda _path: source_of(page), colour=True, width=width)
    return drawn(f"waypost validate {name}", render(build_report([report], shared_registry()), "text", view))


def drawn(command: str, output: str) -> Markup:
    """A command and its output with the codes of a terminal as elements."""
    first, *rest = _CODE.split(output.rstrip())
    parts = [Markup("<s>$</s> {}\n").format(command), escape(first)]
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        element = next((_ELEMENTS[code] for code in reversed(codes.split(";")) if code in _ELEMENTS), "")
        parts.append(_COLOURED[element].format(text) if element and text else escape(text))
    return Markup("").join(parts)
