"""Pictures of rich results: the surfaces of a small page with the smallest markup, drawn when the site is built.

The parts come from the same layouts as in the preview (`waypost.preview.surfaces`), and `parts/surface.html` draws them
as `site/js/workbench/surfaces.js` does: a picture is what the preview shows of its page.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from markupsafe import Markup

from waypost.errors import RegistryError
from waypost.pages.draft import Source
from waypost.pages.smallest import Markup as JsonLd
from waypost.pages.smallest import smallest, written
from waypost.pages.text import coloured
from waypost.preview.surfaces import specification, surfaces_of, to_data
from waypost.reader import read_page

_SITE = "https://www.example.com/"
_MOST_NUMBERS = 9
"""Lines of the markup that light up with their words; the rules for it are in site/css/surface.css."""


class Picture(NamedTuple):
    """Result in a view with its title, as JSON of `to_data`; `text` says it for readers who do not see it."""

    view: str
    title: str
    result: dict[str, Any]
    text: str


class Drawn(NamedTuple):
    """Pictures of a rich result.

    pictures  on a phone first, then on a desktop where it differs
    words     (number, text, property) of the marked words
    markup    JSON-LD as coloured code, in which the lines of the words have their numbers
    preview   fragment with which the preview opens the page
    """

    pictures: tuple[Picture, ...]
    words: tuple[tuple[int, str, str], ...]
    markup: Markup
    preview: str


def example_page(markup: JsonLd) -> str:
    """Page around JSON-LD: a title, an address and nothing else that a result could take."""
    title = _name_in(markup) or "Example"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n'
        f"<title>{escape(title, quote=False)}</title>\n"
        f'<link rel="canonical" href="{_SITE}">\n{written(markup)[0].text}\n</head>\n</html>\n'
    )


def _name_in(node: Any) -> str:
    """Name or headline of JSON-LD, an outer one first; of a trail that of its last step, the page itself."""
    if isinstance(node, list):
        return next(filter(None, map(_name_in, reversed(node))), "")
    if not isinstance(node, dict):
        return ""
    own = node.get("name") or node.get("headline")
    return own if isinstance(own, str) else next(filter(None, map(_name_in, node.values())), "")


def drawn(profile: str, source: Source) -> Drawn | None:
    """Pictures of a rich result; None for a retired one, which has no markup to draw."""
    made: dict[str, Drawn | None] = source.read.setdefault("pictures", {})
    if profile not in made:
        made[profile] = _drawn(profile, source) if profile in smallest() else None
    return made[profile]


def fragment(text: str) -> str:
    """Fragment with which the preview opens a page."""
    return "#j=" + base64.urlsafe_b64encode(json.dumps({"markup": text}).encode()).decode().rstrip("=")


def results_of(text: str, source: Source) -> list[Picture]:
    """Pictures of the results of a page on a phone, with words that lead nowhere."""
    page = read_page(text.encode(), source.registry.vocabulary)
    phone = to_data(surfaces_of(page, source.registry, now=source.now), page)[0]
    return [without_places(_picture(phone, result)) for result in phone["results"]]


def _picture(surface: dict[str, Any], result: dict[str, Any]) -> Picture:
    texts = "; ".join(word["text"] for word in _words_in(result["parts"]))
    return Picture(surface["surface"], surface["title"], result, f"{result['title']}, {surface['title']}: {texts}")


def _drawn(profile: str, source: Source) -> Drawn:
    markup = smallest()[profile]
    text = example_page(markup)
    page = read_page(text.encode(), source.registry.vocabulary)
    layout = next(each for each in specification(source.registry).layouts if profile in each.profiles)
    # Where another result takes the place of this one, as the carousel of a list of courses, that is the picture.
    names = (layout.name, *layout.unless)
    pictures: list[Picture] = []
    for surface in to_data(surfaces_of(page, source.registry, now=source.now), page):
        own = next((each for name in names for each in surface["results"] if each["result"] == name), None)
        if surface["group"] == "search" and own and not any(_same(own, each.result) for each in pictures):
            pictures.append(_picture(surface, own))
    if not pictures:
        raise RegistryError("site/smallest.json", f"the preview draws no result of {profile} for its smallest markup")
    words = _numbered(pictures)
    return Drawn(
        tuple(pictures),
        tuple((word["number"], word["text"], word["property"]) for word in words),
        _with_numbers(markup, words),
        fragment(text),
    )


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two results say the same words; where they come from may differ."""
    texts = ([word["text"] for word in _words_in(each["parts"])] for each in (one, other))
    return next(texts) == next(texts)


def without_places(picture: Picture) -> Picture:
    """Picture whose words lead nowhere, for pages with many of them."""
    return picture._replace(result=picture.result | {"parts": [*map(_bare, picture.result["parts"])]})


def _bare(part: dict[str, Any]) -> dict[str, Any]:
    words = [{key: word[key] for key in word if key not in ("property", "places", "number")} for word in part["words"]]
    bare = part | {"words": words}
    if "entries" in part:
        bare["entries"] = [[*map(_bare, entry)] for entry in part["entries"]]
    return bare


def _words_in(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield from part["words"]
        for entry in part.get("entries", ()):
            yield from _words_in(entry)


def _numbered(pictures: list[Picture]) -> list[dict[str, Any]]:
    """First word of each line of the page; the words get the number of their line (`number`)."""
    numbers: dict[int, int] = {}
    first = []
    for word in (word for each in pictures for word in _words_in(each.result["parts"])):
        for place in word.get("places", ())[:1]:
            line = place["line"]
            if line not in numbers and len(numbers) < _MOST_NUMBERS:
                numbers[line] = len(numbers) + 1
                first.append(word)
            if line in numbers:
                word["number"] = numbers[line]
    return first


def _with_numbers(markup: JsonLd, words: list[dict[str, Any]]) -> Markup:
    """Coloured markup in which the lines of words have their numbers."""
    before = example_page(markup).partition("<script")[0].count("\n")
    numbers = {word["places"][0]["line"] - before: word["number"] for word in words}
    lines = str(coloured(written(markup)[0].text, "html")).split("\n")
    return Markup(  # noqa: S704 - escaped by `coloured`
        "\n".join(
            f'<span data-w="{numbers[number]}">{line}</span>' if number in numbers else line
            for number, line in enumerate(lines, 1)
        )
    )
