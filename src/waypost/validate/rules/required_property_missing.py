"""Required property is missing.

The profile of the result says which properties are required, where and under which condition; the finding points
at the node without the property. Its severity is error where the node earns no result without the property, and
warning where only a part of the result is lost: a review, a price, a shipping policy. A blank text and an empty
list count as missing; 0 and false do not. A reference to another page by id counts as present, and its properties
are not checked. A requirement under a condition that markup cannot show ("the posting expires") is information.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "error"
ENGINE = "profiles"
