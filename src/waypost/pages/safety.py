"""Pages about decisions: making and reading a decision, codes, policies, and recorded decisions replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from waypost.errors import RegistryError
from waypost.models.decision import Decision, Evidence
from waypost.models.explanation import Explanation
from waypost.models.observation import Observations
from waypost.pages.draft import Draft, Group, Source
from waypost.pages.heads import draft
from waypost.pages.text import coloured, documentation
from waypost.registry import assets
from waypost.registry.world import World
from waypost.report.decision import dated, recorded_verdict
from waypost.safety.catalogue import catalogue
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput
from waypost.safety.evidence_effects import effect_text, effects
from waypost.safety.explain import explain
from waypost.safety.policy import DEFAULT
from waypost.safety.serialize import decision_to_dict
from waypost.safety.target import normalise

_TOP = (("Safety", "safety/"),)
_LINES = ("action", "relationship", "risk", "evidence", "unknowns", "confidence")


class CodeKind(NamedTuple):
    """Kind of code with a page for each code. `key`: its key in codes.json; `one`: kind of page of a code."""

    title: str
    folder: str
    key: str
    one: str
    about: str


_KINDS = (
    CodeKind(
        title="Reason codes",
        folder="reasons",
        key="reason_codes",
        one="Reason code",
        about="Every reason that a decision can give, what it means, and what to do.",
    ),
    CodeKind(
        title="Unknowns",
        folder="unknowns",
        key="unknowns",
        one="Unknown",
        about="Everything that a decision may not know, what it means, and what would settle it.",
    ),
    CodeKind(
        title="Evidence",
        folder="evidence",
        key="evidence_types",
        one="Evidence",
        about="Every kind of evidence that a decision can rest on, and how it is collected.",
    ),
)


class Panel(NamedTuple):
    """Recorded decision as shown in the panel: the verdict of that time with its day, and nine cells."""

    name: str
    title: str
    about: str
    at: datetime
    verdict: str
    allowed: bool
    sentence: str
    until: datetime
    decision: Decision
    explanation: Explanation
    evidence: list[dict[str, Any]]
    json: str

    @property
    def address(self) -> str:
        return f"safety/replay/{self.name}/"


class Safety:
    """Data of the pages about decisions."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.codes: dict[str, dict[str, str]] = {
            kind: codes for kind, codes in source.world.document("codes.json").items() if isinstance(codes, dict)
        }
        self.advice: dict[str, Any] = json.loads((assets.folder("site") / "codes.json").read_text("utf-8"))
        for kind in ("reason_codes", "unknowns", "evidence_types"):
            # A code without advice, or advice for a code that is gone, stops the build.
            if missing := sorted(self.codes[kind].keys() ^ self.advice[kind].keys()):
                raise RegistryError(
                    "site/codes.json", f"{kind}: {', '.join(missing)} is in one of the two lists of codes only"
                )

    @cached_property
    def policies(self) -> list[dict[str, Any]]:
        paths = sorted(path for path in self.source.world.files if path.startswith("policies/"))
        documents = [self.source.world.document(path) for path in paths]
        return [{**policy, "version": f"{policy['policy_id']}-{policy['date']}"} for policy in documents]

    @cached_property
    def panels(self) -> dict[str, Panel]:
        """Recorded cases, decided again, by name."""
        folder = self.source.cases / "decisions"
        given = json.loads((folder / "given" / "everything-seen.json").read_text("utf-8"))
        world = _world_of_cases(self.source)
        return {path.stem: self._panel(path, given, world) for path in sorted(folder.glob("*.json"))}

    def _panel(self, path: Path, given: dict[str, Any], world: World) -> Panel:
        document = json.loads(path.read_text("utf-8"))
        case = _case_of(document["asked"], given)
        decision = decide(case, world)
        document_now = decision_to_dict(decision, include={"policy_version"})
        # The id is new in each decision; all else must be as recorded.
        if {name: value for name, value in document_now.items() if name != "decision_id"} != document["decision"]:
            raise RegistryError(str(path), "another decision comes of this case than the one that it records")
        _, was = recorded_verdict(decision, self.codes, case.now)
        rendered = decision_to_dict(decision, include={"policy_version", "evidence_summary"})
        return Panel(
            name=path.stem,
            title=document["title"],
            about=document["about"],
            at=datetime.fromtimestamp(case.now / 1000, UTC),
            verdict=dated(was, case.now),
            allowed=decision.action_allowed,
            sentence=self.codes["reason_codes"][decision.reason_codes[0]],
            until=datetime.fromtimestamp(decision.expires_at / 1000, UTC),
            decision=decision,
            explanation=explain(decision, world, case.now),
            evidence=_evidence(case, decision, world),
            json=coloured(json.dumps(rendered, indent=2, ensure_ascii=False)),
        )


