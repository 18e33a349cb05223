"""No encryption (http).

Anyone who stands between can read and change what is sent, and no certificate says who answers.
Source: RFC 9110 section 4.2.2, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode, Target

TAKES = "target"
SUMMARY_CODE: SummaryCode = "insecure_scheme"


def observe(target: Target) -> Iterator[Evidence]:
    if target.scheme == "http":
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.scheme",
            summary_code=SUMMARY_CODE,
            strength="medium",
            detail="the address begins with http, so nothing sent there is encrypted",
        )
