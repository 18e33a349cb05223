"""Value has the wrong format for the rich result.

The value may be sound in general: a text where an object is needed, a word outside the list that the result reads,
a number below its bound. The finding is an error where the value is required and the item earns no result without
it. Where another rule explains an error in a date, a price or an address, only that rule reports.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
