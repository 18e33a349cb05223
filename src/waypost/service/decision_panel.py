"""Panel of a decision: the advice in a line, the policy's tier and the deciding row."""

from __future__ import annotations

from typing import Any

from waypost.models.decision import Decision
from waypost.registry.world import World
from waypost.report.decision import verdict
from waypost.safety.explain import explain


def panel_of(decision: Decision, world: World, now: int) -> dict[str, Any]:
    """Members of the panel as JSON. `now` is the clock of the decision, in milliseconds since 1970.

    The deciding row is the risk's where it is not met, as its reason comes first, else the first that is not met; of an
    allowed action all are met, and it is the relationship's.
    """
    explanation = explain(decision, world, now)
    unmet = sorted((row for row in explanation.rows if not row.holds), key=lambda row: row.line != "risk")
    row = unmet[0] if unmet else explanation.rows[1]
    return {
        "verdict": verdict(decision, world.document("codes.json")),
        "tier": explanation.tier,
        "because": explanation.because,
        "row": {"line": row.line, "holds": row.holds, "required": list(row.required), "found": list(row.found)},
    }
