"""User name or password in the URL.

`https://acme.example@other.test/` goes to other.test: the text before the @ is a user's name, and a user's name that
looks like a host is there to be read as one. Credentials are neither kept nor shown.
Source: WHATWG URL, section 4.4 and its security considerations, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode, Target

TAKES = "target"
SUMMARY_CODE: SummaryCode = "userinfo_in_url"


def observe(target: Target) -> Iterator[Evidence]:
    if target.userinfo:
        posing = target.userinfo_poses
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.userinfo",
            summary_code=SUMMARY_CODE,
            strength="strong" if posing else "medium",
            detail="a host name stands where a user's name belongs" if posing else "the URL carries credentials",
        )
