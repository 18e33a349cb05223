"""The markup is for a rich result that is no longer shown.

It remains valid schema.org and harms nothing; other readers may still use it. It is no reason to add it either. The
day from which the result is gone stands in its profile.
Source: https://developers.google.com/search/updates (changelog of the Search documentation), read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "info"
ENGINE = "profiles"
