"""A clip of a video ends before it starts.

Key moments are drawn from `startOffset` to `endOffset`, both in seconds from the beginning of the video; a clip
that ends first is dropped.
Source: https://developers.google.com/search/docs/appearance/structured-data/video, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.values import number
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "error"
APPLIES_TO = frozenset({"Clip"})
PROPERTIES = frozenset({"endOffset"})


def check(part: Item) -> Iterator[FindingDraft]:
    start, end = number(part.get("startOffset")), number(part.get("endOffset"))
    if start is not None and end is not None and end <= start:
        yield part.error(
            "endOffset",
            f"the clip ends at second {end}, but starts at {start}",
            "swap the two, or correct one",
            related=(("it starts here", (part.node, "startOffset")),),
        )
