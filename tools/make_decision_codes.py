"""Write the codes of src/waypost/models/decision.py into schemas/api/decision.schema.json, then openapi.json.

    python tools/make_decision_codes.py [--check]

With --check nothing is written: the status is 1 where a file has other codes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import make_openapi

from waypost.models import decision

TARGET = Path(__file__).resolve().parent.parent / "schemas" / "api" / "decision.schema.json"
ENUMERATIONS = {
    "relationship_status": decision.RELATIONSHIP_STATUSES,
    "risk_status": decision.RISK_STATUSES,
    "confidence_class": decision.CONFIDENCE_CLASSES,
    "reason_codes": decision.REASON_CODES,
    "unknowns": decision.UNKNOWNS,
    "summary_code": decision.SUMMARY_CODES,
}
"""Members of the schema -> their codes; a list of codes has its enumeration in `items`."""


def replaced(schema: Any) -> Any:
    """Copy of a schema with the codes of every member in ENUMERATIONS, at any depth."""
    if isinstance(schema, list):
        return [replaced(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: replaced(part) for name, part in schema.items()}
    for name, member in copy.get("properties", {}).items():
        holder = member.get("items", member)
        if name in ENUMERATIONS and "enum" in holder:
            holder["enum"] = list(ENUMERATIONS[name])
    return copy


def main() -> int:
    current = TARGET.read_text(encoding="utf-8")
    made = json.dumps(replaced(json.loads(current)), indent=2, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        return int(made != current) or make_openapi.main()
    TARGET.write_text(made, encoding="utf-8")
    return make_openapi.main()


if __name__ == "__main__":
    raise SystemExit(main())
