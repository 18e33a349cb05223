"""A feed of products has a value that its consumer cannot read.

A price without its currency, "on request" for a price, an availability of the shop's own words: the item is not
accepted. A text that is longer than the consumer reads is cut off, which is a warning.
Source: https://support.google.com/merchants/answer/7052112 and
https://developers.openai.com/commerce/specs/file-upload/products, read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
