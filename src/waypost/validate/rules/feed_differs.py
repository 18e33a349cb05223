"""A feed of products differs from the page.

The feed states one price, availability, condition, rating, name or image, and the page of the product another one, in
its markup or in its text. Merchant Center crawls pages and compares them with the feed: an item whose price or
availability differs is disapproved, and repeated differences can suspend an account. Agents that buy from a feed
promise a price that the checkout does not have. Mostly the feed is written at night and the page changes by day, or
one of the two leaves out a sale. Compared is the product that has the same GTIN, MPN and brand, SKU or id, or the
address of the row: `--feed FILE`. A sale price counts within its dates, a range of an aggregate offer holds every
price in it, a picture is the same in every size and folder, and a name that shares a word is the same. Name, image
and number of ratings are information.
Source: https://support.google.com/merchants/answer/6098334 (prices) and
https://support.google.com/merchants/answer/6324448 (availability), excerpts of stored copies, read 2026-11-29.
"""

from __future__ import annotations

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "feeds"
