"""Entry pages: home, validate, keys, and 404."""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import REASON_CODES, UNKNOWNS
from waypost.pages.card_gaps import cards
from waypost.pages.draft import Draft, Group, Source
from waypost.pages.model import worked_example
from waypost.pages.rules import Case, cases_of_rule
from waypost.pages.safety import Safety
from waypost.pages.text import coloured
from waypost.registry import Registry
from waypost.validate.rulebook import rules_by_name

_INSTALL = "python3 -m venv .venv && .venv/bin/pip install -e .\n.venv/bin/waypost validate examples/site"
_CI = "waypost validate public/ --format github"
_AGENT = "waypost check https://shop.example/cart \\\n  --action payment --json"
_VALIDATE = """curl http://127.0.0.1:8000/v1/validate \\
  -H "Authorization: Bearer $WAYPOST_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"html": "<script type=\\"application/ld+json\\">...</script>"}'"""


def drafts(source: Source, safety: Safety) -> Iterator[Draft]:
    """Drafts of home and of pages without a section of their own."""
    case = cases_of_rule("price-invalid", source, "bad")[0]
    yield _home(source, safety, case)
    yield _validate(case)
    yield _keys()
    yield Draft(
        "404.html",
        "missing.html",
        "Not found",
        "There is no such page on this site.",
        kind="",
        robots=False,
    )


def _counts(registry: Registry) -> dict[str, int]:
    statuses = [profile.status for profile in registry.profiles.values()]
    return {
        "rules": len(rules_by_name()),
        "profiles": len(statuses),
        "types": len(registry.mappings),
        "fields": len(registry.unified["properties"]),
        "reasons": len(REASON_CODES),
        "unknowns": len(UNKNOWNS),
        **{status: statuses.count(status) for status in ("supported", "restricted", "retired")},
    }


def _home(source: Source, safety: Safety, case: Case) -> Draft:
    return Draft(
        "",
        "home.html",
        "Structured data, read honestly",
        "Check structured data for errors, with the exact line, the source of each requirement and a fix; and decide "
        "whether an automated agent may act at a URL.",
        values={
            "counts": _counts(source.registry),
            "fault": case,
            "example": worked_example(source, "NewsSnippet"),
            "cards": cards(),
            "kinds": [(mapping["x-kind"], mapping["x-standard-type"]) for mapping in source.registry.mappings.values()],
            "panel": safety.panels.get("payment-at-an-impersonating-host"),
            "commands": {
                "install": coloured(_INSTALL, "sh"),
                "ci": coloured(_CI, "sh"),
                "agent": coloured(_AGENT, "sh"),
            },
        },
        kind="Home",
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


def _validate(case: Case) -> Draft:
    return Draft(
        "validate/",
        "validate.html",
        "Validate",
        "Paste a page, enter its URL or open a file: see every error and warning, why it matters and how to fix it.",
        values={
            "example": case,
            "commands": {
                "files": coloured(
                    "waypost validate public/\nwaypost validate page.html\nwaypost validate - < page.html",
                    "sh",
                ),
                "fix": coloured("waypost validate public/ --diff\nwaypost validate public/ --fix", "sh"),
                "curl": coloured(_VALIDATE, "sh"),
            },
        },
        kind="Tool",
        words="paste check lint json-ld microdata rdfa",
    )


def _keys() -> Draft:
    return Draft(
        "keys/",
        "keys.html",
        "Keys",
        "What an API key allows, and how to create, rotate and revoke one.",
        values={
            "commands": {
                "create": coloured(
                    "waypost org create 'Fernhill Gazette'\nwaypost keys create --org ORG \\\n"
                    "  --name 'checkout agent' --labels Read,Write",
                    "sh",
                ),
                "sign": coloured("waypost org login-link --org ORG", "sh"),
                "up": coloured("waypost up", "sh"),
            }
        },
        kind="Guide",
        words="api key scopes labels read write validate rotate revoke sign in console",
    )


def validate_side(source: Source) -> tuple[Group, ...]:  # noqa: ARG001 - sections are made alike
    """Side navigation of Validate."""
    return (
        Group(
            "Validate",
            (("Validate a page", "validate/", ""), ("Rules", "rules/", ""), ("Rich results", "profiles/", "")),
        ),
        Group(
            "Guides",
            (
                ("Quickstart", "docs/quickstart/", ""),
                ("waypost in CI", "docs/ci/", ""),
                ("A false alarm", "docs/feedback/", ""),
            ),
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
