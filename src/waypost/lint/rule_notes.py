"""Notes on rules for reports, with the URLs of their pages."""

from __future__ import annotations

from waypost.report import RuleNote


def rule_notes(site: str) -> dict[str, RuleNote]:
    """Notes by rule name. `site` is the URL of the site; empty for paths alone."""
    from waypost.validate.rulebook import rules_by_name

    front = site.rstrip("/")
    return {
        rule.name: RuleNote(rule.name, rule.doc, rule.authority, rule.severity, f"{front}/rules/{rule.name}/")
        for rule in rules_by_name().values()
    }
