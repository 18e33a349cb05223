"""A brand's domain stands at the left of somebody else's.

`acme.com-session.test` and `login-acme-com.host.test` show a name that ends in a top-level domain where
the host goes on. A reader who stops there reads the brand's own address. Country domains with two parts,
`acme.com.test`, may be the brand's own and are only similar.
Source: the mission's impersonation case; Chromium's lookalike checks name it target embedding, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "official_domain_embedded"


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind == "exact" and hit.echo:
            yield seen(
                reading,
                hit,
                name="lex.embedded",
                code=SUMMARY_CODE,
                strength=_strength(reading, hit),
                what="the host goes on after what reads like the address of",
            )


def _strength(reading: Reading, hit: Hit) -> Strength:
    if hit.how not in {"label", "word"}:
        return "strong" if hit.size == "long" else "weak"
    registrable = reading.target.registrable
    if hit.place == "subdomain" and registrable.partition(".")[0] in {"com", "co", "net", "org"}:
        return "medium"
    if hit.place == "registered" and hit.rest.unexplained + hit.rest.urgent == 0:
        return "strong" if hit.size == "long" or reading.crowded else "medium"
    return "decisive" if hit.size == "long" else "strong"
