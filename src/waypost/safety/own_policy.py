"""Operators' own policies: TOML files that add to a shipped policy, and never take from a policy.

A file may name further evidence and unknowns for a tier, shorter lifetimes, actions that are always a stop, and
payments at shops outside the registry. The version of the shipped policy is part of the file, so that the same file
means the same policy for ever.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import msgspec

from waypost.errors import PolicyError, UnknownPolicy, WaypostError
from waypost.formats.currencies import currencies
from waypost.formats.toml_lines import Path, line_of, lines_of
from waypost.models.decision import LATER_REASON_CODES, Unknown
from waypost.models.wire.policies import DeclaredMerchants as DeclaredMerchantsFile
from waypost.models.wire.policies import PolicyFile, TightenedTier
from waypost.registry.world import World
from waypost.safety.policy import DeclaredMerchants, Policy, Tier, at_least, find, policies, refusal
from waypost.safety.target import of_host

LARGEST = 65_536
"""Longest file in bytes of UTF-8."""
ANY_SHOP = "*"
_MOST_MINOR_UNITS = 1_000_000_000
_WITHOUT_EFFECT: frozenset[Unknown] = frozenset({"idn_display_ambiguous", "public_suffix_list_stale"})
"""Unknowns that no check lists today: to block them would have no effect."""
_DOMAIN = re.compile(r"(?:[a-z0-9]+(?:-+[a-z0-9]+)*\.)+[a-z0-9]+(?:-+[a-z0-9]+)*")
"""Name in lower case, without scheme, port and path, of at least two labels."""
_PLACE = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_FORMS: dict[Path, str] = {
    ("policy_id",): "2 to 40 lower case letters, digits and hyphens, the first a letter, as acme-pay",
    ("extends",): "the version of a shipped policy with its day, as baseline-2026-11-29",
}
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")


class FileError(NamedTuple):
    """Error in a policy file. `line` is 1-based; `member` is the path of the member, empty for the whole file."""

    line: int
    member: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {f'{self.member}: ' if self.member else ''}{self.message}"


class OwnPolicyError(PolicyError):
    """Policy file with errors, each with its line and member."""

    def __init__(self, file: str, errors: tuple[FileError, ...]) -> None:
        super().__init__(file, "; ".join(map(str, errors)))
        self.errors = errors


class OwnPolicy(NamedTuple):
    """Operator's own policy: the file, the text, and the complete policy."""

    file: PolicyFile
    text: str
    policy: Policy


def read_policy(text: str, name: str, world: World) -> OwnPolicy:
    """Policy of a file's text. Raises OwnPolicyError.

    name  of the file, for errors
    """
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        raise OwnPolicyError(name, (FileError(1, "", f"the file is larger than {LARGEST} bytes"),))
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        raise OwnPolicyError(name, (FileError(int(found[1]) if found else 1, "", f"not TOML: {error}"),)) from None
    lines = lines_of(text)
    try:
        file = msgspec.convert(values, PolicyFile)
    except msgspec.ValidationError as error:
        raise OwnPolicyError(name, (_placed(str(error), lines),)) from None
    errors = tuple(FileError(line_of(lines, path), _written(path), message) for path, message in _errors(file, world))
    if errors:
        raise OwnPolicyError(name, errors)
    policy = _derived(file, find(world, file.extends))
    if reason := refusal(policy):
        raise OwnPolicyError(name, (FileError(1, "", reason),))
    return OwnPolicy(file, text, policy)


@lru_cache(maxsize=64)
def policy_of(world: World, text: str) -> Policy:
    """Policy of the text of an accepted file. Raises OwnPolicyError."""
    return read_policy(text, "policy", world).policy


def _placed(message: str, lines: dict[Path, int]) -> FileError:
    """Error of msgspec with its member and line."""
    found = _PLACE.search(message)
    steps = [match["key"] or match["index"] for match in _STEP.finditer(found["path"])] if found else []
    path: Path = tuple(int(step) if step.isdigit() else step for step in steps if step != "...")
    text = message[: found.start()] if found else message
    if unknown := re.search(r"unknown field `([^`]+)`", text):
        path, text = (*path, unknown[1]), "there is no such member"
    elif missing := re.search(r"missing required field `([^`]+)`", text):
        text = f"{missing[1]} is missing"
    elif "matching regex" in text and path in _FORMS:
        text = f"write {_FORMS[path]}"
    return FileError(line_of(lines, path), _written(path), text[:1].lower() + text[1:])


