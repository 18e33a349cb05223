"""Lint run: many inputs become reports, under a project's configuration, with equal results on every interface.

inputs, gitignore, page_sources, fetching   which pages there are, and their bytes
page                                        the report about one page
run, processes, cache, results              many pages, in one process or several
named_profiles, site_findings               findings that depend on several pages
thresholds, known, git_changes, fixing, unused_ignores   what counts, what is known, what is fixed
project                                     single pages with a project's configuration, for editors and tests
texts, rule_notes                           what reports show of pages and rules
"""
