"""A row of a feed of products cannot be read.

A tab or a comma inside a text shifts all columns behind it, a quote without its partner swallows the rows that
follow, and bytes of another encoding turn letters into signs. A consumer can then only drop the row, or read a price
where the title stands. Behind broken XML or JSON nothing can be read at all; the finding says so.
Sources: RFC 4180 for quotes; https://support.google.com/merchants/answer/160567 (forms of feeds, an excerpt of a stored
copy), read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "waypost"
SEVERITY = "error"
ENGINE = "feeds"
