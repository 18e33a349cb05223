"""A link that leads nowhere stops the build."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from waypost.errors import RegistryFault

_LINK = re.compile(r'\b(?:href|src)="([^"]*)"')
_ID = re.compile(r'\bid="([^"]*)"')


def check_links(files: dict[str, bytes]) -> None:
    """Every relative link of every page names a file of the site, every fragment an id in it."""
    texts = {name: data.decode() for name, data in files.items() if name.endswith(".html")}
    ids = {name: set(_ID.findall(text)) for name, text in texts.items()}
    for name, text in texts.items():
        for link in _LINK.findall(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            path, _, fragment = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name
            if target not in files:
                raise RegistryFault(name, f"the link {link!r} leads nowhere")
            if fragment and fragment not in ids.get(target, ()):
                raise RegistryFault(name, f"the link {link!r} names a place that {target} does not have")
