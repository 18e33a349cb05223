"""Value that scripts change.

The page as the server sends it has one value, and the page after its scripts another. Search engines may read either:
the first when they fetch the page, the second when they have rendered it. A warning where a result displays the value,
as a price; else information. Reported with `--render` alone.
Source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics, read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "rendering"
