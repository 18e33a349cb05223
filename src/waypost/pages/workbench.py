"""What the two workbench pages load: the engine with its data, and what to begin with."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost import assets
from waypost.pages import bundle, home, model
from waypost.pages.loaded import smaller_js

if TYPE_CHECKING:
    from waypost.pages.draft import Source

PAGES = frozenset({"preview.html", "validate.html"})
"""The templates that a script takes the place of."""
SCRIPTS = ("dom", "share", "card", "findings", "mend", "validate", "preview", "start")
FAULTS = (
    "price-invalid",
    "event-ends-before-start",
    "unknown-property",
    "json-trailing-comma",
    "duration-invalid",
    "rating-out-of-range",
)
"""Rules whose first bad case is an example to begin with, as far as they are there."""
_START = {
    "kind": "schema",
    "site": {
        "name": "Fernhill Gazette",
        "domain": "fernhill-gazette.example",
        "description": "Independent local reporting on the council, the schools and the river since 1911. Free to "
        "read, paid for by its members.",
    },
}


def files(source: Source) -> dict[str, bytes]:
    """The script and the data, by a short name."""
    made = bundle.scripts(source.registry)
    folder = assets.folder("site") / "js" / "workbench"
    script = "\n".join((folder / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return {
        "workbench.js": made["engine.js"] + smaller_js(f'(() => {{\n"use strict";\n{script}\n}})();\n').encode(),
        "registry.js": made["registry.js"] + made["judging.js"] + _assigned(beginning(source)),
    }


def beginning(source: Source) -> dict[str, Any]:
    """Kinds, examples and the words of cards."""
    mappings = source.registry.mappings
    cards = home.cards()
    return {
        "start": _START,
        "kinds": {mapping["x-kind"]: _kind(mapping, source.cases) for mapping in mappings.values()},
        "cards": {
            **{name: cards[name] for name in ("media", "stars", "gaps", "status")},
            "asked": {service: sorted(model.asked_slots(mapping)) for service, mapping in mappings.items()},
        },
        "faults": list(_faults(source.cases)),
    }


def _kind(mapping: dict[str, Any], cases: Path | None) -> dict[str, Any]:
    folder = cases / "snippets" / mapping["title"] if cases else None
    found = folder is not None and (folder / "input.json").is_file()
    markup = json.loads((folder / "input.json").read_text("utf-8")) if folder and found else {}
    document = json.loads((folder / "expected.json").read_text("utf-8"))["unified"] if folder and found else {}
    return {
        "service": mapping["title"],
        "standard": mapping["x-standard-type"],
        "members": list(mapping["properties"]),
        "recommended": list(mapping["x-recommended"]),
        "document": document or {"name": ""},
        "markup": json.dumps(markup, indent=2, ensure_ascii=False) if markup else "",
    }


def _faults(cases: Path | None) -> Any:
    for rule in FAULTS if cases else ():
        folder = (cases or Path()) / "rules" / rule
        first = next(iter(sorted(folder.glob("bad-*.*"))), None)
        if first is not None and first.suffix in {".html", ".json", ".jsonld"}:
            text = re.sub(r"^<!-- expect: [\d:]+ -->\n?", "", first.read_text("utf-8"))
            yield {"name": rule.replace("-", " "), "text": text}


def _assigned(value: Any) -> bytes:
    """A classic script that leaves the data in a global. No text of it can end the element it might stand in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"globalThis.WaypostWorkbench={text};\n".encode()
