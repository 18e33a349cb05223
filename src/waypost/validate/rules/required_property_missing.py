"""Something that a rich result requires is not there.

The profile of the result says what is required, where and under which condition; the finding points at the thing
that lacks it. It is an error where the thing earns no result without it, and a warning where only a part of it is
lost: a review, a price, a shipping policy. A blank text and an empty list count as missing; 0 and false do not. An
object that only refers to another page by its id counts as present, and nothing inside it is asked for. What would
be required under a condition that markup cannot show ("the posting expires") is information.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "error"
ENGINE = "profiles"
