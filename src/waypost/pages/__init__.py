"""The site: every page from the registry, the rulebook and their cases; nothing is written by hand twice.

Links are relative and name `index.html`, so the site works from a folder, a sub-path or a host.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from waypost import __version__, assets
from waypost.pages.check import check_links
from waypost.pages.shown import cases_of, entries, prose
from waypost.registry import Registry
from waypost.validate.rulebook import rulebook

SECTIONS = (("Rules", "rules/"), ("Profiles", "profiles/"), ("Types", "types/"), ("Model", "model/"))
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><path d="M11 1.5h3V26.5h-3z" fill="#151b23"/>'
    '<path d="M3.5 4.5h16.2L25.5 9l-5.8 4.5H3.5Z" fill="#f4b91f" stroke="#151b23" stroke-width="1.5"'
    ' stroke-linejoin="round"/></svg>\n'
)


class Draft(NamedTuple):
    """A page to render: its address ("rules/", "" for home), template, and what the template needs."""

    address: str
    template: str
    title: str
    description: str
    crumbs: tuple[tuple[str, str], ...]
    values: dict[str, Any]


class Built(NamedTuple):
    """What a build did: pages rendered, files in all, files whose bytes changed."""

    pages: int
    files: int
    written: int


def build(registry: Registry, output: Path, *, cases: Path | None = None, now: datetime | None = None) -> Built:
    """Render the site into `output`. Only files whose bytes change are written.

    cases   `tests/cases` of a checkout: the examples on the pages. Without it the pages have none.
    now     the clock for the examples; a fixed day by default, so that a build is repeatable.
    Raises RegistryFault when a link leads nowhere.
    """
    clock = now or datetime(2026, 11, 20, 12, tzinfo=UTC)
    files = _files(registry, cases, clock)
    check_links(files)
    written = 0
    for name, data in files.items():
        target = output / name
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            written += 1
    pages = sum(name.endswith(".html") for name in files)
    return Built(pages=pages, files=len(files), written=written)


def _files(registry: Registry, cases: Path | None, now: datetime) -> dict[str, bytes]:
    """Every file of the site by its path below the output folder."""
    css = b"".join((assets.folder("site") / "css" / name).read_bytes() for name in ("tokens.css", "site.css"))
    stylesheet = f"assets/site.{hashlib.sha256(css).hexdigest()[:10]}.css"
    files = {stylesheet: css, "assets/icon.svg": _ICON.encode()}
    files |= {f"schemas/{path}": data for path, data in registry.files.items()}
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(assets.folder("site") / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
    )
    for draft in _drafts(registry, cases, now):
        depth = draft.address.count("/")
        text = environment.get_template(draft.template).render(
            draft.values,
            title=draft.title,
            description=draft.description,
            crumbs=draft.crumbs,
            section=draft.address.partition("/")[0] + "/",
            sections=SECTIONS,
            stylesheet=stylesheet,
            to=lambda target, depth=depth: _relative(target, depth),
            version=__version__,
            registry_version=registry.version,
        )
        files[f"{draft.address}index.html"] = (text.rstrip() + "\n").encode()
    return files


def _relative(target: str, depth: int) -> str:
    """A link from a page `depth` folders down to an address or file of the site."""
    path, hash_, fragment = target.partition("#")
    if not path or path.endswith("/"):
        path += "index.html"
    return "../" * depth + path + hash_ + fragment


def _drafts(registry: Registry, cases: Path | None, now: datetime) -> Iterator[Draft]:
    profiles = _profiles(registry)
    yield _home(registry, profiles)
    yield from _rules(registry, cases, now)
    yield from _profile_pages(profiles, registry, cases, now)
    yield from _types(registry, cases, now, profiles)
    yield from _model(registry)
    listed = sorted(registry.files)
    yield Draft("schemas/", "schemas.html", "Registry files", "Every file of the registry, as waypost runs it.", (),
                {"files": listed})  # fmt: skip


def _profiles(registry: Registry) -> list[dict[str, Any]]:
    paths = registry.below("profiles/google/")
    return [registry.document(path) | {"name": path.removeprefix("profiles/").removesuffix(".json")} for path in paths]


def _home(registry: Registry, profiles: list[dict[str, Any]]) -> Draft:
    status = [profile["status"] for profile in profiles]
    counts = {
        "rules": len(rulebook()),
        "profiles": len(profiles),
        "types": len(registry.mappings),
        "fields": len(registry.unified["properties"]),
    } | {kind: status.count(kind) for kind in ("supported", "restricted", "retired")}
    about = "Finds what is wrong in a page's structured data, exactly where, by whose authority, and what to do."
    return Draft("", "home.html", "Structured data, read honestly", about, (), {"counts": counts})


def _rules(registry: Registry, cases: Path | None, now: datetime) -> Iterator[Draft]:
    rules = list(rulebook().values())
    yield Draft("rules/", "rules.html", "Rules", "Every fault that waypost names, with its source.", (),
                {"rules": rules})  # fmt: skip
    for rule in rules:
        folder = cases / "rules" / rule.name if cases else None
        yield Draft(
            f"rules/{rule.name}/",
            "rule.html",
            rule.name,
            rule.title,
            (("Rules", "rules/"),),
            {
                "rule": rule,
                "body": prose(rule.doc.partition("\n")[2]),
                "bad": cases_of(folder, "bad", registry, now, rule=rule.name),
                "good": cases_of(folder, "good", registry, now, rule=rule.name),
            },
        )


def _profile_pages(
    profiles: list[dict[str, Any]], registry: Registry, cases: Path | None, now: datetime
) -> Iterator[Draft]:
    about = "What a search engine asks for before it shows a rich result, as data with a dated source."
    yield Draft("profiles/", "profiles.html", "Profiles", about, (), {"profiles": profiles})
    for profile in profiles:
        name = profile["name"]
        folder = cases / "profiles" / name.replace("/", "-") if cases else None
        yield Draft(
            f"profiles/{name}/",
            "profile.html",
            name,
            f"What {profile['title']} needs.",
            (("Profiles", "profiles/"),),
            {
                "profile": profile,
                "required": entries(profile.get("required", [])),
                "recommended": entries(profile.get("recommended", [])),
                "limits": entries(profile.get("limits", [])),
                "bad": cases_of(folder, "bad", registry, now, profile=name),
                "good": cases_of(folder, "good", registry, now, profile=name),
            },
        )


def _types(registry: Registry, cases: Path | None, now: datetime, profiles: list[dict[str, Any]]) -> Iterator[Draft]:
    from waypost.pages.types import examples_of, fields_of

    mappings = list(registry.mappings.values())
    yield Draft("types/", "types.html", "Types", "Seventeen types with a card of their own.", (),
                {"mappings": mappings})  # fmt: skip
    for mapping in mappings:
        standard, service = mapping["x-standard-type"], mapping["title"]
        yield Draft(
            f"types/{standard}/",
            "type.html",
            standard,
            f"How {standard} becomes {service}: fields, sources, card.",
            (("Types", "types/"),),
            {
                "mapping": mapping,
                "service": service,
                "fields": fields_of(mapping),
                "profiles": [p for p in profiles if service in (p.get("mapping") or "").split("|")],
                "examples": examples_of(cases, service, registry, now),
            },
        )


def _model(registry: Registry) -> Iterator[Draft]:
    fields = [{"name": name, **schema} for name, schema in registry.unified["properties"].items()]
    yield Draft("model/", "model.html", "Model", f"The unified model: {len(fields)} fields.", (),
                {"fields": fields})  # fmt: skip
    from waypost.pages.types import used_by

    for field in fields:
        yield Draft(
            f"model/{field['name'].lstrip('@')}/",
            "field.html",
            field["name"],
            str(field.get("description", field["name"])),
            (("Model", "model/"),),
            {"field": field, "used": used_by(field["name"], registry)},
        )
