"""Page uses the logo of a brand it does not belong to.

Anyone who owns a logo has it on a host of their own; here the page's data bears the name and borrows the picture.
Fans, dealers and partners do it too, so it calls for care and accuses no one. Accounts count only for a page that
bears the entire name: everyone links to their page on someone's network.
Source: schema.org/logo and schema.org/sameAs, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.models.decision import Evidence, SummaryCode

if TYPE_CHECKING:
    from waypost.registry.world import Brand
    from waypost.safety.page_claims import Claim, PageClaims

TAKES = "claims"
SUMMARY_CODE: SummaryCode = "structured_data_logo_hotlinked"


def observe(claims: PageClaims) -> Iterator[Evidence]:
    if not claims.foreign:
        return
    for claim in claims.claims:
        if brand := _borrowed(claims, claim):
            yield Evidence(
                type="structured_data_claim",
                status="observed",
                id="sd.logo-hotlinked",
                summary_code=SUMMARY_CODE,
                strength="medium",
                brand=brand.slug,
                detail=f"the page's data bears the name of {brand.name} and shows what lies on its own hosts",
            )
            return


def _borrowed(claims: PageClaims, claim: Claim) -> Brand | None:
    if claim.brand and claims.official(claim.brand, claim.homes):
        return None  # Reported already, and more strongly.
    named = (claim.brand, *claim.within) if claim.brand else claim.within
    for brand in named:
        places = (*claim.pictures, *claim.accounts) if brand == claim.brand else claim.pictures
        if claims.official(brand, places):
            return brand
    return None
