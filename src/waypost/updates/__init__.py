"""Releases of the registry: signed brand files in place of the brands of the package, without a new package.

A publisher makes a repository of The Update Framework (`publisher`). The `client` verifies the newest release from a
pinned root of trust. A running service opens the installed file (`installed`) as soon as the file is replaced.
"""

from __future__ import annotations

from waypost.updates.errors import UpdateError
from waypost.updates.installed import FOLDER, Installed, load_world, read_installed

__all__ = ["FOLDER", "Installed", "UpdateError", "load_world", "read_installed"]
