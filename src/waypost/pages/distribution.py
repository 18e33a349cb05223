"""Repository and package of waypost, as the pages name them."""

from __future__ import annotations

from typing import NamedTuple

from waypost import __version__


class Published(NamedTuple):
    """Where waypost is to be had.

    repository  address of the published source
    package     name in the Python package index

    Each is empty as long as it is not known: no page then names a place that does not exist.
    """

    repository: str = ""
    package: str = ""

    def requirement(self, extras: str = "") -> str:
        """Argument of `pip install`; the folder of the source where nothing is published."""
        of = f"[{extras}]" if extras else ""
        if self.package:
            return f"'{self.package}{of}=={__version__}'" if extras else f"{self.package}=={__version__}"
        if self.repository:
            return f"'waypost{of} @ git+{self.repository}@v{__version__}'"
        return f"'.{of}'" if extras else "."
