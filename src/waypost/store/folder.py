"""Folder of the store and the name of its file, to look for a store without loading SQLite."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "waypost.sqlite3"


def data_folder(given: str | None = None) -> Path:
    """Folder of the store: as given, else WAYPOST_DATA, else waypost's folder in the user's data.

    The folder in the user's data is `$XDG_DATA_HOME/waypost` (XDG Base Directory Specification 0.8; a relative value
    is to be ignored), or `%LOCALAPPDATA%\\waypost` on Windows.
    """
    if named := given or os.environ.get("WAYPOST_DATA"):
        return Path(named).expanduser()
    home = os.environ.get("XDG_DATA_HOME", "")
    if sys.platform == "win32":
        home = home or os.environ.get("LOCALAPPDATA", "")
    base = Path(home) if home and Path(home).is_absolute() else Path.home() / ".local" / "share"
    return base / "waypost"
