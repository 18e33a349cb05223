"""Pages of rules and of rich results: the error, the reason, the authority, and the fix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from markupsafe import Markup

from waypost.models.finding import SEVERITIES
from waypost.models.profile import Profile
from waypost.pages import links, messages, pictures
from waypost.pages.cases import cases_of_profile, cases_of_rule
from waypost.pages.changes import releases
from waypost.pages.conditions_text import entries
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import group_of, heading_id, rule_groups
from waypost.pages.heads import draft
from waypost.pages.result_history import history_of
from waypost.pages.rule_pairs import code_of, consequence, pair_of_rule
from waypost.pages.site_rules import current_rules
from waypost.pages.smallest import smallest, written
from waypost.pages.text import coloured, documentation, prose
from waypost.registry import Registry, assets
from waypost.validate.rulebook import Rule


def drafts(source: Source) -> Iterator[Draft]:
    """Drafts of the two indexes, of rules and of profiles."""
    registry = source.registry
    profiles = _profiles_by_rule(registry)
    # Before the index, which shows which rules have a fix.
    pages = [_rule(rule, source, profiles.get(rule.name, [])) for rule in current_rules().values()]
    fixable = {page.values["rule"].name for page in pages if page.values["fixes"]}
    values = {
        "groups": [(name, heading_id(name)) for name in rule_groups()],
        "rules": by_frequency(),
        "met": met(),
        "group_of": lambda name: (group_of(name), heading_id(group_of(name))),
        "fixable": fixable,
        "kind_of": _kind,
    }
    yield draft("rules/", "rules.html", values)
    yield from pages
    yield _profile_index(source)
    for profile in registry.profiles.values():
        yield _profile(profile, source)


def _kind(rule: Rule) -> str:
    """Kind of rule, in the words of the list's filter."""
    if rule.engine:
        return "rich-result"
    if rule.explain:
        return "reading"
    return "site" if rule.check_site else "page" if rule.check_page else "value" if rule.check_value else "thing"


def _profiles_by_rule(registry: Registry) -> dict[str, list[tuple[str, str]]]:
    """(name, heading) of the profiles that report through a rule, by rule."""
    names: dict[str, list[tuple[str, str]]] = {}
    for profile in registry.profiles.values():
        entries_ = [*profile.required, *profile.recommended, *profile.limits]
        for name in sorted({entry.rule or entry.reported_by or "" for entry in entries_} - {""}):
            names.setdefault(name, []).append((profile.name, profile.heading))
    return names


def check_examples(source: Source) -> int:
    """Validate the examples of every page and return the number of examples. The pages reuse the results.

    Raises RegistryError for an example that contradicts its page.
    """
    names = [(rule, "") for rule in current_rules()] + [("", profile) for profile in source.registry.profiles]
    return sum(
        len(cases_of_rule(rule, source, kind) if rule else cases_of_profile(profile, source, kind))
        for rule, profile in names
        for kind in ("bad", "good")
    )


def _rule(rule: Rule, source: Source, profiles: list[tuple[str, str]]) -> Draft:
    bad, good = (cases_of_rule(rule.name, source, kind) for kind in ("bad", "good"))
    body, sources = documentation(rule.doc.partition("\n")[2])
    group = group_of(rule.name)
    return Draft(
        links.rule(rule.name),
        "rule.html",
        rule.title,
        _first_sentence(rule.doc),
        (("Rules", "rules/"),),
        {
            "rule": rule,
            "body": body,
            "source": sources,
            "bad": bad,
            "good": good,
            "group": group,
            "group_id": heading_id(group),
            "profiles": profiles,
            "near": near_rules(rule.name),
            "fixes": [case for case in bad if case.fix],
            "config": coloured(f'[rules]\n"{rule.name}" = "off"\n', "toml"),
            "comment": coloured(f"<!-- waypost-ignore {rule.name}: why it is right here -->", "html"),
            "applies": sorted(rule.applies_to - {"*"}),
            "properties": sorted(rule.properties - {"*"}),
            "pair": (pair := pair_of_rule(rule.name, source)),
            "consequence": consequence(rule, pair),
            "messages": messages.of_rule(source.registry, rule.name),
            "code_of_rule": code_of(rule, source.registry),
        },
        kind="Rule",
        words=" ".join((*rule.aliases, *sorted(rule.properties - {"*"}))),
        data={
            "name": rule.name,
            "title": rule.title,
            "severity": rule.severity,
            "authority": rule.authority,
            "applies_to": sorted(rule.applies_to),
            "properties": sorted(rule.properties),
            "documentation": rule.doc,
            "profiles": [name for name, _ in profiles],
        },
        structured=(_article(rule),),
    )


def _first_sentence(doc: str) -> str:
    """First sentence below the title, without marks of Markdown."""
    text = " ".join(doc.partition("\n")[2].partition("\nSource")[0].split()).replace("`", "")
    return re.split(r"(?<=[.!?]) (?=[A-Z“\"])", text, maxsplit=1)[0] or doc.partition("\n")[0]


