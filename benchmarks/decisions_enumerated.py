"""Every combination of owner, URL, network, lists, page and action: each decision against rules written apart from it.

    python benchmarks/decisions_enumerated.py [--step N]

The rules here are those of the design, over the kinds of input, and share no code with the engine. Checked is: an
action is allowed exactly where the rules say; nothing is allowed with an upheld dispute in its scope; every reason of a
stop is true of the input, and one of them is a reason to stop; and a stop turns into an allow by one change only in the
ways of `WAYS`, each with why it is right. `--step N` takes every N-th combination.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from waypost.models import observation
from waypost.models.decision import Decision, Evidence
from waypost.models.payment import MerchantReading, Payment
from waypost.models.relationship import Relationship
from waypost.registry.world import World, load
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.target import normalise

NOW = 1_795_176_000_000
MINUTE, DAY = 60_000, 86_400_000
ACME = {
    "slug": "acme", "names": ["ACME"], "aliases": [], "owner": "acme", "categories": [], "countries": [],
    "tokens": ["acmepayments"], "short_or_common_tokens": ["acme"],
    "official_domains": [{"domain": "acme.example", "role": "principal", "reviewed": "2026-11-20", "sources": ["hand"]}],
    "further_domains": [],
}  # fmt: skip
POLICIES = ("baseline-2026-11-29", "strict-2026-11-29")
ACTIONS = ("payment", "upload", "visit", "unspecified")
OWNERS = (
    "nobody", "claimed", "reviewed by two", "reviewed by one", "affiliate", "lapsed", "reviewed and disputed",
    "host disputed", "reviewed, host disputed",
)  # fmt: skip
URLS: Mapping[str, str] = {
    "plain": "https://garden-tools.test/",
    "open": "http://garden-tools.test/",
    "credentials": "https://ann:word@garden-tools.test/",
    "posing credentials": "https://example.com@garden-tools.test/",
    "address": "https://8.8.8.8/",
    "imitation": "https://acme-login.test/",
}
NETWORKS = (
    "seen", "offline", "no name", "bad certificate", "no certificate", "leads away", "young", "age unknown",
    "page hangs", "private",
)  # fmt: skip
LISTS = ("none", "clean", "match", "stale")
PAGES = ("silent", "logo of another", "claims another's domain")
PAYEES = ("not named", "agrees", "contradicts", "not read")


class Kind(NamedTuple):
    """Combination of the kinds of input of a decision."""

    policy: str
    action: str
    owner: str
    url: str
    network: str
    lists: str
    page: str
    payee: str


DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "owner": OWNERS,
    "url": tuple(URLS),
    "network": NETWORKS,
    "lists": LISTS,
    "page": PAGES,
    "payee": PAYEES,
}
"""Members of a combination that may change between two checks of one action under one policy."""


def kinds() -> Iterator[Kind]:
    return itertools.starmap(Kind, itertools.product(POLICIES, ACTIONS, *DIMENSIONS.values()))


@lru_cache(maxsize=1)
def small_world() -> World:
    """Shipped data with a single made-up brand."""
    files = {path: data for path, data in load().files.items() if not path.startswith("brands/")}
    return World(files | {"brands/a/acme.json": msgspec.json.encode(ACME)})


def decided(kind: Kind) -> Decision:
    target = normalise(URLS[kind.url])
    case = DecisionInput(
        decision_id="d",
        target=target,
        action=kind.action,
        now=NOW,
        policy=kind.policy,
        relationships=tuple(_relationships(kind.owner, target.host)),
        seen=_observations(kind.network, target),
        further=(*_list(kind.lists), *_page(kind.page)),
        payment=_payment(kind.payee),
    )
    return decide(case, small_world())


def _relationships(owner: str, host: str) -> Iterator[Relationship]:
    review: dict[str, Any] = {"reviewed_at": NOW - DAY, "review_expires_at": NOW + DAY, "state": "accepted"}
    common = {"id": "rel_1", "domain": host, "entity": "garden", "scope": "host"}
    if owner == "claimed":
        yield Relationship(**common)
    if owner.startswith("reviewed"):
        yield Relationship(**common, **review, grave=owner != "reviewed by one")
    if owner == "affiliate":
        yield Relationship(**common, **review, grave=True, relation="affiliate")
    if owner == "lapsed":
        yield Relationship(**common, **(review | {"reviewed_at": NOW - 2 * DAY, "review_expires_at": NOW}), grave=True)
    if owner == "reviewed and disputed":
        yield Relationship(**(common | {"id": "rel_2"}), state="disputed")
    if owner.endswith("host disputed"):
        yield Relationship(id="dispute:1", domain=host, entity="", scope="host", state="disputed")


def _observations(network: str, target: Any) -> observation.Observations | None:
    if network == "offline":
        return None
    times: dict[str, Any] = {"observed_at": NOW, "valid_until": NOW + 10 * MINUTE}
    failed: dict[str, Any] = {"status": "failed", "reason": "timeout", **times}
    hops = [observation.Hop(scheme=target.scheme, host=target.host, port=target.port)]
    if network == "leads away":
        hops.append(observation.Hop(scheme="https", host="elsewhere.test", port=443))
    dns = observation.DnsObservation(status="observed", addresses=("192.0.2.7",), ttl_s=600, **times)
    tls = observation.TlsObservation(status="observed", valid=True, **times)
    http = observation.HttpObservation(status="observed", hops=tuple(hops), answer=200, **times)
    age = 3 if network == "young" else 900
    registration = observation.RegistrationObservation(status="observed", registered_at=NOW - age * DAY, **times)
    if network == "private":
        dns = msgspec.structs.replace(dns, addresses=("10.0.0.1",), not_public=True)
    if network in {"private", "no name"}:
        http = observation.HttpObservation(unknowns=("http_not_fetched",), **failed)
        tls = observation.TlsObservation(unknowns=("tls_not_checked",), **failed)
    if network == "no name":
        dns = observation.DnsObservation(unknowns=("dns_timeout",), **failed)
    if network == "page hangs":
        http = observation.HttpObservation(unknowns=("http_not_fetched",), **failed)
    if network == "bad certificate":
        tls = msgspec.structs.replace(tls, valid=False, error="expired")
    if network == "no certificate":
        tls = observation.TlsObservation(unknowns=("tls_not_checked",), **failed)
    if network == "age unknown":
        registration = observation.RegistrationObservation(unknowns=("registration_age_unavailable",), **failed)
    return observation.Observations(
        host=target.host, observed_at=NOW, dns=dns, tls=tls, http=http, registration=registration
    )


def _list(lists: str) -> Iterator[Evidence]:
    if lists != "none":
        status = "stale" if lists == "stale" else "observed"
        yield Evidence(type="threat_list_check", status=status, id="list", observed_at=NOW)
    if lists == "match":
        yield Evidence(
            type="threat_list_check", status="observed", id="list.match", strength="decisive", observed_at=NOW
        )


def _page(page: str) -> Iterator[Evidence]:
    common: dict[str, Any] = {
        "type": "structured_data_claim",
        "status": "observed",
        "brand": "acme",
        "observed_at": NOW,
    }
    if page == "logo of another":
        yield Evidence(**common, id="sd.logo", summary_code="structured_data_logo_hotlinked", strength="medium")
    if page == "claims another's domain":
        yield Evidence(**common, id="sd.claims", summary_code="structured_data_claims_other_domain", strength="strong")


def _payment(payee: str) -> Payment | None:
    """Payment with an address that the host's manifest names or not, and a checkout that the host signed or not."""
    if payee == "not named":
        return None
    outcome: Any = {"agrees": "agrees", "contradicts": "contradicts", "not read": "failed"}[payee]
    merchant = MerchantReading(
        profile="failed" if payee == "not read" else "read",
        signature=outcome,
        payee=outcome,
        observed_at=NOW,
        valid_until=NOW + 10 * MINUTE,
    )
    return Payment(payee_type="x402", payee_hash="a", merchant=merchant)


