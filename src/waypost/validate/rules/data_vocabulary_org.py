"""Markup uses data-vocabulary.org, which is no longer read.

The vocabulary came before schema.org; Google stopped reading it in 2020 and shows no rich result from it. The types
have successors in schema.org: Breadcrumb became BreadcrumbList, Review-aggregate became AggregateRating.
Source: https://developers.google.com/search/blog/2020/01/data-vocabulary, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, RuleContext

AUTHORITY = "google"
SEVERITY = "warning"
SIGN = "foreign"
MARK = "data-vocabulary.org/"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for node in context.nodes_by_sign.get(SIGN, ()):
        if any(MARK in name for name in node.types):
            yield FindingDraft(
                severity="warning",
                node=node,
                part="type",
                message=f"the type {clip(node.types[0])} is of a vocabulary that search engines no longer read",
                hint="use schema.org",
            )
            # One finding says enough: all of the vocabulary is unread.
            return
