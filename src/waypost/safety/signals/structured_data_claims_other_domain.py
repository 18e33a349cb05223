"""The page calls itself a brand and points to that brand's own domain, which it is not on.

A copied page brings its structured data along: `Organization` named like the bank, with the bank's address as `url`,
`@id` or canonical link, served from somewhere else. A domain of the brand's that we do not list yet can look the
same; where its name is the brand's own under a country's suffix, the claim is told and accuses nobody.
Source: schema.org/Organization and schema.org/WebSite; RFC 6596 for canonical links, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.registry.world import Brand
from waypost.safety.claims import Claims
from waypost.safety.names import names_of

TAKES = "claims"
SUMMARY_CODE: SummaryCode = "structured_data_claims_other_domain"


def observe(claims: Claims) -> Iterator[Evidence]:
    if not claims.foreign:
        return
    places = (claims.canonical,) if claims.canonical else ()
    for said in claims.said:
        if said.brand and (home := claims.official(said.brand, (*said.homes, *places))):
            yield Evidence(
                type="structured_data_claim",
                status="observed",
                id="sd.claims-other-domain",
                summary_code=SUMMARY_CODE,
                strength=_strength(claims, said.brand),
                brand=said.brand.slug,
                detail=f"the page calls itself {said.brand.name} and points to {home.host}, "
                f"which {claims.target.registrable} is not",
            )
            return


def _strength(claims: Claims, brand: Brand) -> Strength:
    """A country's own address of the brand is likely where the label is its name and the suffix is not open to all."""
    label, _, suffix = claims.target.registrable.partition(".")
    last = suffix.rpartition(".")[2]
    own = label in {*brand.tokens, *brand.short_or_common_tokens} and not claims.target.hosted
    return "medium" if own and len(last) == 2 and last not in names_of(claims.world).crowded else "strong"
