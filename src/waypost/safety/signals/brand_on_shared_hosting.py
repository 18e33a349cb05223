"""A brand's name is what a tenant of a hosting service chose to be called.

Anybody may take `acme-support.host.test` where `host.test` lets names to the public; brands have homes of their
own, except among developers, where the name of a host is the name of an account and well-known ones are taken by
whom they name. Learners publish copies of well-known sites there too: a copy is a copy, whoever made it.
Source: `data/suffixes/hosting.json` and `dynamic-dns.json`; the public suffix list's private part, read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, Strength, SummaryCode
from waypost.safety.lexical import seen
from waypost.safety.reading import Hit, Reading

TAKES = "reading"
SHORTEST_ALONE = 4
_ACCOUNTS = frozenset({"github.io", "gitlab.io", "bitbucket.io", "readthedocs.io", "sourceforge.net", "sourceforge.io"})
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


def observe(reading: Reading) -> Iterator[Evidence]:
    for hit in reading.hits:
        if hit.kind == "exact" and hit.place == "tenant" and not hit.echo and hit.how != "split":
            yield seen(
                reading,
                hit,
                name="host.shared",
                code=SUMMARY_CODE,
                strength=stranger_strength(reading, hit),
                what="a tenant of a hosting service goes by the name of",
            )


def stranger_strength(reading: Reading, hit: Hit) -> Strength:
    """How much a name weighs where its owner would have no reason to stand.

    Below a service that businesses pay for, and as an account of developers, it would have one. `play.` and `box.` are
    ordinary labels, and `gitlab.` is where people run it themselves: such names accuse nobody unless the host asks for
    something too, stands where names are cheap, or is padded with hyphens.
    """
    if reading.target.registrable in reading.names.customers or reading.target.suffix in reading.names.customers:
        return "medium"
    if hit.how == "label" and hit.place == "tenant" and reading.target.suffix in _ACCOUNTS:
        return "medium"
    pressed = reading.pressing or reading.crowded or "--" in hit.label
    if hit.how == "inside":
        return "strong" if reading.pressing and hit.size == "long" else "medium"
    if hit.size == "common":
        return _common_strength(reading, hit, pressed=pressed)
    if hit.token.brand.categories[0] in _RUN_BY_ANYBODY and not pressed:
        return "medium"
    return "strong"


def _common_strength(reading: Reading, hit: Hit, *, pressed: bool) -> Strength:
    text = hit.token.text
    if text in reading.names.everyday or len(text) < SHORTEST_ALONE:
        return "strong" if pressed and hit.how in {"label", "word", "front"} else "weak"
    if hit.how == "label" and hit.place == "tenant" and not pressed:
        return "medium"
    return "strong"
