#!/usr/bin/env python3
"""Make docs/surfaces.md: each result and ten plain pages as they are drawn, with what the documentation says.

Usage: python tools/make_surfaces.py [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waypost.models.page import Page
from waypost.preview.surfaces import specification, surfaces_of, to_data
from waypost.reader import read_data, read_page
from waypost.registry import load

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases"
TARGET = ROOT / "docs" / "surfaces.md"
HEAD = """Made by `python tools/make_surfaces.py` from `schemas/surfaces.json`, `schemas/layouts/` and the cases of
`tests/cases`; a test compares it. Parts are separated by a slash, entries of a list stand in ‹ ›, and … marks a cut.
What the documentation shows stands in our own words, with the date of the copy that was read."""
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
_SNIPPETS = {
    "article": "NewsSnippet", "paywalled": "NewsSnippet", "discussion-forum": "DiscussionSnippet",
    "review-snippet": "ReviewSnippet", "profile-page": "PersonSnippet", "product-variants": "ProductSnippet-group",
    "return-policy": "OrganizationSnippet", "shipping-policy": "OrganizationSnippet",
    "organization": "OrganizationSnippet", "local-business": "LocalBusinessSnippet",
    "product-snippet": "ProductSnippet", "merchant-listing": "ProductSnippet", "video": "VideoSnippet",
    "recipe": "RecipeSnippet", "event": "EventSnippet", "qapage": "QASnippet", "software-app": "SoftwareSnippet",
    "job-posting": "JobSnippet", "restaurant-carousel": "LocalBusinessSnippet", "breadcrumb": "BreadcrumbSnippet",
}  # fmt: skip
"""Layout -> case of tests/cases/snippets that draws it."""


def read(path: Path) -> Page:
    """Page of a case file."""
    data = path.read_bytes()
    made = read_data if path.suffix == ".json" else read_page
    return made(data, REGISTRY.vocabulary, path=path.name)


def sample(layout: str) -> Path | None:
    """Case file in which a layout is drawn: a case of its own, a snippet, or a case of the profile."""
    own = [*sorted((CASES / "surfaces").glob(f"{layout}.*"))]
    snippet = CASES / "snippets" / _SNIPPETS.get(layout, "-") / "input.json"
    profile = CASES / "profiles" / f"google-{layout}"
    found = [
        *own,
        *([snippet] if snippet.is_file() else []),
        *sorted(profile.glob("good-*")),
        *sorted(profile.glob("bad-*")),
    ]
    return next((path for path in found if any(_results(path, layout))), None)


def _results(path: Path, layout: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(surface, result) of a layout in a case."""
    page = read(path)
    for surface in to_data(surfaces_of(page, REGISTRY, now=NOW), page):
        yield from ((surface["surface"], each) for each in surface["results"] if each["result"] == layout)


def in_words(parts: list[dict[str, Any]]) -> str:
    """Parts in one line: kinds of pictures, and the words, each with its property."""
    made = []
    for part in parts:
        words = part["words"]
        if part["part"] == "picture":
            made.append(f"[{part.get('ratio')} picture at the {part.get('at', 'end')}: {words[0].get('property')}]")
        elif words:
            made.append(" · ".join(f"{_label(word)}{word['text']}{'…' if 'cut' in word else ''}" for word in words))
        made += [f"‹{in_words(entry)}›" for entry in part.get("entries", ())]
    return " / ".join(made)


def _label(word: dict[str, Any]) -> str:
    return f"{word['label'].rstrip(':')}: " if "label" in word else ""


def cell(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def page() -> str:
    """Text of docs/surfaces.md."""
    lines = [
        "# Surfaces and their documentation", "",
        HEAD,
        "", "## Rich results", "",
        "| result | documented, with date | drawn, phone | drawn, desktop | what differs |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for layout in specification(REGISTRY).layouts:
        path = sample(layout.name)
        drawn = dict(_results(path, layout.name)) if path else {}
        views = [
            in_words(drawn[each]["parts"]) if each in drawn else "not shown"
            for each in ("google-phone", "google-desktop")
        ]
        phone, desktop = (cell(each) for each in views)
        same = "as on a phone" if phone == desktop != "not shown" else desktop
        source = f"[{layout.source.title}]({layout.source.url}), {layout.source.dated}"
        lines.append(
            f"| {cell(layout.title)} | {cell(layout.documented)} {source} | {phone} | {same} | {cell(layout.differs)} |"
        )
    lines += ["", "### The same pages as link cards and for an agent", "", *_elsewhere()]
    lines += ["", "## Plain pages", ""]
    views = {view.name: view for view in specification(REGISTRY).views}
    for view in views.values():
        lines += [f"{view.title}: {view.documented} Differs: {view.differs}", ""]
    lines += ["| page | " + " | ".join(view.title for view in views.values()) + " |", "|---" * (len(views) + 1) + "|"]
    for path in sorted((CASES / "surfaces").glob("plain-*")):
        made = read(path)
        drawn = {each["surface"]: each for each in to_data(surfaces_of(made, REGISTRY, now=NOW), made)}
        cells = [cell(in_words(drawn[name]["results"][0]["parts"])) if name in drawn else "nothing" for name in views]
        lines.append(f"| {path.stem.removeprefix('plain-').replace('-', ' ')} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _elsewhere() -> Iterator[str]:
    """Table of the other surfaces of the page with each result; what differs stands below, once for a surface."""
    views = [view for view in specification(REGISTRY).views if view.group != "search"]
    yield "| result | " + " | ".join(view.title for view in views) + " |"
    yield "|---" * (len(views) + 1) + "|"
    for layout in specification(REGISTRY).layouts:
        path = sample(layout.name)
        made = read(path) if path else None
        drawn = {each["surface"]: each for each in to_data(surfaces_of(made, REGISTRY, now=NOW), made)} if made else {}
        cells = [
            cell(in_words(drawn[view.name]["results"][0]["parts"])) if view.name in drawn else "nothing"
            for view in views
        ]
        yield f"| {cell(layout.title)} | " + " | ".join(cells) + " |"


def main() -> int:
    """Write or compare the file."""
    text = page()
    if "--check" in sys.argv:
        return int(TARGET.read_text("utf-8") != text)
    TARGET.write_text(text, "utf-8")
    print(f"{TARGET.name}: {len(text)} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
