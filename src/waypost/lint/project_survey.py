"""Survey of a project: generator of the site, folders with built pages, address, and CI."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from waypost.formats.file_kinds import PAGES
from waypost.formats.source_kinds import source_language

MAX_BYTES = 1_000_000
MOST_PACKAGES = 50
OUTPUTS = ("_site", "dist", "public", "out", "build", ".vitepress/dist", ".output/public", "site", "output", "www")
"""Folders into which generators write, in the order of the search."""


class Generator(NamedTuple):
    """Generator of sites: files (globs), package of npm, folder, and keys of the site's address."""

    name: str
    files: tuple[str, ...]
    output: str
    package: str = ""
    address: str = ""


_GENERATORS = (
    Generator(
        "Hugo", ("hugo.toml", "hugo.yaml", "hugo.json", "config/_default/hugo.toml"), "public", address="baseURL"
    ),
    Generator("Jekyll", ("_config.yml",), "_site", address="url"),
    Generator("Eleventy", ("eleventy.config.*", ".eleventy.js"), "_site", "@11ty/eleventy"),
    Generator("Astro", ("astro.config.*",), "dist", "astro", "site"),
    Generator("Next.js", ("next.config.*",), "out", "next"),
    Generator("Nuxt", ("nuxt.config.*",), ".output/public", "nuxt", "url"),
    Generator("VitePress", (".vitepress/config.*",), ".vitepress/dist", "vitepress", "hostname"),
    Generator("Docusaurus", ("docusaurus.config.*",), "build", "@docusaurus/core", "url"),
    Generator("Gatsby", ("gatsby-config.*",), "public", "gatsby", "siteUrl"),
    Generator("SvelteKit", ("svelte.config.*",), "build", "@sveltejs/kit"),
    Generator("MkDocs", ("mkdocs.yml",), "site", address="site_url"),
    Generator("Pelican", ("pelicanconf.py",), "output", address="SITEURL"),
)


class Framework(NamedTuple):
    """Framework that answers requests: marks (files), or packages of Python, and address at work.

    is_tested  its pages can be tested with the fixture of pytest.
    """

    name: str
    marks: tuple[str, ...] = ()
    package: str = ""
    address: str = "http://localhost:8000/"
    is_tested: bool = False


_FRAMEWORKS = (
    Framework("Django", ("manage.py",), "django", is_tested=True),
    Framework("Flask", (), "flask", "http://localhost:5000/", is_tested=True),
    Framework("FastAPI", (), "fastapi", is_tested=True),
    Framework("Starlette", (), "starlette", is_tested=True),
    Framework("Rails", ("config/routes.rb",), address="http://localhost:3000/"),
    Framework("Laravel", ("artisan",)),
    Framework(
        "WordPress", ("wp-config.php", "wp-content", "theme.json", "functions.php"), address="http://localhost:8888/"
    ),
    Framework("Shopify", ("layout/theme.liquid",), address="http://127.0.0.1:9292/"),
    Framework("Scrapy", ("scrapy.cfg",), "scrapy", ""),
)
_NEXT_SERVER = Framework("Next.js", address="http://localhost:3000/")
_SOURCES = ("layouts", "_layouts", "_includes", "includes", "src", "app", "pages", "components", "templates",
            "*/templates", "views", "resources/views", "layout", "sections", "snippets")  # fmt: skip
"""Folders in which generators and frameworks have templates and components."""
_MOST_FILES = 2000
_CI = (
    ("GitHub Actions", ".github/workflows"),
    ("GitLab CI", ".gitlab-ci.yml"),
    ("pre-commit", ".pre-commit-config.yaml"),
)


class Survey(NamedTuple):
    """What a project's files show.

    generator  name of the generator or framework; empty for none known.
    output     folder with the built pages from the project's folder, there or to come; empty for none.
    is_built   the folder is there, with a page.
    is_ignored  git ignores the folder.
    base_url   address of the site; empty for none known.
    base_source  file with the address.
    ci         names of the CI services and hooks in use.
    packages   folders of a monorepo with a site of their own.
    sources    folders with templates and components.
    address    where a framework answers requests during development; empty where it does not.
    is_tested  its pages can be tested with the fixture of pytest.
    """

    generator: str = ""
    output: str = ""
    is_built: bool = False
    is_ignored: bool = False
    base_url: str = ""
    base_source: str = ""
    ci: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    address: str = ""
    is_tested: bool = False


def survey(folder: Path) -> Survey:
    """Survey of a project's folder."""
    generator, files = _generator(folder)
    framework = _framework(folder, generator, files)
    output = "" if generator and framework else _output(folder, generator)
    base_url, source = _address(folder, generator, files)
    return Survey(
        generator=generator.name if generator else framework.name if framework else "",
        output=output,
        is_built=bool(output) and _has_pages(folder / output),
        is_ignored=bool(output) and _is_ignored(folder, output),
        base_url=base_url,
        base_source=source,
        ci=tuple(name for name, mark in _CI if (folder / mark).exists()),
        packages=tuple(_packages(folder)),
        sources=tuple(_sources(folder)),
        address=framework.address if framework else "",
        is_tested=framework is not None and framework.is_tested,
    )


