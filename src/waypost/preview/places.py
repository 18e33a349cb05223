"""Places of a page as JSON."""

from __future__ import annotations

from waypost.models.page import Page, Span


def place_data(page: Page, span: Span) -> dict[str, int]:
    """Line, column and bytes of a span."""
    location = page.locate(span)
    return {"line": location.line, "column": location.column, "start": location.start, "end": location.end}
