"""Pictures of a terminal: what the commands print for a page, run when the site is built."""

from __future__ import annotations

import re
from datetime import datetime

from markupsafe import Markup, escape

from waypost.registry import Registry

_CODE = re.compile(r"\x1b\[([\d;]*)m")
_ELEMENTS = {"31": "i", "33": "b", "32": "u", "2": "s", "94": "s"}
"""Code of a colour -> element that the stylesheet draws in that colour."""
_COLOURED = {name: Markup(f"<{name}>{{}}</{name}>") for name in "ibus"}  # noqa: S704 - names of elements


def validated(name: str, text: str, registry: Registry, now: datetime, *, width: int = 72, option: str = "") -> Markup:
    """Output of `waypost validate` for a page, in colours, preceded by the command with its `option`."""
    from waypost.models.page import Span
    from waypost.reader.encoding import decode
    from waypost.report import Source, View, render
    from waypost.validate import build_report, validate_page

    data = text.encode()
    decoded = decode(data)
    source = Source(decoded.string, lambda start, end: decoded.locate(Span(decoded.offset(start), decoded.offset(end))))
    report = build_report([validate_page(data, registry, path=name, now=now)], registry)
    return drawn(
        f"waypost validate {name}{option}",
        render(report, "text", View(read=lambda _path: source, colour=True, width=width)),
    )


def drawn(command: str, output: str) -> Markup:
    """A command and its output with the codes of a terminal as elements."""
    first, *rest = _CODE.split(output.rstrip())
    parts = [Markup("<s>$</s> {}\n").format(command), escape(first)]
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        element = next((_ELEMENTS[code] for code in reversed(codes.split(";")) if code in _ELEMENTS), "")
        parts.append(_COLOURED[element].format(text) if element and text else escape(text))
    return Markup("").join(parts)
