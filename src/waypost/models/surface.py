"""Surfaces: how a page may show in a search engine, in a social network and to a program, word by word.

The specifications are the files `schemas/surfaces.json` and `schemas/layouts/*.json`; the drawings hold texts and
places, and no markup of a terminal or a browser.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from waypost.models.page import Node, Span


class Ref(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Source of a word.

    of     sources in order, the first with a value counts: "slot:NAME" of the card, "meta:NAME" of the page's head,
           "node:PATH" of the item
    show   how values of a node become a text (`preview.plain`)
    label  words before the text
    most   maximum number of values
    text   constant text, of the surface itself
    cut    name of a limit, at which the text is cut
    """

    of: tuple[str, ...] = ()
    show: str = "text"
    label: str = ""
    most: int = 3
    text: str = ""
    cut: str = ""


class PartSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Part of a layout.

    part   site, title, line, text, picture, rows, heading, chips, tiles, steps, or "use" for a block of the view
    of     words of the part
    at     end, top or start, for a picture
    ratio  width to height of a picture
    each   path of the nodes that are drawn one by one with `parts`; the name of the block for "use"
    most   maximum number of nodes or of rows
    parts  layout of each node
    when   condition: a source that has a value, SOURCE=VALUE, or either after "!"
    on     device, "" for all
    """

    part: str
    of: tuple[Ref, ...] = ()
    at: str = ""
    ratio: str = ""
    each: str = ""
    most: int = 3
    parts: tuple[PartSpec, ...] = ()
    when: str = ""
    on: str = ""


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Length at which texts of a surface are cut: a width for letters of a height, or a number of characters.

    size, width  pixels; the width is that of all lines together
    characters   0 for a limit in pixels
    fits         width up to which texts always fit, in pixels
    source       address of the documentation or measurement
    """

    name: str
    title: str
    size: int = 0
    width: int = 0
    fits: int = 0
    characters: int = 0
    source: str = ""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Documentation that a surface is drawn from: title, address, and the date of the copy that was read."""

    title: str
    url: str
    dated: str


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Surface: where a page shows.

    group   search, social or agent
    device  phone or desktop, for a view of search
    blocks  parts by name, for "use"
    parts   layout of a page without a rich result
    documented  contents of the surface by the documentation
    differs  difference of the drawing from the surface
    """

    name: str
    title: str
    group: str
    sources: tuple[Source, ...]
    documented: str
    differs: str
    parts: tuple[PartSpec, ...]
    device: str = ""
    blocks: dict[str, tuple[PartSpec, ...]] = {}


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rich result as a layout.

    profiles  results that the layout draws; documentation and date are those of the first
    types     types of the item; those of the first profile by default
    exclude   types of items that are left out, as in the first profile
    frame     result: an addition to the text result; box: a place of its own
    entries   types of which one entry of the list is, where its entries are written out; those of the profile
    main      whether the item is the main item of the page only
    nested    whether the item may stand inside another
    unless    layouts that show the same: with one of them this one is left out
    when      condition of the item, as in `PartSpec`
    device    phone or desktop, for a result of one of them
    source    documentation of the first profile, with the date of the newest copy that was read
    documented  contents of the result by the documentation
    differs   difference of the drawing from the documented result
    """

    name: str
    title: str
    profiles: tuple[str, ...]
    documented: str
    differs: str
    parts: tuple[PartSpec, ...]
    frame: str = "result"
    types: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    main: bool = False
    nested: bool = False
    unless: tuple[str, ...] = ()
    when: str = ""
    device: str = ""
    source: Source = Source("", "", "")


class Slot(NamedTuple):
    """Value of a card or of a page's head: its text, the property, the spans in the page, and a date or stars."""

    text: str
    property: str = ""
    spans: tuple[Span, ...] = ()
    date: str = ""
    stars: float = -1.0


class Found(NamedTuple):
    """Value number `place` of a node's property."""

    node: Node
    prop: str
    place: int


class Word(NamedTuple):
    """Text of a surface and its origin.

    property  property or element that the text comes from; "" for the surface's own words
    date      ISO 8601, where the text is a date, for readers of other languages
    stars     1 to 5; -1 where the text is not a rating
    rest      part that is cut
    spans     places in the page
    """

    text: str
    label: str
    property: str
    date: str
    stars: float
    rest: str
    spans: tuple[Span, ...]


class Part(NamedTuple):
    """Drawn part: kind, words, and the parts of its entries."""

    kind: str
    at: str
    ratio: str
    words: list[Word]
    entries: list[list[Part]]
