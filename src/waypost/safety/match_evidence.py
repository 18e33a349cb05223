"""Evidence of a brand token in a host, shared by the signals about names."""

from __future__ import annotations

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch


def match_evidence(
    reading: HostReading, match: TokenMatch, *, name: str, code: SummaryCode, strength: Strength, what: str
) -> Evidence:
    """Evidence of a match. `name` is the signal's; the id appends the size, alignment and neighbours of the match.

    Benchmarks weigh signals by these ids, and `relationship.imitation` reads the size from them.
    """
    brand, where = match.token.brand, reading.target.registrable
    case = f"{match.size}-{match.alignment}-{match.neighbours}{'-crowded' if reading.crowded else ''}"
    return Evidence(
        type="lexical_check",
        status="observed",
        id=f"{name}.{case}",
        summary_code=code,
        strength=strength,
        brand=brand.slug,
        detail=f"{what} {brand.name}, whose home is {brand.home}; nothing shows that {where} is its own",
    )
