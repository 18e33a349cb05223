"""A feed of products lacks what its consumer requires.

An item without a required value is not accepted: it is in no listing and no agent finds it. A column that is missing
altogether is reported once, at the header; what is only recommended is information. The columns of each feed, with
source and date, are data of the registry (`waypost schema meta/feed`): Merchant Center, the product feed of OpenAI,
the Agentic Commerce Protocol and catalogues of UCP.
Source: https://support.google.com/merchants/answer/7052112 and
https://developers.openai.com/commerce/specs/file-upload/products, read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