def _evidence(case: DecisionInput, decision: Decision, world: World) -> list[dict[str, Any]]:
    """Kinds of check with status, details and effect: those that turn the decision first."""
    changes = {effect.type: effect for effect in effects(case, decision, world)}
    kinds: dict[str, list[Evidence]] = {}
    for piece in sorted(decision.evidence, key=lambda piece: [*changes, piece.type].index(piece.type)):
        kinds.setdefault(piece.type, []).append(piece)
    return [
        {
            "type": kind,
            "status": ", ".join(dict.fromkeys(e.status for e in pieces if e.strength == "context") or ["observed"]),
            "told": [(e.summary_code or "", e.detail) for e in pieces if e.detail],
            "effect": effect_text(changes[kind], allowed=decision.action_allowed) if kind in changes else "",
            "turns": kind in changes and changes[kind].allowed != decision.action_allowed,
        }
        for kind, pieces in kinds.items()
    ]


def _world_of_cases(source: Source) -> World:
    """World with the invented brands of the cases in place of real ones."""
    brands = (source.cases / "signals" / "brands").glob("*.json")
    # Cases are about invented brands, so that none depends on what real brands change.
    files = {p: data for p, data in source.world.files.items() if not p.startswith(("brands/", "sites.json"))}
    return World(files | {f"brands/x/{p.name}": p.read_bytes() for p in brands} | {"sites.json": b'{"sites": []}'})


def _case_of(document: dict[str, Any], given: dict[str, Any]) -> DecisionInput:
    """Case from a file. `seen` overrides parts of `everything-seen.json`; null: no observation."""
    target = normalise(document["url"])
    seen = document["seen"]
    if seen is not None:
        whole = {name: part | seen.get(name, {}) if isinstance(part, dict) else part for name, part in given.items()}
        seen = msgspec.convert(whole | {"host": target.host}, Observations)
    members = {name: value for name, value in document.items() if name not in {"url", "seen"}}
    case = {"decision_id": "00000000-0000-4000-8000-000000000000", "target": msgspec.to_builtins(target), **members}
    return msgspec.structs.replace(msgspec.convert(case, DecisionInput), seen=seen)


def side(source: Source) -> tuple[Group, ...]:
    """Side navigation of the section."""
    codes = source.world.document("codes.json")
    return (
        Group(
            "Safety",
            (
                ("Overview", "safety/", ""),
                ("Check a destination", "safety/check/", ""),
                ("How a decision is made", "safety/how/", ""),
                ("Reading a decision", "safety/reading/", ""),
                ("Recorded decisions", "safety/replay/", ""),
                ("Dispute a decision", "safety/dispute/", ""),
            ),
        ),
        Group(
            "Codes",
            (
                *((kind.title, f"safety/{kind.folder}/", str(len(codes[kind.key]))) for kind in _KINDS),
                ("Signals", "safety/signals/", str(len(catalogue()))),
            ),
        ),
        Group(
            "Policies",
            (
                ("All policies", "safety/policies/", ""),
                *(
                    (f"{path.split('/')[1][:-5]}", f"safety/policies/{path.split('/')[1][:-5]}/", "")
                    for path in sorted(source.world.files)
                    if path.startswith("policies/")
                ),
            ),
        ),
    )


