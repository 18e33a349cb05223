"""Where the registry and the site's inputs lie: in a checkout, or inside an installed wheel."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `schemas` or `site`. A checkout wins, so an editable install never shows a stale copy."""
    checkout = _HERE.parent.parent / name
    if (checkout.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    return _HERE / name
