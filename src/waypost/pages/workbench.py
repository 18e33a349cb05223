"""Scripts of the two workbench pages: a script for the start of a page, and parts of the engine on demand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.pages import bundle, card_gaps, modules, worked_examples
from waypost.pages.card_gaps import slots_of

if TYPE_CHECKING:
    from waypost.pages.distribution import Published
    from waypost.pages.draft import Source

PAGES = {"preview.html": "preview.js", "validate.html": "validate.js"}
"""Template -> script that replaces its content."""
EXAMPLE_RULES = {
    "price-invalid": "A price with a comma",
    "event-ends-before-start": "An event that ends before it starts",
    "unknown-property": "A property that does not exist",
    "json-trailing-comma": "JSON with a comma too many",
    "duration-invalid": "A duration in words",
    "rating-out-of-range": "A rating above its scale",
}
"""Rules whose first bad case is an example to start from, and what to call it."""
_START = {
    "kind": "schema",
    "site": {
        "name": "Fernhill Gazette",
        "domain": "fernhill-gazette.example",
        "description": "Independent local reporting on the council, the schools and the river since 1911. Free to "
        "read, paid for by its members.",
    },
}


def parts(source: Source) -> dict[str, bytes]:
    """Scripts loaded on demand, by short name: the parts of the engine, and the examples to start from."""
    kinds = source.registry.mappings.values()
    examples = {mapping["x-kind"]: _example(mapping, source.cases) for mapping in kinds}
    # The first card is drawn before reading.js arrives, so its types go with the drawing part.
    types = {example["document"]["@type"] for example in examples.values() if "@type" in example["document"]}
    made = bundle.scripts(source.registry, types, source.usual)
    return {
        **made,
        "drawing.js": made["drawing.js"] + _assigned("WaypostWorkbench", beginning(source)),
        "examples.js": f"for(const[kind,example]of Object.entries({_literal(examples)}))"
        "Object.assign(WaypostWorkbench.kinds[kind],example);\n".encode(),
    }


def starts(source: Source, usual: bytes, drawing: bytes, published: Published) -> dict[str, bytes]:
    """Initial script by workbench page; includes what it needs of the script of every page, to save a request."""
    data = {
        "preview.js": drawing,
        "validate.js": _assigned(
            "WaypostValidate",
            {
                "examples": list(rule_examples(source.cases)),
                "profiles": source.registry.profile_names,
                "install": published.requirement() if any(published) else "",
                "repository": published.repository,
            },
        ),
    }
    return {name: usual + before + modules.script(f"workbench/{name}") for name, before in data.items()}


def beginning(source: Source) -> dict[str, Any]:
    """Further data to draw cards: kinds, and the texts of cards."""
    mappings = source.registry.mappings
    cards = card_gaps.cards()
    return {
        "start": _START,
        "kinds": {mapping["x-kind"]: _kind(mapping) for mapping in mappings.values()},
        "cards": {
            **{name: cards[name] for name in ("media", "slots", "inside", "gaps", "status")},
            "drawn": {service: slots_of(mapping) for service, mapping in mappings.items()},
        },
    }


def _kind(mapping: dict[str, Any]) -> dict[str, Any]:
    return {
        "service": mapping["title"],
        "standard": mapping["x-standard-type"],
        "members": list(mapping["properties"]),
        "recommended": list(mapping["x-recommended"]),
    }


def _example(mapping: dict[str, Any], cases: Path) -> dict[str, Any]:
    """Unified document of a kind, and the markup behind the document."""
    folder = cases / "snippets" / mapping["title"]
    markup = json.loads(worked_examples.example_file(folder, "input.json"))
    return {
        "document": json.loads(worked_examples.example_file(folder, "expected.json"))["unified"],
        "markup": json.dumps(markup, indent=2, ensure_ascii=False),
    }


def rule_examples(cases: Path) -> Iterator[dict[str, str]]:
    """Examples to start from: a name, and the text of a page with one error."""
    for rule, name in EXAMPLE_RULES.items():
        folder = cases / "rules" / rule
        # Sorted, as folders list files in any order.
        first = next(iter(sorted(folder.glob("bad-*.*"))), None)
        if first is not None and first.suffix in {".html", ".json", ".jsonld"}:
            # The mark of the test case is not a part of the example.
            text = re.sub(r"^<!-- expect: [\d:]+ -->\n?", "", first.read_text("utf-8"))
            yield {"name": name, "text": text}


def _assigned(name: str, value: Any) -> bytes:
    """Classic script to put data into a global."""
    return f"globalThis.{name}={_literal(value)};\n".encode()


def _literal(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
