"""Entry pages: home, validate, keys, and 404."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import REASON_CODES, UNKNOWNS
from waypost.pages import search_index
from waypost.pages.card_gaps import cards
from waypost.pages.cases import Case, cases_of_rule
from waypost.pages.draft import Draft, Group, Source
from waypost.pages.heads import draft
from waypost.pages.safety import Safety
from waypost.pages.site_rules import current_rules
from waypost.pages.workbench import rule_examples
from waypost.pages.worked_examples import worked_example
from waypost.registry import Registry

_EXAMPLES = ("A price with a comma", "An event that ends before it starts", "A property that does not exist")
"""Examples of the validate page that the home page offers."""


def drafts(source: Source, safety: Safety) -> Iterator[Draft]:
    """Drafts of home and of pages without a section of their own."""
    case = cases_of_rule("price-invalid", source, "bad")[0]
    yield _home(source, safety, case)
    yield draft("validate/", "validate.html", {"example": case})
    yield draft("keys/", "keys.html")
    sections = " ".join(f"{folder}:{name}" for folder, name in search_index.SECTIONS.items())
    yield draft("404.html", "missing.html", {"sections_of_search": sections}, kind="", robots=False)


def _counts(registry: Registry) -> dict[str, int]:
    statuses = [profile.status for profile in registry.profiles.values()]
    return {
        "rules": len(current_rules()),
        "profiles": len(statuses),
        "types": len(registry.mappings),
        "fields": len(registry.unified["properties"]),
        "reasons": len(REASON_CODES),
        "unknowns": len(UNKNOWNS),
        **{status: statuses.count(status) for status in ("supported", "restricted", "retired")},
    }


def _home(source: Source, safety: Safety, case: Case) -> Draft:
    return draft(
        "",
        "home.html",
        {
            "counts": _counts(source.registry),
            "fault": case,
            "examples": [example for example in rule_examples(source.cases) if example["name"] in _EXAMPLES],
            "example": worked_example(source, "NewsSnippet"),
            "cards": cards(),
            "kinds": [(mapping["x-kind"], mapping["x-standard-type"]) for mapping in source.registry.mappings.values()],
            "panel": safety.panels.get("payment-at-an-impersonating-host"),
        },
        structured=(
            {
                "@type": "WebSite",
                "name": "waypost",
                "description": "Whether to trust a page, exactly.",
                "inLanguage": "en",
            },
            {"@type": "Organization", "name": "The waypost authors"},
        ),
    )


def keys_side(source: Source) -> tuple[Group, ...]:  # noqa: ARG001 - sections are made alike
    """Side navigation of Keys."""
    return (
        Group("Keys", (("About keys", "keys/", ""),)),
        Group(
            "Related",
            (("Self-hosting", "docs/self-host/", ""), ("Privacy", "privacy/", ""), ("Security", "security/", "")),
        ),
    )