def _written(path: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _errors(file: PolicyFile, world: World) -> Iterator[tuple[Path, str]]:
    """Errors of a file that has the right shape, each with the path of its member."""
    for name in ("date", "until"):
        day = getattr(file, name)
        if day is not None and not _is_day(day):
            yield (name,), f"{day!r} is not a day as in 2026-11-29"
    if file.until is not None and file.until < file.date:
        yield ("until",), f"the last day of use is before {file.date}, the day of release"
    shipped = policies(world)
    if file.policy_id in {each.policy_id for each in shipped.values()}:
        yield ("policy_id",), f"{file.policy_id} is a shipped policy; choose another id"
    try:
        base = find(world, file.extends)
    except UnknownPolicy as error:
        yield ("extends",), str(error)
        return
    if file.extends not in shipped or "actions_frozen" not in base.further_reasons:
        yield ("extends",), f"{file.extends} is too old to be extended; extend {find(world, base.policy_id).version}"
    if file.date < base.date:
        yield ("date",), f"the policy is older than {file.extends}, which it extends"
    if "visit" in file.never:
        yield ("never",), "a visit gives nothing away; name sensitive actions"
    yield from _errors_of_tiers(file, base)
    if file.declared_merchants is not None:
        yield from _errors_of_merchants(file, file.declared_merchants, world)


def _errors_of_tiers(file: PolicyFile, base: Policy) -> Iterator[tuple[Path, str]]:
    known = {tier.tier: tier for tier in base.tiers}
    for number, each in enumerate(file.tighten):
        place: Path = ("tighten", number)
        tier = known.get(each.tier)
        if tier is None:
            yield (*place, "tier"), f"there is no tier {each.tier}; there are {', '.join(map(str, sorted(known)))}"
            continue
        if each.tier in {other.tier for other in file.tighten[:number]}:
            yield (*place, "tier"), f"tier {each.tier} is tightened twice"
        for name in ("allow_s", "max_evidence_age_s"):
            seconds = getattr(each, name)
            if seconds is not None and not 1 <= seconds <= getattr(tier, name):
                yield (*place, name), f"give 1 to {getattr(tier, name)} seconds, the time of {file.extends}"
        for unknown in sorted(_WITHOUT_EFFECT.intersection(each.blocking_unknowns)):
            yield (*place, "blocking_unknowns"), f"no check lists {unknown} today, so that it would have no effect"
        if each.min_confidence is not None and not at_least(each.min_confidence, tier.min_confidence):
            yield (*place, "min_confidence"), f"{file.extends} requires {tier.min_confidence}"


def _errors_of_merchants(
    file: PolicyFile, merchants: DeclaredMerchantsFile, world: World
) -> Iterator[tuple[Path, str]]:
    place: Path = ("declared_merchants",)
    for action in sorted(set(merchants.actions) & set(file.never)):
        yield (*place, "actions"), f"{action} is among the actions that `never` stops"
    for number, domain in enumerate(merchants.domains):
        if domain == ANY_SHOP:
            if len(merchants.domains) > 1:
                yield (*place, "domains", number), f"{ANY_SHOP} is every shop; name no further domain next to it"
        elif reason := _unusable(domain, world):
            yield (*place, "domains", number), reason
    for currency, most in merchants.amounts.items():
        if currency not in currencies().current:
            yield (*place, "amounts", currency), f"{currency!r} is not a currency of ISO 4217, as EUR"
        elif not 1 <= most <= _MOST_MINOR_UNITS:
            yield (*place, "amounts", currency), f"give 1 to {_MOST_MINOR_UNITS} in the currency's minor unit"


def _unusable(domain: str, world: World) -> str:
    """Reason why a domain is not that of a shop; empty for a usable one."""
    try:
        target = of_host(domain)
    except (WaypostError, ValueError):
        return f"{domain!r} is not a domain"
    if not _DOMAIN.fullmatch(domain) or target.registrable != domain or target.suffix == domain or target.address:
        return f"{domain!r} is not a registrable domain, as shop.example"
    if target.hosted:
        return f"{domain!r} is a name at a hosting service, where no review of the domain is possible"
    if world.brand_at(domain) is not None:
        return f"{domain!r} is in the registry: its reviews decide"
    return ""


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _derived(file: PolicyFile, base: Policy) -> Policy:
    """Shipped policy with the additions of a file."""
    tightened = {each.tier: each for each in file.tighten}
    merchants = file.declared_merchants
    return msgspec.structs.replace(
        base,
        policy_id=file.policy_id,
        date=file.date,
        about=file.about,
        until=file.until,
        replaces=(),
        tiers=tuple(_tightened(tier, tightened.get(tier.tier)) for tier in base.tiers),
        further_reasons=LATER_REASON_CODES,
        never=frozenset(file.never),
        declared_merchants=DeclaredMerchants(
            actions=frozenset(merchants.actions),
            domains=frozenset(merchants.domains),
            amounts=merchants.amounts,
            min_domain_age_days=merchants.min_domain_age_days,
            min_certificate_days=merchants.min_certificate_days,
            allow_s=merchants.allow_s,
            because=merchants.because,
        )
        if merchants
        else None,
    )


def _tightened(tier: Tier, more: TightenedTier | None) -> Tier:
    if more is None:
        return tier
    return msgspec.structs.replace(
        tier,
        evidence=(*tier.evidence, *(kind for kind in more.evidence if kind not in tier.evidence)),
        consults=tuple(kind for kind in tier.consults if kind not in more.evidence),
        blocking_unknowns=tier.blocking_unknowns.union(more.blocking_unknowns),
        min_confidence=more.min_confidence or tier.min_confidence,
        allow_s=more.allow_s or tier.allow_s,
        max_evidence_age_s=more.max_evidence_age_s or tier.max_evidence_age_s,
        because=more.because,
    )
