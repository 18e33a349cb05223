"""Unusual port.

Public sites answer on the usual ports. Another one may be a second service on the same machine, run by someone
else. It is reported, and the review of a domain does not cover it: that takes a review of the host.
Source: IANA service names and port numbers, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode, Target
from waypost.safety.target import USUAL_PORTS

TAKES = "target"
SUMMARY_CODE: SummaryCode = "unusual_port"


def observe(target: Target) -> Iterator[Evidence]:
    if target.port not in USUAL_PORTS:
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.port",
            summary_code=SUMMARY_CODE,
            strength="weak",
            detail=f"port {target.port} is none of the usual ones",
        )
