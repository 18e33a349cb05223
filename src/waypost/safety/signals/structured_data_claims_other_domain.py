"""Page claims to be a brand on another domain.

A copied page brings its structured data along: `Organization` named like the bank, with the bank's address as `url`,
`@id` or canonical link, served from somewhere else. A domain of the brand's that we do not list yet can look the
same; where its name is the brand's own under a country's suffix, the claim is reported and accuses no one.
Source: schema.org/Organization and schema.org/WebSite; RFC 6596 for canonical links, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.brand_index import brand_index_of

if TYPE_CHECKING:
    from waypost.registry.world import Brand
    from waypost.safety.page_claims import PageClaims

TAKES = "claims"
SUMMARY_CODE: SummaryCode = "structured_data_claims_other_domain"


def observe(claims: PageClaims) -> Iterator[Evidence]:
    # The brand's own pages may claim to be the brand.
    if not claims.foreign:
        return
    places = (claims.canonical,) if claims.canonical else ()
    for claim in claims.claims:
        if claim.brand and (home := claims.official(claim.brand, (*claim.homes, *places))):
            yield Evidence(
                type="structured_data_claim",
                status="observed",
                id="sd.claims-other-domain",
                summary_code=SUMMARY_CODE,
                strength=_strength(claims, claim.brand),
                brand=claim.brand.slug,
                detail=f"the page calls itself {claim.brand.name} and points to {home.host}, "
                f"which {claims.target.registrable} is not",
            )
            # One claim says enough: pages repeat it in each block.
            return


def _strength(claims: PageClaims, brand: Brand) -> Strength:
    """A country's own address of the brand is likely where the label is its name and the suffix is not open to all.

    Without a reviewed domain of the brand no one knows whose of the two addresses is the brand's own.
    """
    if not brand.official_domains:
        return "medium"
    label, _, suffix = claims.target.registrable.partition(".")
    last = suffix.rpartition(".")[2]
    own = label in {*brand.tokens, *brand.short_or_common_tokens} and not claims.target.hosted
    return "medium" if own and len(last) == 2 and last not in brand_index_of(claims.world).crowded else "strong"
