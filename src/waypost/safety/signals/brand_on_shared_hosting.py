"""Brand name on a shared hosting service.

Anyone may take `acme-support.host.test` where `host.test` lets names to the public; brands have domains of
their own. Exceptions are developers' platforms, where the host name is an account name and well-known accounts belong
to the brands they name, and the brand's own service, which names its machines. Learners publish copies of well-known
sites there too; a copy counts as a copy, no matter who made it. Where programs keep files, in blogs, and for platforms
that others build for, a name is a resemblance unless a word next to it asks for something.
Source: `data/suffixes/hosting.json` and `dynamic-dns.json`; the public suffix list's private part, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.host_reading import HostReading, TokenMatch
from waypost.safety.match_evidence import match_evidence
from waypost.safety.suffixes import suffixes_of

TAKES = "reading"
SHORTEST_ALONE = 4
SHORTEST_LABEL = 3
"""Letters from which a label below another domain stands for a brand; two are a language or a machine."""
_ACCOUNTS = frozenset({"github.io", "gitlab.io", "bitbucket.io", "readthedocs.io", "sourceforge.net", "sourceforge.io"})
_BLOGS = frozenset({"blogspot.com", "livejournal.com", "squarespace.com", "tumblr.com", "wordpress.com"})
_RUN_BY_ANYBODY = frozenset(
    {
        "backup",
        "cloud",
        "communication",
        "creativity",
        "developer",
        "email",
        "gaming",
        "hosting",
        "marketing",
        "remote",
        "task",
        "vpn",
    }
)
SUMMARY_CODE: SummaryCode = "brand_on_shared_hosting"


def observe(reading: HostReading) -> Iterator[Evidence]:
    for match in reading.matches:
        if match.kind == "exact" and match.level == "tenant" and not match.echo and match.alignment != "split":
            yield match_evidence(
                reading,
                match,
                name="host.shared",
                code=SUMMARY_CODE,
                strength=third_party_strength(reading, match),
                what="a tenant of a hosting service goes by the name of",
            )


def third_party_strength(reading: HostReading, match: TokenMatch) -> Strength:
    """How much a name weighs where its owner would have no reason to stand.

    Below a service that businesses pay for, and as an account of developers, it would have one. `play.` and `box.` are
    ordinary labels, and `gitlab.` is where people run it themselves: such names accuse no one unless the host asks for
    something too, stands where names are cheap, or is padded with hyphens.
    """
    if _has_reason(reading, match):
        return "medium"
    if _is_in_passing(reading, match):
        return _resemblance(reading, match)
    # A double hyphen is not a spelling of a name; it pads a host to look longer.
    pressed = reading.urges(match) or reading.crowded or "--" in match.label
    if match.level == "subdomain" and match.alignment == "label":
        # Two letters are a language or a machine.
        if len(match.label) < SHORTEST_LABEL and not reading.domain_requests:
            return "weak"
        if not pressed and not reading.reads_like_request(match):
            return _resemblance(reading, match)
    return _name_strength(reading, match, pressed=pressed)


def _name_strength(reading: HostReading, match: TokenMatch, *, pressed: bool) -> Strength:
    """How much a name weighs by its own kind, its place in the host and its brand's sector."""
    sector = match.token.brand.categories[0]
    if match.alignment == "inside":
        return "strong" if match.neighbours in {"urgent", "urging"} and match.size == "long" else "medium"
    if match.alignment == "label" and match.level == "subdomain" and sector == "social":
        return "strong" if pressed else "medium"
    if match.size == "common":
        return _common_strength(reading, match, pressed=pressed)
    chosen = match.level == "tenant" and match.alignment != "label"
    # Software of this kind is run by its users under its name.
    return "strong" if sector not in _RUN_BY_ANYBODY or pressed or chosen else "medium"


def _resemblance(reading: HostReading, match: TokenMatch) -> Strength:
    """Strength of a name without a word of request: at most a resemblance."""
    return _common_strength(reading, match, pressed=False, most="medium") if match.size == "common" else "medium"


def _has_reason(reading: HostReading, match: TokenMatch) -> bool:
    """Whether the owner of the name has a reason to stand here, or learners have."""
    # The brand itself may be the customer, or run the machine.
    if reading.serves_businesses or reading.is_machine(match) or reading.is_below_itself(match):
        return True
    # Learners publish copies of well-known sites there; a copy has a signal of its own.
    if match.level == "tenant" and _is_published(reading, match):
        return True
    # The brand's group runs the service: its machines have names there too.
    return not reading.urges(match) and _is_own_service(reading, match)


def _is_in_passing(reading: HostReading, match: TokenMatch) -> bool:
    """Whether a program keeps files or serves customers of a platform at the host, without a word of request."""
    label = match.alignment == "label" or not any(match.words_around)  # digits and hyphens alone change nothing
    if match.neighbours == "urgent" or "--" in match.label or (label and reading.urges(match)):
        return False
    return reading.stored or ("platforms" in match.token.sectors and not (label and match.level == "tenant"))


def _is_published(reading: HostReading, match: TokenMatch) -> bool:
    """Whether the host is an account of developers, or a blog about a brand of an ordinary sector."""
    suffix = reading.target.suffix
    if match.alignment == "label":
        return suffix in _ACCOUNTS
    exposed = "exposed" in match.token.sectors
    return not reading.urges(match) and (suffix in _ACCOUNTS or (suffix in _BLOGS and not exposed))


def _is_own_service(reading: HostReading, match: TokenMatch) -> bool:
    """Whether the hosting service is run by the brand's own group, whose machines have names there too."""
    suffix = reading.target.suffix
    registry = suffixes_of(suffix).registry
    name = suffix.removesuffix(registry).rstrip(".").rpartition(".")[2]
    host = reading.names.world.brand_at(f"{name}.{registry}") if name else None
    return host is not None and host.owner == match.token.brand.owner


def _common_strength(reading: HostReading, match: TokenMatch, *, pressed: bool, most: Strength = "strong") -> Strength:
    text = match.token.text
    short = len(text) < SHORTEST_ALONE and (match.level != "tenant" or match.alignment not in {"label", "word"})
    # An everyday word speaks for its brand only where the host urges an action.
    if text in reading.names.everyday or short:
        return "strong" if pressed and _stands_for_brand(reading, match) else "weak"
    if match.alignment == "label" and match.level == "tenant" and not pressed:
        return "medium"
    return most


def _stands_for_brand(reading: HostReading, match: TokenMatch) -> bool:
    """Whether an everyday word or a short name, in a host that presses, stands for its brand."""
    if match.alignment not in {"label", "word", "front"}:
        return False
    if match.alignment == "label" and not reading.urges(match) and "--" not in match.label:
        return False
    return match.level != "subdomain" or not _is_elsewhere(reading, match)


def _is_elsewhere(reading: HostReading, match: TokenMatch) -> bool:
    """Whether an everyday word that holds no money stands below a domain that asks for nothing itself.

    `target.signin.acme.test` is a machine of acme.test, whose sign-in uses a tool of that name.
    """
    words = reading.explain(reading.labels[-1])
    requested = words.urgent > 0 and words.unexplained <= SHORTEST_ALONE
    return "money" not in match.token.sectors and not (reading.crowded or requested)
