"""Image has no usable URL.

An image is an address, or an ImageObject with `url` or `contentUrl`. An object without either, or a text without
an address (a caption, the name of a file's author), shows no picture. A reference by id is checked at the node
with the id.
Source: https://developers.google.com/search/docs/appearance/structured-data/article and
https://schema.org/image, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node, Value
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_conditions import is_ordinary_url

AUTHORITY = "google"
SEVERITY = "warning"
PROPERTIES = frozenset({"image", "logo", "screenshot"})
PICTURE = frozenset(
    {"url", "contentUrl", "thumbnailUrl", "embedUrl", "thumbnail", "mainEntity", "image", "associatedMedia"}
)


def may_be_unreadable(value: Value) -> bool:
    """Is the value neither an ordinary URL nor a node with a URL or a description elsewhere?"""
    if isinstance(value, Node):
        # A reference is resolved elsewhere, and a node of another vocabulary is not ours to check.
        return not (value.foreign or value.reference) and PICTURE.isdisjoint(value.props)
    return not is_ordinary_url(value)


WHEN = may_be_unreadable


def check_value(item: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    if isinstance(value, Node):
        # An @id that is itself the address of a file.
        if value.id and value.id.startswith(("http:", "https:")) and "#" not in value.id:
            return
        yield item.warning(
            prop, f"the {prop} has neither url nor contentUrl", "give the picture's address as url", index=index
        )
    elif not isinstance(value, str):
        yield item.warning(
            prop, f"the {prop} is {clip(str(value)).lower()}, not a URL", "give the picture's address", index=index
        )
    elif _is_words(value.strip()):
        yield item.warning(prop, f"the {prop} {clip(value)!r} is not a URL", "give the picture's address", index=index)


def _is_words(text: str) -> bool:
    if text.startswith("<"):
        return True
    # "photo.jpg" and "/photo" are relative addresses, "Our shop" is not.
    return not PARTS_OF_AN_ADDRESS.search(text) and not FILE.search(text[-6:])


PARTS_OF_AN_ADDRESS = pattern(r"[/:?#]")
FILE = pattern(r"\.\w{2,5}\Z")
