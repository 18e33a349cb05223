"""Recommended properties are not there.

The result can be shown without them, but shows less. All that one thing lacks is one line; where the result requires
nothing at all, as of an Article or an Organization, it is information. Like things in one list are told once.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
