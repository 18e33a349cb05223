"""Page shows a brand next to a field for a password or a card, on a host with the brand's name or with its claims.

A name is a resemblance, and a sign-in is usual; a page below another's domain that shows the brand and requests its
customers' secrets is a second fact. A partner's page may do so too: alone it accuses no one.
Source: WHATWG HTML, section 4.10.18.7 (autofill field names), read 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.models.decision import Evidence, SummaryCode
from waypost.safety.brand_index import brand_index_of
from waypost.safety.catalogue import signals_taking
from waypost.safety.host_reading import HostReading

if TYPE_CHECKING:
    from waypost.registry.world import Brand
    from waypost.safety.page_claims import PageClaims

TAKES = "claims"
SUMMARY_CODE: SummaryCode = "page_requests_secrets"
_WEIGHTY = frozenset({"decisive", "strong"})


def observe(claims: PageClaims) -> Iterator[Evidence]:
    if not (claims.foreign and claims.secrets):
        return
    reading = HostReading(claims.target, brand_index_of(claims.world))
    named = {
        piece.brand
        for signal in signals_taking("reading")
        for piece in signal.observe(reading)
        if piece.strength in _WEIGHTY
    }
    claimed = {claim.brand.slug for claim in claims.claims if claim.brand and claims.official(claim.brand, claim.homes)}
    for slug in sorted(named | claimed):
        if _shows(claims, brand := claims.world.brands[slug]):
            yield Evidence(
                type="structured_data_claim",
                status="observed",
                id="sd.requests-secrets",
                summary_code=SUMMARY_CODE,
                strength="medium",
                brand=slug,
                detail=f"the page shows the name of {brand.name} and has a field for a password or a card",
            )


def _shows(claims: PageClaims, brand: Brand) -> bool:
    """Whether title or structured data have a name of the brand as words."""
    if any(claim.brand == brand or brand in claim.within for claim in claims.claims):
        return True
    title = f" {' '.join(claims.title.replace('|', ' ').replace('-', ' ').replace(':', ' ').split())} "
    return any(
        f" {' '.join(name.casefold().replace('-', ' ').split())} " in title for name in (*brand.names, *brand.aliases)
    )
