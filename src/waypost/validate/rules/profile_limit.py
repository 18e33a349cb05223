"""Rich result limit exceeded.

Too few or too many values, two properties that exclude each other, or a property that is not read in this place. A
list under its least length is a warning.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
