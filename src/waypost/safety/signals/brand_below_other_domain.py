"""A brand's name is a label below a domain that is not the brand's.

In `acme.session.test` and `acme-pay.portal.test` whoever registered the last part chose the rest freely: nothing
but the end of a host says whose it is. Business customers sometimes get such names from a service of theirs.
Source: RFC 1034 section 3.1; WHATWG URL, security considerations, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Reading
from waypost.safety.signals.brand_on_shared_hosting import stranger_strength

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_below_other_domain"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind == "exact" and hit.place == "subdomain" and not hit.echo and hit.how != "split":
            yield seen(
                reading,
                hit,
                name="lex.below",
                code=SUMMARY_CODE,
                strength=stranger_strength(reading, hit),
                what="a label below another's domain is the name of",
            )
