"""Hover texts: findings with the documentation of their rules, and terms of the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from waypost.formats.text import join_words
from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.completion import cursor_at, markup_cursor_at
from waypost.lsp.cursor import Container
from waypost.lsp.requirements import in_words, requirements_of
from waypost.lsp.symbols import at_position
from waypost.lsp.terms import described, term_at
from waypost.models.finding import Finding
from waypost.registry import Registry
from waypost.registry.vocabulary import bare
from waypost.validate.rulebook import rules_of

MOST = 3
MOST_REQUIREMENTS = 12


class Term(NamedTuple):
    """Term of the vocabulary in a document: word, range of code points, object around."""

    word: str
    start: int
    end: int
    around: Container | None = None
    is_key: bool = False


def hover(checked: CheckedDocument, offset: int) -> tuple[str, int, int] | None:
    """(Markdown, start byte, end byte) for a code point; None without a text."""
    registry = checked.registry
    at = checked.document.byte(offset)
    found = checked.between(at, at)[:MOST]
    parts = [_explained(finding, registry) for finding in found]
    start, end = (found[0].start, found[0].end) if found else (at, at)
    term = _term(checked, offset)
    description = described(term.word, registry.vocabulary) if term else None
    if term is not None and description is not None:
        parts.append(description)
        if lines := "\n".join(_requirements(term, registry)):
            parts.append(lines)
        if not found:
            start, end = checked.document.byte(term.start), checked.document.byte(term.end)
        # The name of a type is where a reader asks what the node gets.
        is_type = bare(term.word) in registry.vocabulary.types
        verdict = at_position(checked, checked.document.position(offset)) if is_type else None
        if verdict is not None:
            parts.insert(0, plain(verdict))
    return ("\n\n---\n\n".join(parts), start, end) if parts else None


def _term(checked: CheckedDocument, offset: int) -> Term | None:
    """Word at a code point where a term of the vocabulary is possible."""
    text = checked.document.text
    if cursor := cursor_at(checked, offset):
        return Term(text[cursor.start : cursor.end], cursor.start, cursor.end, cursor.around, cursor.is_key)
    if at := markup_cursor_at(checked, offset):
        return Term(text[at.start : at.end], at.start, at.end, at.around, at.kind == "property")
    word = term_at(checked, offset)
    return Term(*word) if word else None


def _requirements(term: Term, registry: Registry) -> Iterator[str]:
    """Requirements of rich results as lines: on a property of an object, or on the properties of a type."""
    name = bare(term.word)
    if term.is_key and term.around is not None:
        found = [each for each in requirements_of(term.around, registry) if each.name == name]
        yield from (f"- {plain(in_words(each))}" for each in found[:MOST_REQUIREMENTS])
    elif name in registry.vocabulary.types:
        results: dict[str, list[str]] = {}
        for requirement in requirements_of(Container(types=[name]), registry):
            if requirement.strength == "required" and not requirement.depends:
                group = results.setdefault(requirement.result, [])
                names = "one of " + ", ".join(sorted({requirement.name, *requirement.others}))
                words = names if requirement.others else requirement.name
                group += [words] * (words not in group)
        yield from (
            f"- {plain(result)} requires {plain(join_words(names))}"
            for result, names in list(results.items())[:MOST_REQUIREMENTS]
        )


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
