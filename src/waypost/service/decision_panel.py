"""Panel of a decision: the advice in a line, the policy's tier and the deciding row."""

from __future__ import annotations

from typing import Any

from waypost.models.decision import Decision
from waypost.registry.world import World
from waypost.report.decision import dated, recorded_verdict, verdict
from waypost.safety.decision_input import DecisionInput
from waypost.safety.evidence_effects import effect_text, effects
from waypost.safety.explain import explain


def panel_of(decision: Decision, case: DecisionInput, world: World) -> dict[str, Any]:
    """Members of the panel as JSON. `case`: the input of the decision.

    The deciding row is the risk's where it is not met, as its reason comes first, else the first that is not met; of an
    allowed action all are met, and it is the relationship's. `effects` are ordered: those that turn the decision first.
    """
    explanation = explain(decision, world, case.now, case.policy_file)
    unmet = sorted((row for row in explanation.rows if not row.holds), key=lambda row: row.line != "risk")
    row = unmet[0] if unmet else explanation.rows[1]
    codes = world.document("codes.json")
    return {
        "verdict": verdict(decision, codes),
        "dated": dated(verdict(decision, codes), case.now),
        "past": dated(recorded_verdict(decision, codes, case.now)[1], case.now),
        "tier": explanation.tier,
        "because": explanation.because,
        "row": {"line": row.line, "holds": row.holds, "required": list(row.required), "found": list(row.found)},
        "effects": [
            {
                "type": effect.type,
                "status": effect.status,
                "turns": effect.allowed != decision.action_allowed,
                "text": effect_text(effect, allowed=decision.action_allowed),
            }
            for effect in effects(case, decision, world)
        ],
    }
