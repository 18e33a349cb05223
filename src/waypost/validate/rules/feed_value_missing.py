"""A feed of products lacks what its consumer requires.

Merchant Center does not show a product without a required value in ads and free listings, and OpenAI can reject the
row. A column that is missing altogether is reported once, at the header; what is only recommended, or required of some
products, is information. The columns of each feed, with source and date, are data of the registry
(`waypost schema meta/feed`): Merchant Center, the product feed of OpenAI, the Agentic Commerce Protocol and catalogues
of UCP.
Source: https://support.google.com/merchants/answer/7052112 (excerpts of stored copies) and
https://developers.openai.com/commerce/specs/file-upload/products.md (a stored copy), read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
