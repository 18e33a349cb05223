"""Pages of Search Console's messages: a page for every wording, alone and with the properties seen in a report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from waypost.formats.text import join_words
from waypost.pages.draft import Draft, Entry, Group, Source
from waypost.pages.heads import draft
from waypost.pages.message_examples import example_of, silence
from waypost.pages.pairs import Pair
from waypost.pages.rule_pairs import pair_of_rule
from waypost.pages.site_rules import current_rules
from waypost.pages.text import coloured
from waypost.registry import Registry
from waypost.registry.message_search import Found, Place, places, required_paths, wordings_of
from waypost.registry.messages import SLOT, Message, Messages, Sentence, Template, filled, report_messages, sentences
from waypost.validate.rulebook import Rule

LANGUAGES = {
    "ar": "Arabic", "de": "German", "es": "Spanish", "fr": "French", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "pt": "Portuguese", "tr": "Turkish", "zh": "Chinese",
}  # fmt: skip
_GROUPS = ("A property is missing", "A value does not fit", "The markup cannot be read")
_MISSING = frozenset(
    {"missing-field", "either-field", "missing-reviewed-name", "no-identifier", "several-reviews", "value-required",
     "no-reviewed-item", "rating-bounds"}
)  # fmt: skip


class Row(NamedTuple):
    """Place of a message: profile with heading, path in words, day and source of the report."""

    profile: str
    heading: str
    path: str
    critical: bool
    seen: str
    source: str
    note: str


class Property(NamedTuple):
    """Property of the results, with (profile, heading, whether the result needs the property) by result."""

    name: str
    address: str
    results: tuple[tuple[str, str, bool], ...]


def address_of(template: str, slug: str = "") -> str:
    """Address of a message's page."""
    return f"messages/{template}/{slug}/" if slug else f"messages/{template}/"


def drafts(source: Source) -> Iterator[Draft]:
    """Index, then the wordings, followed by the sentences of a wording."""
    for messages in report_messages(source.registry):
        own = list(sentences(messages))
        yield draft(
            "messages/",
            "messages.html",
            {"groups": _grouped(messages), "own": own, "wording": _title, "languages": LANGUAGES, "messages": messages},
        )
        for template in messages.templates:
            below = [sentence for sentence in own if sentence.template is template]
            yield _page(template, None, below, messages, source)
            for sentence in below:
                yield _page(template, sentence, [], messages, source)


def _title(template: Template) -> str:
    """Wording with an ellipsis in place of the properties."""
    return SLOT.sub("“…”", template.text)


def _grouped(messages: Messages) -> list[tuple[str, list[Template]]]:
    groups: dict[str, list[Template]] = {name: [] for name in _GROUPS}
    for template in messages.templates:
        groups[_GROUPS[_group(template)]].append(template)
    return list(groups.items())


def _group(template: Template) -> int:
    if template.name in _MISSING:
        return 0
    is_syntax = template.rules[0].startswith(("json-", "jsonld-")) or template.name in ("itemref", "nesting")
    return 2 if is_syntax else 1


def _page(
    template: Template, sentence: Sentence | None, below: list[Sentence], messages: Messages, source: Source
) -> Draft:
    registry = source.registry
    title = sentence.text if sentence else _title(template)
    name = f"{template.name}/{sentence.slug}" if sentence else template.name
    rows = _rows(registry, template, sentence, messages)
    example = example_of(name, sentence, source) or _example_of_template(template, below, source)
    crumbs: tuple[tuple[str, str], ...] = (("Search Console", "messages/"),)
    if sentence:
        crumbs = (*crumbs, (_title(template), address_of(template.name)))
    field = sentence.fields[0] if sentence else ""
    return Draft(
        address_of(template.name, sentence.slug if sentence else ""),
        "message.html",
        title,
        f"{template.description} {template.fix}",
        crumbs,
        {
            "template": template,
            "sentence": sentence,
            "report": messages.report,
            "pair": example,
            "silence": silence(name),
            "rows": rows,
            "critical": _critical(template, rows),
            "rules": _rules(template, example),
            "lede": _lede(registry, template, sentence),
            "below": below,
            "properties": properties(registry) if template.name == "missing-field" and not sentence else [],
            "wordings": [
                (LANGUAGES[each.language], filled(each.text, sentence.fields if sentence else ("…",)), each)
                for each in template.wordings
            ],
            "sources": _sources(template, rows),
            "command": coloured(f"waypost explain '{title.replace(chr(39), chr(8217))}'", "sh"),
        },
        kind="Search Console",
        words=" ".join((*(sentence.fields if sentence else ()), field and " ".join(_titles(registry, rows)))),
        data={
            "message": title,
            "report": messages.report,
            "description": template.description,
            "fix": template.fix,
            "rules": list(template.rules),
            "places": [{"profile": row.profile, "path": row.path, "critical": row.critical} for row in rows],
        },
        structured=({"@type": "TechArticle", "headline": title, "inLanguage": "en", "citation": template.source},),
    )


