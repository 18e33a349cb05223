"""Where the registry and the site's inputs lie: in a checkout, or inside an installed wheel."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def checkout() -> Path | None:
    """The root of the checkout that this code runs from; None in an installed wheel."""
    root = _PACKAGE.parent.parent
    return root if (root / "pyproject.toml").is_file() and (root / "schemas").is_dir() else None


def folder(name: str) -> Path:
    """The folder `schemas` or `site`. A checkout wins, so an editable install never shows a stale copy."""
    root = checkout()
    return root / name if root else _PACKAGE / name


def modules(folders: Iterable[str]) -> list[str]:
    """The names of a package's modules, sorted, by its `__path__`; those that begin with _ are nobody else's.

    `pkgutil` says the same, and loads half of the standard library for it.
    """
    names = (path.stem for folder in folders for path in Path(folder).glob("*.py"))
    return sorted(name for name in names if not name.startswith("_"))
