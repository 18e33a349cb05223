"""Notes on rules for reports, with the URLs of their pages."""

from __future__ import annotations

from collections.abc import Iterable

from waypost.config import Config
from waypost.report import RuleNote


def rule_notes(site: str, configs: Iterable[Config] = ()) -> dict[str, RuleNote]:
    """Notes by rule name, with the rules of the configurations. `site`: URL of the site; empty for paths alone."""
    from waypost.lint.own_requirements import registry_for
    from waypost.validate.rulebook import rules_by_name, rules_of

    front = site.rstrip("/")
    books = [*(rules_of(registry_for(config)) for config in configs if config.own_rules), rules_by_name()]
    return {
        rule.name: RuleNote(rule.name, rule.doc, rule.authority, rule.severity, f"{front}/rules/{rule.name}/")
        for book in books
        for rule in book.values()
    }
