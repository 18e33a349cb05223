"""Item that scripts remove.

The page as the server sends it has an item that the page does not have after its scripts: a framework that draws the
page again without it, or a script that replaces the element around it. Google reads the page after its scripts, so the
item earns nothing. Reported with `--render` alone.
Source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics, read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "rendering"