# The rules of the design, over kinds alone.


def is_disputed(kind: Kind) -> bool:
    return kind.owner.endswith("disputed")


def is_verified(kind: Kind) -> bool:
    """Whether a review in force covers the host. A host that is a private address has no owner."""
    owners = {"reviewed by two", "reviewed by one", "affiliate"}
    return kind.owner in owners and kind.network != "private"


def imitates(kind: Kind) -> bool:
    """Whether two facts of different kinds, one of them name or page, pose as a brand at a host that no review covers."""
    posing = [kind.url == "imitation", kind.page == "claims another's domain"]
    facts = [*posing, kind.network in {"young", "leads away"}, kind.lists == "match"]
    enough = 2 if kind.policy in POLICIES else 1
    return (
        any(posing)
        and sum(facts) >= enough
        and not is_verified(kind)
        and not is_disputed(kind)
        and kind.network != "private"
    )


def is_high_risk(kind: Kind) -> bool:
    claims = kind.page == "claims another's domain" and kind.policy not in POLICIES
    return imitates(kind) or kind.lists == "match" or kind.url == "posing credentials" or claims


def is_doubtful(kind: Kind) -> bool:
    """Whether anything speaks against a destination, high or not."""
    bad = {"bad certificate", "leads away", "young"}
    resembles = kind.url == "imitation" and not is_verified(kind)
    return (
        is_high_risk(kind)
        or resembles
        or kind.url not in {"plain", "imitation"}
        or kind.network in bad
        or kind.page != "silent"
    )


