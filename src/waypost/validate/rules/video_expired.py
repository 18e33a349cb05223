"""The video has expired.

Past `expires` Google does not show the video. A video that stays up needs no such date.
Source: https://developers.google.com/search/docs/appearance/structured-data/video, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.dates import moment
from waypost.formats.text import clip
from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"VideoObject"})
PROPERTIES = frozenset({"expires"})


def check_value(video: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    found = moment(value)
    if found and video.context.is_past(found):
        yield video.warning(
            prop,
            f"the video expired on {clip(str(value))}",
            "leave the date out if the video is still there",
            index=index,
        )
