"""Item is eligible for one rich result but not for another.

A Product can be a product snippet and a merchant listing, and a page may want only one of them. The finding names
in one line what the missed result lacks. For a full check use `--profile google/merchant-listing`.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