def drafts(safety: Safety) -> Iterator[Draft]:
    """Drafts of the section's pages."""
    shared = {"codes": safety.codes, "panels": safety.panels}
    yield from _introduction(safety, shared)
    yield from _replays(safety, shared)
    yield from _codes(safety, shared)
    yield from _signals(safety, shared)
    yield from _policies(safety, shared)
    yield draft("safety/dispute/", "safety-dispute.html")


def _introduction(safety: Safety, shared: dict[str, Any]) -> Iterator[Draft]:
    panels = [safety.panels[name] for name in _FEATURED if name in safety.panels]
    values = {**shared, "policies": safety.policies}
    yield draft("safety/", "safety.html", {**values, "shown": panels[:1], "kinds": _KINDS})
    yield draft("safety/how/", "safety-how.html", values)
    yield draft("safety/reading/", "safety-reading.html", {**shared, "shown": panels})


def _replays(safety: Safety, shared: dict[str, Any]) -> Iterator[Draft]:
    yield draft("safety/replay/", "safety-replays.html", shared)
    for panel in safety.panels.values():
        yield Draft(
            panel.address,
            "safety-replay.html",
            panel.title,
            f"{panel.about} {panel.verdict}.",
            (*_TOP, ("Recorded decisions", "safety/replay/")),
            {**shared, "panel": panel, "lines": _LINES},
            kind="Recorded decision",
            words=" ".join(panel.decision.reason_codes),
        )


_FEATURED = (
    "payment-at-an-impersonating-host",
    "payment-at-an-unknown-host",
    "a-reviewed-destination-with-all-evidence",
)


def _codes(safety: Safety, shared: dict[str, Any]) -> Iterator[Draft]:
    for kind in _KINDS:
        codes = safety.codes[kind.key]
        yield Draft(
            f"safety/{kind.folder}/",
            "codes.html",
            kind.title,
            kind.about,
            _TOP,
            {**shared, "listed": codes, "folder": kind.folder, "statuses": safety.codes["evidence_statuses"]},
            kind="Index",
        )
        for code in codes:
            yield _code(code, kind, safety, shared)


def _code(code: str, kind: CodeKind, safety: Safety, shared: dict[str, Any]) -> Draft:
    """Draft of the page of a code."""
    sentence = safety.codes[kind.key][code]
    return Draft(
        f"safety/{kind.folder}/{code}/",
        "code.html",
        code.replace("_", " ").capitalize(),
        sentence,
        (*_TOP, (kind.title, f"safety/{kind.folder}/")),
        {
            **shared,
            "code": code,
            "advice": safety.advice[kind.key][code],
            "folder": kind.folder,
            "title": kind.title,
            "seen": [p for p in safety.panels.values() if code in _codes_of(p, kind.key)],
            "policies": _policies_naming(safety, kind.key, code),
        },
        kind=kind.one,
        words=code,
        structured=(
            {
                "@type": "DefinedTerm",
                "name": code,
                "description": sentence,
                "inDefinedTermSet": {"@type": "DefinedTermSet", "name": kind.title},
            },
        ),
    )


def _codes_of(panel: Panel, kind: str) -> set[str]:
    match kind:
        case "reason_codes":
            return set(panel.decision.reason_codes)
        case "unknowns":
            return set(panel.decision.unknowns)
        case _:
            return {piece.type for piece in panel.decision.evidence}


def _policies_naming(safety: Safety, kind: str, code: str) -> list[tuple[str, str, int]]:
    """Places where policies name a code: (version, how, tier)."""
    members = {
        "unknowns": [("blocking_unknowns", "stops the action")],
        "evidence_types": [("evidence", "requires it"), ("consults", "consults it")],
    }.get(kind, [])
    return [
        (policy["version"], words, tier["tier"])
        for policy in safety.policies
        for tier in policy["tiers"]
        for member, words in members
        if code in tier[member]
    ]