def is_checked(kind: Kind) -> bool:
    """Whether everything that the action requires was observed."""
    if kind.network in {"offline", "no name", "no certificate", "private"}:
        return False
    if kind.network == "page hangs" and (kind.url in {"open", "address"} or not is_verified(kind)):
        return False  # only a reviewed host needs no answer, over a connection that was checked
    if kind.action in {"payment", "unspecified"}:  # without an action the strictest tier counts
        has_lists = kind.lists in {"clean", "match"} or kind.policy.startswith("baseline")
        # The newest strict policy withholds an owner whose continuity could not be compared.
        compared = kind.network != "age unknown" or kind.policy != "strict-2026-11-29"
        return kind.owner != "reviewed by one" and has_lists and compared
    return True


def is_payee_right(kind: Kind) -> bool:
    """Whether nothing speaks against the payee, and under the newest policies nothing about the payee was left unread."""
    return kind.payee != "contradicts" and (kind.payee != "not read" or kind.policy not in POLICIES)


def is_allowed(kind: Kind) -> bool:
    if kind.action == "unspecified" or is_disputed(kind) or kind.network == "private":
        return False
    if kind.action == "visit":
        return not is_high_risk(kind)
    if not is_payee_right(kind):
        return False
    return is_verified(kind) and not is_doubtful(kind) and is_checked(kind)


REASONS: Mapping[str, Callable[[Kind], bool]] = {
    "brand_impersonation_signal": imitates,
    "brand_name_similarity": lambda kind: kind.url == "imitation" and not is_verified(kind) and not imitates(kind),
    "official_relationship_verified": lambda kind: is_verified(kind) and kind.owner != "affiliate",
    "affiliate_relationship_verified": lambda kind: is_verified(kind) and kind.owner == "affiliate",
    "relationship_claim_unreviewed": lambda kind: kind.owner == "claimed",
    "relationship_disputed": is_disputed,
    "relationship_review_expired": lambda kind: kind.owner == "lapsed",
    "threat_list_match": lambda kind: kind.lists == "match",
    "redirect_to_other_domain": lambda kind: kind.network == "leads away",
    "insecure_transport": lambda kind: kind.url == "open" or kind.network == "bad certificate",
    "non_public_address": lambda kind: kind.network == "private",
    "recently_registered": lambda kind: kind.network == "young",
    "required_evidence_missing": lambda kind: is_verified(kind) and (not is_checked(kind) or kind.payee == "not read"),
    "payee_mismatch": lambda kind: kind.payee == "contradicts" and kind.action != "visit",
    "credentials_in_url": lambda kind: "credentials" in kind.url,
    "risk_beside_verified_owner": lambda kind: is_verified(kind) and is_doubtful(kind),
    "risk_signal_blocks_action": lambda kind: not is_verified(kind) and is_doubtful(kind),
    "action_unspecified": lambda kind: kind.action == "unspecified",
    "no_decisive_signal": lambda kind: not is_verified(kind) and not is_high_risk(kind),
}
"""What must be true of the input where a decision lists a reason."""
NO_REASON_TO_STOP = frozenset({"official_relationship_verified", "affiliate_relationship_verified"})

Change = tuple[str, str, str]
"""Dimension, value of the stop, value of the allow."""


class Way(NamedTuple):
    """Changes of one dimension that turn a stop into an allow, and why that is right. `after`: empty for any value."""

    dimension: str
    before: frozenset[str]
    after: frozenset[str]
    why: str


def _values(*values: str) -> frozenset[str]:
    return frozenset(values)