def _article(rule: Rule) -> dict[str, Any]:
    cited = sorted(set(re.findall(r"https?://[^\s,;)]+[^\s,;).]", rule.doc)))
    about = {"headline": rule.title, "alternativeHeadline": rule.name}
    return {"@type": "TechArticle", **about, "inLanguage": "en"} | ({"citation": cited} if cited else {})


@cache
def met() -> dict[str, Any]:
    """Pages on which rules are met and rich results are requested, see benchmarks/met.py."""
    document: dict[str, Any] = json.loads((assets.folder("site") / "met.json").read_text("utf-8"))
    return document


@cache
def by_frequency() -> list[Rule]:
    """Rules, those met on most pages first, then by severity and name."""
    pages = met()["rules"]
    return sorted(
        current_rules().values(),
        key=lambda rule: (-pages.get(rule.name, 0), SEVERITIES.index(rule.severity), rule.name),
    )


@cache
def near_rules(name: str) -> list[Rule]:
    """Rules with the same cause, at most six: about the same properties, or met while reading the same syntax."""
    own = current_rules()[name]
    properties = own.properties - {"*"}
    if not properties:
        same = [rule for rule in by_frequency() if rule.name != name and group_of(rule.name) == group_of(name)]
        return [rule for rule in same if bool(rule.explain) == bool(own.explain) and not rule.properties - {"*"}][:6]

    def shared(rule: Rule) -> float:
        others = rule.properties - {"*"}
        return len(properties & others) / len(properties | others) if others else 0

    near = sorted((rule for rule in by_frequency() if rule.name != name and shared(rule)), key=shared, reverse=True)
    return near[:6]


def _profile_index(source: Source) -> Draft:
    pages = met()["results"]
    order = ("supported", "restricted", "retired")
    profiles = sorted(
        source.registry.profiles.values(), key=lambda p: (order.index(p.status), -pages.get(p.name, 0), p.heading)
    )
    counts = {status: sum(p.status == status for p in profiles) for status in order}
    return Draft(
        "profiles/",
        "profiles.html",
        "Google rich results: how they look, required and recommended properties",
        "How each rich result looks, what Google requires and recommends before it shows one, with sources and dates.",
        (),
        {
            "profiles": profiles,
            "counts": counts,
            "consumer": source.registry.consumers["google"],
            "pictures": {
                each.name: pictures.without_places(drawn.pictures[0])
                for each in profiles
                if (drawn := pictures.drawn(each.name, source))
            },
        },
        kind="Index",
        words="profiles google structured data requirements",
    )


def _profile(profile: Profile, source: Source) -> Draft:
    registry = source.registry
    recorded = releases(assets.folder("site") / "releases")
    document = registry.document(f"profiles/{profile.name}.json")
    consumer = registry.document("profiles/google.json")
    services = [name for name in (document.get("mapping") or "").split("|") if name in registry.mappings]
    return Draft(
        links.rule(profile.name),
        "profile.html",
        document["heading"],
        f"Required and recommended properties of {', '.join(document['types'])} for this result"
        + (" in Google Search." if profile.name.startswith("google/") else f": {document['title']}."),
        (("Rich results", "profiles/"),),
        {
            "profile": document,
            "notes": prose(document["notes"]) if document.get("notes") else "",
            "required": _known(entries(document.get("required", []), consumer)),
            "recommended": _known(entries(document.get("recommended", []), consumer)),
            "limits": _known(entries(document.get("limits", []), consumer)),
            "bad": cases_of_profile(profile.name, source, "bad"),
            "good": cases_of_profile(profile.name, source, "good"),
            "types": [registry.mappings[name]["x-standard-type"] for name in services],
            "command": coloured(f"waypost validate public/ --profile {profile.name}", "sh"),
            "picture": (picture := pictures.drawn(profile.name, source)),
            "smallest": [("JSON-LD", picture.markup), *_in_other_forms(profile.name)] if picture else [],
            "messages": (own := messages.of_profile(registry, profile.name)),
            "first_message": next((each for each, seen in own if seen.critical and not each.within), None),
            "history": history_of(profile.name, registry, recorded),
        },
        kind="Rich result",
        words=f"{document['name']} {document['title']} {' '.join(document['types'])} {document['status']}",
        structured=(
            {
                "@type": "TechArticle",
                "headline": document["heading"],
                "alternativeHeadline": profile.name,
                "inLanguage": "en",
                "citation": document["doc"],
                "description": f"What the rich result {document['title']} needs.",
            },
        ),
    )


def _in_other_forms(profile: str) -> Iterator[tuple[str, Markup]]:
    """Smallest markup in every form but the first, JSON-LD."""
    yield from ((each.title, coloured(each.text, each.language)) for each in written(smallest()[profile])[1:])


def _known(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [row | {"known": row["rule"] in current_rules()} for row in rows]
