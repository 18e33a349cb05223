"""IP address or local name instead of a domain.

No review covers an address, and one that is not public reaches whatever stands behind the reader's own wall. Every
spelling is meant: the URL parser has already turned `0x7f.1` and `2130706433` into 127.0.0.1.
Source: RFC 6890 and RFC 6761, read 2026-11-20.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from waypost.formats.ip_addresses import is_local_name, not_public
from waypost.models.decision import Evidence, SummaryCode, Target

TAKES = "target"
SUMMARY_CODE: SummaryCode = "ip_literal_host"
PRIVATE: SummaryCode = "non_public_host"


def observe(target: Target) -> Iterator[Evidence]:
    if target.address:
        kind = not_public(ipaddress.ip_address(target.address))
        what = f"the host is {kind}" if kind else "the host is an address, not a name"
        yield _evidence(PRIVATE if kind else SUMMARY_CODE, what, decisive=bool(kind))
    elif is_local_name(target.host):
        yield _evidence(PRIVATE, f"{target.host} is a name of your own network", decisive=True)


def _evidence(code: SummaryCode, what: str, *, decisive: bool) -> Evidence:
    return Evidence(
        type="url_structure_check",
        status="observed",
        id="url.address",
        summary_code=code,
        strength="decisive" if decisive else "medium",
        detail=what,
    )
