"""waypost checks structured data for publishers, and decides about destinations for agents.

The public names, imported on first use:

    check           page as text, bytes, path, response or JSON-LD -> Checked (findings, rich results, `print`)
    check_pages     pages, folders, patterns -> CheckedPages, also with contradictions between pages
    fix             page -> Fixed (fixed page, diff)
    extract         page -> items of JSON-LD, Microdata and RDFa as JSON-LD
    make_snippet    page, JSON-LD or unified document -> Preview (document and card)
    validate_page   bytes of a page -> FileReport
    validate_data   JSON-LD as bytes or objects -> FileReport
    load_registry   registry under `schemas/`
    errors          exceptions
    Checked, CheckedPages, Fixed, Item, FileReport, Finding, Report   types of results
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = [
    "Checked",
    "CheckedPages",
    "FileReport",
    "Finding",
    "Fixed",
    "Item",
    "Report",
    "check",
    "check_pages",
    "errors",
    "extract",
    "fix",
    "load_registry",
    "make_snippet",
    "validate_data",
    "validate_page",
]

TYPE_CHECKING = False  # `typing` takes longer to load than a warm command of the command line
if TYPE_CHECKING:
    from typing import Any

    from waypost import errors
    from waypost.library import Checked, CheckedPages, Fixed, Item, check, check_pages, extract, fix
    from waypost.models.finding import FileReport, Finding, Report
    from waypost.preview import make_snippet
    from waypost.registry import load as load_registry
    from waypost.validate import validate_data, validate_page


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that the command line starts fast."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'waypost' has no attribute {name!r}")
    home = {
        "FileReport": "models.finding",
        "Finding": "models.finding",
        "Report": "models.finding",
        "errors": "errors",
        "load_registry": "registry",
        "make_snippet": "preview",
        "validate_data": "validate",
        "validate_page": "validate",
    }.get(name, "library")
    module = import_module(f"waypost.{home}")
    return module if name == home else getattr(module, "load" if name == "load_registry" else name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
