"""Sites of forty pages built by generators, whose entities are right: `waypost graph` has no finding.

    python benchmarks/graphs.py [--cache DIR] [NAME ...]

Each site describes its organization, its authors and its pages by `@id` over all pages: an address with and without a
trailing slash, two languages, and another site's `@id` among them. The generators come from npm and PyPI, as in
benchmarks/stacks.py; one that cannot be had is passed by with the reason. The status is 1 for a finding.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from stacks import Builder, NotHere  # noqa: E402

from waypost.cli import main as waypost  # noqa: E402

ORGANIZATION = {
    "@type": "Organization", "@id": "https://www.example.com/#organization", "name": "Lakeside Kitchen",
    "url": "https://www.example.com/", "sameAs": ["https://www.wikidata.org/wiki/Q1"],
}  # fmt: skip
SITE = {
    "@type": "WebSite", "@id": "https://www.example.com/#website", "name": "Lakeside Kitchen",
    "url": "https://www.example.com/", "publisher": {"@id": "https://www.example.com/#organization"},
}  # fmt: skip
PERSON = {
    "@type": "Person", "@id": "https://www.example.com/team/AUTHOR/#person", "name": "AUTHOR",
    "worksFor": {"@id": "https://www.example.com/#organization"},
}  # fmt: skip
PAGE = {
    "@type": "WebPage", "@id": "ADDRESS#page", "url": "ADDRESS", "name": "TITLE", "inLanguage": "LANGUAGE",
    "isPartOf": {"@id": "https://www.example.com/#website"}, "about": {"@id": "http://www.wikidata.org/entity/Q7802"},
}  # fmt: skip
ARTICLE = {
    "@type": "Article", "@id": "ADDRESS#article", "headline": "TITLE", "datePublished": "2026-11-20",
    "author": PERSON, "publisher": {"@id": "https://www.example.com/#organization"},
    "mainEntityOfPage": {"@id": "ADDRESS#page"},
}  # fmt: skip
GRAPH = json.dumps({"@context": "https://schema.org", "@graph": [ORGANIZATION, SITE, PAGE, ARTICLE]}, indent=1)


def document(address: str, title: str, language: str, author: str) -> str:
    """Page of a template, whose expressions stand in place of the words in capitals."""
    graph = GRAPH.replace("ADDRESS", address).replace("TITLE", title).replace("LANGUAGE", language)
    graph = graph.replace("AUTHOR", author)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><title>{title}</title>\n'
        f'<script type="application/ld+json">\n{graph}\n</script></head>\n<body><h1>{title}</h1></body></html>\n'
    )


def front(number: int, **more: str) -> str:
    language = ("en", "de")[number % 2]
    author = ("mara", "ines", "tom")[number % 3]
    values = {"title": f"Loaf {number}", "language": language, "author": author} | more
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in values.items()) + "---\nText.\n"


HOME = "https://www.example.com"
SITES: dict[str, tuple[str, str, dict[str, str]]] = {
    "hugo": ("hugo", "public", {
        "hugo.toml": f'baseURL = "{HOME}/"\ndisableKinds = ["taxonomy", "term", "section", "RSS", "home"]\n',
        "layouts/loaves/single.html": document(
            "{{ .Permalink }}", "{{ .Title }}", "{{ .Params.language }}", "{{ .Params.author }}"
        ),
    } | {f"content/loaves/{number}.md": front(number) for number in range(40)}),
    "eleventy": ("npx @11ty/eleventy", "_site", {
        "package.json": json.dumps({"private": True, "homepage": f"{HOME}/"}),
        "_includes/loaf.njk": document(f"{HOME}{{{{ page.url }}}}", "{{ title }}", "{{ language }}", "{{ author }}"),
    } | {f"loaves/{number}.md": front(number, layout="loaf.njk") for number in range(40)}),
    "jekyll": ("jekyll build", "_site", {
        "_config.yml": f"url: {HOME}\npermalink: pretty\n",
        "_layouts/loaf.html": document(
            "{{ page.url | absolute_url }}", "{{ page.title }}", "{{ page.language }}", "{{ page.author }}"
        ),
    } | {f"loaves/{number}.md": front(number, layout="loaf") for number in range(40)}),
}  # fmt: skip


def findings(name: str, cache: Path, folder: Path) -> list[str]:
    """Findings of the graph over a site that a generator builds. Raises NotHere."""
    command, output, files = SITES[name]
    builder = Builder(name, cache)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    if builder.modules:
        (folder / "node_modules").symlink_to(builder.modules)
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=builder.environment, text=True, capture_output=True, check=False
    )
    if done.returncode:
        raise NotHere(f"{command}: {(done.stdout + done.stderr)[-2000:]}")
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.chdir(folder):
        waypost(["graph", output, "--base-url", f"{HOME}/", "--json", "--quiet", "--no-config"])
    graph = json.loads(written.getvalue())
    print(f"{name}: {graph['pages']} pages, {len(graph['entities'])} entities, {len(graph['findings'])} findings")
    assert graph["pages"] == 40, "the generator has left pages out"
    return [f"{each['rule']}: {each['message']}" for each in graph["findings"]]


def main() -> int:
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"sites (default: {', '.join(SITES)})")
    parser.add_argument("--cache", metavar="DIR", type=Path, help="folder for the installed packages")
    options = parser.parse_args()
    status = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.names or SITES:
            folder = Path(temporary) / "sites" / name
            folder.mkdir(parents=True)
            try:
                found = findings(name, (options.cache or Path(temporary)).absolute(), folder)
            except NotHere as reason:
                print(f"{name}: not built: {reason}")
                continue
            print("\n".join(found))
            status |= bool(found)
    return status


if __name__ == "__main__":
    sys.exit(main())
