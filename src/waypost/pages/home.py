"""Entry pages: home, validate, keys, and 404."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from markupsafe import Markup

from waypost.fixes import fix_page
from waypost.pages import check_destination, pictures, search_index, terminal
from waypost.pages.cases import Case, cases_of_rule
from waypost.pages.draft import Draft, Group, Source
from waypost.pages.heads import draft
from waypost.pages.rules import check_examples
from waypost.pages.site_rules import current_rules
from waypost.pages.workbench import rule_examples
from waypost.registry.messages import report_messages, sentences
from waypost.report._words import count
from waypost.service.fixtures import fixtures
from waypost.validate import validate_page

_EXAMPLES = ("A price with a comma", "An event that ends before it starts")
"""Examples of the validate page that the home page offers, before a message of Search Console."""
_MESSAGE = ("missing-field", "review")
_FILE = "public/kettle.html"
_COLUMNS = 66
_MOST_PICTURES = 2
_HOST = "impersonation.test"
"""Test host of the band for agents."""
_PAGE = """<!doctype html>
<title>Loma gooseneck kettle 1.2 l</title>
<meta name="description" content="Pours slowly and exactly. Stainless steel, for induction and gas.">
<meta property="og:site_name" content="Loma">
<link rel="canonical" href="https://loma.example/kettles/gooseneck">
<script type="application/ld+json">
{
  "@context": "https://schema.org",
  "@type": "Product",
  "name": "Loma gooseneck kettle 1.2 l",
  "image": "https://loma.example/kettles/gooseneck.jpg",
  "offers": {
    "@type": "Offer",
    "price": "64,90",
    "priceCurrency": "EUR",
    "availability": "https://schema.org/InStock"
  }
}
</script>
"""
"""Page of the terminal and of the card."""
_COMPARED = frozenset({".html", ".json", ".jsonld"})


def drafts(source: Source) -> Iterator[Draft]:
    """Drafts of home and of pages without a section of their own."""
    case = cases_of_rule("price-invalid", source, "bad")[0]
    yield _home(source, case)
    yield draft("validate/", "validate.html", {"example": case})
    yield draft("keys/", "keys.html")
    sections = " ".join(f"{folder}:{name}" for folder, name in search_index.SECTIONS.items())
    yield draft("404.html", "missing.html", {"sections_of_search": sections}, kind="", robots=False)


def _counts(source: Source) -> dict[str, int]:
    registry = source.registry
    statuses = [profile.status for profile in registry.profiles.values()]
    reports = report_messages(registry)
    return {
        "rules": len(current_rules()),
        "examples": check_examples(source),
        "compared": len(compared_cases(source.cases)),
        "wordings": sum(len(each.templates) for each in reports),
        "messages": sum(len(each.templates) + len(list(sentences(each))) for each in reports),
        "profiles": len(statuses),
        **{status: statuses.count(status) for status in ("supported", "restricted", "retired")},
    }


def compared_cases(cases: Path) -> list[str]:
    """Cases that the command line and the browser read alike, by path: all are in `tests/browser/test_parity.py`."""
    folders = ("rules/*/*", "profiles/*/*", "snippets/*/input.json")
    paths = (path for folder in folders for path in cases.glob(folder))
    return sorted(
        path.relative_to(cases).as_posix()
        for path in paths
        if path.suffix in _COMPARED and path.name != "expected.json" and _is_text(path.read_bytes())
    )


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _home(source: Source, case: Case) -> Draft:
    examples = [(each["name"], each["text"]) for each in rule_examples(source.cases) if each["name"] in _EXAMPLES]
    message = next(
        each
        for report in report_messages(source.registry)
        for each in sentences(report)
        if (each.template.name, each.slug) == _MESSAGE
    )
    fixed = fix_page(_PAGE.encode(), partial(validate_page, registry=source.registry, now=source.now), broken=None)
    after = fixed.data.decode()
    return draft(
        "",
        "home.html",
        {
            "counts": _counts(source),
            "fault": case,
            "examples": [
                *((name[0].lower() + name[1:], text) for name, text in examples),
                (f"{message.text} from Search Console", message.text),
            ],
            "terminal": Markup("\n").join(
                (
                    terminal.validated(_FILE, _PAGE, source.registry, source.now, width=_COLUMNS),
                    terminal.validated(_FILE, after, source.registry, source.now, width=_COLUMNS, option=" --fix"),
                    Markup("<u>waypost: {} fixed in 1 file</u>").format(count(len(fixed.fixed), "finding")),
                )
            ),
            "pictures": pictures.results_of(after, source)[:_MOST_PICTURES],
            "card_preview": pictures.fragment(after),
            "hosts": fixtures(source.world),
            "actions": check_destination.actions(source),
            "stop": check_destination.recorded(source)[_HOST]["payment"],
            "reasons": source.world.document("codes.json")["reason_codes"],
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
