"""What a report may say about the rules, with the address of each one's page."""

from __future__ import annotations

from waypost.report import RuleNote
from waypost.validate.rulebook import rules_by_name


def notes(site: str) -> dict[str, RuleNote]:
    """The rules by name. `site` is the address in front of their pages; a path alone where it is empty."""
    front = site.rstrip("/")
    return {
        rule.name: RuleNote(rule.name, rule.doc, rule.authority, rule.severity, f"{front}/rules/{rule.name}/")
        for rule in rules_by_name().values()
    }
