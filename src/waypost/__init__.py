"""waypost checks structured data for publishers, and decides about destinations for agents.

The public names, each imported when first used:

    validate_page   bytes of a page -> FileReport
    validate_data   JSON-LD as bytes or objects -> FileReport
    make_snippet    a page, JSON-LD or a unified document -> Preview (the document and its card)
    load_registry   the registry under `schemas/`
    errors          exceptions
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["errors", "load_registry", "make_snippet", "validate_data", "validate_page"]

TYPE_CHECKING = False  # `typing` takes longer to load than a warm command of the command line
if TYPE_CHECKING:
    from typing import Any

    from waypost import errors
    from waypost.preview import make_snippet
    from waypost.registry import load as load_registry
    from waypost.validate import validate_data, validate_page


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that the command line starts fast."""
    from importlib import import_module

    sources = {
        "validate_page": ("waypost.validate", "validate_page"),
        "validate_data": ("waypost.validate", "validate_data"),
        "make_snippet": ("waypost.preview", "make_snippet"),
        "load_registry": ("waypost.registry.registry", "load"),
        "errors": ("waypost.errors", ""),
    }
    if name not in sources:
        raise AttributeError(f"module 'waypost' has no attribute {name!r}")
    module, attribute = sources[name]
    imported = import_module(module)
    return getattr(imported, attribute) if attribute else imported
