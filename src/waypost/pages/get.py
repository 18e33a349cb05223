"""Page about getting waypost: the command line, CI, editors and the service, from the published source."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from waypost import __version__
from waypost.pages import terminal, workbench
from waypost.pages.draft import Draft, Source
from waypost.pages.heads import draft as from_template
from waypost.pages.text import coloured

ADDRESS = "get/"


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


def draft(source: Source, published: Published) -> Draft:
    """Draft of the page. The picture of the terminal is made by the run of a command."""
    example = next(iter(workbench.rule_examples(source.cases)))["text"]
    if example.startswith("{"):
        example = f'<script type="application/ld+json">\n{example}</script>\n'
    shown = [
        ("Command line", f"pip install {published.requirement()}\nwaypost validate public/"),
        ("CI", f"pip install {published.requirement()}\nwaypost validate public/ --format github"),
        ("Service and site", f"pip install {published.requirement('server,site')}\nwaypost up"),
    ]
    values = {
        "published": published,
        "samples": [(title, coloured(text, "sh")) for title, text in shown],
        "hook": _hook(published),
        "terminal": terminal.validated("kettle.html", example, source.now),
    }
    return from_template(ADDRESS, "get.html", values)


def _hook(published: Published) -> Markup | None:
    if not published.repository:
        return None
    text = f"- repo: {published.repository}\n  rev: v{__version__}\n  hooks:\n    - id: waypost\n"
    return coloured(text, "yaml")
