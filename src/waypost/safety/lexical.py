"""How every signal about names says what it saw."""

from __future__ import annotations

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.reading import Hit, Reading


def seen(reading: Reading, hit: Hit, *, name: str, code: SummaryCode, strength: Strength, what: str) -> Evidence:
    """Evidence of a hit. `name` is the signal's; the id adds which case of it this is, for whoever weighs it anew."""
    brand, where = hit.token.brand, reading.target.registrable
    home = f"whose home is {brand.home}" if brand.official_home else f"said to be at home at {brand.home}"
    case = f"{hit.size}-{hit.how}-{hit.beside}{'-crowded' if reading.crowded else ''}"
    return Evidence(
        type="lexical_check",
        status="observed",
        id=f"{name}.{case}",
        summary_code=code,
        strength=strength,
        brand=brand.slug,
        detail=f"{what} {brand.name}, {home}; nothing shows that {where} is its own",
    )
