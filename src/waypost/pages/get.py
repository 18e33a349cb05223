"""Page about getting waypost: the command line, CI, editors and the service, from the published source."""

from __future__ import annotations

from markupsafe import Markup

from waypost import __version__
from waypost.pages import terminal, workbench
from waypost.pages.distribution import Published
from waypost.pages.draft import Draft, Source
from waypost.pages.heads import draft as from_template
from waypost.pages.text import coloured

ADDRESS = "get/"


def draft(source: Source, published: Published) -> Draft:
    """Draft of the page. The picture of the terminal is made by the run of a command."""
    example = next(iter(workbench.rule_examples(source.cases)))["text"]
    if example.startswith("{"):
        example = f'<script type="application/ld+json">\n{example}</script>\n'
    commands = [
        ("Command line", f"pip install {published.requirement()}\nwaypost validate public/"),
        ("CI", f"pip install {published.requirement()}\nwaypost validate public/ --format github"),
        ("Service and site", f"pip install {published.requirement('server,site')}\nwaypost up"),
    ]
    values = {
        "published": published,
        "samples": [(title, coloured(text, "sh")) for title, text in commands],
        "hook": _hook(published),
        "terminal": terminal.validated("kettle.html", example, source.registry, source.now),
    }
    return from_template(ADDRESS, "get.html", values)


def _hook(published: Published) -> Markup | None:
    if not published.repository:
        return None
    text = f"- repo: {published.repository}\n  rev: v{__version__}\n  hooks:\n    - id: waypost\n"
    return coloured(text, "yaml")
