"""Two rows of a feed of products have one id.

Merchant Center requires a unique id for each product, and disapproves products that do not meet this requirement; the
product feed of OpenAI requires one that is unique for each item or variant. Which of the two rows then counts, neither
of them says. Often each variant got the id of its product; the group belongs into the column of the group, and each
variant has an id of its own.
Source: https://support.google.com/merchants/answer/6324405 (an excerpt of a stored copy) and
https://developers.openai.com/commerce/specs/file-upload/products.md (a stored copy), read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
