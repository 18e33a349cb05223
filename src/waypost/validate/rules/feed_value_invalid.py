"""A feed of products has a value that its consumer cannot read.

A price without its currency, "on request" for a price, an availability of the shop's own words: Merchant Center
disapproves the product, and OpenAI rejects a row with an unknown availability. The Agentic Commerce Protocol and UCP
leave their lists of states and conditions open. A text that is longer than its consumer asks for is a warning:
Merchant Center cuts a long description off.
Source: https://support.google.com/merchants/answer/6324371, https://support.google.com/merchants/answer/6324448 and
https://support.google.com/merchants/answer/6324468 (excerpts of stored copies), and
https://developers.openai.com/commerce/specs/file-upload/products.md (a stored copy), read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
