"""Where the registry and the site's inputs lie: in a checkout, or inside an installed wheel."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """The root of the checkout that this code runs from; None in an installed wheel."""
    root = _HERE.parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "schemas").is_dir() else None


def folder(name: str) -> Path:
    """The folder `schemas` or `site`. A checkout wins, so an editable install never shows a stale copy."""
    root = checkout()
    return root / name if root else _HERE / name
