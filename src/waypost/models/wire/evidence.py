"""Evidence of decisions and of profiles. A small module, for the sake of every check of a URL."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from waypost.models.decision import EvidenceStatus, EvidenceType, SummaryCode
from waypost.models.wire.common import Closed, Time, defined


@defined("evidence")
class Evidence(Closed, frozen=True):
    """One check and its result."""

    type: Annotated[EvidenceType, Meta(description="The kind of check.")]
    status: Annotated[EvidenceStatus, Meta(description="The result of the check; only observed counts as evidence.")]
    id: Annotated[str, Meta(description="The check, or the case of a signal.")] = ""
    observed_at: Annotated[Time | None, Meta(description="When it was observed.")] = None
    valid_until: Annotated[Time | None, Meta(description="Until when it counts.")] = None
    summary_code: Annotated[SummaryCode | None, Meta(description="Code of the observation.")] = None
    suggested_alternative: Annotated[
        str | None,
        Meta(description="The official address of the brand that the host resembles, https://HOST/: no accusation."),
    ] = None
