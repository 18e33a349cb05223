"""Structured data in Markdown front matter was not read.

waypost reads `schema`, `jsonld`, `structured_data` and similar members where they hold JSON: as a block of text
(`jsonld: |`), in YAML's flow style with quoted keys, in a string of TOML without escapes, or as a member of front
matter in JSON. Further forms become JSON only when the site is built: check the built page. Members without
`@type` and `@context` are not taken for structured data.
Source: https://gohugo.io/content-management/front-matter/, read 2026-11-20.
"""

from __future__ import annotations

from waypost.models.page import ReadError
from waypost.validate.item import FindingDraft

AUTHORITY = "waypost"
SEVERITY = "info"


def explain(read_error: ReadError) -> FindingDraft:
    return FindingDraft(
        severity="info",
        message=f"{read_error.detail['key']} in the front matter is not written as JSON, and so not checked",
        hint="check the page that is built of it, or write it as a block of JSON, as in `jsonld: |`",
    )
