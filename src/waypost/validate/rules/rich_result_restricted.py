"""Rich result is limited to some sites.

The result is a trial, open to invited sites, or shown outside web search only. The markup is fine and may earn
nothing.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "info"
ENGINE = "profiles"
