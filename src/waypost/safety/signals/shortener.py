"""Short link that hides the destination.

No fact about a shortener's own domain applies to the destination.
Source: `data/suffixes/shorteners.json`, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode, Target
from waypost.registry.world import shorteners

TAKES = "target"
SUMMARY_CODE: SummaryCode = "shortener_url"


def observe(target: Target) -> Iterator[Evidence]:
    if target.registrable in shorteners():
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.shortener",
            summary_code=SUMMARY_CODE,
            strength="medium",
            detail=f"{target.registrable} only redirects to another address",
        )
