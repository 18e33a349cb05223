"""Sentences of consumers' own reports for findings, such as Search Console's: by profile, property and rule.

A sentence belongs to a finding only where the report was seen to say it about the same property of the same result,
and no other sentence: a reader who has the mail open finds the line, and no guess stands beside a finding.
"""

from __future__ import annotations

import re
from functools import lru_cache

from waypost.registry.messages import filled, names_of, report_messages, slug_of
from waypost.registry.registry import Registry

_SEVERAL = re.compile(", | or ")


def property_key(text: str) -> str:
    """Properties of a finding, as in "review, aggregateRating or offers", in one order, joined by a bar."""
    return "|".join(sorted(_SEVERAL.split(text)))


@lru_cache(maxsize=4)
def finding_sentences(registry: Registry) -> dict[str, dict[str, dict[str, str]]]:
    """Profile -> `property_key` -> rule -> sentence, for every finding with exactly one."""
    seen: dict[tuple[str, str, str], set[str]] = {}
    for messages in report_messages(registry):
        templates = {template.name: template for template in messages.templates}
        for message in messages.messages:
            template = templates[message.template]
            within, fields = names_of(message)
            sentence = filled(template.text, fields, within if "{field" in template.text else "")
            for rule in template.rules:
                key = (message.profile, "|".join(sorted(message.path.split("|"))), rule)
                seen.setdefault(key, set()).add(sentence)
    found: dict[str, dict[str, dict[str, str]]] = {}
    for (profile, path, rule), sentences in seen.items():
        if len(sentences) == 1:
            found.setdefault(profile, {}).setdefault(path, {})[rule] = min(sentences)
    return found


def sentence_of(registry: Registry, rule: str, profile: str | None, text: str | None) -> str | None:
    """Sentence of a consumer's report for a finding of a rule, with its profile and property."""
    if profile is None or text is None:
        return None
    return finding_sentences(registry).get(profile, {}).get(property_key(text), {}).get(rule)


@lru_cache(maxsize=4)
def message_pages(registry: Registry) -> dict[str, str]:
    """Sentence -> address of its page below the root of the site, for the sentences of findings."""
    pages: dict[str, str] = {}
    for messages in report_messages(registry):
        templates = {template.name: template for template in messages.templates}
        for message in messages.messages:
            within, fields = names_of(message)
            text = templates[message.template].text
            has_fields = "{field" in text
            sentence = filled(text, fields, within if has_fields else "")
            pages[sentence] = f"messages/{message.template}/{f'{slug_of(fields)}/' if has_fields else ''}"
    in_findings = {
        each for paths in finding_sentences(registry).values() for rules in paths.values() for each in rules.values()
    }
    return {sentence: page for sentence, page in sorted(pages.items()) if sentence in in_findings}


def packed_sentences(registry: Registry) -> dict[str, dict[str, dict[str, str]]]:
    """The same for the browser: profile -> `property_key` -> sentence -> names of rules, with a space between."""
    packed: dict[str, dict[str, dict[str, str]]] = {}
    for profile, paths in finding_sentences(registry).items():
        for path, rules in paths.items():
            held = packed.setdefault(profile, {}).setdefault(path, {})
            for rule, sentence in rules.items():
                held[sentence] = f"{held[sentence]} {rule}" if sentence in held else rule
    return packed
