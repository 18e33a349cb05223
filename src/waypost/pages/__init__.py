"""Static explorer site, rendered from the registry, the rules, the world and the test cases.

Links are relative and name `index.html`, so the site works from a folder, a sub-path or a host.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import jinja2
import msgspec
from markupsafe import Markup

from waypost.contract.headers import content_security_policy, page_headers
from waypost.contract.schemas import names, published
from waypost.errors import RegistryError
from waypost.formats.tables import with_column_names
from waypost.models.snippet import Snippet
from waypost.pages import (
    budgets,
    card_gaps,
    changes,
    check_destination,
    compare,
    feeds,
    frame,
    get,
    guides,
    home,
    lazy_scripts,
    links,
    messages,
    model,
    modules,
    page_assets,
    page_markup,
    reference,
    rules,
    safety,
    search_index,
    workbench,
)
from waypost.pages import check as checks
from waypost.pages.distribution import Published
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import Sides, bar_item_of, shared
from waypost.pages.markdown_pages import markdown_of
from waypost.pages.output import MANIFEST, manifest, write
from waypost.pages.site_rules import current_rules, use
from waypost.pages.source_maps import unminified, with_map
from waypost.pages.text import coloured, duration, jointed, line
from waypost.registry import Registry, assets
from waypost.registry.world import load as load_world
from waypost.report.card import day_to_draw, facts_to_draw, half_stars

__all__ = ["Built", "Settings", "build", "render"]

_LAYOUT = "layout.html"
# Side navigation of sections that have their own module.
_SIDES = {
    "safety/": safety.side,
    "docs/": guides.side,
    "api/": reference.side,
    "keys/": home.keys_side,
    "messages/": messages.side,
}


class Settings(NamedTuple):
    """Options of a build.

    base      address of the published site ("https://example.org/waypost/"); empty: relative links only
    api       address of the service called by the pages, if on another host
    release   also write compressed copies of texts
    only      address of the section to build ("rules/"); removes no file and checks no link
    checked   whether to check links, ids, reachability and the structured data of the pages
    published     repository and package of waypost, as far as they are known
    source_maps   whether scripts stay as they are written, with source maps, for development
    usual     what a configuration says for pages that are pasted: `profiles`, `also`, `levels`
    """

    base: str = ""
    api: str = ""
    release: bool = False
    only: str = ""
    checked: bool = True
    source_maps: bool = False
    published: Published = Published()
    usual: Mapping[str, Any] = MappingProxyType({})


class Built(NamedTuple):
    """Counts of a build (pages, examples, files, files written) and seconds by step."""

    pages: int
    examples: int
    files: int
    written: int
    examples_s: float
    render_s: float
    check_s: float


def build(
    registry: Registry,
    output: Path,
    *,
    settings: Settings | None = None,
) -> Built:
    """Render the site into `output`. Only files with changed bytes are written.

    Raises RegistryError where a page cannot be rendered, SiteError where the checks find an error
    or a file cannot be written.
    """
    settings = settings or Settings()
    use(registry)
    for cached in (frame.rule_groups, frame.group_of, rules.by_frequency, rules.near_rules):
        cached.cache_clear()
    # The day of the test cases, whose expectations hold on it: the clock would make each build differ.
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    source = Source(registry, load_world(), now, assets.cases(), usual=settings.usual)
    if not source.cases.is_dir():
        raise RegistryError(str(source.cases), "the examples of the site are not there; install waypost again")
    times = [time.perf_counter()]
    examples = rules.check_examples(source)
    times.append(time.perf_counter())
    # Everything is rendered before anything is written: a site with an error leaves the last one as it is.
    files, needed = render(source, settings)
    times.append(time.perf_counter())
    # A section alone has links to pages that this build does not make.
    if settings.checked and not settings.only:
        checks.check(files, needed, _root_of(settings.base))
        if not settings.source_maps:
            budgets.check(files)
        checks.check_structured(files, registry, settings.base, source.now)
    times.append(time.perf_counter())
    if settings.only:
        # The assets too, because a change of a script changes their names.
        files = {name: data for name, data in files.items() if name.startswith((settings.only, "assets/"))}
    written = _write(files, output, settings)
    pages = sum(name.endswith(".html") for name in files)
    return Built(pages, examples, len(files), written, *(end - start for start, end in pairwise(times)))


def _write(files: Mapping[str, bytes], output: Path, settings: Settings) -> int:
    """Number of files written. Raises SiteError where one cannot be written."""
    try:
        return write(files, output, release=settings.release, complete=not settings.only)
    except OSError as error:
        place, why = error.filename or output, (error.strerror or "it cannot be written").lower()
        raise checks.SiteError([f"{place}: {why}; name a folder to write to"]) from None


def render(source: Source, settings: Settings) -> tuple[dict[str, bytes], list[str]]:
    """Files of the site by path below the output folder, and the addresses to be reachable from home."""
    if settings.base and not (settings.base.endswith("/") and urlsplit(settings.base).netloc):
        raise RegistryError(
            "--base", f"{settings.base!r} is not an address that ends with /, such as https://example.org/"
        )
    drafts = [
        draft for draft in _drafts(source, settings) if not settings.only or draft.address.startswith(settings.only)
    ]
    with unminified(settings.source_maps):
        files, paths = _assets(source, drafts, settings)
    frame = _frame(source, settings, paths)
    files |= {f"schemas/{path}": data for path, data in source.registry.files.items()}
    notice = "vocabulary/NOTICE.md"
    files[f"schemas/{notice}"] = (assets.folder("schemas") / notice).read_bytes()
    files |= {
        f"schemas/{source.registry.version}/{name}.json": published(source.registry, name, settings.base.rstrip("/"))
        for name in names(source.registry)
    }
    files |= reference.files()
    environment = _environment(assets.folder("site") / "templates")
    navigation = _Navigation(Sides(source, _SIDES), environment)
    # Kept for llms-full.txt, which joins the same texts.
    markdown: dict[str, str] = {}
    for draft in drafts:
        html = _page(draft, environment, frame, settings, navigation.of(draft))
        files[draft.file] = html.encode()
        if draft.robots:
            markdown[draft.address] = markdown_of(html)
            files[f"{draft.address}index.md"] = markdown[draft.address].encode()
        if draft.data is not None:
            files[f"{draft.address}index.json"] = feeds.as_json(draft.data)
    files |= feeds.about(drafts, markdown, settings.base, page_headers(settings.base, settings.api))
    files |= feeds.security_txt(settings.base, source.now)
    files[changes.FEED] = changes.feed(source, assets.folder("site") / "releases", settings.base)
    # Last, as it lists every other file.
    files[MANIFEST] = manifest(files, frame)
    return files, _needed(source)


def _drafts(source: Source, settings: Settings) -> Iterator[Draft]:
    cards, decisions = card_gaps.cards(), safety.Safety(source)
    yield from home.drafts(source)
    yield from model.drafts(source, cards)
    yield from compare.drafts(source)
    yield from rules.drafts(source)
    yield from messages.drafts(source)
    yield from safety.drafts(decisions)
    yield check_destination.draft(source)
    yield get.draft(source, settings.published)
    yield from reference.drafts(source)
    yield from guides.drafts(source)


def _needed(source: Source) -> list[str]:
    registry = source.registry
    codes = source.world.document("codes.json")
    return [
        *(links.rule(name) for name in (*current_rules(), *registry.profiles)),
        *(f"types/{mapping['x-standard-type']}/" for mapping in registry.mappings.values()),
        *(f"mappings/{mapping['x-standard-type']}/" for mapping in registry.mappings.values()),
        *(links.field(name) for name in registry.unified["properties"]),
        *(f"safety/reasons/{code}/" for code in codes["reason_codes"]),
        *(f"safety/unknowns/{code}/" for code in codes["unknowns"]),
        *(f"safety/evidence/{code}/" for code in codes["evidence_types"]),
        *messages.needed(registry),
        *reference.needed(),
    ]


def _root_of(base: str) -> str:
    """Root of the links of 404.html, which a host serves at any address."""
    return urlsplit(base).path or "/"


def _assets(source: Source, drafts: list[Draft], settings: Settings) -> tuple[dict[str, bytes], dict[str, str]]:
    """Scripts, stylesheets and images: bytes by path, and path by short name."""
    always = page_assets.assets(assets.folder("site"))
    later = search_index.scripts(drafts, source.registry) | workbench.parts(source) | lazy_scripts.files(source)
    # The script of every page names the later ones by hash, so their bytes must be final first.
    named = {name: page_assets.hashed(name, with_map(data)) for name, data in later.items()}
    always["ui.js"] = page_assets.listing(always["ui.js"], named)
    usual = page_assets.listing(modules.script("ui/workbench.js"), named)
    made = always | later | workbench.starts(source, usual, later["drawing.js"], settings.published)
    data = {name: with_map(content) if name.endswith(".js") else content for name, content in made.items()}
    paths = {name: page_assets.hashed(name, content) for name, content in data.items()}
    return {paths[name]: content for name, content in data.items()}, paths


def _frame(source: Source, settings: Settings, paths: Mapping[str, str]) -> dict[str, Any]:
    return shared(
        source,
        style=paths["site.css"],
        home_style=paths["home.css"],
        results_style=paths["results.css"],
        bench=paths["tools.css"],
        workbench_style=paths["bench.css"],
        theme=paths["theme.js"],
        script=paths["ui.js"],
        search=paths["search.js"],
        icon=paths["icon.svg"],
        picture=paths["picture.png"],
        workbench={template: [paths[name]] for template, name in workbench.PAGES.items()},
        loads=lazy_scripts.lists(paths),
        base=settings.base,
        api=settings.api,
        csp=content_security_policy(settings.base, settings.api, meta=True),
    )


class _BytecodeCache(jinja2.BytecodeCache):
    """Templates compiled by this process, by name and checksum of the text.

    A build gets a new environment, because a template keeps macros imported from an older version of another template.
    """

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        # The checksum is that of the template's text: an edited template is compiled again.
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


_BYTECODE = _BytecodeCache()


def _environment(templates: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        # Names and messages come from test cases with markup in them.
        autoescape=True,
        # A misspelt name in a template fails the build instead of rendering as nothing.
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        bytecode_cache=_BYTECODE,
    )
    environment.filters["coloured"] = lambda code, language: coloured(str(code), language)
    environment.filters["line"] = line
    environment.filters["jointed"] = jointed
    environment.filters["with_column_names"] = lambda html: Markup(with_column_names(str(html)))  # noqa: S704 - ours
    environment.filters["duration"] = duration
    environment.filters["drawn"] = _drawn
    environment.filters["half_stars"] = half_stars
    environment.filters["thousands"] = "{:,}".format
    environment.filters["on_page"] = lambda address, to: to(address)
    return environment


def _drawn(snippet: dict[str, Any]) -> dict[str, Any]:
    """Parts of a card as they are drawn: the day in words, the facts, halves of stars, and doubts by slot."""
    card = msgspec.convert(snippet, Snippet)
    return {
        "day": day_to_draw(card),
        "facts": facts_to_draw(card),
        "halves": half_stars(card.rating.stars) if card.rating else 0,
        "doubts": {each.slot: each.text for each in card.remarks},
    }


class _Navigation:
    """Side navigation as HTML, rendered once per folder: between pages only the mark on the current link differs."""

    def __init__(self, sides: Sides, environment: jinja2.Environment) -> None:
        self._sides = sides
        self._template = environment.get_template("parts/side.html")
        self._html: dict[tuple[int, int], str] = {}

    def of(self, draft: Draft) -> Markup | str:
        side = self._sides.of(draft.address)
        if not side or not draft.robots:
            return ""
        to = links.relative_to(draft.file)
        # Links are relative, so that they differ by the depth of the page.
        key = (id(side), draft.file.count("/"))
        if key not in self._html:
            self._html[key] = self._template.render(page={"side": side, "address": None}, to=to)
        # The mark is put into the rendered text, which is the same for all pages of the depth.
        own = f'href="{to(draft.address)}"'
        return Markup(self._html[key].replace(own, f'{own} aria-current="page"', 1))  # noqa: S704 - rendered above


def _page(
    draft: Draft, environment: jinja2.Environment, frame: dict[str, Any], settings: Settings, side: Markup | str
) -> str:
    """HTML of a page: the main part, then the frame around the main part."""
    to = links.relative_to(draft.file, "" if draft.robots else _root_of(settings.base))
    page = {
        "title": draft.title,
        "description": draft.description,
        "address": draft.address,
        "file": draft.file,
        "section": bar_item_of(draft.address),
        "crumbs": draft.crumbs,
        "markdown": draft.robots,
        "robots": draft.robots,
        "bench": draft.kind == "Tool" or draft.values.get("form") is not None,
        "workbench": draft.template in workbench.PAGES,
    }

    def rendered(template: str, values: Mapping[str, Any], **more: Any) -> str:
        try:
            return environment.get_template(template).render(values, page=page | more, frame=frame, to=to)
        except jinja2.TemplateError as error:
            raise RegistryError(
                _where(error, template), f"{error.message or error} (page {draft.address or 'home'})"
            ) from error

    main = rendered(draft.template, draft.values)
    html = rendered(
        _LAYOUT,
        {"main": Markup(main)},  # noqa: S704 - rendered above
        side=side,
        structured=page_markup.of(draft, to, settings.base) if draft.robots else "",
        scripts=frame["workbench"].get(draft.template, ()),
    )
    return html.rstrip() + "\n"


def _where(error: jinja2.TemplateError, template: str) -> str:
    """Template and line of an error."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f"site/templates/{error.name or template}:{error.lineno}"
    # Jinja rewrites tracebacks to lines of the templates; the last one is where the error arose.
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith(".html")]
    if not frames:
        return f"site/templates/{template}"
    return f"site/templates/{frames[-1].filename.partition('/templates/')[2]}:{frames[-1].lineno}"
