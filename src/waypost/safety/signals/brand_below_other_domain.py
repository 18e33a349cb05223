"""Brand name as a subdomain of another domain.

In `acme.login-session.test` and `acme-pay.portal.test` the owner of the last part chose the rest freely: only
the end of a host name identifies its owner. Suppliers name hosts after customers (`acme.supplier.test`) and machines
after content (`acme.ads.host.test`, `acme-widget.host.test`): a resemblance and no more, unless the host also asks for
something. A site's tool (`acme-secure.shop.test`) accuses no one unless the domain itself asks.
Source: RFC 1034 section 3.1; WHATWG URL, security considerations, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence
from waypost.safety.signals.brand_on_shared_hosting import third_party_strength

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "brand_below_other_domain"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        # Echoes and split names have signals of their own.
        if match.kind == "exact" and match.level == "subdomain" and not match.echo and match.alignment != "split":
            yield match_evidence(
                reading,
                match,
                name="lex.below",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="a label below another's domain is the name of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    pressing = reading.urges(match)
    joined = match.alignment in {"word", "back"} or (match.alignment != "label" and not reading.crowded)
    # A resemblance and no more, unless the host asks for something.
    if not pressing and (joined or reading.is_deep(match)):
        return "medium"
    requested = reading.continues or reading.domain_requests or reading.words_of_others(match.label).urgent > 0
    # A site's tool accuses no one, unless the domain itself asks.
    if not (requested or reading.crowded) and match.alignment != "label" and _is_tool(match):
        return "medium"
    return third_party_strength(reading, match)


def _is_tool(match: TokenMatch) -> bool:
    """Whether the name is that of no bank or office, or a few letters glued to others: `acm` in `acmups`."""
    return "money" not in match.token.sectors or (match.token.common and match.alignment != "word")
