"""Feeds of products against the markup and the visible text of pages.

products    facts of the products of a page, packed for a run over many pages
values      values of a row of a feed, read
comparison  differences between a row and a product
"""
