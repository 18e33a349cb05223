"""Feeds of products that shops give to Merchant Center, OpenAI and agents: rows with their places, one at a time.

opening     bytes of a file, unpacked within limits, and their encoding
delimited   tables with tabs, commas or semicolons
markup      RSS 2.0 and Atom with the names of Merchant Center
documents   JSON: lists of rows, one row a line, and catalogues with variants
rows        the reader: `FeedReader(path)`
"""