def _signals(safety: Safety, shared: dict[str, Any]) -> Iterator[Draft]:
    signals = list(catalogue().values())
    yield draft(
        "safety/signals/", "signals.html", {**shared, "signals": signals, "strengths": safety.codes["strengths"]}
    )
    for signal in catalogue().values():
        first, _, rest = signal.doc.partition("\n")
        body, cited = documentation(rest)
        name = signal.name.replace("_", "-")
        yield Draft(
            f"safety/signals/{name}/",
            "signal.html",
            first.removesuffix("."),
            safety.codes["summary_codes"][signal.summary_code],
            (*_TOP, ("Signals", "safety/signals/")),
            {
                **shared,
                "signal": signal,
                "name": name,
                "body": body,
                "source": cited,
                "cases": _signal_cases(safety.source, name),
                "seen": [
                    p
                    for p in safety.panels.values()
                    if any(e.summary_code == signal.summary_code for e in p.decision.evidence)
                ],
            },
            kind="Signal",
            words=f"{signal.summary_code} {signal.summary_code.replace('_', ' ')}",
        )


def _signal_cases(source: Source, name: str) -> list[dict[str, Any]]:
    folder = source.cases / "signals" / name
    if not folder.is_dir():
        return []
    panels = []
    # What fires first, then what looks alike and does not.
    for path in sorted(folder.glob("*.json"), key=lambda p: (p.name.startswith("good"), p.name)):
        case = json.loads(path.read_text("utf-8"))
        host = normalise(case["url"]).unicode_host
        kind, _, title = path.stem.partition("-")
        panels.append(
            {
                "speaks": kind == "bad",
                "title": title.replace("-", " ").capitalize(),
                "host": host,
                "strength": case.get("strength", ""),
                "brand": case.get("brand", ""),
            }
        )
    return panels


def _policies(safety: Safety, shared: dict[str, Any]) -> Iterator[Draft]:
    first, *others = safety.policies
    values = {
        **shared,
        "policies": safety.policies,
        "differences": {p["version"]: _difference(first, p) for p in others},
        "first": first["version"],
    }
    yield draft("safety/policies/", "policies.html", values)
    for policy in safety.policies:
        data = {name: value for name, value in policy.items() if name != "version"}
        yield Draft(
            f"safety/policies/{policy['version']}/",
            "policy.html",
            _title_of(policy),
            policy["about"],
            (*_TOP, ("Policies", "safety/policies/")),
            {
                **shared,
                "policy": policy,
                "default": policy["version"] == DEFAULT,
                "document": coloured(json.dumps(data, indent=2)),
            },
            kind="Policy" if DEFAULT.endswith(policy["date"]) else "Earlier policy",
            words=f"{policy['version']} tiers allow stop",
        )


def _title_of(policy: dict[str, Any]) -> str:
    """Title of a policy for people: "Baseline policy of 1 December 2026"."""
    day = date.fromisoformat(policy["date"])
    return f"{policy['policy_id'].capitalize()} policy of {day.day} {day:%B %Y}"


def _difference(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Differences between two policies in words, tier by tier."""
    differences = []
    tiers = {tier["tier"]: tier for tier in old["tiers"]}
    for tier in new["tiers"]:
        known = tiers.get(tier["tier"], {})
        for member in sorted(tier.keys() | known.keys()):
            before, after = known.get(member), tier.get(member)
            # Reasons are prose and change nothing.
            if before == after or member == "because":
                continue
            if isinstance(before or after, list):
                # A member that is left out is an empty list.
                before, after = before or [], after or []
                more = [f"+ {code}" for code in after if code not in before]
                more += [f"- {code}" for code in before if code not in after]
                change = ", ".join(more)
            else:
                change = " to ".join("not set" if value is None else json.dumps(value) for value in (before, after))
            differences.append(f"tier {tier['tier']}, {member}: {change}")
    return differences
