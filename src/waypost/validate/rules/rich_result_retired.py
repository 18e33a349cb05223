"""Rich result is no longer shown.

The markup remains valid schema.org and does no harm; other readers may still use it. There is no reason to add it
either. The profile of the result holds the day of its end.
Source: https://developers.google.com/search/updates (changelog of the Search documentation), read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "info"
ENGINE = "profiles"
