"""Recommended properties are missing.

The result can be shown without these properties, but shows less. One line names the missing properties of a node;
where the result requires no property, as of an Article or an Organization, the finding is information. Similar
nodes in one list make a single finding.
Source: https://developers.google.com/search/docs/appearance/structured-data/search-gallery, read 2026-11-20.
"""

AUTHORITY = "google"
SEVERITY = "warning"
ENGINE = "profiles"
