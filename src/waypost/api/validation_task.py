"""Judging one document, here or in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from waypost.models.finding import FileReport
from waypost.registry import Registry
from waypost.validate import validate_data, validate_page

PATH = "request"
"""What a document that came with a request is called in its report."""
HEAVY = 32 << 10
"""Bytes from which a document is judged by a worker process: the worst that is less takes a tenth of a second."""


class ValidationOptions(NamedTuple):
    """How a document is to be judged; see `validate_page`."""

    html: bool
    url: str | None
    profiles: Sequence[str]
    site: str
    now: datetime


def validate_document(data: bytes, options: ValidationOptions, registry: Registry | None = None) -> FileReport:
    """The report on a document."""
    how = {"path": PATH, "url": options.url, "now": options.now, "profiles": options.profiles, "site": options.site}
    return (validate_page if options.html else validate_data)(data, registry, **how)  # type: ignore[arg-type]
