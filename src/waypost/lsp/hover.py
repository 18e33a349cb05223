"""Hover texts: findings with the documentation of their rules, and terms of the vocabulary."""

from __future__ import annotations

import re

from waypost.lint.own_requirements import registry_for
from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.symbols import at_position
from waypost.lsp.terms import described, term_at
from waypost.models.finding import Finding
from waypost.registry import Registry
from waypost.validate.rulebook import rules_of

MOST = 3


def hover(checked: CheckedDocument, offset: int, registry: Registry) -> tuple[str, int, int] | None:
    """(Markdown, start byte, end byte) for a code point; None without a text."""
    at = checked.document.byte(offset)
    found = checked.between(at, at)[:MOST]
    parts = [_explained(finding, registry_for(checked.config, registry)) for finding in found]
    start, end = (found[0].start, found[0].end) if found else (at, at)
    if word := term_at(checked, offset):
        description = described(word[0], registry.vocabulary)
        if description is not None:
            parts.append(description)
            if not found:
                start, end = checked.document.byte(word[1]), checked.document.byte(word[2])
            # The name of a type is where a reader asks what the node gets.
            verdict = (
                at_position(checked, checked.document.position(offset))
                if word[0] in registry.vocabulary.types
                else None
            )
            if verdict is not None:
                parts.insert(0, plain(verdict))
    return ("\n\n---\n\n".join(parts), start, end) if parts else None


def _explained(finding: Finding, registry: Registry) -> str:
    rule = rules_of(registry).get(finding.rule)
    origin = f"{finding.authority}, {finding.profile}" if finding.profile else finding.authority
    name = f"`{finding.rule}`"
    if "://" in finding.doc_url:
        name = f"[{name}]({finding.doc_url})"
    lines = [f"**{finding.severity}** {name} ({origin})", plain(finding.message)]
    if finding.hint:
        lines.append(plain(finding.hint))
    if rule is not None:
        lines.append(re.sub(r"\n(?=Sources?: )", "\n\n", rule.doc))
    if finding.profile and f"profiles/{finding.profile}.json" in registry.files:
        profile = registry.document(f"profiles/{finding.profile}.json")
        lines.append(f"[{profile['title']}]({profile['doc']})")
    return "\n\n".join(lines)


def plain(text: str) -> str:
    """Text with Markdown characters escaped."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~&])", r"\\\1", text)