def _rules(template: Template, example: Pair | None) -> list[Rule]:
    """Rules that report a message, the rules of the example first."""
    visible = [finding.rule for finding in example.findings] if example else []
    ordered = sorted(template.rules, key=lambda name: (name not in visible, template.rules.index(name)))
    return [current_rules()[name] for name in ordered if name in current_rules()]


def _lede(registry: Registry, template: Template, sentence: Sentence | None) -> str:
    """Meaning of a message in a sentence, and the results in which it was seen."""
    if sentence is None:
        return template.description
    profiles = dict.fromkeys(message.profile for message in sentence.messages)
    return f"{template.description} Seen for {join_words([registry.profiles[name].title for name in profiles], 'and')}."


def _titles(registry: Registry, rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(registry.profiles[row.profile].title for row in rows))


def _example_of_template(template: Template, below: list[Sentence], source: Source) -> Pair | None:
    """Example of the first message with the wording, else of the first rule that reports the message."""
    for sentence in below:
        if pair := example_of(f"{template.name}/{sentence.slug}", sentence, source):
            return pair
    pairs = (pair_of_rule(name, source) for name in template.rules if name in current_rules())
    return next((pair for pair in pairs if pair), None)


def _critical(template: Template, rows: list[Row]) -> str:
    """Severity of a message in Search Console: critical, non-critical or both; empty where unknown."""
    kinds = (
        {True} if template.critical else {row.critical for row in rows if row.seen} or {row.critical for row in rows}
    )
    if not kinds:
        return ""
    return "both" if len(kinds) > 1 else "critical" if kinds.pop() else "non-critical"


def _rows(registry: Registry, template: Template, sentence: Sentence | None, messages: Messages) -> list[Row]:
    if sentence:
        fields = tuple(name.strip("<>") for name in sentence.fields)
        found = places(registry, Found(template, messages, fields, ""))
    else:
        own = [each for each in messages.messages if each.template == template.name]
        found = [Place(each.profile, each.path, each.critical, each) for each in own]
    return [
        Row(
            place.profile,
            registry.profiles[place.profile].heading,
            place.path.replace("|", " or "),
            place.critical,
            place.message.seen if place.message else "",
            place.message.source if place.message else "",
            (place.message.note or "") if place.message else "",
        )
        for place in found
    ]


def _sources(template: Template, rows: list[Row]) -> list[tuple[str, str]]:
    """(address, day) of the pages that document or quote the wording, without repetition."""
    found = {template.source: template.seen}
    found |= {row.source: row.seen for row in rows if row.source}
    return list(found.items())


@lru_cache(maxsize=4)
def properties(registry: Registry) -> list[Property]:
    """Last names of every path of the current results, by name."""
    own = {sentence.fields: sentence for messages in report_messages(registry) for sentence in sentences(messages)
           if sentence.template.name == "missing-field"}  # fmt: skip
    found: dict[str, dict[str, bool]] = {}
    for profile in registry.profiles.values():
        if profile.status != "retired":
            for path, critical in required_paths(registry, profile.name):
                results = found.setdefault(path.rpartition(".")[2], {})
                results[profile.name] = results.get(profile.name, False) or critical
    return [
        Property(
            name,
            address_of("missing-field", own[(name,)].slug) if (name,) in own else "",
            tuple((result, registry.profiles[result].title, critical) for result, critical in results.items()),
        )
        for name, results in sorted(found.items(), key=lambda item: item[0].lower())
    ]


def of_rule(registry: Registry, rule: str) -> list[tuple[str, str]]:
    """(wording, address) of the messages that a rule reports, the nearest first."""
    return [(text, address_of(name)) for name, text in wordings_of(registry, rule)]


def of_profile(registry: Registry, profile: str) -> list[tuple[Sentence, Message]]:
    """(sentence, message) of a profile from reports, the newest first, a sentence once."""
    found: dict[str, tuple[Sentence, Message]] = {}
    for messages in report_messages(registry):
        for sentence in sentences(messages):
            for message in sentence.messages:
                if message.profile == profile:
                    known = found.get(sentence.text)
                    if known is None or known[1].seen < message.seen:
                        found[sentence.text] = (sentence, message)
    return sorted(found.values(), key=lambda each: each[1].seen, reverse=True)


def side(source: Source) -> tuple[Group, ...]:
    """Side navigation: the wordings by kind of error."""
    groups: list[Group] = [Group("Search Console", (("All messages", "messages/", ""),))]
    for messages in report_messages(source.registry):
        for name, templates in _grouped(messages):
            entries: tuple[Entry, ...] = tuple((_title(each), address_of(each.name), "") for each in templates)
            groups.append(Group(name, entries))
    return tuple(groups)


def needed(registry: Registry) -> list[str]:
    """Addresses to be reachable from home."""
    return [
        address
        for messages in report_messages(registry)
        for address in (
            *(address_of(template.name) for template in messages.templates),
            *(address_of(sentence.template.name, sentence.slug) for sentence in sentences(messages)),
        )
    ]
