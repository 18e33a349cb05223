"""Frame of every page: sections of the top bar, side navigation, values of the layout template."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from waypost.pages.draft import Entry, Group, Source
from waypost.pages.links import rule
from waypost.pages.site_rules import current_rules
from waypost.registry import Registry, assets
from waypost.validate.rulebook import Rule

SECTIONS = (
    ("Validate", "validate/"),
    ("Rich results", "profiles/"),
    ("Types", "types/"),
    ("Rules", "rules/"),
    ("Safety", "safety/"),
    ("API", "api/"),
    ("Keys", "keys/"),
    ("Guides", "docs/"),
)
BAR = (
    ("Validate", "validate/"),
    ("Preview", "explorer/preview/"),
    ("Check a URL", "safety/check/"),
    ("Rich results", "profiles/"),
    ("Rules", "rules/"),
    ("API", "api/"),
    ("Docs", "docs/"),
)
"""Items of the bar of every page: the tools first."""
FURTHER = (
    ("Types", "types/"),
    ("Mappings", "mappings/"),
    ("Unified model", "model/"),
    ("Explorer", "explorer/"),
    ("Search Console", "messages/"),
    ("Safety", "safety/"),
    ("Keys", "keys/"),
)
"""Sections at the foot of every page."""
_IN_BAR = {"types/": "docs/", "messages/": "rules/", "safety/": "safety/check/", "keys/": "api/"}
_BELONGS = {
    "explorer": "types/",
    "mappings": "types/",
    "model": "types/",
    "schemas": "types/",
    "problems": "api/",
    "changelog": "docs/",
    "accessibility": "docs/",
    "privacy": "docs/",
    "security": "docs/",
    "versioning": "docs/",
    "get": "docs/",
}
_SYNTAXES = {"json": "JSON", "jsonld": "JSON-LD", "microdata": "Microdata", "rdfa": "RDFa", "html": "HTML"}
_AUTHORITIES = {
    "vocabulary": "schema.org",
    "google": "Google",
    "waypost": "Good practice",
    "json": "Standards",
    "html": "Standards",
    "project": "Your own",
}


def section_of(address: str) -> str:
    """Address of the section above a page."""
    first = address.partition("/")[0]
    return _BELONGS.get(first, f"{first}/")


def bar_item_of(address: str) -> str:
    """Address of the item of the bar that a page belongs to."""
    if address.startswith("explorer/preview/"):
        return "explorer/preview/"
    section = section_of(address)
    return _IN_BAR.get(section, section)


@cache
def rule_groups() -> dict[str, list[Rule]]:
    """Rules by heading of the list: the syntax read by a rule, else the authority behind a rule."""
    groups: dict[str, list[Rule]] = {}
    for rule_ in current_rules().values():
        name = _SYNTAXES.get(rule_.name.partition("-")[0]) or _AUTHORITIES[rule_.authority]
        groups.setdefault(name, []).append(rule_)
    order = [*_SYNTAXES.values(), *dict.fromkeys(_AUTHORITIES.values())]
    return {name: groups[name] for name in order if name in groups}


@cache
def group_of(name: str) -> str:
    """Heading of a rule in the list."""
    return next(heading for heading, rules in rule_groups().items() if any(rule_.name == name for rule_ in rules))


def rules_about(standard: str, registry: Registry) -> list[Rule]:
    """Rules about a type, or about a property named by the type's mapping or rich results."""
    named = _named(registry.schema(standard), registry)
    return [
        rule_
        for rule_ in current_rules().values()
        # A rule for every type (`*`) concerns a type by its properties, any other rule by its types.
        if (named & rule_.properties if "*" in rule_.applies_to else _concerns(rule_, standard, registry))
    ]


def _concerns(rule: Rule, standard: str, registry: Registry) -> bool:
    related = registry.vocabulary.ancestors(standard) | {standard}
    # A rule about a subtype also shows on the page of its ancestor.
    below = any(standard in registry.vocabulary.ancestors(name) for name in rule.applies_to)
    # Every type is a Thing: a rule for all would be listed on each page.
    return "Thing" not in rule.applies_to and (below or bool(related & rule.applies_to))


def _named(mapping: dict[str, Any], registry: Registry) -> set[str]:
    """Properties read by a mapping or required by the mapping's rich results, at any depth."""
    paths = [
        path if isinstance(path, str) else str(path.get("path", ""))
        for field in mapping["x-fields"].values()
        for path in field["from"]
    ]
    for profile in registry.profiles.values():
        if mapping["title"] in (profile.mapping or "").split("|"):
            for entry in (*profile.required, *profile.recommended, *profile.limits):
                groups = [path for group in entry.any_of_groups for path in group]
                paths += [entry.path or "", entry.each or "", *entry.any_of, *groups]
    return {step.partition("[")[0] for path in paths for step in path.split(".")} - {"", "@id", "@type"}


