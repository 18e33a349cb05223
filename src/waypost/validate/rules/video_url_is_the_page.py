"""The video's address is that of the page it stands on.

`contentUrl` is the media file and `embedUrl` the player; the page itself is neither, so nothing can be played or
previewed from it.
Source: https://developers.google.com/search/docs/appearance/structured-data/video, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import Value
from waypost.validate.item import FindingDraft, Item

AUTHORITY = "google"
SEVERITY = "warning"
APPLIES_TO = frozenset({"VideoObject"})
PROPERTIES = frozenset({"contentUrl", "embedUrl"})


def check_value(video: Item, prop: str, index: int, value: Value) -> Iterator[FindingDraft]:
    page = video.context.page.url
    if page and isinstance(value, str) and value.strip() == page:
        yield video.warning(prop, f"{prop} is the page's own address", "give the media file or the player", index=index)
