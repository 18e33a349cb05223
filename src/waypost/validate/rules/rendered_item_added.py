"""Item that exists only after scripts.

The page as the server sends it does not have the item: a script writes it. Google reads the page after its scripts, in
general later than the page itself, and documents that crawls for Shopping are less frequent and less reliable where
scripts write the markup of products. Readers that run no scripts, as many agents and other search engines, do not find
the item. Reported with `--render` alone.
Source: https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics, read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "google"
SEVERITY = "info"
ENGINE = "rendering"
