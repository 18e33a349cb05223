"""Addresses of Microdata in the attribute `id`, where `itemid` was meant."""

from __future__ import annotations

import re
from itertools import islice

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Span
from waypost.validate.item import RuleContext
from waypost.validate.profiles.model import Gap
from waypost.validate.profiles.nearby import names_at

_MOST_NODES = 200
_LONGEST_TAG = 1000
_ADDRESS_IN_ID = pattern(r"\s(id)\s*=\s*[\"']?https?://", re.IGNORECASE | re.ASCII)


def address_in_id(context: RuleContext, gap: Gap) -> tuple[Node, Span] | None:
    """(object, name of its attribute `id`) for an object of Microdata whose address stands in id instead of itemid."""
    for name in names_at(gap.node, gap.local_path):
        for inner in islice(gap.node.nodes(name), _MOST_NODES):
            if inner.block.syntax == "microdata" and inner.id is None:
                start = context.page.span_of(inner, None, None, "node").start
                tag = context.page.source_text(start, start + _LONGEST_TAG).partition(">")[0]
                if found := _ADDRESS_IN_ID.search(tag):
                    return inner, Span(start + found.start(1), start + found.end(1))
    return None