@cache
def families_of_results() -> dict[str, list[str]]:
    """Families of rich results by heading: names of profiles without the consumer."""
    document = json.loads((assets.folder("site") / "families.json").read_text("utf-8"))
    families: dict[str, list[str]] = document["families"]
    return families


class Sides:
    """Side navigation by section, made once a build."""

    def __init__(self, source: Source, further: Mapping[str, Callable[[Source], tuple[Group, ...]]]) -> None:
        self._source = source
        self._further = further
        self._made: dict[str, tuple[Group, ...]] = {}

    def of(self, address: str) -> tuple[Group, ...]:
        if address == "explorer/preview/":  # a tool, as wide as the window
            return ()
        section = section_of(address)
        # The navigation of rules lists those of the page's own group only.
        own = _rule_group_of(address) if section == "rules/" else "mappings" if address.startswith("mappings/") else ""
        if section + own not in self._made:
            self._made[section + own] = self._make(section, own)
        return self._made[section + own]

    def _make(self, section: str, own: str) -> tuple[Group, ...]:
        match section:
            case "types/":
                return self._explorer(own or "types")
            case "rules/":
                return self._rules(own)
            case "profiles/":
                return self._results()
            case _:
                make = self._further.get(section)
                return make(self._source) if make else ()

    def _types(self, folder: str) -> tuple[Entry, ...]:
        return tuple(
            (mapping["x-standard-type"], f"{folder}/{mapping['x-standard-type']}/", "")
            for mapping in self._source.registry.mappings.values()
        )

    def _explorer(self, folder: str) -> tuple[Group, ...]:
        registry = self._source.registry
        heading = "Mappings" if folder == "mappings" else "Types"
        return (
            Group(heading, ((f"All {heading.lower()}", f"{folder}/", ""), *self._types(folder))),
            Group(
                "Explore",
                (
                    ("Preview", "explorer/preview/", ""),
                    ("Compare two types", "explorer/compare/", ""),
                    ("Explorer", "explorer/", ""),
                ),
            ),
            Group(
                "Reference",
                (
                    ("Unified model", "model/", f"{len(registry.unified['properties'])} fields"),
                    ("Types", "types/", "") if folder == "mappings" else ("Mappings", "mappings/", ""),
                    ("Registry files", "schemas/", str(len(registry.files))),
                ),
            ),
        )

    def _results(self) -> tuple[Group, ...]:
        registry = self._source.registry
        families: dict[str, list[Entry]] = {name: [] for name in (*families_of_results(), "Other", "Retired")}
        of_result = {result: name for name, results in families_of_results().items() for result in results}
        for profile in sorted(registry.profiles.values(), key=lambda profile: profile.title):
            own = of_result.get(profile.name.removeprefix("google/"), "Other")
            note = "limited" if profile.status == "restricted" else ""
            families["Retired" if profile.status == "retired" else own].append(
                (profile.title, rule(profile.name), note)
            )
        first = Group("Rich results", (("All rich results", "profiles/", str(len(registry.profiles))),))
        return (first, *(Group(heading, tuple(entries)) for heading, entries in families.items() if entries))

    def _rules(self, own: str) -> tuple[Group, ...]:
        groups = rule_groups()
        counted = tuple((name, f"rules/#{heading_id(name)}", str(len(rules))) for name, rules in groups.items())
        rule_list = Group("Rules", (("All rules", "rules/", str(len(current_rules()))), *counted))
        if own in groups:
            return (rule_list, Group(own, tuple((rule_.title, rule(rule_.name), "") for rule_ in groups[own])))
        return (rule_list,)


def _rule_group_of(address: str) -> str:
    """Heading of a rule, else ""."""
    name = address.strip("/").partition("/")[2]
    return group_of(name) if name else ""


def heading_id(name: str) -> str:
    """HTML id of a heading in the filter of the list of rules."""
    return name.lower().replace(" ", "-").replace(".", "-")


def shared(source: Source, **given: Any) -> dict[str, Any]:
    """Values of the layout template next to the page: the member `frame` of site.manifest.json."""
    from waypost import __version__

    return {
        "version": __version__,
        "registry": source.registry.version,
        "registry_files": len(source.registry.files),
        "sections": [list(item) for item in BAR],
        "further": [list(section) for section in FURTHER],
        **given,
    }
