"""Crawl: many pages from archives, folders and sites, checked by programs of their own, into Parquet tables.

plan     sources -> units of work, each a stretch of an archive, some files, or the addresses of a site
worker   the program that reads and checks the pages of a unit, under limits on memory and time
driver   starts the program, outlives its death, and yields the rows of a unit
folder   the tables of a crawl, and the units that are done
local    units on this machine; `cluster`: on a Dask cluster
analysis the questions of a report; `pages_html` and `pages_markdown` print the answers
"""
