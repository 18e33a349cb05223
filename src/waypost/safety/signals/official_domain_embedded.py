"""Official domain at the start of another domain.

`acme.com-session.test` and `login-acme-com.host.test` show a name that ends in a top-level domain where
the host goes on. A reader who stops there reads the brand's own address. Country domains with two parts,
`acme.com.test`, may be the brand's own and are only similar.
Source: Chromium's lookalike checks name it target embedding, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence

TAKES = "reading"
SUMMARY_CODE: SummaryCode = "official_domain_embedded"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if match.kind == "exact" and match.echo:
            yield match_evidence(
                reading,
                match,
                name="lex.embedded",
                code=SUMMARY_CODE,
                strength=_strength(reading, match),
                what="the host goes on after what reads like the address of",
            )


def _strength(reading: HostReading, match: TokenMatch) -> Strength:
    if _is_named_by_others(reading, match):
        return "medium"
    if match.alignment not in {"label", "word"}:
        return "strong" if match.size == "long" else "weak"
    registrable = reading.target.registrable
    # `acme.com.test` may be the brand's own, where a country's suffix has two parts.
    if match.level == "subdomain" and registrable.partition(".")[0] in {"com", "co", "net", "org"}:
        return "medium"
    if match.level == "registered" and match.words_around.unexplained + match.words_around.urgent == 0:
        return "strong" if match.size == "long" or reading.crowded else "medium"
    return "decisive" if match.size == "long" else "strong"


def _is_named_by_others(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a company or service names a machine of its own after the domain: its customer's, or a region's."""
    if reading.is_machine(match) or _is_of_a_customer(reading, match):
        return True
    return "machines" in match.token.sectors and match.neighbours == "echo" and _is_region(match)


def _is_of_a_customer(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a service that businesses pay for keeps files or mail for the brand at the host."""
    if match.level == "registered" or match.words_around.urgent:
        return False
    return reading.serves_businesses or reading.stored


def _is_region(match: TokenMatch) -> bool:
    """Whether the label ends in a region, as companies name their machines: `acme-eu`."""
    return match.label[match.end :].lstrip("-").rstrip("0123456789") in {"eu", "us", "au", "ca", "uk", "de"}
