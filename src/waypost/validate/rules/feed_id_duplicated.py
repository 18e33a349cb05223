"""Two rows of a feed of products have one id.

Consumers keep one of the two rows, which one is left to chance: price and stock of the other are lost. Often each
variant got the id of its product; the group belongs into the column of the group, and each variant has an id of its
own.
Source: https://support.google.com/merchants/answer/6324405 (unique id for each product), read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