_REVIEWED = _values("reviewed by two", "reviewed by one", "affiliate")
_SEEN = _values("seen", "age unknown", "page hangs")
WAYS = (
    Way("owner", _values("nobody", "claimed", "lapsed"), _REVIEWED, "a review in force now stands behind the host"),
    Way(
        "owner", _values("reviewed by one"), _values("reviewed by two", "affiliate"), "a second person has reviewed it"
    ),
    Way(
        "owner",
        _values("host disputed", "reviewed and disputed", "reviewed, host disputed"),
        _values(),
        "a reviewer has ended the dispute, and the host stands as it would without one",
    ),
    Way(
        "url",
        _values("credentials", "open", "address"),
        _values("plain", "imitation"),
        "another address: what was wrong with it is gone, and a review covers this host, whatever its name looks like",
    ),
    Way("url", _values("posing credentials"), _values(), "another address, for a visit: no host name poses as another"),
    Way("url", _values("imitation"), _values(), "another host, for a visit: its name imitates no brand"),
    Way("network", _values("offline", "no name", "no certificate"), _SEEN, "what the action requires was now observed"),
    Way("network", _values("bad certificate"), _SEEN, "the certificate is now valid"),
    Way(
        "network",
        _values("age unknown"),
        _values("seen", "page hangs"),
        "the continuity of the owner could be compared, as the strict policy requires",
    ),
    Way(
        "network",
        _values("leads away"),
        _SEEN,
        "the host no longer leads to another owner; the service remembers what a page that hangs may hide",
    ),
    Way("network", _values("young"), _values("seen", "page hangs"), "the domain is older than thirty days"),
    Way(
        "network",
        _values("young"),
        _values("age unknown"),
        "the age is consulted, not required: the engine knows one "
        "moment, and what was seen before is the service's to remember",
    ),
    Way(
        "network",
        _values("young", "leads away"),
        _values(),
        "for a visit: the second fact next to a name or a claim is gone or not there; what was seen before is the "
        "service's to remember",
    ),
    Way(
        "network",
        _values("private"),
        _values(),
        "the name resolves to a public address, or for a visit was not looked up: a visit gives nothing away",
    ),
    Way(
        "lists",
        _values("match"),
        _values("clean", "none", "stale"),
        "no list in force names the host; under `strict` a payment takes a fresh list besides",
    ),
    Way("lists", _values("none", "stale"), _values("clean"), "the fresh list that `strict` requires is there"),
    Way("page", _values("claims another's domain"), _values(), "the page no longer claims to be somebody else's"),
    Way("page", _values("logo of another"), _values("silent"), "the page no longer shows another's logo"),
    Way(
        "payee",
        _values("contradicts", "not read"),
        _values("agrees"),
        "the host declares this payee, and its key has signed this checkout",
    ),
    Way(
        "payee",
        _values("contradicts", "not read"),
        _values("not named"),
        "another payment: the caller pays on the reviewed owner's own page, and to nobody that the caller names",
    ),
)
"""Every way from a stop to an allow by one change."""


def why(change: Change) -> str:
    """Reason why a change may turn a stop into an allow; empty for a change that may not."""
    dimension, before, after = change
    return next(
        (
            way.why
            for way in WAYS
            if way.dimension == dimension and before in way.before and after in (way.after or {after})
        ),
        "",
    )


def errors_of(kind: Kind, decision: Decision) -> Iterator[str]:
    """Rules that a decision breaks."""
    if decision.action_allowed != is_allowed(kind):
        yield f"allowed is {decision.action_allowed}"
    if is_disputed(kind) and decision.action_allowed:
        yield "allowed in the scope of an upheld dispute"
    for reason in decision.reason_codes:
        if reason not in REASONS or not REASONS[reason](kind):
            yield f"the reason {reason} is not true"
    if not decision.action_allowed and NO_REASON_TO_STOP.issuperset(decision.reason_codes):
        yield f"stopped for {', '.join(decision.reason_codes)}"
    risk = decision.risk_status != "no_high_risk_signal_observed"
    if risk and not decision.action_allowed and decision.reason_codes == ("no_decisive_signal",):
        yield "nothing decisive beside a risk"


def changes(kind: Kind) -> Iterator[tuple[Change, Kind]]:
    """Combinations that differ in one dimension."""
    for dimension, values in DIMENSIONS.items():
        now = getattr(kind, dimension)
        for value in values:
            if value != now:
                yield (dimension, now, value), kind._replace(**{dimension: value})


def run(step: int = 1) -> tuple[int, list[str], Counter[Change]]:
    """Number of decisions, broken rules, and changes that turned a stop into an allow."""
    made, broken = {}, []
    for number, kind in enumerate(kinds()):
        if number % step == 0:
            made[kind] = decision = decided(kind)
            broken += [f"{kind}: {error}" for error in errors_of(kind, decision)]
    ways: Counter[Change] = Counter()
    for kind, decision in made.items():
        if decision.action_allowed:
            continue
        for change, other in changes(kind):
            allowed = made[other].action_allowed if other in made else is_allowed(other)
            ways[change] += allowed
    return len(made), broken, +ways


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=1)
    made, broken, ways = run(parser.parse_args().step)
    for (dimension, before, after), count in sorted(ways.items()):
        print(f"{count:6}  {dimension}: {before} -> {after}: {why((dimension, before, after)) or 'NOT LISTED'}")
    print("\n".join(broken[:20]))
    unlisted = [change for change in ways if not why(change)]
    print(
        f"{made} decisions, {len(broken)} broken rules, {len(ways)} ways from stop to allow, {len(unlisted)} unlisted"
    )
    return int(bool(broken or unlisted))


if __name__ == "__main__":
    sys.exit(main())
