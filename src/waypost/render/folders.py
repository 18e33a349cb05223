"""Files of a folder as a site of their own, without a server: addresses become paths."""

from __future__ import annotations

import mimetypes
import stat
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

ORIGIN = "https://files.test"
"""Address of unpublished files: a reserved name, with https as on published pages."""
_MOST_BYTES = 20_000_000
_INDEXES = ("index.html", "index.htm")
_TYPES = {
    ".css": "text/css", ".htm": "text/html", ".html": "text/html", ".js": "text/javascript",
    ".json": "application/json", ".mjs": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm",
    ".xhtml": "application/xhtml+xml", ".xml": "application/xml",
}  # fmt: skip


class Folder:
    """Folder whose files have the addresses below `base`."""

    def __init__(self, root: Path, base: str) -> None:
        self.root = root.resolve()
        parts = urlsplit(base)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.prefix = parts.path if parts.path.endswith("/") else parts.path.rpartition("/")[0] + "/"

    def holds(self, url: str) -> bool:
        """Whether an address belongs to the site of the folder, with a file or without."""
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}" == self.origin

    def read(self, url: str) -> tuple[bytes, str] | None:
        """(bytes, media type) of the file at an address, or None.

        Hidden files, and files outside of the folder behind a link, are not served.
        """
        path = unquote(urlsplit(url).path)
        if not path.startswith(self.prefix) or "\0" in path or "\\" in path:
            return None
        parts = PurePosixPath(path.removeprefix(self.prefix)).parts
        if any(part.startswith(".") for part in parts):
            return None
        place = self.root.joinpath(*parts)
        names = (
            [place / name for name in _INDEXES]
            if path.endswith("/")
            else [place, place.with_name(f"{place.name}.html")]
        )
        for name in names:
            found = _read(name, self.root)
            if found is not None:
                return found, media_type(name.name)
        return None


def _read(path: Path, root: Path) -> bytes | None:
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root) or any(part.startswith(".") for part in real.relative_to(root).parts):
            return None
        status = real.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return None
        return real.read_bytes()
    except (OSError, ValueError):
        return None


def media_type(name: str) -> str:
    """Media type by the ending of a name, with the charset of most sites for text."""
    ending = PurePosixPath(name.lower()).suffix
    found = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    is_text = found.startswith("text/") or found in {"application/json", "application/xml"}
    return f"{found}; charset=utf-8" if is_text and ending not in {".html", ".htm"} else found


def root_of(path: Path, searched: list[Path]) -> Path:
    """Site of a file: a searched folder around the file, else the outermost folder with an index page.

    searched  folders named by the user.
    """
    place = path.resolve()
    for folder in searched:
        if place.is_relative_to(folder.resolve()):
            return folder
    root = place.parent
    # The working folder bounds the search: what lies above belongs to other projects.
    here = Path.cwd().resolve()
    for folder in place.parents:
        if folder != place.parent and not folder.is_relative_to(here):
            break
        if any((folder / name).is_file() for name in _INDEXES):
            root = folder
    return root