def generator_of(folder: Path) -> Generator | None:
    """Generator whose configuration is in a folder; None for none known."""
    return _generator(folder)[0]


def _generator(folder: Path) -> tuple[Generator | None, list[Path]]:
    """(generator, its configuration files)"""
    dependencies = _dependencies(folder)
    # One listing, since each `glob` makes its own; few folders have a file of a generator.
    names = _names(folder)
    for generator in _GENERATORS:
        patterns = (pattern for pattern in generator.files if _may_have(names, pattern))
        files = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
        if files or generator.package in dependencies:
            return generator, files
    # Older sites of Hugo have a config.toml, as many other programs do.
    config = folder / "config.toml"
    if re.search(r"(?im)^\s*baseURL\s*=", _text(config)):
        return _GENERATORS[0], [config]
    return None, []


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are enough
    except OSError:
        return []


def _may_have(names: list[str], pattern: str) -> bool:
    """May a glob match in a folder with these names, by what stands before its first star or slash?"""
    start = re.split(r"[*/]", pattern, maxsplit=1)[0]
    return any(name.startswith(start) for name in names)


def _dependencies(folder: Path) -> set[str]:
    try:
        package = json.loads(_text(folder / "package.json"))
    except ValueError:
        return set()
    tables = (package.get(key) for key in ("dependencies", "devDependencies")) if isinstance(package, dict) else ()
    return {name for table in tables if isinstance(table, dict) for name in table}


def _framework(folder: Path, generator: Generator | None, files: list[Path]) -> Framework | None:
    """Framework for answers to requests, None for a project with pages in files."""
    if generator:
        # Next.js makes files where its configuration says so.
        exports = re.search(r"output\W{1,4}export\b", "".join(map(_text, files)))
        return _NEXT_SERVER if generator.name == "Next.js" and not exports else None
    text = _text(folder / "pyproject.toml") + _text(folder / "requirements.txt")
    for framework in _FRAMEWORKS:
        if any((folder / mark).exists() for mark in framework.marks):
            return framework
        if framework.package and re.search(rf"(?im)^\W*{framework.package}\b", text):
            return framework
    return None


def _sources(folder: Path) -> Iterator[str]:
    """Folders with a possible source, such as a page in a folder of templates."""
    for pattern in _SOURCES:
        for path in sorted(folder.glob(pattern)):
            files = (each.name.lower() for each in islice(path.rglob("*"), _MOST_FILES))
            endings = () if pattern in {"src", "app", "pages"} else PAGES
            if path.is_dir() and any(source_language(name) or name.endswith(endings) for name in files):
                yield path.relative_to(folder).as_posix()


def _output(folder: Path, generator: Generator | None) -> str:
    """Folder of the generator, which may be to come, else a usual one with pages in it."""
    usual = ((generator.output,) if generator else ()) + OUTPUTS
    found = next((name for name in usual if _has_pages(folder / name)), "")
    return found or (generator.output if generator else "")


def _has_pages(folder: Path) -> bool:
    try:
        return any(path.name.lower().endswith(PAGES) for path in folder.iterdir())
    except OSError:
        return False


def _address(folder: Path, generator: Generator | None, files: list[Path]) -> tuple[str, str]:
    """(address of the site, file with the address)"""
    if generator and generator.address:
        key = re.compile(rf"(?im)^[^#\n]*?\b{generator.address}[\"']?\s*[:=]\s*[\"']?(https?://[^\"'\s,;#]+)")
        for path in files:
            if found := key.search(_text(path)):
                return _with_slash(found[1]), path.name
    host = _text(folder / "CNAME").strip() or _text(folder / "static/CNAME").strip()
    if re.fullmatch(r"[a-z0-9.-]+\.[a-z]{2,}", host):
        return f"https://{host}/", "CNAME"
    found = re.search(r'"homepage"\s*:\s*"(https?://[^"#]+)', _text(folder / "package.json"))
    # Many packages name the repository there.
    if found and not re.match(r"https?://(www\.)?(github|gitlab)\.com/", found[1]):
        return _with_slash(found[1]), "package.json"
    return "", ""


def _with_slash(address: str) -> str:
    return address if address.endswith("/") else f"{address}/"


def _is_ignored(folder: Path, output: str) -> bool:
    from waypost.lint.gitignore import GitIgnore

    ignored = GitIgnore.above(str(folder))
    if ignored is None:
        return False
    ignored.enter(str(folder))
    return ignored.hides(str(folder), output.partition("/")[0], is_folder=True)


def _packages(folder: Path) -> Iterator[str]:
    """Folders two levels below with a generator or built pages of their own."""
    places = [path for pattern in ("packages/*", "apps/*", "sites/*", "*") for path in sorted(folder.glob(pattern))]
    seen: set[str] = set()
    for path in places:
        name = path.relative_to(folder).as_posix()
        is_other = path.name.startswith(".") or path.name in {"node_modules", *OUTPUTS}
        if name in seen or is_other or not path.is_dir() or len(seen) >= MOST_PACKAGES:
            continue
        seen.add(name)
        if _generator(path)[0] is not None:
            yield name


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
