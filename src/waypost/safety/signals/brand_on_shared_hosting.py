"""A brand's name is what a tenant of a hosting service chose to be called.

Anybody may take `acme-support.host.test` where `host.test` lets names to the public; brands have homes of their
own. Learners publish copies of well-known sites there too: a copy is a copy, whoever made it.
Source: `data/suffixes/hosting.json` and `dynamic-dns.json`; the public suffix list's private part, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading
from waypost.shapes.decision import Evidence, Strength, SummaryCode

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_on_shared_hosting"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind == "exact" and hit.place == "tenant" and not hit.echo and hit.how != "split":
            yield seen(
                reading,
                hit,
                name="host.shared",
                code=SUMMARY_CODE,
                strength=stranger_strength(reading, hit),
                what="a tenant of a hosting service goes by the name of",
            )


def stranger_strength(reading: Reading, hit: Hit) -> Strength:
    """How much a name weighs where its owner would have no reason to stand."""
    if hit.size == "common":
        if hit.how == "label":
            return "strong" if hit.place == "subdomain" or reading.pressing else "medium"
        if hit.how == "word":
            return "strong"
        return "strong" if len(hit.written) > 3 or hit.how == "front" else "weak"
    if hit.how == "inside":
        return "strong" if reading.pressing and hit.size == "long" else "medium"
    return "strong"
