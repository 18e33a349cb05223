"""Decisions for people: advice first, then nine separate statements, without a total score.

Every code has a sentence, and every state is given in words: colour only helps. No text offers to go on in spite
of a stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from waypost.models.decision import Decision, Evidence
from waypost.models.explanation import Explanation, SignalMatch, TierRow
from waypost.report._frame import visible
from waypost.report._terminal import Paint, wrapped

Sentences = Mapping[str, Mapping[str, str]]
"""Kind of code -> code -> sentence, as in `data/codes.json`."""
_NARROWEST, _WIDEST, _COLUMN = 50, 110, 14
_AGAINST = frozenset({"suspected_impersonation", "disputed"})
_RISKY = frozenset({"high_risk_signal_observed", "elevated_risk_signal_observed"})


class View(NamedTuple):
    """Options of a decision's panel.

    why           show the conditions of the policy tier, and every signal
    dispute_path  path for disputes, empty without a configured service
    offline       the check ran without network by request
    recorded_at   milliseconds since 1970 of an earlier decision; None for a live answer
    """

    sentences: Sentences
    width: int = 80
    colour: bool = False
    why: bool = False
    dispute_path: str = ""
    offline: bool = False
    recorded_at: int | None = None


def draw(decision: Decision, explanation: Explanation, view: View) -> str:
    """Panel as text, ends with a newline."""
    return "".join(f"{line}\n" for line in _Panel(decision, explanation, view).lines())


def verdict(decision: Decision, sentences: Sentences) -> str:
    """Advice in a line."""
    if "actions_frozen" in decision.reason_codes:
        return "Stop: the organization has frozen every sensitive action"
    if "action_not_permitted" in decision.reason_codes:
        return f"Stop: the operator's policy never allows to {sentences['verbs'].get(decision.action, 'act')}"
    if decision.deciding == ("action",):
        return "Stop: no action was named, and without one nothing is allowed"
    if decision.action_allowed:
        doing = sentences["doing"].get(decision.action, "This action")
        return f"{doing} is allowed here until {_clock_of(decision.expires_at)}"
    verb = sentences["verbs"].get(decision.action, "act")
    # A stop against something seen is advice; a stop for want of evidence must not read like an accusation.
    known = decision.relationship_status in _AGAINST or decision.risk_status in _RISKY
    if known or "non_public_address" in decision.reason_codes:
        return f"Stop: do not {verb} here"
    return f"Stop: not enough is known to {verb} here"


def recorded_verdict(decision: Decision, sentences: Sentences, at: int) -> tuple[str, str]:
    """("RECORDED 20 November 2026", advice of the time): a record allows nothing now.

    at  clock of the decision, in milliseconds since 1970
    """
    made = datetime.fromtimestamp(at / 1000, UTC)
    head = f"RECORDED {made.day} {made:%B %Y}"
    if decision.action_allowed:
        doing = sentences["doing"].get(decision.action, "This action")
        until = datetime.fromtimestamp(decision.expires_at / 1000, UTC)
        day = "" if until.date() == made.date() else f" on {until.day} {until:%B %Y}"
        return head, f"{doing} was allowed until {_clock_of(decision.expires_at)}{day}"
    advice = verdict(decision, sentences)
    return head, advice.replace("not enough is known", "not enough was known")


def dated(advice: str, at: int) -> str:
    """Advice with its day: "On 20 November 2026: stop, do not pay here".

    at  clock of the decision, in milliseconds since 1970
    """
    made = datetime.fromtimestamp(at / 1000, UTC)
    return f"On {made.day} {made:%B %Y}: {advice[0].lower()}{advice[1:].replace(': ', ', ', 1)}"


class _Panel:
    def __init__(self, decision: Decision, explanation: Explanation, view: View) -> None:
        self.decision = decision
        self.explanation = explanation
        self.view = view
        self.paint = Paint(view.colour)
        self.room = min(max(view.width, _NARROWEST), _WIDEST)

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield ""
        yield from self._statements()
        yield ""
        yield from self._foot()
        if self.view.why:
            yield ""
            yield from self._policy()
            yield ""
            yield from self._signals()

    def _head(self) -> Iterator[str]:
        if self.view.recorded_at is not None:
            yield from self._recorded_head(self.view.recorded_at)
            return
        mark, shade = ("[+]", "good") if self.decision.action_allowed else ("[x]", "error")
        text = f"{mark} {verdict(self.decision, self.view.sentences)}"
        yield from (self.paint(line, shade) for line in wrapped(text, self.room))
        where = visible(self.decision.normalized_domain)
        yield from wrapped(f"{where} · expires {_moment(self.decision.expires_at)}; check again after that", self.room)

    def _recorded_head(self, at: int) -> Iterator[str]:
        text = ": ".join(recorded_verdict(self.decision, self.view.sentences, at))
        # A mark of its own and no colour of a verdict: neither [+] nor [x] may be read into a record.
        yield from (self.paint(line, "bold") for line in wrapped(f"[=] {text}", self.room))
        where = visible(self.decision.normalized_domain)
        until = f"{where} · decided {_moment(at)}, valid until {_moment(self.decision.expires_at)}"
        yield from wrapped(until, self.room)
        yield from wrapped("This is a record, not a live answer: check again before you act.", self.room)

    def _statements(self) -> Iterator[str]:
        decision = self.decision
        yield from self._row("Request", [self._coded("actions", decision.action)])
        yield from self._row("Relationship", [self._coded("relationship_statuses", decision.relationship_status)])
        yield from self._row("Risk seen", [self._coded("risk_statuses", decision.risk_status)])
        yield from self._row("Evidence", self._evidence())
        yield from self._row("Confidence", [self._coded("confidence_classes", decision.confidence_class)])
        unknowns = [self._coded("unknowns", each) for each in decision.unknowns]
        yield from self._row("Unknowns", unknowns or ["None listed: an empty list, not a missing one."])
        yield from self._row("Reason codes", [self._coded("reason_codes", each) for each in decision.reason_codes])
        yield from self._row("Policy", [decision.policy_version])
        yield from self._row("Decision id", [decision.decision_id])

    def _evidence(self) -> list[str]:
        """Checks with their results, observations below."""
        kinds: dict[str, list[Evidence]] = {}
        for each in self.decision.evidence:
            kinds.setdefault(each.type, []).append(each)
        lines = []
        for kind, pieces in kinds.items():
            # Evidence of strength "context" records that a check was made; any other is something that was observed.
            checks = dict.fromkeys(each.status for each in pieces if each.strength == "context") or ["observed"]
            lines.append(f"{kind}: {', '.join(checks).replace('_', ' ')}")
            seen = [each for each in pieces if each.strength != "context"]
            lines += [f"- {each.summary_code or each.id}: {each.detail}" for each in seen]
            lines += [f"- {each.detail}" for each in pieces if each.strength == "context" and each.detail]
        return lines or ["None: nothing was observed."]

    def _coded(self, kind: str, code: str) -> str:
        sentence = self.view.sentences[kind].get(code, "")
        return f"{code}: {sentence}" if sentence else code

    def _row(self, label: str, values: Iterable[str]) -> Iterator[str]:
        first = True
        for value in values:
            inset = "  " if value.startswith("- ") else ""
            for number, line in enumerate(wrapped(value.removeprefix("- "), self.room - _COLUMN - len(inset))):
                start = self.paint(f"{label:<{_COLUMN}}", "bold") if first else " " * _COLUMN
                yield f"{start}{inset and ('- ' if number == 0 else '  ')}{line}"
                first = False

    def _foot(self) -> Iterator[str]:
        if self.decision.official_alternative:
            # The official site was not checked in this decision, so it must not read as approved.
            advice = "Check it as a destination of its own before you act there."
            yield from self._row("Official", [self.decision.official_alternative, advice])
        changes = list(self._changes())
        yield from self._row("Would change", [f"- {each}" for each in changes])
        if self.view.dispute_path:
            yield from self._row("Dispute", [self.view.dispute_path])

    def _changes(self) -> Iterator[str]:
        """Changes that would lead to another decision, from the failed conditions of the policy."""
        decision = self.decision
        if self.view.recorded_at is not None and decision.action_allowed:
            yield "Nothing changes a record, and it allows nothing now: check again."
            return
        if decision.action_allowed:
            yield "A dispute, a risk signal or expired evidence: check again after the decision expires."
            return
        if "actions_frozen" in decision.reason_codes:
            yield "Two people of the organization end the freeze (waypost org unfreeze)."
        elif "action_not_permitted" in decision.reason_codes:
            yield "Nothing here: the operator's policy never allows this action."
        elif "action" in decision.deciding:
            yield "Name the action with --action."
        if "amount_not_permitted" in decision.reason_codes:
            yield "An amount within the policy's bound and within your own cap (--amount EUR:1999:2500)."
        if "relationship" in decision.deciding:
            yield self._relationship_needed()
        if "risk" in decision.deciding:
            seen = [each.summary_code or each.id for each in decision.evidence if each.strength not in _QUIET]
            fired = ", ".join(dict.fromkeys(seen))
            yield f"These risk signals no longer fire: {fired}." if fired else "The risk can be assessed."
        if "evidence" in decision.deciding or "unknowns" in decision.deciding:
            yield from self._evidence_needed()
        if decision.deciding == ("confidence",):
            yield "More of the evidence that the policy lists."

    def _relationship_needed(self) -> str:
        match self.decision.relationship_status:
            case "suspected_impersonation":
                return "A reviewer confirms that the destination belongs to the brand; until then it counts as a copy."
            case "disputed":
                return "A reviewer resolves the dispute (waypost review accept)."
            case _:
                return "A reviewer confirms the owner of the destination (waypost review submit, then accept)."

    def _evidence_needed(self) -> Iterator[str]:
        (row,) = (each for each in self.explanation.rows if each.line == "evidence")
        pairs = zip(row.required, row.found, strict=True)
        missing = [need.removesuffix(" observed") for need, got in pairs if need != got]
        # The relationship holds and the review does not count: one person made it, and this action takes two.
        if "registry_review" in missing and "relationship" not in self.decision.deciding:
            yield "A second reviewer confirms it (waypost review, a claim of official_login or official_payment)."
        missing = [each for each in missing if each != "registry_review"]
        if missing or "unknowns" in self.decision.deciding:
            how = "; check again without --offline" if self.view.offline else ""
            yield f"This evidence is observed: {', '.join(missing) or 'a checked connection'}{how}."

    def _policy(self) -> Iterator[str]:
        explanation = self.explanation
        head = f"{explanation.policy_version}, tier {explanation.tier}: {', '.join(explanation.actions)}"
        yield from (self.paint(line, "bold") for line in wrapped(head, self.room))
        yield from wrapped(explanation.because, self.room)
        for row in explanation.rows:
            yield from self._policy_row(row)

    def _policy_row(self, row: TierRow) -> Iterator[str]:
        yield f"  {row.line:<13} {self.paint('holds', 'good') if row.holds else self.paint('does not hold', 'error')}"
        conditions = [
            ("requires", (" or " if row.line in _ALTERNATIVES else ", ").join(row.required)),
            ("found", ", ".join(row.found)),
        ]
        for label, text in conditions if row.holds else [*conditions, ("so", row.consequence)]:
            for number, line in enumerate(wrapped(text or "nothing", self.room - 26)):
                yield f"{' ' * 16}{label if number == 0 else '':<10}{line}"

    def _signals(self) -> Iterator[str]:
        yield self.paint("Signals", "bold")
        if not self.explanation.signals:
            yield from wrapped("  None fired. That does not rule out a risk.", self.room)
        for each in self.explanation.signals:
            yield from self._signal(each)

    def _signal(self, fired: SignalMatch) -> Iterator[str]:
        weight = self.view.sentences["strengths"][fired.strength]
        head = f"{fired.summary_code or fired.type}, {fired.strength}: {weight}"
        yield from (f"  {line}" for line in wrapped(head, self.room - 2))
        for text in (fired.detail, fired.about):
            yield from (f"    {line}" for line in wrapped(text, self.room - 4))


_ALTERNATIVES = frozenset({"action", "relationship", "risk"})
_QUIET = frozenset({"context", "weak"})


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _clock_of(at: int) -> str:
    """Time of day, with seconds where there are some."""
    text = f"{datetime.fromtimestamp(at / 1000, UTC):%H:%M:%S}"
    return f"{text.removesuffix(':00')} UTC"
