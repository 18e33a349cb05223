"""The value is not what the rich result asks for here.

It may be sound in itself: a text where an object is needed, a word outside the list that the result reads, a number
below its bound. It is an error where the value is required and the item earns no result without it. Where a rule of
its own explains what is wrong with a date, a price or an address, that rule speaks instead.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
