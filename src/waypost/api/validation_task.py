"""Validation of a document, in the server process or in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from waypost.models.finding import FileReport
from waypost.registry import Registry
from waypost.validate import validate_data, validate_page

PATH = "request"
"""Path of the document in its report."""
HEAVY = 32 << 10
"""Bytes above which a worker process validates a document. The slowest smaller document takes a tenth of a second."""


class ValidationOptions(NamedTuple):
    """Options of a validation, picklable; see `validate_page`."""

    html: bool
    url: str | None
    profiles: Sequence[str]
    site: str
    now: datetime


def validate_document(data: bytes, options: ValidationOptions, registry: Registry | None = None) -> FileReport:
    """Validation report on a page or on JSON-LD."""
    how = {"path": PATH, "url": options.url, "now": options.now, "profiles": options.profiles, "site": options.site}
    return (validate_page if options.html else validate_data)(data, registry, **how)  # type: ignore[arg-type]
