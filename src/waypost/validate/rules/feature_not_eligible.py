"""The item earns one rich result and misses another.

A Product can be a product snippet and a merchant listing, and a page may want only one of them. What is missing for
the other one is told in one line. To have it judged in full, ask for it: `--profile google/merchant-listing`.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
